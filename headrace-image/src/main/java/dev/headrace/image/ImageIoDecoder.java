package dev.headrace.image;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.headrace.image.JpegHeader.Colour;
import java.awt.image.DataBufferByte;
import java.awt.image.Raster;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import javax.imageio.ImageIO;
import javax.imageio.ImageReader;
import javax.imageio.event.IIOReadWarningListener;
import javax.imageio.stream.ImageInputStreamImpl;
import org.jspecify.annotations.Nullable;

/**
 * Decodes with the JDK's reader.
 *
 * <p>It is asked for the components as stored, and their colour is converted here: so its guesses
 * about colour do not matter, and pixels equal those of libturbojpeg.
 */
final class ImageIoDecoder implements JpegDecoder {
  private static final ThreadLocal<Reader> READERS = ThreadLocal.withInitial(Reader::new);

  @Override
  public String describe() {
    return "ImageIO of the JDK";
  }

  @Override
  public @Nullable String refusal(JpegHeader header, Jpeg options) {
    if (options.dct() == Dct.FAST) {
      return "it has the accurate transform only";
    }
    if (options.ratio() != 1) {
      return "it decodes at full size only";
    }
    if (!options.fancyUpsampling() && isSubsampled(header)) {
      return "it always interpolates colour";
    }
    return null;
  }

  private static boolean isSubsampled(JpegHeader header) {
    for (int factors : header.sampling()) {
      if (factors != header.sampling()[0]) {
        return true;
      }
    }
    return false;
  }

  @Override
  public boolean takesShortened() {
    return true;
  }

  @Override
  public void decode(JpegStream stream, Jpeg options, MemorySegment destination) {
    JpegHeader header = stream.header();
    int components = header.components();
    int channels = JpegExpression.channels(header, options);
    JpegDecoder.checkDestination(destination, stream.width(), stream.height(), channels);
    byte[] samples = READERS.get().read(stream, options);
    interpolateRows(samples, stream);
    if (channels == 1 && components == 3) {
      toGrey(samples, header.colour(), destination);
    } else if (channels == 3 && components == 1) {
      for (int i = 0; i < samples.length; i++) {
        for (int c = 0; c < 3; c++) {
          destination.set(JAVA_BYTE, i * 3L + c, samples[i]);
        }
      }
    } else if (components == 4) {
      if (header.colour() == Colour.YCCK) {
        JpegColours.ycckToCmyk(samples);
      }
      JpegColours.cmykToRgb(
          MemorySegment.ofArray(samples), destination, samples.length / 4, header.isAdobe());
    } else {
      if (header.colour() == Colour.YCBCR) {
        JpegColours.yccToRgb(samples, 3);
      }
      MemorySegment.copy(samples, 0, destination, JAVA_BYTE, 0, samples.length);
    }
  }

  private static void toGrey(byte[] samples, Colour colour, MemorySegment destination) {
    for (int i = 0; i < samples.length; i += 3) {
      byte grey =
          colour == Colour.YCBCR
              ? samples[i]
              : JpegColours.grey(samples[i] & 0xFF, samples[i + 1] & 0xFF, samples[i + 2] & 0xFF);
      destination.set(JAVA_BYTE, i / 3, grey);
    }
  }

  /**
   * Components at full width and half height: libturbojpeg interpolates between their rows, the JDK
   * repeats each. Every other row is one that was stored.
   */
  private static void interpolateRows(byte[] samples, JpegStream stream) {
    JpegHeader header = stream.header();
    int components = header.components();
    int width = stream.width();
    int height = stream.height();
    int row = width * components;
    for (int c = 0; c < components; c++) {
      boolean isHalved =
          header.horizontal(c) == header.maxHorizontal()
              && header.vertical(c) * 2 == header.maxVertical();
      for (int x = 0; isHalved && x < width; x++) {
        int at = x * components + c;
        int above = samples[at] & 0xFF;
        for (int y = 0; y < height; y += 2) {
          int here = samples[at + y * row] & 0xFF;
          int below = y + 2 < height ? samples[at + (y + 2) * row] & 0xFF : here;
          samples[at + y * row] = (byte) (here * 3 + above + 1 >> 2);
          if (y + 1 < height) {
            samples[at + (y + 1) * row] = (byte) (here * 3 + below + 2 >> 2);
          }
          above = here;
        }
      }
    }
  }

  /** A thread's reader, used again and again. */
  private static final class Reader implements IIOReadWarningListener {
    private final ImageReader reader = ImageIO.getImageReadersByFormatName("jpeg").next();
    private @Nullable String warning;

    byte[] read(JpegStream stream, Jpeg options) {
      warning = null;
      try {
        reader.setInput(new SegmentInput(stream.bytes()), true, true);
        reader.addIIOReadWarningListener(this);
        Raster raster = reader.readRaster(0, null);
        JpegDecoder.check(warning, stream, options);
        return ((DataBufferByte) raster.getDataBuffer()).getData();
      } catch (IOException | IllegalArgumentException | IndexOutOfBoundsException e) {
        if (e instanceof InvalidImageException) {
          throw (InvalidImageException) e;
        }
        throw new InvalidImageException(
            "decodeJpeg: expected a valid file, but got one that ImageIO refuses: "
                + e.getMessage());
      } finally {
        reader.reset();
      }
    }

    @Override
    public void warningOccurred(ImageReader source, String message) {
      if (warning == null) {
        warning = message;
      }
    }
  }

  /** The bytes of a stream. */
  private static final class SegmentInput extends ImageInputStreamImpl {
    private final MemorySegment bytes;

    SegmentInput(MemorySegment bytes) {
      this.bytes = bytes;
    }

    @Override
    public int read() throws IOException {
      checkClosed();
      bitOffset = 0;
      return streamPos < bytes.byteSize() ? bytes.get(JAVA_BYTE, streamPos++) & 0xFF : -1;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      checkClosed();
      bitOffset = 0;
      int there = (int) Math.min(length, bytes.byteSize() - streamPos);
      if (there <= 0) {
        return length == 0 ? 0 : -1;
      }
      MemorySegment.copy(bytes, JAVA_BYTE, streamPos, into, offset, there);
      streamPos += there;
      return there;
    }

    @Override
    public long length() {
      return bytes.byteSize();
    }
  }
}
