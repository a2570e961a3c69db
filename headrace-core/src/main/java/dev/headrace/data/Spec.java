package dev.headrace.data;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What is known of a dataset's elements before they come: their structure, and the type and shape
 * of each leaf.
 *
 * @param structure how elements are taken apart
 * @param dtypes the type of each leaf
 * @param shapes the shape of each leaf, where dimensions may be unknown
 */
public record Spec(Structure<?> structure, List<DType> dtypes, List<Shape> shapes) {
  public Spec {
    dtypes = List.copyOf(dtypes);
    shapes = List.copyOf(shapes);
    if (dtypes.size() != structure.leafCount() || shapes.size() != structure.leafCount()) {
      throw new IllegalArgumentException(
          "Spec: expected a type and a shape for each of %d %s, but got %d and %d"
              .formatted(
                  structure.leafCount(),
                  Plural.word(structure.leafCount(), "leaf"),
                  dtypes.size(),
                  shapes.size()));
    }
  }

  /** The spec of an element: its structure with the types and shapes of its tensors. */
  public static Spec of(Object value) {
    return of(Structure.of(value), value);
  }

  private static <T> Spec of(Structure<T> structure, T value) {
    List<DType> dtypes = new ArrayList<>();
    List<Shape> shapes = new ArrayList<>();
    for (Tensor leaf : structure.leaves(value)) {
      dtypes.add(leaf.dtype());
      shapes.add(leaf.shape());
    }
    return new Spec(structure, dtypes, shapes);
  }

  /** The spec of a single tensor. */
  public static Spec of(DType dtype, Shape shape) {
    return new Spec(Structure.Leaf.INSTANCE, List.of(dtype), List.of(shape));
  }

  /** This spec with one more dimension in front of each leaf, as batching makes it. */
  public Spec prepend(long dim) {
    return new Spec(structure, dtypes, shapes.stream().map(shape -> shape.prepend(dim)).toList());
  }

  /** This spec without the first dimension of each leaf, as unbatching makes it. */
  public Spec dropFirst() {
    return new Spec(structure, dtypes, shapes.stream().map(Shape::dropFirst).toList());
  }

  /**
   * Where {@code other} is not as this spec says, naming the first leaf that differs; empty when it
   * is. Dimensions unknown here may be anything.
   */
  public Optional<String> mismatch(Spec other) {
    if (!structure.equals(other.structure)) {
      return Optional.of("expected " + this + ", but got " + other);
    }
    for (int i = 0; i < dtypes.size(); i++) {
      if (dtypes.get(i) != other.dtypes.get(i) || !shapes.get(i).accepts(other.shapes.get(i))) {
        String name = structure.leafName(i);
        return Optional.of(
            (name.isEmpty() ? "" : name + ": ")
                + "expected "
                + leaf(i)
                + ", but got "
                + other.leaf(i));
      }
    }
    return Optional.empty();
  }

  private String leaf(int index) {
    return dtypes.get(index).tfName() + shapes.get(index);
  }

  /** As {@code Labelled(image: uint8[224, 224, 3], label: int64[])}. */
  @Override
  public String toString() {
    return structure.render(this::leaf, 0);
  }
}
