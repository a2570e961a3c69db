package dev.headrace.data;

import java.nio.ByteOrder;

/** Byte strings as the numbers whose bytes they are. */
public final class Raw {
  private Raw() {}

  /**
   * Little-endian numbers: a vector for a single byte string, one row for each of several, which
   * must be of one length. TensorFlow's {@code decode_raw}.
   */
  public static Tensor decode(Tensor strings, DType dtype) {
    return decode(strings, dtype, ByteOrder.LITTLE_ENDIAN);
  }

  /** As {@link #decode(Tensor, DType)}, with bytes in this order. */
  public static Tensor decode(Tensor strings, DType dtype, ByteOrder order) {
    long bytes = rowBytes("decodeRaw", strings, dtype);
    if (bytes % dtype.byteSize() != 0) {
      throw new IllegalArgumentException(
          "decodeRaw: expected a multiple of %d bytes for %s, but got %d"
              .formatted(dtype.byteSize(), dtype.tfName(), bytes));
    }
    return numbers(strings, dtype, Shape.of(bytes / dtype.byteSize()), order);
  }

  /** Little-endian numbers that have this shape in each byte string. */
  public static Tensor decode(Tensor strings, DType dtype, Shape shape) {
    return decode(strings, dtype, shape, ByteOrder.LITTLE_ENDIAN);
  }

  /** As {@link #decode(Tensor, DType, Shape)}, with bytes in this order. */
  public static Tensor decode(Tensor strings, DType dtype, Shape shape, ByteOrder order) {
    long bytes = rowBytes("decodeRaw", strings, dtype);
    long wanted = shape.elements() * dtype.byteSize();
    if (strings.elements() > 0 && bytes != wanted) {
      throw new IllegalArgumentException(
          "decodeRaw: expected %d %s for %s%s, but got %d"
              .formatted(wanted, Plural.word(wanted, "byte"), dtype.tfName(), shape, bytes));
    }
    return numbers(strings, dtype, shape, order);
  }

  /**
   * Little-endian numbers from the first {@code length} bytes of each byte string; shorter ones are
   * filled up with zeros. TensorFlow's {@code decode_raw} with {@code fixed_length}.
   */
  public static Tensor decodePadded(Tensor strings, DType dtype, int length) {
    return decodePadded(strings, dtype, length, ByteOrder.LITTLE_ENDIAN);
  }

  /** As {@link #decodePadded(Tensor, DType, int)}, with bytes in this order. */
  public static Tensor decodePadded(Tensor strings, DType dtype, int length, ByteOrder order) {
    checkTypes("decodePaddedRaw", strings, dtype);
    if (length < 1 || length % dtype.byteSize() != 0) {
      throw new IllegalArgumentException(
          "decodePaddedRaw: expected a length that is a multiple of %d %s for %s, but got %d"
              .formatted(
                  dtype.byteSize(), Plural.word(dtype.byteSize(), "byte"), dtype.tfName(), length));
    }
    Shape shape = append(strings.shape(), Shape.of(length / dtype.byteSize()));
    return Tensor.deferred(new RawExpression(strings, dtype, shape, length, order));
  }

  private static Tensor numbers(Tensor strings, DType dtype, Shape row, ByteOrder order) {
    boolean asTheyAre = order == ByteOrder.nativeOrder() || dtype.byteSize() == 1;
    if (asTheyAre && dtype != DType.BOOL && strings.shape().rank() == 0) {
      return Tensor.wrap(dtype, row, strings.segmentAt(0)); // nothing to compute, nothing to copy
    }
    return Tensor.deferred(
        new RawExpression(
            strings,
            dtype,
            append(strings.shape(), row),
            row.elements() * dtype.byteSize(),
            order));
  }

  private static Shape append(Shape outer, Shape inner) {
    long[] dims = new long[outer.rank() + inner.rank()];
    System.arraycopy(outer.toArray(), 0, dims, 0, outer.rank());
    System.arraycopy(inner.toArray(), 0, dims, outer.rank(), inner.rank());
    return Shape.of(dims);
  }

  private static long rowBytes(String place, Tensor strings, DType dtype) {
    checkTypes(place, strings, dtype);
    long first = strings.elements() == 0 ? 0 : strings.segmentAt(0).byteSize();
    for (long i = 1; i < strings.elements(); i++) {
      long bytes = strings.segmentAt(i).byteSize();
      if (bytes != first) {
        throw new IllegalArgumentException(
            "%s: expected byte strings of one length, but string 0 has %d %s and string %d has %d; see decodePadded"
                .formatted(place, first, Plural.word(first, "byte"), i, bytes));
      }
    }
    return first;
  }

  private static void checkTypes(String place, Tensor strings, DType dtype) {
    if (strings.dtype() != DType.STRING || !dtype.isFixedSize()) {
      throw new IllegalArgumentException(
          "%s: expected byte strings to be read as numbers, but got %s to be read as %s"
              .formatted(place, strings.describe(), dtype.tfName()));
    }
  }
}
