package dev.headrace.data;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** A short run of elements on their way through the steps of an elementwise computation. */
final class ElementBlock {
  /** Few enough to stay in the first-level cache. */
  static final int CAPACITY = 512;

  private final long[] longs = new long[CAPACITY];
  private final double[] doubles = new double[CAPACITY];
  private DType dtype;
  private int length;

  ElementBlock(DType dtype) {
    this.dtype = dtype;
  }

  /** Loads {@code count} elements of {@code type} that begin at element {@code from}. */
  void load(DType type, MemorySegment memory, long from, int count) {
    dtype = type;
    length = count;
    if (type.isFloating()) {
      for (int i = 0; i < count; i++) {
        doubles[i] = Elements.readDouble(type, memory, from + i);
      }
    } else {
      for (int i = 0; i < count; i++) {
        longs[i] = Elements.readLong(type, memory, from + i);
      }
    }
  }

  /** Stores the elements, of the type they have now, from element {@code at} on. */
  void store(MemorySegment memory, long at) {
    if (dtype.isFloating()) {
      for (int i = 0; i < length; i++) {
        Elements.writeDouble(dtype, memory, at + i, doubles[i]);
      }
    } else {
      for (int i = 0; i < length; i++) {
        Elements.writeLong(dtype, memory, at + i, longs[i]);
      }
    }
  }

  void convertTo(DType to) {
    if (dtype.isFloating()) {
      for (int i = 0; i < length; i++) {
        if (to.isFloating()) {
          doubles[i] = Elements.round(to, doubles[i]);
        } else {
          longs[i] = Elements.toInteger(doubles[i], to);
        }
      }
    } else {
      for (int i = 0; i < length; i++) {
        if (to.isFloating()) {
          doubles[i] = Elements.toFloating(dtype, longs[i], to);
        } else {
          longs[i] = Elements.toInteger(longs[i], to);
        }
      }
    }
    dtype = to;
  }

  void apply(MathFunction function) {
    if (dtype.isFloating()) {
      for (int i = 0; i < length; i++) {
        doubles[i] = Elements.round(dtype, function.apply(doubles[i]));
      }
    } else if (function != MathFunction.ABS || !dtype.isUnsigned()) {
      for (int i = 0; i < length; i++) {
        longs[i] = Elements.toInteger(function.apply(longs[i]), dtype);
      }
    }
  }

  // Of two floats, a double holds more than twice the bits: rounding its result equals computing
  // with floats.
  void combine(Arithmetic operation, double operand) {
    if (dtype.isFloating()) {
      double rounded = Elements.round(dtype, operand);
      for (int i = 0; i < length; i++) {
        doubles[i] = Elements.round(dtype, operation.apply(doubles[i], rounded));
      }
    } else {
      long exact = Elements.toInteger(operand, dtype);
      for (int i = 0; i < length; i++) {
        longs[i] = Elements.toInteger(operation.apply(longs[i], exact), dtype);
      }
    }
  }

  /** Makes of each element its combination with the same one of a block of this type and length. */
  void combine(Arithmetic operation, ElementBlock other) {
    if (dtype.isFloating()) {
      for (int i = 0; i < length; i++) {
        doubles[i] = Elements.round(dtype, operation.apply(doubles[i], other.doubles[i]));
      }
    } else {
      for (int i = 0; i < length; i++) {
        longs[i] = Elements.toInteger(operation.apply(longs[i], other.longs[i]), dtype);
      }
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
