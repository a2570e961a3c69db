package dev.headrace.data;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Some values of a larger tensor and where they are in it, sorted by place: TensorFlow's {@code
 * SparseTensor}.
 *
 * @param indices int64[n, rank]: the place of each value
 * @param values [n]
 * @param denseShape int64[rank]: the shape of the whole
 */
public record Sparse(Tensor indices, Tensor values, Tensor denseShape) {

  public Sparse {
    if (indices.dtype() != DType.INT64
        || denseShape.dtype() != DType.INT64
        || indices.shape().rank() != 2
        || values.shape().rank() != 1
        || denseShape.shape().rank() != 1
        || denseShape.elements() == 0
        || indices.shape().dim(0) != values.elements()
        || indices.shape().dim(1) != denseShape.elements()) {
      throw new IllegalArgumentException(
          ("Sparse: expected indices of int64[n, rank], values of [n] and a dense shape of"
                  + " int64[rank], but got %s, %s and %s")
              .formatted(indices.describe(), values.describe(), denseShape.describe()));
    }
  }

  /** The number of rows, the first dimension of the whole. */
  public long rows() {
    return denseShape.longAt(0);
  }

  /** A row of the whole, with zeros (or empty strings) where no value is. */
  public Tensor row(long index) {
    if (index < 0 || index >= rows()) {
      throw new IndexOutOfBoundsException(
          "Sparse: expected a row of 0 to %d, but got %d".formatted(rows() - 1, index));
    }
    int rank = (int) denseShape.elements();
    Shape shape = Shape.of(denseShape.toLongArray()).dropFirst();
    DType dtype = values.dtype();
    boolean isText = dtype == DType.STRING;
    byte[][] strings = new byte[isText ? Math.toIntExact(shape.elements()) : 0][];
    Arrays.fill(strings, new byte[0]);
    int bytes = dtype.byteSize();
    byte[] numbers = new byte[Math.toIntExact(shape.elements() * bytes)];
    for (long i = 0; i < values.elements(); i++) {
      if (indices.longAt(i * rank) == index) {
        int at = Math.toIntExact(placeInRow(i, rank, shape));
        if (isText) {
          strings[at] = values.bytesAt(i);
        } else {
          values.slice(i).copyInto(MemorySegment.ofArray(numbers), (long) at * bytes);
        }
      }
    }
    return isText
        ? Tensor.wrapStrings(shape, strings)
        : Tensor.wrap(dtype, shape, MemorySegment.ofArray(numbers));
  }

  private long placeInRow(long value, int rank, Shape row) {
    long place = 0;
    for (int d = 1; d < rank; d++) {
      long index = indices.longAt(value * rank + d);
      if (index < 0 || index >= row.dim(d - 1)) {
        throw new IllegalStateException(
            "Sparse: expected indices within %s, but got %d".formatted(denseShape, index));
      }
      place = place * row.dim(d - 1) + index;
    }
    return place;
  }
}
