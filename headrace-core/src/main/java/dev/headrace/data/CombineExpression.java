package dev.headrace.data;

import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Each element of a tensor with the same element of another, or with the one element of a scalar.
 * Types are those of {@link ArithmeticExpression}.
 */
public record CombineExpression(Tensor left, Tensor right, Arithmetic operation)
    implements Expression {
  public CombineExpression {
    Elements.checkNumbers(operation.word(), left);
    boolean fits =
        left.shape().equals(right.shape()) || left.shape().rank() == 0 || right.shape().rank() == 0;
    if (left.dtype() != right.dtype() || !fits) {
      throw new IllegalArgumentException(
          "%s: expected tensors of one type and shape, or one of them a scalar, but got %s%s and %s%s"
              .formatted(
                  operation.word(),
                  left.dtype().tfName(),
                  left.shape(),
                  right.dtype().tfName(),
                  right.shape()));
    }
  }

  @Override
  public DType dtype() {
    return operation.resultType(left.dtype());
  }

  @Override
  public Shape shape() {
    return left.shape().rank() == 0 ? right.shape() : left.shape();
  }

  @Override
  public List<Tensor> sources() {
    return List.of(left, right);
  }

  @Override
  public void evaluateInto(MemorySegment destination) {
    left.borrow(lefts -> right.borrow(rights -> compute(lefts, rights, destination)));
  }

  private void compute(MemorySegment lefts, MemorySegment rights, MemorySegment destination) {
    long elements = shape().elements();
    ElementBlock some = new ElementBlock(left.dtype(), elements);
    ElementBlock others = new ElementBlock(right.dtype(), elements);
    for (long from = 0; from < elements; from += ElementBlock.CAPACITY) {
      int count = (int) Math.min(ElementBlock.CAPACITY, elements - from);
      load(some, left, lefts, from, count);
      load(others, right, rights, from, count);
      some.combine(operation, others);
      some.store(destination, from);
    }
  }

  private void load(
      ElementBlock block, Tensor operand, MemorySegment memory, long from, int count) {
    if (operand.shape().rank() == 0) {
      block.load(operand.dtype(), memory, 0, 1);
      block.repeatFirst(count);
    } else {
      block.load(operand.dtype(), memory, from, count);
    }
    block.convertTo(dtype());
  }

  @Override
  public String describe() {
    return "%s ← (%s, %s)".formatted(operation.word(), left.describe(), right.describe());
  }
}
