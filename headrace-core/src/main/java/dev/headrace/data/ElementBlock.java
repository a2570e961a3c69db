package dev.headrace.data;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * A short run of elements on their way through the steps of an elementwise computation.
 *
 * <p>Floats of all types are held as doubles, integers as longs; after each step they are rounded
 * or wrapped to what their type holds.
 */
final class ElementBlock {
  /* What to do is decided outside of the loops, for the common types and operations: loops of one
   * plain operation are compiled to a few instructions for several elements. */

  /** Few enough to stay in the first-level cache. */
  static final int CAPACITY = 512;

  private final long[] longs;
  private final double[] doubles;
  private final float[] floats;
  private final int[] ints;
  private DType dtype;
  private int length;

  /** Has room for that many elements, or for as many as a block holds. */
  ElementBlock(DType dtype, long elements) {
    int room = (int) Math.min(CAPACITY, elements);
    this.dtype = dtype;
    this.longs = new long[room];
    this.doubles = new double[room];
    this.floats = new float[room];
    this.ints = new int[room];
  }

  /** Loads {@code count} elements of {@code type} that begin at element {@code from}. */
  void load(DType type, MemorySegment memory, long from, int count) {
    dtype = type;
    length = count;
    long at = from * type.byteSize();
    switch (type) {
      case FLOAT32 -> {
        MemorySegment.copy(memory, JAVA_FLOAT_UNALIGNED, at, floats, 0, count);
        for (int i = 0; i < count; i++) {
          doubles[i] = floats[i];
        }
      }
      case FLOAT64 -> MemorySegment.copy(memory, JAVA_DOUBLE_UNALIGNED, at, doubles, 0, count);
      case FLOAT16 -> {
        for (int i = 0; i < count; i++) {
          short bits = memory.get(JAVA_SHORT_UNALIGNED, at + (long) i * Short.BYTES);
          doubles[i] = Float.float16ToFloat(bits);
        }
      }
      case BFLOAT16 -> {
        for (int i = 0; i < count; i++) {
          doubles[i] = Elements.readDouble(type, memory, from + i);
        }
      }
      case INT32 -> {
        MemorySegment.copy(memory, JAVA_INT_UNALIGNED, at, ints, 0, count);
        for (int i = 0; i < count; i++) {
          longs[i] = ints[i];
        }
      }
      case INT64, UINT64 -> MemorySegment.copy(memory, JAVA_LONG_UNALIGNED, at, longs, 0, count);
      default -> {
        for (int i = 0; i < count; i++) {
          longs[i] = Elements.readLong(type, memory, from + i);
        }
      }
    }
  }

  /** Stores the elements, of the type they have now, from element {@code to} on. */
  void store(MemorySegment memory, long to) {
    long at = to * dtype.byteSize();
    switch (dtype) {
      case FLOAT32 -> {
        for (int i = 0; i < length; i++) {
          floats[i] = (float) doubles[i];
        }
        MemorySegment.copy(floats, 0, memory, JAVA_FLOAT_UNALIGNED, at, length);
      }
      case FLOAT64 -> MemorySegment.copy(doubles, 0, memory, JAVA_DOUBLE_UNALIGNED, at, length);
      case FLOAT16 -> {
        for (int i = 0; i < length; i++) {
          short bits = Float.floatToFloat16((float) doubles[i]);
          memory.set(JAVA_SHORT_UNALIGNED, at + (long) i * Short.BYTES, bits);
        }
      }
      case BFLOAT16 -> {
        for (int i = 0; i < length; i++) {
          Elements.writeDouble(dtype, memory, to + i, doubles[i]);
        }
      }
      case INT32 -> {
        for (int i = 0; i < length; i++) {
          ints[i] = (int) longs[i];
        }
        MemorySegment.copy(ints, 0, memory, JAVA_INT_UNALIGNED, at, length);
      }
      case INT64, UINT64 -> MemorySegment.copy(longs, 0, memory, JAVA_LONG_UNALIGNED, at, length);
      default -> {
        for (int i = 0; i < length; i++) {
          Elements.writeLong(dtype, memory, to + i, longs[i]);
        }
      }
    }
  }

  void convertTo(DType to) {
    DType from = dtype;
    dtype = to;
    if (from == to) {
      return;
    }
    if (from.isFloating()) {
      if (to.isFloating()) {
        round();
      } else {
        truncate();
      }
    } else if (to.isFloating()) {
      makeFloating(from);
    } else {
      wrap();
    }
  }

  private void truncate() {
    switch (dtype) {
      case INT32 -> {
        for (int i = 0; i < length; i++) {
          longs[i] = (int) doubles[i];
        }
      }
      case INT64 -> {
        for (int i = 0; i < length; i++) {
          longs[i] = (long) doubles[i];
        }
      }
      default -> {
        for (int i = 0; i < length; i++) {
          longs[i] = Elements.toInteger(doubles[i], dtype);
        }
      }
    }
  }

  private void makeFloating(DType from) {
    boolean isSigned = from != DType.UINT64;
    if (isSigned && dtype == DType.FLOAT32) {
      for (int i = 0; i < length; i++) {
        doubles[i] = (float) longs[i];
      }
    } else if (isSigned && dtype == DType.FLOAT64) {
      for (int i = 0; i < length; i++) {
        doubles[i] = longs[i];
      }
    } else {
      for (int i = 0; i < length; i++) {
        doubles[i] = Elements.toFloating(from, longs[i], dtype);
      }
    }
  }

