package dev.headrace.data;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * The results of a reduction while its elements pass by, in row-major order.
 *
 * <p>Axes that lie side by side and are both reduced, or both kept, are one: what remains is an
 * alternation of reduced and kept ones, and the elements of the innermost form a run that goes to
 * one result, or to as many that lie side by side.
 *
 * <p><b>Threading:</b> confined to one thread.
 */
final class Reducer {
  private final Reduction reduction;
  private final DType dtype;
  private final long count;
  private final long[] lengths;

  /** From one index of an axis to the next, in results; 0 for reduced axes. */
  private final long[] strides;

  private final double[] doubles;
  private final long[] longs;

  Reducer(ReduceExpression expression) {
    this.reduction = expression.reduction();
    this.dtype = expression.dtype();
    Shape source = expression.source().shape();
    int results = Math.toIntExact(expression.shape().elements());
    this.count = results == 0 ? 0 : source.elements() / results;
    long[] lengths = new long[source.rank() + 1];
    boolean[] isReduced = new boolean[lengths.length];
    lengths[0] = 1;
    isReduced[0] = true;
    int last = 0;
    for (int axis = 0; axis < source.rank(); axis++) {
      boolean reduced = expression.axes().contains(axis);
      if (reduced != isReduced[last]) {
        lengths[++last] = 1;
        isReduced[last] = reduced;
      }
      lengths[last] *= source.dim(axis);
    }
    this.lengths = Arrays.copyOf(lengths, last + 1);
    this.strides = new long[last + 1];
    long stride = 1;
    for (int axis = last; axis >= 0; axis--) {
      strides[axis] = isReduced[axis] ? 0 : stride;
      stride *= isReduced[axis] ? 1 : lengths[axis];
    }
    this.doubles = new double[dtype.isFloating() ? results : 0];
    Arrays.fill(doubles, reduction.startOfFloats());
    this.longs = new long[dtype.isFloating() ? 0 : results];
    Arrays.fill(longs, dtype.isFloating() ? 0 : reduction.startOfIntegers(dtype));
  }

  /** Takes the elements of {@code block} in, the first of which is element {@code from}. */
  void add(ElementBlock block, long from) {
    int innermost = lengths.length - 1;
    long length = lengths[innermost];
    for (int at = 0; at < block.length(); ) {
      long within = (from + at) % length;
      int run = (int) Math.min(length - within, block.length() - at);
      int result = (int) (outer((from + at) / length) + within * strides[innermost]);
      addRun(block, at, run, result, strides[innermost] != 0);
      at += run;
    }
  }

  /** The first result of the run that is number {@code index}. */
  private long outer(long index) {
    long result = 0;
    long rest = index;
    for (int axis = lengths.length - 2; axis >= 0; axis--) {
      result += rest % lengths[axis] * strides[axis];
      rest /= lengths[axis];
    }
    return result;
  }

  private void addRun(ElementBlock block, int at, int run, int result, boolean sideBySide) {
    if (dtype.isFloating()) {
      double[] values = block.doubles();
      if (sideBySide) {
        addSideBySide(values, at, run, result);
      } else {
        doubles[result] = reduced(doubles[result], values, at, at + run);
      }
    } else {
      long[] values = block.longs();
      for (int i = 0; i < run; i++) {
        int to = sideBySide ? result + i : result;
        longs[to] = reduction.apply(longs[to], values[at + i], dtype);
      }
    }
  }

  private void addSideBySide(double[] values, int at, int run, int result) {
    switch (reduction) {
      case SUM, MEAN -> {
        for (int i = 0; i < run; i++) {
          doubles[result + i] += values[at + i];
        }
      }
      case MIN, MAX -> {
        for (int i = 0; i < run; i++) {
          doubles[result + i] = reduction.apply(doubles[result + i], values[at + i]);
        }
      }
    }
  }

  /** In their order, so that rows of the same numbers have the same sums. */
  private double reduced(double before, double[] values, int at, int end) {
    double result = before;
    switch (reduction) {
      case SUM, MEAN -> {
        for (int i = at; i < end; i++) {
          result += values[i];
        }
      }
      case MIN -> {
        for (int i = at; i < end; i++) {
          result = Math.min(result, values[i]);
        }
      }
      case MAX -> {
        for (int i = at; i < end; i++) {
          result = Math.max(result, values[i]);
        }
      }
    }
    return result;
  }

  void finish(MemorySegment destination) {
    for (int i = 0; i < doubles.length; i++) {
      Elements.writeDouble(dtype, destination, i, reduction.finish(doubles[i], count));
    }
    for (int i = 0; i < longs.length; i++) {
      Elements.writeLong(dtype, destination, i, reduction.finish(longs[i], count, dtype));
    }
  }
}
