package dev.headrace.data;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.math.BigDecimal;
import java.math.MathContext;

/**
 * How single elements lie in memory, in native byte order at any address, and how they convert.
 *
 * <p>Integers and booleans travel as {@code long} (uint64 as its bits), floats as {@code double},
 * which holds every value of the smaller types exactly.
 */
final class Elements {
  private static final double TWO_TO_63 = 0x1p63;
  private static final double TWO_TO_64 = 0x1p64;

  private Elements() {}

  /** Reads an integer or a boolean. */
  static long readLong(DType dtype, MemorySegment memory, long index) {
    return switch (dtype) {
      case BOOL -> memory.get(JAVA_BYTE, index) == 0 ? 0 : 1;
      case INT8 -> memory.get(JAVA_BYTE, index);
      case UINT8 -> memory.get(JAVA_BYTE, index) & 0xFF;
      case INT16 -> memory.get(JAVA_SHORT_UNALIGNED, index * 2);
      case UINT16 -> memory.get(JAVA_SHORT_UNALIGNED, index * 2) & 0xFFFF;
      case INT32 -> memory.get(JAVA_INT_UNALIGNED, index * 4);
      case UINT32 -> memory.get(JAVA_INT_UNALIGNED, index * 4) & 0xFFFFFFFFL;
      case INT64, UINT64 -> memory.get(JAVA_LONG_UNALIGNED, index * 8);
      default -> throw new AssertionError(dtype);
    };
  }

  /** Writes the low bits of an integer, or a boolean. */
  static void writeLong(DType dtype, MemorySegment memory, long index, long value) {
    switch (dtype) {
      case BOOL -> memory.set(JAVA_BYTE, index, (byte) (value == 0 ? 0 : 1));
      case INT8, UINT8 -> memory.set(JAVA_BYTE, index, (byte) value);
      case INT16, UINT16 -> memory.set(JAVA_SHORT_UNALIGNED, index * 2, (short) value);
      case INT32, UINT32 -> memory.set(JAVA_INT_UNALIGNED, index * 4, (int) value);
      case INT64, UINT64 -> memory.set(JAVA_LONG_UNALIGNED, index * 8, value);
      default -> throw new AssertionError(dtype);
    }
  }

  /** Reads a float of any size. */
  static double readDouble(DType dtype, MemorySegment memory, long index) {
    return switch (dtype) {
      case FLOAT16 -> Float.float16ToFloat(memory.get(JAVA_SHORT_UNALIGNED, index * 2));
      case BFLOAT16 -> bfloat16ToFloat(memory.get(JAVA_SHORT_UNALIGNED, index * 2));
      case FLOAT32 -> memory.get(JAVA_FLOAT_UNALIGNED, index * 4);
      case FLOAT64 -> memory.get(JAVA_DOUBLE_UNALIGNED, index * 8);
      default -> throw new AssertionError(dtype);
    };
  }

  /** Writes a float of any size, rounded to nearest. */
  static void writeDouble(DType dtype, MemorySegment memory, long index, double value) {
    switch (dtype) {
      case FLOAT16 ->
          memory.set(JAVA_SHORT_UNALIGNED, index * 2, Float.floatToFloat16((float) value));
      case BFLOAT16 -> memory.set(JAVA_SHORT_UNALIGNED, index * 2, floatToBfloat16((float) value));
      case FLOAT32 -> memory.set(JAVA_FLOAT_UNALIGNED, index * 4, (float) value);
      case FLOAT64 -> memory.set(JAVA_DOUBLE_UNALIGNED, index * 8, value);
      default -> throw new AssertionError(dtype);
    }
  }

  /** The value of that floating point type nearest to {@code value}. */
  static double round(DType dtype, double value) {
    return switch (dtype) {
      case FLOAT16 -> Float.float16ToFloat(Float.floatToFloat16((float) value));
      case BFLOAT16 -> bfloat16ToFloat(floatToBfloat16((float) value));
      case FLOAT32 -> (float) value;
      default -> value;
    };
  }

  /** An integer or boolean as a value of a floating point type. */
  static double toFloating(DType from, long value, DType to) {
    if (to == DType.FLOAT64) {
      return from == DType.UINT64 ? unsignedToDouble(value) : value;
    }
    // Straight to float: a detour through double could round twice.
    float nearest = from == DType.UINT64 ? unsignedToFloat(value) : (float) value;
    return round(to, nearest);
  }

