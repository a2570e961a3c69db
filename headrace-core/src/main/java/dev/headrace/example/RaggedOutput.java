package dev.headrace.example;

import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Divides values into rows of rows as partitions say. */
final class RaggedOutput {
  private RaggedOutput() {}

  static NestedRagged build(Output output, int rows, boolean single) {
    List<Partition> partitions = output.feature().partitions();
    int levels = partitions.size();
    List<Splits> all = new ArrayList<>();
    for (int level = 0; level < levels; level++) {
      all.add(new Splits());
    }
    Splits batch = new Splits();
    for (int row = 0, from = 0; row < rows; from = output.values().ends()[row++]) {
      // From the innermost level, which divides the values, outwards.
      long below = output.values().ends()[row] - from;
      for (int level = levels - 1; level >= 0; level--) {
        long[] lengths =
            lengths(
                partitions.get(level),
                output.others().get(level),
                row,
                below,
                all.get(level).empty);
        all.get(level).addAll(lengths);
        below = lengths.length;
      }
      batch.add(below);
    }
    List<Tensor> splits = new ArrayList<>();
    if (!single) {
      splits.add(batch.tensor());
    }
    all.forEach(each -> splits.add(each.tensor()));
    return new NestedRagged(output.values().values.copy(), splits);
  }

  /**
   * The lengths of the rows of one example at one level, which cover {@code below}.
   *
   * @param emptyBefore how many empty rows the examples before have at that level
   */
  private static long[] lengths(
      Partition partition, Column column, int row, long below, long emptyBefore) {
    if (partition.kind() == Partition.Kind.UNIFORM) {
      check(below % partition.length() == 0, partition, below, "a multiple of the row length");
      long[] lengths = new long[Math.toIntExact(below / partition.length())];
      Arrays.fill(lengths, partition.length());
      return lengths;
    }
    int from = row == 0 ? 0 : column.ends()[row - 1];
    long[] given = new long[column.ends()[row] - from];
    Arrays.setAll(given, i -> ((Values.Longs) column.values).at(from + i));
    long[] lengths =
        switch (partition.kind()) {
          case ROW_SPLITS -> differences(given, 0, given.length - 1, below);
          case ROW_STARTS -> differences(given, 0, given.length, below);
          case ROW_LIMITS -> differences(given, -1, given.length - 1, below);
          case VALUE_ROW_IDS -> counts(given, partition, below, emptyBefore);
          default -> given;
        };
    long sum = 0;
    for (long length : lengths) {
      check(length >= 0 && length <= below - sum, partition, below, "rows within the values");
      sum += length;
    }
    boolean startsAtZero =
        given.length == 0
            || (partition.kind() != Partition.Kind.ROW_SPLITS
                && partition.kind() != Partition.Kind.ROW_STARTS)
            || given[0] == 0;
    check(sum == below && startsAtZero, partition, below, "rows that cover the values");
    return lengths;
  }

  /** The steps between neighbours; outside the given ones are 0 and {@code below}. */
  private static long[] differences(long[] given, int first, int last, long below) {
    long[] lengths = new long[Math.max(0, last - first)];
    for (int i = 0; i < lengths.length; i++) {
      int at = first + i;
      long to = at + 1 < given.length ? given[at + 1] : below;
      lengths[i] = to - (at < 0 ? 0 : given[at]);
    }
    return lengths;
  }

  private static long[] counts(long[] rowIds, Partition partition, long below, long emptyBefore) {
    check(rowIds.length == below, partition, below, "a row for each value");
    long last = -1;
    long empty = 0;
    for (long id : rowIds) {
      check(id >= Math.max(last, 0), partition, below, "rows that ascend from 0");
      empty += Math.max(id - last - 1, 0);
      last = id;
    }
    // An id can be anything, and each below it is a row: few bytes must not fill the memory.
    if (empty > Partition.MOST_EMPTY_ROWS - emptyBefore) {
      throw new Wire.Malformed(
          "expected at most %d empty rows in a batch, but %s makes %d"
              .formatted(Partition.MOST_EMPTY_ROWS, partition, emptyBefore + empty),
          -1);
    }
    long[] counts = new long[(int) last + 1];
    for (long id : rowIds) {
      counts[(int) id]++;
    }
    return counts;
  }

  private static void check(boolean holds, Partition partition, long below, String expected) {
    if (!holds) {
      throw new Wire.Malformed(
          "expected %s, but %s do not divide %d".formatted(expected, partition, below), -1);
    }
  }

  /** Row splits that grow. */
  private static final class Splits {
    private long[] splits = new long[16];
    private int size = 1;

    /** How many rows are empty. */
    private long empty;

    void add(long length) {
      empty += length == 0 ? 1 : 0;
      if (size == splits.length) {
        splits = Arrays.copyOf(splits, size * 2);
      }
      splits[size] = splits[size - 1] + length;
      size++;
    }

    void addAll(long[] lengths) {
      for (long length : lengths) {
        add(length);
      }
    }

    Tensor tensor() {
      return Tensor.wrap(Shape.of(size), Arrays.copyOf(splits, size));
    }
  }
}
