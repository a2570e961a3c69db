package dev.headrace.cuda.kernel;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Which element of a tensor is meant: by its number in row-major order, or by one number for each
 * dimension. Each is made of the other only where a step needs it.
 */
record Index(@Nullable Operand number, @Nullable List<Operand> coordinates) {

  /** The element of that number. */
  static Index flat(Operand number) {
    return new Index(number, null);
  }

  static Index at(List<Operand> coordinates) {
    return new Index(null, List.copyOf(coordinates));
  }

  /** The only element of a scalar. */
  static Index scalar() {
    return at(List.of());
  }

  boolean isFlat() {
    return number != null;
  }

  /** The number of the element in a tensor of a node's shape. */
  Operand flat(Code code, Node node) {
    if (number != null) {
      return number;
    }
    List<Operand> strides = code.strides(node);
    Operand sum = code.index(0);
    for (int axis = 0; axis < strides.size(); axis++) {
      Operand coordinate = Objects.requireNonNull(coordinates).get(axis);
      sum = code.add(sum, code.multiply(coordinate, strides.get(axis)));
    }
    return sum;
  }

  /** The number for each dimension of a node's shape. */
  List<Operand> coordinates(Code code, Node node) {
    return coordinates != null
        ? coordinates
        : split(code, Objects.requireNonNull(number), code.dims(node));
  }

  /** The coordinates of element {@code number} among {@code dims}. */
  static List<Operand> split(Code code, Operand number, List<Operand> dims) {
    List<Operand> coordinates = new ArrayList<>();
    Operand rest = number;
    for (int axis = dims.size() - 1; axis > 0; axis--) {
      Operand rows = code.divide(rest, dims.get(axis));
      coordinates.addFirst(code.subtract(rest, code.multiply(rows, dims.get(axis))));
      rest = rows;
    }
    if (!dims.isEmpty()) {
      coordinates.addFirst(rest);
    }
    return coordinates;
  }
}
