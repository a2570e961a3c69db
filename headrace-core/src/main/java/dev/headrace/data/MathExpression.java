package dev.headrace.data;

/**
 * A function of each element, of the same type; integers wrap around. Floats are computed in double
 * precision and rounded once, so that the last bit may differ from TensorFlow's for {@code exp} and
 * {@code log}.
 */
public record MathExpression(Tensor source, MathFunction function)
    implements ElementwiseExpression {
  public MathExpression {
    Elements.checkNumbers(function.word(), source);
    if (function.needsFloats() && !source.dtype().isFloating()) {
      throw new IllegalArgumentException(
          "%s: expected floats, but got %s%s; convert(FLOAT32) before it"
              .formatted(function.word(), source.dtype().tfName(), source.shape()));
    }
    if (function == MathFunction.NEGATE && source.dtype().isUnsigned()) {
      throw new IllegalArgumentException(
          "negate: expected floats or signed integers, but got %s%s; convert it before"
              .formatted(source.dtype().tfName(), source.shape()));
    }
  }

  @Override
  public DType dtype() {
    return source.dtype();
  }

  @Override
  public MathExpression on(Tensor other) {
    return new MathExpression(other, function);
  }

  @Override
  public boolean isExact() {
    return function != MathFunction.EXP && function != MathFunction.LOG;
  }

  @Override
  public String describe() {
    return function.word() + " ← " + source.describe();
  }
}
