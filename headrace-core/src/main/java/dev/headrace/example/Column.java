package dev.headrace.example;

import dev.headrace.data.DType;
import dev.headrace.data.Plural;
import dev.headrace.data.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The values of one feature while examples are parsed, a row for each example.
 *
 * <p><b>Threading:</b> of one thread.
 */
final class Column {
  private static final int[] NONE = {};

  final String key;
  final DType dtype;
  final Values values;

  /** How many values a row has; where rows are of any length, what divides it. */
  private final int stride;

  private final boolean isFixed;
  private final @Nullable Tensor fallback;

  /** Where rows of any length end among the values. */
  private int[] ends = NONE;

  /** The last row in which the feature was there. */
  private int seen = -1;

  /** The last row in which it was found by its own key, and not by one that stands for it. */
  private int exact = -1;

  private @Nullable String problem;

  /** The field of the list that counts while a feature is read, 0 before there is one. */
  private int list;

  private int start;

  Column(String key, DType dtype, boolean isFixed, int stride, @Nullable Tensor fallback) {
    this.key = key;
    this.dtype = dtype;
    this.values = Values.of(dtype);
    this.isFixed = isFixed;
    this.stride = stride;
    this.fallback = fallback;
  }

  /** Starts again, for this many rows. */
  void begin(int rows) {
    seen = -1;
    exact = -1;
    problem = null;
    if (isFixed) {
      long wanted = (long) rows * stride;
      values.begin(0);
      values.begin(wanted <= 0 ? 0 : Math.min(values.roomFor(wanted), (int) wanted));
    } else {
      values.begin(0);
      if (ends.length < rows) {
        ends = new int[rows];
      }
    }
  }

  /** Makes room for rows beyond those it was begun with. */
  void makeRoom(int rows) {
    if (!isFixed && ends.length < rows) {
      ends = Arrays.copyOf(ends, Math.max(rows, ends.length + (ends.length >> 1) + 16));
    }
  }

  /** Forgets all rows from this one on. */
  void cutTo(int rows) {
    values.size = isFixed ? rows * stride : rows == 0 ? 0 : ends[rows - 1];
    seen = rows - 1;
    problem = null;
  }

  void release() {
    values.release();
  }

  /** Where each row ends among the values; of columns whose rows are of any length. */
  int[] ends() {
    return ends;
  }

  int stride() {
    return stride;
  }

  /** Whether the feature was found by its own key in this row. */
  boolean isExact(int row) {
    return exact == row;
  }

  void found(int row, boolean loosely) {
    if (!loosely) {
      exact = row;
    }
  }

  /**
   * Reads a feature as it is usually written, see {@link Values#addUsual}.
   *
   * @return whether it was one; otherwise nothing is changed
   */
  boolean readUsual(byte[] window, int from, int to, MemorySegment record, int base, int row) {
    if (seen == row) {
      return false;
    }
    int before = values.size;
    // Not one call of an abstract method, so that the three can be compiled into this one.
    int after =
        values instanceof Values.Longs longs
            ? longs.addUsual(window, from, to, record, base)
            : values instanceof Values.Floats floats
                ? floats.addUsual(window, from, to, record, base)
                : values.addUsual(window, from, to, record, base);
    int count = after - before;
    if (isFixed ? count != stride : after < 0 || count % stride != 0) {
      values.size = before;
      return false;
    }
    seen = row;
    if (!isFixed) {
      ends[row] = after;
    }
    return true;
  }

  /** Begins to read a feature, which may come in several parts. */
  void beginFeature(int row) {
    list = 0;
    start = isFixed ? row * stride : row == 0 ? 0 : ends[row - 1];
  }

  /** Reads a part of a feature: lists of one type are joined, the last type counts. */
  void readFeature(Wire wire, MemorySegment record, int from, int to) {
    int at = from;
    while (at < to) {
      wire.on(record, at, to);
      int tag = wire.tag();
      if (tag == (1 << 3 | Wire.DELIMITED)
          || tag == (2 << 3 | Wire.DELIMITED)
          || tag == (3 << 3 | Wire.DELIMITED)) {
        int length = wire.length();
        int listFrom = wire.at();
        if (list != tag) {
          values.size = start;
          list = tag;
        }
        if (tag == values.tag) {
          values.addList(wire, record, listFrom, listFrom + length);
        }
        at = listFrom + length;
      } else {
        wire.skip(tag);
        at = wire.at();
      }
    }
  }

  /** Ends a feature. One without a list says nothing, and what was there before stays. */
  void endFeature(int row) {
    if (list == 0) {
      return;
    }
    seen = row;
    int count = values.size - start;
    problem = null;
    if (list != values.tag) {
      problem = "expected %s, but got %s".formatted(dtype.tfName(), nameOf(list));
    } else if (isFixed ? count != stride : count % stride != 0) {
      problem =
          "expected %s%d %s, but got %d; %s"
              .formatted(
                  isFixed ? "" : "a multiple of ",
                  stride,
                  Plural.word(stride, "value"),
                  count,
                  isFixed ? "say its shape, or sequence(), varLen() or ragged()" : "say its shape");
    }
    if (!isFixed) {
      ends[row] = values.size;
    }
  }

  private static String nameOf(int tag) {
    return switch (tag >>> 3) {
      case 1 -> "string";
      case 2 -> "float";
      default -> "int64";
    };
  }

  /** Ends a row: fills it where the feature was not there, and fails where it does not fit. */
  void endRow(int row) {
    if (problem != null) {
      throw new Wire.Malformed(problem, -1);
    }
    if (seen == row) {
      return;
    }
    if (isFixed) {
      values.size = row * stride;
      if (fallback == null) {
        throw new Wire.Malformed(
            "expected values of type %s, but there are none; declare it with a default by orElse(…), or as ragged()"
                .formatted(dtype.tfName()),
            -1);
      }
      values.addAll(fallback, stride);
    } else {
      ends[row] = row == 0 ? 0 : ends[row - 1];
    }
  }

  /** The longest row, of columns whose rows are of any length. */
  int longestRow(int rows) {
    int longest = 0;
    for (int row = 0, from = 0; row < rows; from = ends[row++]) {
      longest = Math.max(longest, ends[row] - from);
    }
    return longest;
  }

  /** The row splits of {@code rows} rows of any length. */
  long[] splits(int rows) {
    long[] splits = new long[rows + 1];
    for (int row = 0; row < rows; row++) {
      splits[row + 1] = ends[row];
    }
    return splits;
  }
}
