package dev.headrace.image;

import dev.headrace.data.Plural;
import java.lang.foreign.MemorySegment;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Something that decodes JPEG streams.
 *
 * <p><b>Threading:</b> any number of threads.
 */
interface JpegDecoder {
  /** The warning of libjpeg that tells of bytes before the end of the image. */
  Pattern STRAY_BYTES = Pattern.compile("(\\d+) extraneous bytes before marker 0xd9");

  /** What some writers leave there. */
  int MOST_STRAY_BYTES = 8;

  /** What it is and where it was found, for people. */
  String describe();

  /** Why it cannot decode such a file in this way, or null if it can. */
  @Nullable String refusal(JpegHeader header, Jpeg options);

  /** Whether it may be given streams that claim fewer rows than they have. */
  boolean takesShortened();

  /**
   * Decodes the rows that the stream claims to have, at the options' size and number of channels.
   *
   * @param destination native memory of exactly these bytes
   * @throws InvalidImageException if the data is damaged
   */
  void decode(JpegStream stream, Jpeg options, MemorySegment destination);

  /**
   * Throws unless this memory can take an image: libraries write to its address whatever it is.
   *
   * @param pixelBytes bytes of a pixel
   */
  static void checkDestination(MemorySegment destination, int width, int height, int pixelBytes) {
    long expected = (long) width * height * pixelBytes;
    if (!destination.isNative() || destination.isReadOnly() || destination.byteSize() != expected) {
      throw new IllegalArgumentException(
          "decodeJpeg: expected %d %s of native memory to write to, but got %d of %s memory%s"
              .formatted(
                  expected,
                  Plural.word(expected, "byte"),
                  destination.byteSize(),
                  destination.isNative() ? "native" : "heap",
                  destination.isReadOnly() ? " that is read-only" : ""));
    }
  }

  /**
   * Throws for a warning of libjpeg, if damage is not accepted and there is any: an error in the
   * words of libjpeg.
   */
  static void check(@Nullable String warning, JpegStream stream, Jpeg options) {
    if (warning == null || options.acceptsDamage() || stream.isTruncated()) {
      return;
    }
    if (isOfFewBytesAtTheEnd(warning, stream)) {
      return;
    }
    throw new InvalidImageException(
        "decodeJpeg: expected undamaged data, but libjpeg warns: "
            + warning
            + "; Jpeg.acceptDamage() decodes it all the same");
  }

  /**
   * Whether a warning is of bytes between the last pixel and the end of the image alone: it is the
   * first one that is told, so all pixels were decoded without any. Many such bytes mean that codes
   * were misread somewhere, unless rows were left out.
   */
  private static boolean isOfFewBytesAtTheEnd(String warning, JpegStream stream) {
    Matcher stray = STRAY_BYTES.matcher(warning);
    return stray.find()
        && (stream.isShortened()
            || stray.group(1).length() < 10
                && Integer.parseInt(stray.group(1)) <= MOST_STRAY_BYTES);
  }
}
