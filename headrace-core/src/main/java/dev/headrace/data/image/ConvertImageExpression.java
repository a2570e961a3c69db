package dev.headrace.data.image;

import dev.headrace.data.DType;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;

/**
 * An image as another type, its values scaled to that type's range, as {@code
 * tf.image.convert_image_dtype}: floats are 0 to 1, integers 0 to their largest value.
 *
 * @param saturate whether what an integer type cannot hold becomes its nearest value; floats beyond
 *     an integer's range, which C++ leaves undefined, always do
 */
public record ConvertImageExpression(Tensor source, DType dtype, boolean saturate)
    implements ImageExpression {
  public ConvertImageExpression {
    ImageSize.of("convertImageDtype", source);
    boolean integers = source.dtype().isInteger() && dtype.isInteger();
    if (!isNumber(source.dtype())
        || !isNumber(dtype)
        || integers && !PixelMemory.isExact(source.dtype())) {
      throw new IllegalArgumentException(
          "convertImageDtype: expected a float or an integer type%s, but got %s to %s"
              .formatted(
                  integers ? " (of 16 bits at most, if both are)" : "",
                  source.dtype().tfName(),
                  dtype.tfName()));
    }
  }

  private static boolean isNumber(DType dtype) {
    return dtype.isInteger() || dtype.isFloating();
  }

  @Override
  public Shape shape() {
    return source.shape();
  }

  @Override
  public String describe() {
    return "convertImageDtype(%s%s) ← %s"
        .formatted(dtype.tfName(), saturate ? ", saturate" : "", source.describe());
  }
}
