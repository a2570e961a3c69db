package dev.headrace.data.image;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import dev.headrace.data.DType;
import java.lang.foreign.MemorySegment;

/**
 * Moves runs of numbers between memory of any type and arrays of floats.
 *
 * <p>Loops run over arrays, never over memory: a loop over memory that is now native, now an array,
 * is compiled for neither.
 *
 * <p><b>Threading:</b> confined to one thread.
 */
final class PixelMemory {
  private final byte[] bytes;

  /** For runs of at most {@code length} numbers. */
  PixelMemory(int length) {
    this.bytes = new byte[length];
  }

  /** Whether floats hold every value of that type exactly. */
  static boolean isExact(DType dtype) {
    return switch (dtype) {
      case BOOL, INT8, UINT8, INT16, UINT16, FLOAT16, BFLOAT16, FLOAT32 -> true;
      default -> false;
    };
  }

  /** Reads {@code count} numbers from byte {@code at} on, rounded to floats. */
  void load(DType dtype, MemorySegment memory, long at, float[] into, int count) {
    switch (dtype) {
      case UINT8 -> {
        MemorySegment.copy(memory, JAVA_BYTE, at, bytes, 0, count);
        flipSigns(bytes, count);
        widen(bytes, into, count, 128);
      }
      case INT8 -> {
        MemorySegment.copy(memory, JAVA_BYTE, at, bytes, 0, count);
        widen(bytes, into, count, 0);
      }
      case FLOAT32 -> MemorySegment.copy(memory, JAVA_FLOAT_UNALIGNED, at, into, 0, count);
      default -> {
        for (int i = 0; i < count; i++) {
          into[i] = read(dtype, memory, at + (long) i * dtype.byteSize());
        }
      }
    }
  }

  /* A signed byte becomes a float in a loop that the compiler turns into vector instructions, an
   * unsigned one does not. So unsigned bytes are flipped to signed ones, 128 less than they were. */

  /** Makes of unsigned bytes signed ones that are 128 less, and the other way round. */
  static void flipSigns(byte[] values, int count) {
    for (int i = 0; i < count; i++) {
      values[i] ^= (byte) 0x80;
    }
  }

  private static void widen(byte[] values, float[] into, int count, float plus) {
    for (int i = 0; i < count; i++) {
      into[i] = values[i] + plus;
    }
  }

  private static float read(DType dtype, MemorySegment memory, long at) {
    return switch (dtype) {
      case BOOL -> memory.get(JAVA_BYTE, at) == 0 ? 0 : 1;
      case INT16 -> memory.get(JAVA_SHORT_UNALIGNED, at);
      case UINT16 -> memory.get(JAVA_SHORT_UNALIGNED, at) & 0xFFFF;
      case INT32 -> memory.get(JAVA_INT_UNALIGNED, at);
      case UINT32 -> memory.get(JAVA_INT_UNALIGNED, at) & 0xFFFFFFFFL;
      case INT64 -> memory.get(JAVA_LONG_UNALIGNED, at);
      case UINT64 -> unsigned(memory.get(JAVA_LONG_UNALIGNED, at));
      case FLOAT16 -> Float.float16ToFloat(memory.get(JAVA_SHORT_UNALIGNED, at));
      case BFLOAT16 -> Float.intBitsToFloat(memory.get(JAVA_SHORT_UNALIGNED, at) << 16);
      case FLOAT64 -> (float) memory.get(JAVA_DOUBLE_UNALIGNED, at);
      default -> throw new AssertionError(dtype);
    };
  }

  // Halving keeps the lost bit as a sticky one, so that the conversion rounds as if exact.
  static float unsigned(long bits) {
    return bits >= 0 ? bits : 2.0f * (bits >>> 1 | bits & 1);
  }

