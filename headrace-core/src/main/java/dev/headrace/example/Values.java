package dev.headrace.example;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import dev.headrace.data.DType;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The values of one feature, one behind the other, over all examples that are parsed together.
 *
 * <p><b>Threading:</b> of one thread.
 */
abstract sealed class Values {
  /** The tag of the values in their list, where they are packed, or of a byte string. */
  static final int LIST = 1 << 3 | Wire.DELIMITED;

  /** How many bytes behind the end of a window may be read, though they mean nothing. */
  static final int SLACK = 16;

  private static final VarHandle WORDS =
      MethodHandles.byteArrayViewVarHandle(long[].class, LITTLE_ENDIAN);
  private static final VarHandle FLOATS =
      MethodHandles.byteArrayViewVarHandle(float[].class, LITTLE_ENDIAN);
  private static final ValueLayout.OfFloat FLOAT =
      ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(LITTLE_ENDIAN);

  /** How many values there are. */
  int size;

  /** The field of a feature that holds lists of this type, as a tag. */
  final int tag;

  private Values(int field) {
    this.tag = field << 3 | Wire.DELIMITED;
  }

  static Values of(DType dtype) {
    return switch (dtype) {
      case STRING -> new Strings();
      case FLOAT32 -> new Floats();
      default -> new Longs();
    };
  }

  static long word(byte[] window, int at) {
    return (long) WORDS.get(window, at);
  }

  /**
   * Whether five bytes are: the feature's length, the tag of its list, the list's length, the tag
   * of its packed values, and their length, all reaching to the same end.
   */
  final boolean isPacked(byte[] window, int from, int to) {
    long left = to - from;
    return left >= 5
        && (word(window, from) & 0xFF_FFFF_FFFFL)
            == (left - 1 | (long) tag << 8 | left - 3 << 16 | (long) LIST << 24 | left - 5 << 32);
  }

  /** Starts again, with room for this many values. */
  abstract void begin(int room);

  /** Lets go of all values. */
  abstract void release();

  /**
   * Appends the values of a feature as it is usually written, one packed list, from its length at
   * {@code from} to its end at {@code to} of a window that is followed by {@link #SLACK} bytes.
   *
   * @param base where the window begins in the record
   * @return how many there are then, or −1 if it is written in another way or wrong; some may have
   *     been appended
   */
  abstract int addUsual(byte[] window, int from, int to, MemorySegment record, int base);

  /** Appends the values of a list, however it is written. */
  abstract void addList(Wire wire, MemorySegment record, int from, int to);

  /** Appends the elements of a tensor, or one element as often as that. */
  abstract void addAll(Tensor tensor, long count);

  /** All values as a tensor, which takes them over. */
  abstract Tensor take(Shape shape);

  /** A copy of all values as a vector. */
  abstract Tensor copy();

  /** Rows of unequal length padded to one. */
  abstract Tensor padded(int[] ends, int rows, int width, @Nullable Tensor padding, Shape shape);

  final int roomFor(long more) {
    long wanted = size + more;
    if (wanted > Integer.MAX_VALUE - SLACK) {
      throw new IllegalArgumentException(
          "example: expected at most 2^31 values of a feature in a batch, but got %d; use smaller batches"
              .formatted(wanted));
    }
    return (int) Math.min(Integer.MAX_VALUE - SLACK, Math.max(wanted, size + (size >> 1) + 16L));
  }

  static final class Longs extends Values {
    private static final long STOPS = 0x8080808080808080L;
    private static final long[] NONE = {};
    private static final int PIECE = 4096;

    private long[] values = NONE;
    private byte @Nullable [] piece;

    Longs() {
      super(3);
    }

    @Override
    void begin(int room) {
      size = 0;
      if (values.length < room) {
        values = new long[room];
      }
    }

    @Override
    void release() {
      size = 0;
      values = values.length > PIECE ? NONE : values;
    }

    long at(int index) {
      return values[index];
    }

    @Override
    int addUsual(byte[] window, int from, int to, MemorySegment record, int base) {
      return isPacked(window, from, to) && decode(window, from + 5, to, to) == to ? size : -1;
    }

