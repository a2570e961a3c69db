package dev.headrace.data;

/**
 * Elements and a number, as TensorFlow computes {@code tensor + number}: integers stay integers and
 * wrap around, except in quotients, which are floats.
 *
 * @param source the left operands
 * @param operand the right one, rounded to a floating point type before it is used; for sums,
 *     differences and products of integers it must be an integer of their type
 */
public record ArithmeticExpression(Tensor source, Arithmetic operation, double operand)
    implements ElementwiseExpression {
  public ArithmeticExpression {
    Elements.checkNumbers(operation.word(), source);
    Elements.checkHolds(operation.word(), operation.resultType(source.dtype()), operand);
  }

  @Override
  public DType dtype() {
    return operation.resultType(source.dtype());
  }

  @Override
  public ArithmeticExpression on(Tensor other) {
    return new ArithmeticExpression(other, operation, operand);
  }

  @Override
  public String describe() {
    return operation.word() + "(" + Elements.shorten(operand) + ") ← " + source.describe();
  }
}
