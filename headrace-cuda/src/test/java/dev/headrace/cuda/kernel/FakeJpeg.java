package dev.headrace.cuda.kernel;

import dev.headrace.data.DType;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.data.image.JpegSource;
import dev.headrace.data.image.Window;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Something like a JPEG file whose pixels are known. */
record FakeJpeg(Tensor whole, Window window, boolean isPlain) implements JpegSource {
  static Tensor of(Tensor whole) {
    Shape shape = whole.shape();
    return window(whole, 0, 0, (int) shape.dim(0), (int) shape.dim(1));
  }

  static Tensor window(Tensor whole, int top, int left, int height, int width) {
    return Tensor.deferred(new FakeJpeg(whole, new Window(top, left, height, width), true));
  }

  @Override
  public DType dtype() {
    return DType.UINT8;
  }

  @Override
  public Shape shape() {
    return Shape.of(window.height(), window.width(), whole.shape().dim(2));
  }

  @Override
  public Shape wholeShape() {
    return whole.shape();
  }

  @Override
  public List<Tensor> sources() {
    return List.of(Tensor.ofStrings("a file"));
  }

  @Override
  public MemorySegment file() {
    return sources().getFirst().segmentAt(0);
  }

  @Override
  public void evaluateInto(MemorySegment destination) {
    whole.crop(window).copyInto(destination, 0);
  }

  @Override
  public void evaluateWindow(Window part, MemorySegment destination) {
    whole.crop(window).crop(part).copyInto(destination, 0);
  }

  @Override
  public String describe() {
    return "fake jpeg";
  }
}
