package dev.headrace.data;

import java.lang.foreign.MemorySegment;

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

  // The product of two floats is exact in a double, so rounding it equals multiplying floats.
  void multiplyBy(double factor) {
    double rounded = Elements.round(dtype, factor);
    for (int i = 0; i < length; i++) {
      doubles[i] = Elements.round(dtype, doubles[i] * rounded);
    }
  }
}
