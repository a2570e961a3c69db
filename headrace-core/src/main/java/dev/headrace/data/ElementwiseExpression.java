package dev.headrace.data;

import java.lang.foreign.MemorySegment;
import java.util.List;

/** An expression that computes each element from the same element of one source. */
public sealed interface ElementwiseExpression extends Expression
    permits ArithmeticExpression,
        ClipExpression,
        ConvertExpression,
        MathExpression,
        ScaleExpression {
  /** The tensor whose elements are computed on. */
  Tensor source();

  /** The same step of another tensor. */
  ElementwiseExpression on(Tensor other);

  /** Whether every device computes the same bits. */
  default boolean isExact() {
    return true;
  }

  @Override
  default Shape shape() {
    return source().shape();
  }

  @Override
  default List<Tensor> sources() {
    return List.of(source());
  }

  @Override
  default void evaluateInto(MemorySegment destination) {
    ElementwiseChain.endingIn(this).evaluateInto(destination);
  }
}