  /** Writes {@code count} numbers from byte {@code at} on; integers truncated and within range. */
  void store(DType dtype, MemorySegment memory, long at, float[] from, int count) {
    switch (dtype) {
      case FLOAT32 -> MemorySegment.copy(from, 0, memory, JAVA_FLOAT_UNALIGNED, at, count);
      case UINT8 -> {
        for (int i = 0; i < count; i++) {
          bytes[i] = (byte) Math.max(0, Math.min(255, (int) from[i]));
        }
        MemorySegment.copy(bytes, 0, memory, JAVA_BYTE, at, count);
      }
      default -> {
        for (int i = 0; i < count; i++) {
          write(dtype, memory, at + (long) i * dtype.byteSize(), from[i]);
        }
      }
    }
  }

  private static void write(DType dtype, MemorySegment memory, long at, float value) {
    switch (dtype) {
      case BOOL -> memory.set(JAVA_BYTE, at, (byte) (value == 0 ? 0 : 1));
      case INT8 -> memory.set(JAVA_BYTE, at, (byte) Math.clamp((long) value, -128, 127));
      case INT16 ->
          memory.set(JAVA_SHORT_UNALIGNED, at, (short) Math.clamp((long) value, -32768, 32767));
      case UINT16 ->
          memory.set(JAVA_SHORT_UNALIGNED, at, (short) Math.clamp((long) value, 0, 0xFFFF));
      case INT32 -> memory.set(JAVA_INT_UNALIGNED, at, (int) value);
      case UINT32 ->
          memory.set(JAVA_INT_UNALIGNED, at, (int) Math.clamp((long) value, 0L, 0xFFFFFFFFL));
      case INT64 -> memory.set(JAVA_LONG_UNALIGNED, at, (long) value);
      case UINT64 -> memory.set(JAVA_LONG_UNALIGNED, at, toUnsigned(value));
      case FLOAT16 -> memory.set(JAVA_SHORT_UNALIGNED, at, Float.floatToFloat16(value));
      case BFLOAT16 -> memory.set(JAVA_SHORT_UNALIGNED, at, toBfloat16(value));
      case FLOAT64 -> memory.set(JAVA_DOUBLE_UNALIGNED, at, value);
      default -> throw new AssertionError(dtype);
    }
  }

  private static long toUnsigned(float value) {
    if (!(value >= 0x1p63f)) {
      return Math.max(0, (long) value); // 0 for NaN
    }
    return value >= 0x1p64f ? -1 : (long) (value - 0x1p63f) + Long.MIN_VALUE;
  }

  private static short toBfloat16(float value) {
    int bits = Float.floatToRawIntBits(value);
    return Float.isNaN(value)
        ? (short) (bits >>> 16 | 0x40)
        : (short) (bits + 0x7FFF + (bits >>> 16 & 1) >>> 16);
  }

  /** Makes of each number the value that the type would hold: what storing and loading does. */
  static void settle(DType dtype, float[] values, int count) {
    switch (dtype) {
      case FLOAT32, FLOAT64 -> {}
      case FLOAT16 -> {
        for (int i = 0; i < count; i++) {
          values[i] = Float.float16ToFloat(Float.floatToFloat16(values[i]));
        }
      }
      case BFLOAT16 -> {
        for (int i = 0; i < count; i++) {
          values[i] = Float.intBitsToFloat(toBfloat16(values[i]) << 16);
        }
      }
      case BOOL -> {
        for (int i = 0; i < count; i++) {
          values[i] = values[i] == 0 ? 0 : 1;
        }
      }
      case UINT64 -> {
        for (int i = 0; i < count; i++) {
          values[i] = unsigned(toUnsigned(values[i]));
        }
      }
      default -> {
        float least = (float) least(dtype);
        float most = (float) most(dtype);
        for (int i = 0; i < count; i++) {
          // Through long: truncates, and makes 0 of NaN.
          values[i] = Math.max(least, Math.min(most, (float) (long) values[i]));
        }
      }
    }
  }

  /** The least value of an integer type. */
  static double least(DType dtype) {
    return dtype.isUnsigned() ? 0 : -Math.scalb(1.0, dtype.byteSize() * 8 - 1);
  }

  /** The largest value of an integer type. */
  static double most(DType dtype) {
    return Math.scalb(1.0, dtype.byteSize() * 8 - (dtype.isUnsigned() ? 0 : 1)) - 1;
  }
}
