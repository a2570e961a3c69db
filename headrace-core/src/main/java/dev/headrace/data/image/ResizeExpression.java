package dev.headrace.data.image;

import dev.headrace.data.DType;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import java.lang.foreign.MemorySegment;

/**
 * An image in another size, as {@code tf.image.resize} computes it; float32, except that the
 * nearest method keeps the type.
 *
 * @param height the rows of the result; {@link #within} finds it where the aspect ratio is kept
 * @param width the columns of the result
 * @param options the filter; its aspect ratio setting has been heeded already
 */
public record ResizeExpression(Tensor source, int height, int width, Resize options)
    implements Resampling {
  public ResizeExpression {
    ImageSize.of("resize", source);
    ImageSize.checkTarget("resize", height, width);
  }

  /** A resize to that size, or into that frame where the options say so. */
  public static ResizeExpression within(Tensor source, int height, int width, Resize options) {
    ImageSize.checkTarget("resize", height, width);
    if (!options.preserveAspectRatio()) {
      return new ResizeExpression(source, height, width, options);
    }
    ImageSize size = ImageSize.of("resize", source);
    float factor = Math.min((float) height / size.height(), (float) width / size.width());
    return new ResizeExpression(
        source,
        Math.max(1, (int) Math.rint(factor * size.height())),
        Math.max(1, (int) Math.rint(factor * size.width())),
        options);
  }

  @Override
  public DType dtype() {
    return isNearest() ? source.dtype() : DType.FLOAT32;
  }

  @Override
  public Shape shape() {
    ImageSize size = size();
    return size.with(height, width, size.channels()).shape();
  }

  private ImageSize size() {
    return ImageSize.of("resize", source);
  }

  private boolean isNearest() {
    return options.method() == ResizeMethod.NEAREST;
  }

  @Override
  public Axis vertical() {
    return Axis.of(options, size().height(), height);
  }

  @Override
  public Axis horizontal() {
    return Axis.of(options, size().width(), width);
  }

  @Override
  public boolean givesFloats() {
    return !isNearest();
  }

  @Override
  public void evaluateInto(MemorySegment destination) {
    if (isNearest()) {
      Raster.borrow("resize", source, raster -> Moves.nearest(raster, this, destination));
    } else {
      Resampling.super.evaluateInto(destination);
    }
  }

  @Override
  public String describe() {
    return "resize(%d, %d, %s) ← %s"
        .formatted(height, width, options.describe(), source.describe());
  }
}