  /** An integer as a value of another integer type, by wrapping; to BOOL, whether it is not 0. */
  static long toInteger(long value, DType to) {
    return switch (to) {
      case BOOL -> value == 0 ? 0 : 1;
      case INT8 -> (byte) value;
      case UINT8 -> value & 0xFF;
      case INT16 -> (short) value;
      case UINT16 -> value & 0xFFFF;
      case INT32 -> (int) value;
      case UINT32 -> value & 0xFFFFFFFFL;
      default -> value;
    };
  }

  /** A float as an integer: truncated, within the type's range; to BOOL, whether it is not 0. */
  static long toInteger(double value, DType to) {
    return switch (to) {
      case BOOL -> value == 0 ? 0 : 1;
      case INT8 -> Math.clamp((long) value, Byte.MIN_VALUE, Byte.MAX_VALUE);
      case UINT8 -> Math.clamp((long) value, 0, 0xFF);
      case INT16 -> Math.clamp((long) value, Short.MIN_VALUE, Short.MAX_VALUE);
      case UINT16 -> Math.clamp((long) value, 0, 0xFFFF);
      case INT32 -> (int) value;
      case UINT32 -> Math.clamp((long) value, 0L, 0xFFFFFFFFL);
      case UINT64 -> toUnsigned(value);
      default -> (long) value;
    };
  }

  /** Which of two integers of a type is larger, as comparators say it. */
  static int compare(DType dtype, long some, long other) {
    return dtype == DType.UINT64 ? Long.compareUnsigned(some, other) : Long.compare(some, other);
  }

  /** Fails in the name of {@code word} where elements are no numbers to compute with. */
  static void checkNumbers(String word, Tensor tensor) {
    if (!tensor.dtype().isInteger() && !tensor.dtype().isFloating()) {
      throw new IllegalArgumentException(
          "%s: expected a tensor of numbers, but got %s%s"
              .formatted(word, tensor.dtype().tfName(), tensor.shape()));
    }
  }

  /** Fails in the name of {@code word} where an integer type cannot hold a number. */
  static void checkHolds(String word, DType dtype, double value) {
    if (dtype.isFloating()) {
      return;
    }
    int bits = dtype.byteSize() * 8;
    double least = dtype.isUnsigned() ? 0 : -Math.scalb(1.0, bits - 1);
    double beyond = Math.scalb(1.0, dtype.isUnsigned() ? bits : bits - 1);
    if (value != Math.rint(value) || value < least || value >= beyond) {
      throw new IllegalArgumentException(
          "%s: expected a number that %s holds, but got %s; convert(FLOAT32) before it"
              .formatted(word, dtype.tfName(), value));
    }
  }

  /** A number in three digits, as descriptions show it. */
  static String shorten(double value) {
    return Double.isFinite(value)
        ? Double.toString(new BigDecimal(value).round(new MathContext(3)).doubleValue())
        : Double.toString(value);
  }

  private static long toUnsigned(double value) {
    if (!(value >= TWO_TO_63)) {
      return Math.max(0, (long) value); // 0 for NaN
    }
    return value >= TWO_TO_64 ? -1 : (long) (value - TWO_TO_63) + Long.MIN_VALUE;
  }

  // Halving keeps the lost bit as a sticky one, so that the conversion rounds as if exact.
  private static double unsignedToDouble(long bits) {
    return bits >= 0 ? bits : 2.0 * ((bits >>> 1) | (bits & 1));
  }

  private static float unsignedToFloat(long bits) {
    return bits >= 0 ? bits : 2.0f * ((bits >>> 1) | (bits & 1));
  }

  private static float bfloat16ToFloat(short bits) {
    return Float.intBitsToFloat(bits << 16);
  }

  private static short floatToBfloat16(float value) {
    int bits = Float.floatToRawIntBits(value);
    if (Float.isNaN(value)) {
      return (short) (bits >>> 16 | 0x40);
    }
    return (short) ((bits + 0x7FFF + (bits >>> 16 & 1)) >>> 16);
  }
}
