package dev.headrace.cuda.kernel;

import dev.headrace.data.DType;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.data.image.JpegSource;
import dev.headrace.data.image.Window;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A JPEG file of which only a window is needed, so that a host that has to decode it decodes no
 * more.
 *
 * @param part the window, within {@code image}
 */
record JpegPart(JpegSource image, Window part) implements JpegSource {
  @Override
  public DType dtype() {
    return image.dtype();
  }

  @Override
  public Shape shape() {
    return Shape.of(part.height(), part.width(), image.shape().dim(2));
  }

  @Override
  public List<Tensor> sources() {
    return image.sources();
  }

  @Override
  public MemorySegment file() {
    return image.file();
  }

  @Override
  public Window window() {
    return within(image.window(), part);
  }

  @Override
  public Shape wholeShape() {
    return image.wholeShape();
  }

  @Override
  public boolean isPlain() {
    return image.isPlain();
  }

  @Override
  public void evaluateInto(MemorySegment destination) {
    image.evaluateWindow(part, destination);
  }

  @Override
  public void evaluateWindow(Window window, MemorySegment destination) {
    image.evaluateWindow(within(part, window), destination);
  }

  private static Window within(Window outer, Window inner) {
    return new Window(
        outer.top() + inner.top(), outer.left() + inner.left(), inner.height(), inner.width());
  }

  @Override
  public String describe() {
    return "part of " + image.describe();
  }
}
