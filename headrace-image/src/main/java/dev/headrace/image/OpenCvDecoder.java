package dev.headrace.image;

import java.lang.foreign.MemorySegment;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.Loader;
import org.bytedeco.opencv.global.opencv_core;
import org.bytedeco.opencv.global.opencv_imgcodecs;
import org.bytedeco.opencv.opencv_core.Mat;
import org.jspecify.annotations.Nullable;

/**
 * Decodes with OpenCV, which holds a libjpeg-turbo; there if its jars are on the class path.
 *
 * <p>Files of several scans, such as progressive ones, are left to the JDK, unless damage is
 * accepted or they are scaled.
 */
final class OpenCvDecoder implements JpegDecoder {
  private static final JpegDecoder TELLING = new ImageIoDecoder();

  private OpenCvDecoder() {}

  /** Loads the library: about a second. */
  static JpegDecoder find() {
    try {
      Loader.load(opencv_imgcodecs.class);
      return new OpenCvDecoder();
    } catch (UnsatisfiedLinkError e) {
      throw new IllegalStateException(
          "org.bytedeco:opencv has no library for this platform on the class path", e);
    }
  }

  @Override
  public String describe() {
    return "OpenCV " + opencv_core.CV_VERSION;
  }

  @Override
  public @Nullable String refusal(JpegHeader header, Jpeg options) {
    if (options.dct() == Dct.FAST) {
      return "it has the accurate transform only";
    }
    if (!options.fancyUpsampling()) {
      return "it always interpolates colour";
    }
    if (header.components() == 4) {
      return "it converts CMYK in a way of its own";
    }
    return null;
  }

  @Override
  public boolean takesShortened() {
    return false; // it would tell of the rest on standard error
  }

  @Override
  public void decode(JpegStream stream, Jpeg options, MemorySegment destination) {
    if (!options.acceptsDamage() && !stream.isTruncated()) {
      // OpenCV does not report damage. Where it cannot be looked for before, the JDK reports it.
      if (!stream.isSequential() && options.ratio() == 1) {
        TELLING.decode(stream, options, destination);
        return;
      }
      if (stream.isSequential()) {
        JpegDecoder.check(HuffmanWalk.over(stream).damage(), stream, options);
      }
    }
    boolean isGrey = JpegExpression.channels(stream.header(), options) == 1;
    int height = JpegExpression.scaled(stream.height(), options.ratio());
    int width = JpegExpression.scaled(stream.width(), options.ratio());
    int type = isGrey ? opencv_core.CV_8UC1 : opencv_core.CV_8UC3;
    JpegDecoder.checkDestination(destination, width, height, isGrey ? 1 : 3);
    try (BytePointer jpeg = new BytePointer(stream.bytes().asByteBuffer());
        BytePointer pixels = new BytePointer(destination.asByteBuffer());
        Mat file = new Mat(1, (int) stream.bytes().byteSize(), opencv_core.CV_8UC1, jpeg);
        Mat image = new Mat(height, width, type, pixels);
        Mat result = decode(file, flags(isGrey, options.ratio()), image)) {
      if (result.empty() || result.data().address() != destination.address()) {
        throw new InvalidImageException(
            "decodeJpeg: expected a valid file, but got one that OpenCV refuses");
      }
    }
  }

  private static Mat decode(Mat file, int flags, Mat image) {
    try {
      return opencv_imgcodecs.imdecode(file, flags, image);
    } catch (RuntimeException e) {
      throw new InvalidImageException(
          "decodeJpeg: expected a valid file, but got one that OpenCV refuses: " + e.getMessage());
    }
  }

  private static int flags(boolean isGrey, int ratio) {
    int flags =
        switch (ratio) {
          case 2 -> opencv_imgcodecs.IMREAD_REDUCED_GRAYSCALE_2;
          case 4 -> opencv_imgcodecs.IMREAD_REDUCED_GRAYSCALE_4;
          case 8 -> opencv_imgcodecs.IMREAD_REDUCED_GRAYSCALE_8;
          default -> opencv_imgcodecs.IMREAD_GRAYSCALE;
        };
    return flags
        | (isGrey ? 0 : opencv_imgcodecs.IMREAD_COLOR_RGB)
        | opencv_imgcodecs.IMREAD_IGNORE_ORIENTATION;
  }
}
