package dev.headrace.cuda.kernel;

import dev.headrace.data.DType;
import dev.headrace.data.Shape;
import dev.headrace.data.image.JpegSource;
import dev.headrace.data.image.Window;
import org.jspecify.annotations.Nullable;

/**
 * A JPEG file that is decoded once, for all windows of it that are read.
 *
 * <p><b>Threading:</b> confined to one thread.
 */
final class Decoding {
  private final JpegSource image;
  private final MemoryPlace to;
  private final Node pixels;
  private @Nullable Window needed;

  Decoding(JpegSource image, MemoryPlace to) {
    this.image = image;
    this.to = to;
    this.pixels = new Leaf(DType.UINT8, image.wholeShape(), to, 0);
  }

  /** All of the image. */
  Node all() {
    return window(new Window(0, 0, (int) image.shape().dim(0), (int) image.shape().dim(1)));
  }

  /** A window of the image. */
  Node window(Window window) {
    Window before = needed;
    needed = before == null ? window : around(before, window);
    Shape shape = Shape.of(window.height(), window.width(), image.shape().dim(2));
    int top = image.window().top() + window.top();
    int left = image.window().left() + window.left();
    return shape.equals(pixels.shape()) ? pixels : new MoveNodes.Crop(top, left, shape, pixels);
  }

  private static Window around(Window some, Window other) {
    int top = Math.min(some.top(), other.top());
    int left = Math.min(some.left(), other.left());
    int bottom = Math.max(some.top() + some.height(), other.top() + other.height());
    int right = Math.max(some.left() + some.width(), other.left() + other.width());
    return new Window(top, left, bottom - top, right - left);
  }

  private boolean isAll(Window window) {
    return window.height() == image.shape().dim(0) && window.width() == image.shape().dim(1);
  }

  /** What is to be decoded, when all windows are known. */
  Program.Decode decode() {
    Window window = needed;
    Shape whole = image.wholeShape();
    return new Program.Decode(
        window == null || isAll(window) ? image : new JpegPart(image, window),
        Math.toIntExact(whole.dim(0)),
        Math.toIntExact(whole.dim(1)),
        Math.toIntExact(whole.dim(2)),
        to.buffer(),
        to.offset());
  }
}
