package dev.headrace.cuda.kernel;

import java.util.ArrayList;
import java.util.List;

/**
 * The elements of a node that go into one result of a reduction.
 *
 * @param axes those that are reduced, in order
 */
record ReducedIndex(Node source, List<Integer> axes) {

  private boolean isReduced(int axis) {
    return axes.contains(axis);
  }

  /** How many elements go into each result. */
  long terms() {
    long terms = 1;
    for (int axis : axes) {
      terms *= source.shape().dim(axis);
    }
    return terms;
  }

  /** The coordinates of result number {@code result}. */
  List<Operand> kept(Code code, Operand result) {
    List<Operand> dims = code.dims(source);
    List<Operand> kept = new ArrayList<>();
    for (int axis = 0; axis < dims.size(); axis++) {
      if (!isReduced(axis)) {
        kept.add(dims.get(axis));
      }
    }
    return Index.split(code, result, kept);
  }

  /**
   * Which element of the source is number {@code term} of those that go into a result.
   *
   * @param kept the coordinates of the result
   */
  Index element(Code code, List<Operand> kept, Operand term) {
    int rank = source.shape().rank();
    if (axes.size() == rank) {
      return Index.flat(term);
    }
    List<Operand> dims = code.dims(source);
    List<Operand> reduced =
        Index.split(code, term, axes.stream().map(axis -> dims.get(axis)).toList());
    List<Operand> coordinates = new ArrayList<>();
    int nextKept = 0;
    int nextReduced = 0;
    for (int axis = 0; axis < rank; axis++) {
      coordinates.add(isReduced(axis) ? reduced.get(nextReduced++) : kept.get(nextKept++));
    }
    return Index.at(coordinates);
  }
}
