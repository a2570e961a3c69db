package dev.headrace.data;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The sum, mean, least or largest of the elements along some axes, which the result no longer has;
 * the type is kept.
 *
 * <p>Integers are summed in 64 bits: sums wrap around in their type, means are truncated, as {@code
 * tf.reduce_sum} and {@code tf.reduce_mean} do. Floats are summed in double precision and rounded
 * once. TensorFlow sums float32 in float32, in an order of its own, so that last bits may differ.
 * NaN makes a result NaN.
 *
 * @param axes from 0 on, each once and in order
 */
public record ReduceExpression(Tensor source, Reduction reduction, List<Integer> axes)
    implements Expression {
  public ReduceExpression {
    Elements.checkNumbers(reduction.word(), source);
    axes = List.copyOf(axes);
    int rank = source.shape().rank();
    int before = -1;
    for (int axis : axes) {
      if (axis <= before || axis >= rank) {
        throw new IllegalArgumentException(
            "%s: expected different axes of %s%s, but got %s"
                .formatted(reduction.word(), source.dtype().tfName(), source.shape(), axes));
      }
      before = axis;
    }
  }

  /** A reduction along these axes in any order; negative ones count from the last. */
  static ReduceExpression along(Tensor source, Reduction reduction, int... axes) {
    int rank = source.shape().rank();
    List<Integer> sorted =
        IntStream.of(axes).map(axis -> axis < 0 ? axis + rank : axis).sorted().boxed().toList();
    return new ReduceExpression(source, reduction, sorted);
  }

  /** A reduction along all axes, to a scalar. */
  static ReduceExpression ofAll(Tensor source, Reduction reduction) {
    return along(source, reduction, IntStream.range(0, source.shape().rank()).toArray());
  }

  @Override
  public DType dtype() {
    return source.dtype();
  }

  @Override
  public Shape shape() {
    return Shape.of(
        IntStream.range(0, source.shape().rank())
            .filter(axis -> !axes.contains(axis))
            .mapToLong(axis -> source.shape().dim(axis))
            .toArray());
  }

  @Override
  public List<Tensor> sources() {
    return List.of(source);
  }

  @Override
  public void evaluateInto(MemorySegment destination) {
    Reducer reducer = new Reducer(this);
    ElementwiseChain.forEachBlock(source, reducer::add);
    reducer.finish(destination);
  }

  @Override
  public String describe() {
    String along =
        axes.size() == source.shape().rank()
            ? ""
            : axes.stream().map(String::valueOf).collect(Collectors.joining(", ", "(", ")"));
    return reduction.word() + along + " ← " + source.describe();
  }
}
