package dev.headrace.cuda.kernel;

import java.util.List;

/**
 * What a {@link ReduceJob} computes: a few totals for each result, taken together from many terms,
 * and what is made of them in the end.
 *
 * <p><b>Threading:</b> immutable.
 */
abstract class Accumulation {
  private final Node source;
  private final long results;
  private final long terms;
  private final int totals;

  /**
   * @param source the node whose elements are read
   * @param results how many results there are
   * @param terms how many terms go into each
   * @param totals how many numbers are added up beside each other for each
   */
  Accumulation(Node source, long results, long terms, int totals) {
    this.source = source;
    this.results = results;
    this.terms = terms;
    this.totals = totals;
  }

  Node source() {
    return source;
  }

  long results() {
    return results;
  }

  long terms() {
    return terms;
  }

  int totals() {
    return totals;
  }

  /** What the text depends on, besides the source. */
  abstract String name();

  /** Whether totals are doubles; else they are integers of 64 bits. */
  abstract boolean isFloating();

  /** A total of nothing. */
  abstract Operand start();

  /** Term number {@code term} of a result, for each total. */
  abstract List<Operand> terms(Code code, Operand result, Operand term);

  abstract Operand merge(Code code, Operand some, Operand next);

  /**
   * The values that are written for a result, one behind the other.
   *
   * @param job whose numbers those of a row are
   */
  abstract List<Value> finish(Code code, ReduceJob job, List<Operand> totals);
}
