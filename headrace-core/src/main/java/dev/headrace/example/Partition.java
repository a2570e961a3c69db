package dev.headrace.example;

import java.util.Objects;

/**
 * How the values of a ragged feature are divided into rows: by another int64 feature of the same
 * example, or evenly. TensorFlow's {@code RaggedFeature} partitions.
 *
 * @param key the feature that divides; empty where rows are of one length
 * @param length the length of each row, where rows are of one length
 */
public record Partition(Kind kind, String key, long length) {

  /** How many empty rows {@link #valueRowIds} may make in a batch: 2<sup>20</sup>. */
  public static final long MOST_EMPTY_ROWS = 1 << 20;

  /** What the dividing feature holds. */
  public enum Kind {
    ROW_SPLITS,
    ROW_LENGTHS,
    ROW_STARTS,
    ROW_LIMITS,
    VALUE_ROW_IDS,
    UNIFORM
  }

  public Partition {
    Objects.requireNonNull(key, "Partition: expected the key of a feature, but got null");
    if (kind == Kind.UNIFORM && length < 1) {
      throw new IllegalArgumentException(
          "uniformRowLength: expected at least 1, but got " + length);
    }
  }

  /** Row <em>i</em> is from number <em>i</em> to number <em>i + 1</em> of the feature. */
  public static Partition rowSplits(String key) {
    return new Partition(Kind.ROW_SPLITS, key, 0);
  }

  /** The feature has the length of each row. */
  public static Partition rowLengths(String key) {
    return new Partition(Kind.ROW_LENGTHS, key, 0);
  }

  /** The feature has the start of each row; the last row ends with the values. */
  public static Partition rowStarts(String key) {
    return new Partition(Kind.ROW_STARTS, key, 0);
  }

  /** The feature has the end of each row; the first row starts with the values. */
  public static Partition rowLimits(String key) {
    return new Partition(Kind.ROW_LIMITS, key, 0);
  }

  /**
   * The feature has for each value its row, ascending. In a batch at most {@link #MOST_EMPTY_ROWS}
   * may be left out, which are empty.
   */
  public static Partition valueRowIds(String key) {
    return new Partition(Kind.VALUE_ROW_IDS, key, 0);
  }

  /** All rows have this length. */
  public static Partition uniformRowLength(long length) {
    return new Partition(Kind.UNIFORM, "", length);
  }

  @Override
  public String toString() {
    return kind == Kind.UNIFORM ? "rows of " + length : kind + " '" + key + "'";
  }
}