  /** Makes of the floats what their type holds. */
  private void round() {
    switch (dtype) {
      case FLOAT64 -> {}
      case FLOAT32 -> {
        for (int i = 0; i < length; i++) {
          doubles[i] = (float) doubles[i];
        }
      }
      case FLOAT16 -> {
        for (int i = 0; i < length; i++) {
          doubles[i] = Float.float16ToFloat(Float.floatToFloat16((float) doubles[i]));
        }
      }
      default -> {
        for (int i = 0; i < length; i++) {
          doubles[i] = Elements.round(dtype, doubles[i]);
        }
      }
    }
  }

  /** Makes of the integers what their type holds. */
  private void wrap() {
    switch (dtype) {
      case INT64, UINT64 -> {}
      case INT32 -> {
        for (int i = 0; i < length; i++) {
          longs[i] = (int) longs[i];
        }
      }
      default -> {
        for (int i = 0; i < length; i++) {
          longs[i] = Elements.toInteger(longs[i], dtype);
        }
      }
    }
  }

  void apply(MathFunction function) {
    if (dtype.isFloating()) {
      applyToFloats(function);
      round();
    } else if (function != MathFunction.ABS || !dtype.isUnsigned()) {
      for (int i = 0; i < length; i++) {
        longs[i] = function.apply(longs[i]);
      }
      wrap();
    }
  }

  private void applyToFloats(MathFunction function) {
    switch (function) {
      case SQUARE -> {
        for (int i = 0; i < length; i++) {
          doubles[i] *= doubles[i];
        }
      }
      case ABS -> {
        for (int i = 0; i < length; i++) {
          doubles[i] = Math.abs(doubles[i]);
        }
      }
      case NEGATE -> {
        for (int i = 0; i < length; i++) {
          doubles[i] = -doubles[i];
        }
      }
      case SQRT -> {
        for (int i = 0; i < length; i++) {
          doubles[i] = Math.sqrt(doubles[i]);
        }
      }
      case EXP, LOG -> {
        for (int i = 0; i < length; i++) {
          doubles[i] = function.apply(doubles[i]);
        }
      }
    }
  }

  // Of two floats, a double holds more than twice the bits: rounding its result equals computing
  // with floats.
  void combine(Arithmetic operation, double operand) {
    if (dtype.isFloating()) {
      double rounded = Elements.round(dtype, operand);
      switch (operation) {
        case ADD -> {
          for (int i = 0; i < length; i++) {
            doubles[i] += rounded;
          }
        }
        case SUBTRACT -> {
          for (int i = 0; i < length; i++) {
            doubles[i] -= rounded;
          }
        }
        case MULTIPLY -> {
          for (int i = 0; i < length; i++) {
            doubles[i] *= rounded;
          }
        }
        case DIVIDE -> {
          for (int i = 0; i < length; i++) {
            doubles[i] /= rounded;
          }
        }
      }
      round();
    } else {
      long exact = Elements.toInteger(operand, dtype);
      for (int i = 0; i < length; i++) {
        longs[i] = operation.apply(longs[i], exact);
      }
      wrap();
    }
  }

  /** Makes of each element its combination with the same one of a block of this type and length. */
  void combine(Arithmetic operation, ElementBlock other) {
    if (dtype.isFloating()) {
      double[] others = other.doubles;
      switch (operation) {
        case ADD -> {
          for (int i = 0; i < length; i++) {
            doubles[i] += others[i];
          }
        }
        case SUBTRACT -> {
          for (int i = 0; i < length; i++) {
            doubles[i] -= others[i];
          }
        }
        case MULTIPLY -> {
          for (int i = 0; i < length; i++) {
            doubles[i] *= others[i];
          }
        }
        case DIVIDE -> {
          for (int i = 0; i < length; i++) {
            doubles[i] /= others[i];
          }
        }
      }
      round();
    } else {
      for (int i = 0; i < length; i++) {
        longs[i] = operation.apply(longs[i], other.longs[i]);
      }
      wrap();
    }
  }

  void clip(double least, double most) {
    if (dtype.isFloating()) {
      double low = Elements.round(dtype, least);
      double high = Elements.round(dtype, most);
      for (int i = 0; i < length; i++) {
        doubles[i] = Math.max(low, Math.min(high, doubles[i]));
      }
    } else {
      long low = Elements.toInteger(least, dtype);
      long high = Elements.toInteger(most, dtype);
      for (int i = 0; i < length; i++) {
        long value = Elements.compare(dtype, longs[i], high) > 0 ? high : longs[i];
        longs[i] = Elements.compare(dtype, value, low) < 0 ? low : value;
      }
    }
  }

  /** Makes it {@code count} elements that all are what the first is. */
  void repeatFirst(int count) {
    length = count;
    Arrays.fill(doubles, 0, count, doubles[0]);
    Arrays.fill(longs, 0, count, longs[0]);
  }

  int length() {
    return length;
  }

  /** The elements, if they are floats. */
  double[] doubles() {
    return doubles;
  }

  /** The elements, if they are no floats. */
  long[] longs() {
    return longs;
  }
}
