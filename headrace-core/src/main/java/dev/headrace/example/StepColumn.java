package dev.headrace.example;

import dev.headrace.data.Plural;
import dev.headrace.data.Ragged;
import dev.headrace.data.Shape;
import dev.headrace.data.Sparse;
import dev.headrace.data.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * The values of one list of features while sequence examples are parsed: a row for each step, and
 * where the steps of each example end.
 *
 * <p><b>Threading:</b> of one thread.
 */
final class StepColumn {
  private final Feature feature;
  final Column steps;
  private int[] ends = {};
  private int count;
  private int seen = -1;

  StepColumn(Feature feature) {
    if (feature.form() == Feature.Form.SPARSE
        || !feature.partitions().isEmpty()
        || feature.fallback() != null) {
      throw new IllegalArgumentException(
          "SequenceExample.parser: expected lists without default, indices and partitions, but got "
              + feature);
    }
    this.feature = feature;
    boolean isDense = isDense();
    int stride = isDense ? Math.toIntExact(feature.shape().elements()) : 1;
    this.steps = new Column(feature.key(), feature.dtype(), isDense, stride, null);
  }

  private boolean isDense() {
    return feature.form() == Feature.Form.FIXED || feature.form() == Feature.Form.SEQUENCE;
  }

  void begin(int rows) {
    steps.begin(0);
    count = 0;
    seen = -1;
    ends = new int[rows];
  }

  /** Begins the list of an example; one that was there before is forgotten. */
  void beginList(int row) {
    seen = row;
    count = row == 0 ? 0 : ends[row - 1];
    steps.cutTo(count);
  }

  /** Reads one step. */
  void readStep(Wire wire, MemorySegment record, int from, int to) {
    steps.makeRoom(count + 1);
    steps.beginFeature(count);
    steps.readFeature(wire, record, from, to);
    steps.endFeature(count);
    steps.endRow(count);
    count++;
  }

  void endRow(int row) {
    if (seen != row && feature.form() == Feature.Form.FIXED) {
      throw new Wire.Malformed(
          "expected a list, but it is not there; say sequence() where it may be missing", -1);
    }
    ends[row] = count;
  }

  private long[] splits(int rows) {
    long[] splits = new long[rows + 1];
    for (int row = 0; row < rows; row++) {
      splits[row + 1] = ends[row];
    }
    return splits;
  }

  /** Whether a batch has the numbers of steps beside it. */
  boolean hasLengths(boolean single) {
    return isDense() && !single;
  }

  Tensor lengths(int rows) {
    long[] lengths = new long[rows];
    for (int row = 0; row < rows; row++) {
      lengths[row] = ends[row] - (row == 0 ? 0 : ends[row - 1]);
    }
    return Tensor.wrap(Shape.of(rows), lengths);
  }

  private int longest(int rows) {
    int longest = 0;
    for (int row = 0; row < rows; row++) {
      longest = Math.max(longest, ends[row] - (row == 0 ? 0 : ends[row - 1]));
    }
    return longest;
  }

  Object build(int rows, boolean single) {
    if (isDense()) {
      return single ? steps.values.copy().reshape(feature.shape().prepend(count)) : padded(rows);
    }
    if (feature.form() == Feature.Form.VAR_LEN) {
      return sparse(rows, single);
    }
    Tensor inner = Tensor.wrap(Shape.of(count + 1L), steps.splits(count));
    Tensor values = steps.values.copy();
    return single
        ? new Ragged(values, inner)
        : new NestedRagged(values, List.of(Tensor.wrap(Shape.of(rows + 1L), splits(rows)), inner));
  }

  private Tensor padded(int rows) {
    int stride = steps.stride();
    int longest = longest(rows);
    long width = (long) longest * stride;
    if (width * rows > Integer.MAX_VALUE - Values.SLACK) {
      throw new IllegalArgumentException(
          "sequence example: feature '%s': expected a padded batch of at most 2^31 values, but %d %s up to %d %s; use ragged()"
              .formatted(
                  feature.key(),
                  rows,
                  rows == 1 ? "row has" : "rows have",
                  longest,
                  Plural.word(longest, "step")));
    }
    int[] valueEnds = new int[rows];
    for (int row = 0; row < rows; row++) {
      valueEnds[row] = ends[row] * stride;
    }
    return steps.values.padded(
        valueEnds, rows, (int) width, null, feature.shape().prepend(longest).prepend(rows));
  }

  private Sparse sparse(int rows, boolean single) {
    int rank = single ? 2 : 3;
    int total = steps.values.size;
    long[] places = new long[Math.multiplyExact(total, rank)];
    int place = 0;
    for (int row = 0, step = 0; row < rows; row++) {
      for (int inRow = 0; step < ends[row]; step++, inRow++) {
        int from = step == 0 ? 0 : steps.ends()[step - 1];
        for (int i = 0; i < steps.ends()[step] - from; i++) {
          if (!single) {
            places[place++] = row;
          }
          places[place++] = inRow;
          places[place++] = i;
        }
      }
    }
    long widest = steps.longestRow(count);
    return new Sparse(
        Tensor.wrap(Shape.of(total, rank), places),
        steps.values.copy(),
        single ? Tensor.of(count, widest) : Tensor.of(rows, longest(rows), widest));
  }
}
