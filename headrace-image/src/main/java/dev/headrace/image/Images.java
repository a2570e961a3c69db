package dev.headrace.image;

import dev.headrace.data.DType;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.data.image.Window;
import java.lang.foreign.MemorySegment;
import java.util.Locale;

/**
 * Images from files, as deferred tensors of shape [height, width, channels].
 *
 * <p>The header is read at once, so that the shape is known and a file that is no image fails where
 * it is named; pixels are decoded when they are wanted, straight to where they are wanted, and only
 * the part that is wanted where that is cheaper.
 *
 * <p>Files may be hostile: sizes are held to {@link ImageLimits}, and what no pixel depends on
 * never reaches a decoder.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class Images {
  private Images() {}

  // ---- JPEG

  /** A JPEG file's image with the channels that it has: 1, or 3. */
  public static Tensor decodeJpeg(Tensor file) {
    return decodeJpeg(file, Jpeg.AS_STORED);
  }

  /** A JPEG file's image with the channels that it has: 1, or 3. The array must not change. */
  public static Tensor decodeJpeg(byte[] file) {
    return decodeJpeg(wrap(file), Jpeg.AS_STORED);
  }

  /** A JPEG file's image; the array must not change any more. */
  public static Tensor decodeJpeg(byte[] file, Jpeg options) {
    return decodeJpeg(wrap(file), options);
  }

  /**
   * A JPEG file's image.
   *
   * @param file a scalar byte string
   * @throws InvalidImageException if it is no JPEG file, or too large
   * @throws UnsupportedOperationException if no decoder of this machine can decode it that way
   */
  public static Tensor decodeJpeg(Tensor file, Jpeg options) {
    checkFile("decodeJpeg", file);
    JpegHeader header = JpegHeader.read(file.segmentAt(0), options);
    return Tensor.deferred(
        new JpegExpression(file, header, options, null, Decoders.choose(header, options)));
  }

  /** A window of a JPEG file's image; the same pixels as decoding and cropping, for less. */
  public static Tensor decodeAndCropJpeg(byte[] file, Window window) {
    return decodeAndCropJpeg(wrap(file), window, Jpeg.AS_STORED);
  }

  /** A window of a JPEG file's image; the same pixels as decoding and cropping, for less. */
  public static Tensor decodeAndCropJpeg(Tensor file, Window window) {
    return decodeAndCropJpeg(file, window, Jpeg.AS_STORED);
  }

  /** A window of a JPEG file's image; the same pixels as decoding and cropping, for less. */
  public static Tensor decodeAndCropJpeg(Tensor file, Window window, Jpeg options) {
    checkFile("decodeAndCropJpeg", file);
    JpegHeader header = JpegHeader.read(file.segmentAt(0), options);
    int height = JpegExpression.scaled(header.height(), options.ratio());
    int width = JpegExpression.scaled(header.width(), options.ratio());
    if (!window.isWithin(height, width)) {
      throw new IllegalArgumentException(
          "decodeAndCropJpeg: expected a window within %d x %d, but got %s"
              .formatted(height, width, window));
    }
    return Tensor.deferred(
        new JpegExpression(file, header, options, window, Decoders.choose(header, options)));
  }

  /** Height, width and channels of a JPEG file, from its header alone: an int32 tensor. */
  public static Tensor jpegShape(byte[] file) {
    return jpegShape(wrap(file));
  }

  /** Height, width and channels of a JPEG file, from its header alone: an int32 tensor. */
  public static Tensor jpegShape(Tensor file) {
    checkFile("jpegShape", file);
    JpegHeader header = JpegHeader.read(file.segmentAt(0), Jpeg.AS_STORED);
    return Tensor.of(header.height(), header.width(), header.components());
  }

  // ---- PNG, and whatever it is

  /** A PNG file's image as uint8, with the channels that it has. The array must not change. */
  public static Tensor decodePng(byte[] file) {
    return decodePng(wrap(file), Png.AS_STORED);
  }

  /** A PNG file's image as uint8, with the channels that it has. */
  public static Tensor decodePng(Tensor file) {
    return decodePng(file, Png.AS_STORED);
  }

  /** A PNG file's image; the array must not change any more. */
  public static Tensor decodePng(byte[] file, Png options) {
    return decodePng(wrap(file), options);
  }

  /**
   * A PNG file's image.
   *
   * @param file a scalar byte string
   * @throws InvalidImageException if it is no PNG file, or too large
   */
  public static Tensor decodePng(Tensor file, Png options) {
    checkFile("decodePng", file);
    PngHeader header = PngHeader.read(file.segmentAt(0), options);
    return Tensor.deferred(new PngExpression(file, header, options));
  }

  /** A JPEG or PNG file's image as uint8, with the channels that it has. */
  public static Tensor decodeImage(byte[] file) {
    return decodeImage(wrap(file), 0);
  }

  /** A JPEG or PNG file's image as uint8, with the channels that it has. */
  public static Tensor decodeImage(Tensor file) {
    return decodeImage(file, 0);
  }

  /**
   * A JPEG or PNG file's image as uint8; its first bytes tell which it is.
   *
   * @param file a scalar byte string
   * @param channels 1, 3, for PNG also 4, or 0 for what the file has
   * @throws InvalidImageException if it is neither, or too large
   */
  public static Tensor decodeImage(Tensor file, int channels) {
    return decodeImage(file, channels, DType.UINT8, Dct.ACCURATE);
  }

  /** As {@link #decodeImage(Tensor, int, DType, Dct)}; the array must not change any more. */
  public static Tensor decodeImage(byte[] file, int channels, DType dtype, Dct dct) {
    return decodeImage(wrap(file), channels, dtype, dct);
  }

  /**
   * A JPEG or PNG file's image in a type, as {@code tf.io.decode_image} makes it: whole numbers
   * from 0 to the largest of the type (the 8 bits of a JPEG file are the upper ones of 16), floats
   * from 0 to 1.
   *
   * @param file a scalar byte string
   * @param channels 1, 3, for PNG also 4, or 0 for what the file has
   * @param dtype uint8, uint16 or float32
   * @param dct how a JPEG file is decoded; TensorFlow's default is {@link Dct#FAST}
   * @throws InvalidImageException if it is neither, or too large
   */
  public static Tensor decodeImage(Tensor file, int channels, DType dtype, Dct dct) {
    checkFile("decodeImage", file);
    if (dtype != DType.UINT8 && dtype != DType.UINT16 && dtype != DType.FLOAT32) {
      throw new IllegalArgumentException(
          "decodeImage: expected uint8, uint16 or float, but got " + dtype.tfName());
    }
    MemorySegment bytes = file.segmentAt(0);
    if (JpegHeader.isJpeg(bytes)) {
      Tensor image = decodeJpeg(file, Jpeg.channels(channels).dct(dct));
      return switch (dtype) {
        case UINT16 -> image.convert(DType.UINT16).multiply(256);
        case FLOAT32 -> image.convert(DType.FLOAT32).divide(255);
        default -> image;
      };
    }
    if (PngHeader.isPng(bytes)) {
      Png options = Png.channels(channels);
      return switch (dtype) {
        case UINT16 -> decodePng(file, options.dtype(DType.UINT16));
        case FLOAT32 ->
            decodePng(file, options.dtype(DType.UINT16)).convert(DType.FLOAT32).divide(65_535);
        default -> decodePng(file, options);
      };
    }
    throw new InvalidImageException(
        "decodeImage: expected a JPEG or PNG file, but got " + Signature.describe(bytes));
  }

  // ---- the other way

  /**
   * The bytes of a JPEG file of a uint8 image of 1 or 3 channels, colour at half the resolution
   * (4:2:0). Made by the JDK, slowly: for examples and tests.
   *
   * @param quality 1 to 100
   */
  public static byte[] encodeJpeg(Tensor image, int quality) {
    return Encoders.jpeg(image, quality);
  }

  /** The bytes of a PNG file of a uint8 image of 1, 3 or 4 channels, made by the JDK. */
  public static byte[] encodePng(Tensor image) {
    return Encoders.png(image);
  }

  // ---- for people

  /** Which library decodes JPEG files here, and why not a better one. */
  public static String decoder() {
    return Decoders.describe();
  }

  private static Tensor wrap(byte[] file) {
    return Tensor.wrapStrings(Shape.scalar(), file);
  }

  static void checkFile(String place, Tensor file) {
    if (file.dtype() != DType.STRING || file.shape().rank() != 0) {
      throw new IllegalArgumentException(
          place + ": expected a file as a scalar byte string, but got " + file.describe());
    }
  }

  /** As {@code 70 KB}. */
  static String size(long bytes) {
    return bytes < 10_000
        ? bytes + " B"
        : bytes < 10_000_000
            ? bytes / 1000 + " KB"
            : String.format(Locale.ROOT, "%d MB", bytes / 1_000_000);
  }
}
