package dev.headrace.data.image;

import dev.headrace.data.DType;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;

/**
 * Each image as float32, less its mean and divided by its deviation, as {@code
 * tf.image.per_image_standardization}: the deviation counts as at least one over the square root of
 * the number of elements.
 */
public record StandardiseExpression(Tensor source) implements ImageExpression {
  public StandardiseExpression {
    ImageSize.of("standardise", source);
  }

  @Override
  public DType dtype() {
    return DType.FLOAT32;
  }

  @Override
  public Shape shape() {
    return source.shape();
  }

  @Override
  public String describe() {
    return "standardise ← " + source.describe();
  }
}