    /**
     * Appends the numbers that begin before {@code until}, as long as they end by {@code to}.
     *
     * @return where it stopped
     */
    private int decode(byte[] window, int from, int until, int to) {
      long[] into = values;
      int count = size;
      int at = from;
      while (at < until) {
        // All bytes of a number at once: its length, which cannot be guessed, then costs nothing.
        long word = word(window, at);
        long stops = ~word & STOPS;
        long value;
        int length;
        if (stops != 0) {
          length = (Long.numberOfTrailingZeros(stops) >>> 3) + 1;
          value = join(word & (stops ^ (stops - 1)));
        } else {
          byte ninth = window[at + 8];
          byte tenth = window[at + 9];
          value = join(word) | (long) (ninth & 0x7F) << 56;
          length = 9;
          if (ninth < 0) {
            if (tenth < 0) {
              break;
            }
            value |= (long) tenth << 63;
            length = 10;
          }
        }
        if (at + length > to) {
          break;
        }
        if (count == into.length) {
          size = count;
          into = values = Arrays.copyOf(into, roomFor(1));
        }
        into[count++] = value;
        at += length;
      }
      size = count;
      return at;
    }

    /** The low seven bits of each of eight bytes, one behind the other. */
    private static long join(long word) {
      long pairs = word & 0x007F007F007F007FL | (word & 0x7F007F007F007F00L) >>> 1;
      long fours = pairs & 0x00003FFF00003FFFL | (pairs & 0x3FFF00003FFF0000L) >>> 2;
      return fours & 0x000000000FFFFFFFL | (fours & 0x0FFFFFFF00000000L) >>> 4;
    }

    @Override
    void addList(Wire wire, MemorySegment record, int from, int to) {
      wire.on(record, from, to);
      while (wire.hasMore()) {
        int tag = wire.tag();
        if (tag == LIST) {
          int length = wire.length();
          addPacked(record, wire.at(), wire.at() + length);
          wire.pass(length);
        } else if (tag == (1 << 3 | Wire.VARINT)) {
          add(wire.varint());
        } else {
          wire.skip(tag);
        }
      }
    }

    private void addPacked(MemorySegment record, int from, int to) {
      if (piece == null) {
        piece = new byte[PIECE + SLACK];
      }
      byte[] window = piece;
      int at = from;
      while (at < to) {
        int length = Math.min(PIECE, to - at);
        MemorySegment.copy(record, ValueLayout.JAVA_BYTE, at, window, 0, length);
        // Numbers that may reach beyond the piece begin the next one.
        int until = at + length == to ? length : length - 9;
        int read = decode(window, 0, until, length);
        if (read < until) {
          throw new Wire.Malformed("a whole number of at most 10 bytes", at + read);
        }
        at += read;
      }
    }

    private void add(long value) {
      if (size == values.length) {
        values = Arrays.copyOf(values, roomFor(1));
      }
      values[size++] = value;
    }

    @Override
    void addAll(Tensor tensor, long count) {
      boolean single = tensor.elements() == 1;
      for (long i = 0; i < count; i++) {
        add(tensor.longAt(single ? 0 : i));
      }
    }

    @Override
    Tensor take(Shape shape) {
      if (shape.rank() == 0) {
        return Tensor.scalar(values[0]);
      }
      long[] all = values.length == size ? values : Arrays.copyOf(values, size);
      values = all == values ? NONE : values;
      return Tensor.wrap(shape, all);
    }

    @Override
    Tensor copy() {
      return Tensor.wrap(Shape.of(size), Arrays.copyOf(values, size));
    }

    @Override
    Tensor padded(int[] ends, int rows, int width, @Nullable Tensor padding, Shape shape) {
      long[] all = new long[rows * width];
      long fill = padding == null ? 0 : padding.longAt(0);
      for (int row = 0, from = 0; row < rows; from = ends[row++]) {
        int length = ends[row] - from;
        System.arraycopy(values, from, all, row * width, length);
        Arrays.fill(all, row * width + length, (row + 1) * width, fill);
      }
      return Tensor.wrap(shape, all);
    }
  }

  static final class Floats extends Values {
    private static final float[] NONE = {};
    private static final int MOST_KEPT = 4096;

    private float[] values = NONE;

    Floats() {
      super(2);
    }

    @Override
    void begin(int room) {
      size = 0;
      if (values.length < room) {
        values = new float[room];
      }
    }

    @Override
    void release() {
      size = 0;
      values = values.length > MOST_KEPT ? NONE : values;
    }

    private void makeRoom(long more) {
      if (values.length - size < more) {
        values = Arrays.copyOf(values, roomFor(more));
      }
    }

    @Override
    int addUsual(byte[] window, int from, int to, MemorySegment record, int base) {
      int bytes = to - from - 5;
      if (!isPacked(window, from, to) || (bytes & 3) != 0) {
        return -1;
      }
      makeRoom(bytes >> 2);
      int count = size;
      for (int at = from + 5; at < to; at += 4) {
        values[count++] = (float) FLOATS.get(window, at);
      }
      size = count;
      return count;
    }

