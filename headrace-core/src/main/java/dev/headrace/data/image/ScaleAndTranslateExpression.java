package dev.headrace.data.image;

import dev.headrace.data.DType;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;

/**
 * An image scaled and moved, as TensorFlow's ScaleAndTranslate computes it: float32, and 0 where
 * the source does not reach.
 *
 * @param scale what rows and columns are multiplied by
 * @param translation what they are moved by afterwards, in pixels of the result
 */
public record ScaleAndTranslateExpression(
    Tensor source,
    int height,
    int width,
    Factors scale,
    Factors translation,
    ScaleKernel kernel,
    boolean antialias)
    implements Resampling {

  /** A number for the rows and one for the columns. */
  public record Factors(float rows, float columns) {}

  public ScaleAndTranslateExpression {
    ImageSize.of("scaleAndTranslate", source);
    ImageSize.checkTarget("scaleAndTranslate", height, width);
    if (!(scale.rows > 0) || !(scale.columns > 0)) {
      throw new IllegalArgumentException(
          "scaleAndTranslate: expected factors above 0, but got " + scale);
    }
  }

  @Override
  public DType dtype() {
    return DType.FLOAT32;
  }

  @Override
  public Shape shape() {
    ImageSize size = ImageSize.of("scaleAndTranslate", source);
    return size.with(height, width, size.channels()).shape();
  }

  @Override
  public Axis vertical() {
    int rows = ImageSize.of("scaleAndTranslate", source).height();
    return Axis.scaling(kernel, antialias, rows, height, scale.rows, translation.rows);
  }

  @Override
  public Axis horizontal() {
    int columns = ImageSize.of("scaleAndTranslate", source).width();
    return Axis.scaling(kernel, antialias, columns, width, scale.columns, translation.columns);
  }

  @Override
  public String describe() {
    return "scaleAndTranslate(%d, %d, %s%s, scale %s, %s, translation %s, %s) ← %s"
        .formatted(
            height,
            width,
            kernel.tfName(),
            antialias ? ", antialias" : "",
            scale.rows,
            scale.columns,
            translation.rows,
            translation.columns,
            source.describe());
  }
}
