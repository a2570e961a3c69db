package dev.headrace.example;

import dev.headrace.data.DType;
import dev.headrace.data.Shape;
import dev.headrace.data.Sparse;
import dev.headrace.data.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Comparator;

/** Joins values and the features that say where they are into a {@link Sparse}. */
final class SparseOutput {
  private SparseOutput() {}

  static Sparse build(Output output, int rows, boolean single) {
    Feature feature = output.feature();
    int rank = feature.shape().rank();
    int[] ends = output.values().ends();
    int count = output.values().values.size;
    int outer = single ? 0 : 1;
    long[] places = new long[Math.multiplyExact(count, rank + outer)];
    for (int row = 0, from = 0; row < rows; from = ends[row++]) {
      for (int d = 0; d < rank; d++) {
        copyPlaces(output, row, from, d, places, outer);
      }
      for (int i = from; i < ends[row] && !single; i++) {
        places[i * (rank + 1)] = row;
      }
    }
    long[] dense = new long[rank + outer];
    dense[0] = rows;
    System.arraycopy(feature.shape().toArray(), 0, dense, outer, rank);
    Tensor values = output.values().values.copy();
    Integer[] order = feature.isSorted() ? null : order(places, rank + outer, count);
    if (order != null) {
      places = sortedPlaces(places, rank + outer, order);
      values = sorted(values, order);
    }
    return new Sparse(Tensor.wrap(Shape.of(count, rank + outer), places), values, Tensor.of(dense));
  }

  private static void copyPlaces(
      Output output, int row, int from, int dimension, long[] places, int outer) {
    Feature feature = output.feature();
    Column index = output.others().get(dimension);
    int indexFrom = row == 0 ? 0 : index.ends()[row - 1];
    int count = output.values().ends()[row] - from;
    if (index.ends()[row] - indexFrom != count) {
      throw new Wire.Malformed(
          "expected as many indices in '%s' as values, %d, but got %d"
              .formatted(index.key, count, index.ends()[row] - indexFrom),
          -1);
    }
    long size = feature.shape().dim(dimension);
    int width = feature.shape().rank() + outer;
    for (int i = 0; i < count; i++) {
      long place = ((Values.Longs) index.values).at(indexFrom + i);
      if (place < 0 || place >= size) {
        throw new Wire.Malformed(
            "expected indices of 0 to %d in '%s', but got %d".formatted(size - 1, index.key, place),
            -1);
      }
      places[(from + i) * width + outer + dimension] = place;
    }
  }

  /** The order of the places, or null where they ascend already. */
  private static Integer @org.jspecify.annotations.Nullable [] order(
      long[] places, int width, int count) {
    Comparator<Integer> byPlace =
        (a, b) ->
            Arrays.compare(places, a * width, (a + 1) * width, places, b * width, (b + 1) * width);
    boolean ascends = true;
    for (int i = 1; i < count; i++) {
      ascends &= byPlace.compare(i - 1, i) <= 0;
    }
    if (ascends) {
      return null;
    }
    Integer[] order = new Integer[count];
    Arrays.setAll(order, i -> i);
    Arrays.sort(order, byPlace);
    return order;
  }

  private static long[] sortedPlaces(long[] places, int width, Integer[] order) {
    long[] sorted = new long[places.length];
    for (int i = 0; i < order.length; i++) {
      System.arraycopy(places, order[i] * width, sorted, i * width, width);
    }
    return sorted;
  }

  private static Tensor sorted(Tensor values, Integer[] order) {
    Shape shape = Shape.of(order.length);
    if (values.dtype() == DType.STRING) {
      MemorySegment[] strings = new MemorySegment[order.length];
      Arrays.setAll(strings, i -> values.segmentAt(order[i]));
      return Tensor.wrapStrings(shape, strings);
    }
    if (values.dtype() == DType.FLOAT32) {
      float[] floats = new float[order.length];
      for (int i = 0; i < floats.length; i++) {
        floats[i] = values.floatAt(order[i]);
      }
      return Tensor.wrap(shape, floats);
    }
    long[] longs = new long[order.length];
    Arrays.setAll(longs, i -> values.longAt(order[i]));
    return Tensor.wrap(shape, longs);
  }
}
