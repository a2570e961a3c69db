package dev.headrace.data.image;

import dev.headrace.data.Shape;
import java.lang.foreign.MemorySegment;

/**
 * An image that is decoded from a JPEG file, and which a device that has a decoder of its own may
 * decode from the file instead. Its pixels may then differ in the last bits.
 */
public interface JpegSource extends ImageSource {
  /** The whole file. */
  MemorySegment file();

  /** Which part of the decoded image this is: all of it, or a window. */
  Window window();

  /** The shape of the image that {@link #window} is a part of; this one's where it is all. */
  default Shape wholeShape() {
    return shape();
  }

  /**
   * Whether decoding the file as it is gives the image: uint8, grey or RGB as the shape says, in
   * full size and nothing repaired.
   */
  boolean isPlain();
}
