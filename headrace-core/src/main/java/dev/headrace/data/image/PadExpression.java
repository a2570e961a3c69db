package dev.headrace.data.image;

import dev.headrace.data.DType;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import java.lang.foreign.MemorySegment;

/**
 * An image within a larger one that is 0 elsewhere.
 *
 * @param top the row of the result where the image begins
 * @param left the column of the result where the image begins
 */
public record PadExpression(Tensor source, int top, int left, int height, int width)
    implements ImageExpression {
  public PadExpression {
    ImageSize.checkTarget("pad", height, width);
    ImageSize size = ImageSize.of("pad", source);
    if (top < 0
        || left < 0
        || (long) top + size.height() > height
        || (long) left + size.width() > width) {
      throw new IllegalArgumentException(
          "pad: expected room for %s%s, but got %d x %d pixels with the image at row %d, column %d"
              .formatted(source.dtype().tfName(), source.shape(), height, width, top, left));
    }
  }

  @Override
  public DType dtype() {
    return source.dtype();
  }

  @Override
  public Shape shape() {
    ImageSize size = ImageSize.of("pad", source);
    return size.with(height, width, size.channels()).shape();
  }

  @Override
  public void evaluateInto(MemorySegment destination) {
    Raster.borrow("pad", source, raster -> Moves.pad(raster, this, destination));
  }

  @Override
  public String describe() {
    return "pad(%d, %d, %d, %d) ← %s".formatted(top, left, height, width, source.describe());
  }
}
