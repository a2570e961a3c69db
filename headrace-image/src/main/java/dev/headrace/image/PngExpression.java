package dev.headrace.image;

import dev.headrace.data.DType;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.data.image.ImageSource;
import dev.headrace.data.image.Window;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A PNG file that is decoded when its pixels are wanted.
 *
 * @param source a scalar byte string: the file
 */
record PngExpression(Tensor source, PngHeader header, Png options) implements ImageSource {

  @Override
  public DType dtype() {
    return options.dtype();
  }

  @Override
  public Shape shape() {
    int channels = options.channels() == 0 ? header.channels() : options.channels();
    return Shape.of(header.height(), header.width(), channels);
  }

  @Override
  public List<Tensor> sources() {
    return List.of(source);
  }

  @Override
  public void evaluateInto(MemorySegment destination) {
    evaluateWindow(new Window(0, 0, header.height(), header.width()), destination);
  }

  @Override
  public void evaluateWindow(Window window, MemorySegment destination) {
    PngDecoder.decode(source.segmentAt(0), header, options, window, destination);
  }

  @Override
  public String describe() {
    return "decodePng ← " + Images.size(source.byteSize());
  }
}
