package dev.headrace.data;

/**
 * Elements of another type, converted as {@code tf.cast} does: to integers by truncation, between
 * integers by wrapping, between floats by rounding to nearest. Where C++ leaves a float beyond an
 * integer's range undefined, the nearest value in range is taken, and 0 for NaN.
 *
 * @param source the tensor to convert
 * @param dtype the type of the result
 */
public record ConvertExpression(Tensor source, DType dtype) implements ElementwiseExpression {
  public ConvertExpression {
    if (!source.dtype().isFixedSize() || !dtype.isFixedSize()) {
      throw new IllegalArgumentException(
          "convert: expected number types, but got "
              + source.dtype().tfName()
              + " to "
              + dtype.tfName()
              + "; parse or format strings in your own function");
    }
  }

  @Override
  public ConvertExpression on(Tensor other) {
    return new ConvertExpression(other, dtype);
  }

  @Override
  public String describe() {
    return "convert(" + dtype.tfName() + ") ← " + source.describe();
  }
}
