package dev.headrace.image;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Something that decodes JPEG streams.
 *
 * <p><b>Threading:</b> any number of threads.
 */
interface JpegDecoder {
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
   * Throws for a warning of libjpeg, if damage is not accepted and there is any: an error in the
   * words of libjpeg.
   */
  static void check(@Nullable String warning, JpegStream stream, Jpeg options) {
    if (warning == null || options.acceptsDamage() || stream.isTruncated()) {
      return;
    }
    // Bytes between the last pixel and the end of the image change nothing: the first warning is
    // the one that is told, so all pixels were decoded without any.
    if (warning.contains("extraneous bytes before marker 0xd9")) {
      return;
    }
    throw new InvalidImageException(
        "decodeJpeg: expected undamaged data, but libjpeg warns: "
            + warning
            + "; Jpeg.acceptDamage() decodes it all the same");
  }
}