    @Override
    void addList(Wire wire, MemorySegment record, int from, int to) {
      wire.on(record, from, to);
      while (wire.hasMore()) {
        int tag = wire.tag();
        if (tag == LIST) {
          int start = wire.at();
          int length = wire.length();
          if ((length & 3) != 0) {
            throw new Wire.Malformed("a multiple of 4 bytes, but got " + length, start);
          }
          makeRoom(length >> 2);
          MemorySegment.copy(record, FLOAT, wire.at(), values, size, length >> 2);
          size += length >> 2;
          wire.pass(length);
        } else if (tag == (1 << 3 | Wire.FIXED32)) {
          int start = wire.at();
          wire.skip(tag);
          makeRoom(1);
          values[size++] = record.get(FLOAT, start);
        } else {
          wire.skip(tag);
        }
      }
    }

    @Override
    void addAll(Tensor tensor, long count) {
      makeRoom(count);
      boolean single = tensor.elements() == 1;
      for (long i = 0; i < count; i++) {
        values[size++] = tensor.floatAt(single ? 0 : i);
      }
    }

    @Override
    Tensor take(Shape shape) {
      if (shape.rank() == 0) {
        return Tensor.scalar(values[0]);
      }
      float[] all = values.length == size ? values : Arrays.copyOf(values, size);
      values = all == values ? NONE : values;
      return Tensor.wrap(shape, all);
    }

    @Override
    Tensor copy() {
      return Tensor.wrap(Shape.of(size), Arrays.copyOf(values, size));
    }

    @Override
    Tensor padded(int[] ends, int rows, int width, @Nullable Tensor padding, Shape shape) {
      float[] all = new float[rows * width];
      float fill = padding == null ? 0 : padding.floatAt(0);
      for (int row = 0, from = 0; row < rows; from = ends[row++]) {
        int length = ends[row] - from;
        System.arraycopy(values, from, all, row * width, length);
        Arrays.fill(all, row * width + length, (row + 1) * width, fill);
      }
      return Tensor.wrap(shape, all);
    }
  }

  static final class Strings extends Values {
    private static final MemorySegment EMPTY = MemorySegment.ofArray(new byte[0]).asReadOnly();
    private static final MemorySegment[] NONE = {};

    private MemorySegment[] values = NONE;

    Strings() {
      super(1);
    }

    @Override
    void begin(int room) {
      size = 0;
      values = new MemorySegment[room];
    }

    @Override
    void release() {
      size = 0;
      values = NONE;
    }

    private void add(MemorySegment string) {
      if (size == values.length) {
        values = Arrays.copyOf(values, roomFor(1));
      }
      values[size++] = string;
    }

    @Override
    int addUsual(byte[] window, int from, int to, MemorySegment record, int base) {
      int left = to - from;
      if (left < 3
          || window[from] != left - 1
          || window[from + 1] != tag
          || window[from + 2] != left - 3) {
        return -1;
      }
      int at = from + 3;
      while (at < to) {
        if (to - at < 2 || window[at] != LIST) {
          return -1;
        }
        int length = window[at + 1];
        if (length < 0 || length > to - at - 2) {
          return -1;
        }
        add(record.asSlice(base + at + 2L, length));
        at += 2 + length;
      }
      return size;
    }

    @Override
    void addList(Wire wire, MemorySegment record, int from, int to) {
      wire.on(record, from, to);
      while (wire.hasMore()) {
        int tag = wire.tag();
        if (tag == LIST) {
          int length = wire.length();
          add(record.asSlice(wire.at(), length));
          wire.pass(length);
        } else {
          wire.skip(tag);
        }
      }
    }

    @Override
    void addAll(Tensor tensor, long count) {
      boolean single = tensor.elements() == 1;
      for (long i = 0; i < count; i++) {
        add(tensor.segmentAt(single ? 0 : i));
      }
    }

    @Override
    Tensor take(Shape shape) {
      if (shape.rank() == 0) {
        return Tensor.wrapString(values[0]);
      }
      MemorySegment[] all = values.length == size ? values : Arrays.copyOf(values, size);
      values = NONE;
      return Tensor.wrapStrings(shape, all);
    }

    @Override
    Tensor copy() {
      return Tensor.wrapStrings(Shape.of(size), Arrays.copyOf(values, size));
    }

    @Override
    Tensor padded(int[] ends, int rows, int width, @Nullable Tensor padding, Shape shape) {
      MemorySegment[] all = new MemorySegment[rows * width];
      MemorySegment fill = padding == null ? EMPTY : padding.segmentAt(0);
      for (int row = 0, from = 0; row < rows; from = ends[row++]) {
        int length = ends[row] - from;
        System.arraycopy(values, from, all, row * width, length);
        Arrays.fill(all, row * width + length, (row + 1) * width, fill);
      }
      return Tensor.wrapStrings(shape, all);
    }
  }
}
