package dev.headrace.data.image;

import dev.headrace.data.DType;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import java.lang.foreign.MemorySegment;

/**
 * A window of an image. Over a decoder, only the window is decoded; over other images, the step
 * that follows reads the window where it lies.
 */
public record CropExpression(Tensor source, Window window) implements ImageExpression {
  public CropExpression {
    ImageSize size = ImageSize.of("crop", source);
    if (!window.isWithin(size.height(), size.width())) {
      throw new IllegalArgumentException(
          "crop: expected a window within %s%s, but got top %d, left %d, height %d, width %d"
              .formatted(
                  source.dtype().tfName(),
                  source.shape(),
                  window.top(),
                  window.left(),
                  window.height(),
                  window.width()));
    }
  }

  /** The window in the middle that {@code tf.image.central_crop} takes. */
  public static Window central(Tensor image, double fraction) {
    ImageSize size = ImageSize.of("centralCrop", image);
    if (!(fraction > 0) || fraction > 1) {
      throw new IllegalArgumentException(
          "centralCrop: expected a fraction above 0 and up to 1, but got " + fraction);
    }
    int top = (int) ((size.height() - size.height() * fraction) / 2);
    int left = (int) ((size.width() - size.width() * fraction) / 2);
    return new Window(top, left, size.height() - 2 * top, size.width() - 2 * left);
  }

  @Override
  public DType dtype() {
    return source.dtype();
  }

  @Override
  public Shape shape() {
    ImageSize size = ImageSize.of("crop", source);
    return size.with(window.height(), window.width(), size.channels()).shape();
  }

  @Override
  public void evaluateInto(MemorySegment destination) {
    if (source.expression() instanceof ImageSource decoder) {
      decoder.evaluateWindow(window, destination);
      return;
    }
    Raster.borrow("crop", source, raster -> Moves.copy(raster.window(window), destination));
  }

  @Override
  public String describe() {
    return "crop(%d, %d, %d, %d) ← %s"
        .formatted(window.top(), window.left(), window.height(), window.width(), source.describe());
  }
}
