package dev.headrace.image;

import dev.headrace.data.Scratch;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Decodes with libturbojpeg. */
final class TurboJpegDecoder implements JpegDecoder {
  /** From this size on, no two of the library's scaling factors give the same size. */
  private static final int LEAST_SCALED_SIDE = 6;

  private final TurboJpeg library;

  TurboJpegDecoder(TurboJpeg library) {
    this.library = library;
  }

  @Override
  public String describe() {
    return "libturbojpeg (" + library.where() + ")";
  }

  @Override
  public @Nullable String refusal(JpegHeader header, Jpeg options) {
    if (options.ratio() > 1 && Math.max(header.width(), header.height()) < LEAST_SCALED_SIDE) {
      return "it scales images of %d pixels and more".formatted(LEAST_SCALED_SIDE);
    }
    return null;
  }

  @Override
  public boolean takesShortened() {
    return true;
  }

  @Override
  public void decode(JpegStream stream, Jpeg options, MemorySegment destination) {
    int flags = TurboJpeg.LIMIT_SCANS;
    flags |= options.dct() == Dct.FAST ? TurboJpeg.FAST_DCT : TurboJpeg.ACCURATE_DCT;
    flags |= options.fancyUpsampling() ? 0 : TurboJpeg.FAST_UPSAMPLE;
    int width = JpegExpression.scaled(stream.width(), options.ratio());
    int height = JpegExpression.scaled(stream.height(), options.ratio());
    if (stream.header().components() < 4) {
      int format =
          JpegExpression.channels(stream.header(), options) == 1 ? TurboJpeg.GREY : TurboJpeg.RGB;
      JpegDecoder.check(
          library.decompress(stream.bytes(), destination, width, height, format, flags),
          stream,
          options);
      return;
    }
    long pixels = (long) width * height;
    try (Scratch scratch = Scratch.take(pixels * 4)) {
      MemorySegment inks = scratch.memory().asSlice(0, pixels * 4);
      JpegDecoder.check(
          library.decompress(stream.bytes(), inks, width, height, TurboJpeg.CMYK, flags),
          stream,
          options);
      JpegColours.cmykToRgb(inks, destination, pixels, stream.header().isAdobe());
    }
  }
}
