package dev.headrace.profile;

import dev.headrace.spi.OpCounters;
import org.jspecify.annotations.Nullable;

/**
 * What one operator has done so far.
 *
 * @param word the operator, as users call it
 * @param path with name and line, where known
 * @param depth distance from the last operator
 */
public record OpStats(String word, String path, int depth, OpCounters counters) {

  /** The elements that were handed on, failures included. */
  public long elements() {
    return counters.calls().elements();
  }

  /** The failures among them. */
  public long failures() {
    return counters.calls().failures();
  }

  /** The time of the thread that pulled it, in this operator and what it pulled itself. */
  public long totalNs() {
    return counters.calls().totalNs();
  }

  /** The threads and the buffer of the operator in this pass; null where it has none. */
  public OpCounters.@Nullable Stage stage() {
    return counters.stage();
  }

  /** What the operator copied to a device; null where it does not copy. */
  public OpCounters.@Nullable Transfer transfer() {
    return counters.transfer();
  }

  /** What did not fit into memory and went to disk; null where everything fitted. */
  public OpCounters.@Nullable Spill spill() {
    return counters.spill();
  }
}
