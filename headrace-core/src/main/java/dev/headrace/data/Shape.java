package dev.headrace.data;

import java.util.Arrays;
import java.util.StringJoiner;

/** The lengths of a tensor's dimensions; {@link #UNKNOWN} marks one that is not known yet. */
public final class Shape {
  /** A dimension whose length is not known before an element is seen. */
  public static final long UNKNOWN = -1;

  private static final Shape SCALAR = new Shape(new long[0], 1);

  private final long[] dims;
  private final long elements;

  private Shape(long[] dims, long elements) {
    this.dims = dims;
    this.elements = elements;
  }

  /** The shape with these dimensions, outermost first; -1 is unknown. */
  public static Shape of(long... dims) {
    return dims.length == 0 ? SCALAR : checked(dims.clone());
  }

  /** The shape of a single value: no dimensions, one element. */
  public static Shape scalar() {
    return SCALAR;
  }

  private static Shape checked(long[] dims) {
    boolean known = true;
    boolean empty = false;
    for (long dim : dims) {
      if (dim < UNKNOWN) {
        throw new IllegalArgumentException(
            "Shape.of: expected dimensions of 0 or more (or -1 for unknown), but got "
                + Arrays.toString(dims));
      }
      known &= dim != UNKNOWN;
      empty |= dim == 0;
    }
    return new Shape(dims, !known ? UNKNOWN : empty ? 0 : product(dims));
  }

  private static long product(long[] dims) {
    long product = 1;
    for (long dim : dims) {
      if (dim > Long.MAX_VALUE / product) {
        throw new IllegalArgumentException(
            "Shape.of: expected at most 2^63-1 elements, but got " + Arrays.toString(dims));
      }
      product *= dim;
    }
    return product;
  }

  /** The number of dimensions. */
  public int rank() {
    return dims.length;
  }

  /** The length of dimension {@code index}, or -1 if unknown. */
  public long dim(int index) {
    if (index < 0 || index >= dims.length) {
      throw new IndexOutOfBoundsException(
          "Shape.dim: expected an index below the rank of " + this + ", but got " + index);
    }
    return dims[index];
  }

  /** The number of elements. Fails when a dimension is unknown. */
  public long elements() {
    if (elements == UNKNOWN) {
      throw new IllegalStateException("Shape.elements: expected known dimensions, but got " + this);
    }
    return elements;
  }

  /** Whether no dimension is unknown. */
  public boolean isFullyKnown() {
    return elements != UNKNOWN;
  }

  /** This shape with one more dimension in front, as batching makes it. */
  public Shape prepend(long dim) {
    long[] longer = new long[dims.length + 1];
    longer[0] = dim;
    System.arraycopy(dims, 0, longer, 1, dims.length);
    return checked(longer);
  }

  /** This shape without its first dimension, as taking one row makes it. */
  public Shape dropFirst() {
    if (dims.length == 0) {
      throw new IllegalStateException(
          "Shape.dropFirst: expected at least one dimension, but got a scalar");
    }
    return dims.length == 1 ? SCALAR : checked(Arrays.copyOfRange(dims, 1, dims.length));
  }

  /** Whether {@code other} has the same rank and each dimension is equal or unknown here. */
  public boolean accepts(Shape other) {
    if (dims.length != other.dims.length) {
      return false;
    }
    for (int i = 0; i < dims.length; i++) {
      if (dims[i] != UNKNOWN && dims[i] != other.dims[i]) {
        return false;
      }
    }
    return true;
  }

  /** A copy of the dimensions. */
  public long[] toArray() {
    return dims.clone();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Shape shape && Arrays.equals(dims, shape.dims);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(dims);
  }

  /** As {@code [2, 3]}; an unknown dimension reads {@code ?}, a scalar {@code []}. */
  @Override
  public String toString() {
    StringJoiner text = new StringJoiner(", ", "[", "]");
    for (long dim : dims) {
      text.add(dim == UNKNOWN ? "?" : Long.toString(dim));
    }
    return text.toString();
  }
}
