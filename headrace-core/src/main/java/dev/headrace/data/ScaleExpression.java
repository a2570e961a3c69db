package dev.headrace.data;

/**
 * Elements multiplied by a number, in the source's floating point type; integers are converted to
 * {@link DType#FLOAT32} first.
 *
 * @param source the tensor to multiply
 * @param factor the number, rounded to the result's type before it multiplies
 */
public record ScaleExpression(Tensor source, double factor) implements ElementwiseExpression {
  public ScaleExpression {
    if (!source.dtype().isFixedSize()) {
      throw new IllegalArgumentException(
          "scale: expected a tensor of numbers, but got " + source.describe());
    }
  }

  @Override
  public DType dtype() {
    return source.dtype().isFloating() ? source.dtype() : DType.FLOAT32;
  }

  @Override
  public ScaleExpression on(Tensor other) {
    return new ScaleExpression(other, factor);
  }

  @Override
  public String describe() {
    return "scale(" + Elements.shorten(factor) + ") ← " + source.describe();
  }
}
