package dev.headrace.image;

import dev.headrace.data.DType;
import dev.headrace.data.Scratch;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.data.image.JpegSource;
import dev.headrace.data.image.Window;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A JPEG file that is decoded when its pixels are wanted.
 *
 * @param source a scalar byte string: the file
 * @param part the part of the image that this is, or null if it is the whole
 */
record JpegExpression(
    Tensor source, JpegHeader header, Jpeg options, @Nullable Window part, JpegDecoder decoder)
    implements JpegSource {

  static int scaled(int side, int ratio) {
    return (side + ratio - 1) / ratio;
  }

  static int channels(JpegHeader header, Jpeg options) {
    return options.channels() != 0 ? options.channels() : header.components() == 1 ? 1 : 3;
  }

  @Override
  public DType dtype() {
    return DType.UINT8;
  }

  @Override
  public Shape shape() {
    Window all = all();
    return Shape.of(all.height(), all.width(), channels(header, options));
  }

  private Window all() {
    return part != null
        ? part
        : new Window(
            0,
            0,
            scaled(header.height(), options.ratio()),
            scaled(header.width(), options.ratio()));
  }

  @Override
  public List<Tensor> sources() {
    return List.of(source);
  }

  @Override
  public MemorySegment file() {
    return source.segmentAt(0);
  }

  @Override
  public Window window() {
    return all();
  }

  @Override
  public Shape wholeShape() {
    return Shape.of(
        scaled(header.height(), options.ratio()),
        scaled(header.width(), options.ratio()),
        channels(header, options));
  }

  /** A decoder elsewhere knows neither our repairs nor our transforms, and gives full size. */
  @Override
  public boolean isPlain() {
    return options.ratio() == 1
        && options.dct() == Dct.ACCURATE
        && options.fancyUpsampling()
        && Double.isNaN(options.acceptedFraction())
        && !options.acceptsDamage()
        && header.components() != 4
        && (header.components() == 3 || channels(header, options) == 1);
  }

  @Override
  public void evaluateInto(MemorySegment destination) {
    decode(all(), destination);
  }

  @Override
  public void evaluateWindow(Window window, MemorySegment destination) {
    Window all = all();
    decode(
        new Window(
            all.top() + window.top(), all.left() + window.left(), window.height(), window.width()),
        destination);
  }

  private void decode(Window window, MemorySegment destination) {
    MemorySegment file = source.segmentAt(0);
    try (Scratch copy = Scratch.take(JpegStream.bytesFor(file))) {
      JpegStream stream = JpegStream.copy(file, header, options, copy.memory());
      if (options.ratio() == 1 && stream.canBeShortened() && decoder.takesShortened()) {
        stream.shortenTo(window.top() + window.height());
      }
      int width = scaled(stream.width(), options.ratio());
      int height = scaled(stream.height(), options.ratio());
      long rowBytes = (long) width * channels(header, options);
      boolean isAll = window.width() == width && window.height() == height;
      if (isAll && destination.isNative()) {
        decoder.decode(stream, options, destination);
        return;
      }
      try (Scratch pixels = Scratch.take(rowBytes * height)) {
        MemorySegment decoded = pixels.memory().asSlice(0, rowBytes * height);
        decoder.decode(stream, options, decoded);
        copyWindow(decoded, rowBytes, window, destination);
      }
    }
  }

  private void copyWindow(
      MemorySegment decoded, long rowBytes, Window window, MemorySegment destination) {
    int channels = channels(header, options);
    long partBytes = (long) window.width() * channels;
    long from = window.top() * rowBytes + (long) window.left() * channels;
    if (partBytes == rowBytes) {
      MemorySegment.copy(decoded, from, destination, 0, rowBytes * window.height());
      return;
    }
    for (int row = 0; row < window.height(); row++) {
      MemorySegment.copy(decoded, from + row * rowBytes, destination, row * partBytes, partBytes);
    }
  }

  @Override
  public String describe() {
    StringBuilder text = new StringBuilder("decodeJpeg(").append(options.describe()).append(')');
    if (part != null) {
      text.append(" crop(")
          .append(part.top())
          .append(", ")
          .append(part.left())
          .append(", ")
          .append(part.height())
          .append(", ")
          .append(part.width())
          .append(')');
    }
    return text.append(" ← ").append(Images.size(source.byteSize())).toString();
  }
}
