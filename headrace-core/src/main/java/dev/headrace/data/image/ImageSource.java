package dev.headrace.data.image;

import dev.headrace.data.Expression;
import java.lang.foreign.MemorySegment;

/**
 * An expression that yields an image of shape [height, width, channels] and can yield a part of it
 * for less than the whole: a decoder.
 */
public interface ImageSource extends Expression {
  /**
   * Computes the pixels of one window only, row by row without gaps, into {@code destination},
   * which has exactly their bytes. The values are those that the whole image has there.
   *
   * @param window lies within the image
   */
  void evaluateWindow(Window window, MemorySegment destination);
}
