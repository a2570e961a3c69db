package dev.headrace.data.image;

import dev.headrace.data.DType;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;

/**
 * An image changed by an adjustment. Its type is kept: other types than float16 and float32 are
 * scaled to floats of 0 to 1 and back, as {@link ConvertImageExpression} does.
 */
public record AdjustExpression(Tensor source, Adjustment adjustment) implements ImageExpression {
  public AdjustExpression {
    if (adjustment.needsRgb()) {
      ImageSize.ofRgb(adjustment.describe(), source);
    } else {
      ImageSize.of(adjustment.describe(), source);
    }
  }

  @Override
  public DType dtype() {
    return source.dtype();
  }

  @Override
  public Shape shape() {
    return source.shape();
  }

  @Override
  public String describe() {
    return adjustment.describe() + " ← " + source.describe();
  }
}
