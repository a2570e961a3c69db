package dev.headrace.data.image;

/**
 * A rectangle of an image, in pixels.
 *
 * @param top the first row
 * @param left the first column
 */
public record Window(int top, int left, int height, int width) {
  public Window {
    if (top < 0 || left < 0 || height < 1 || width < 1) {
      throw new IllegalArgumentException(
          "crop: expected a window that begins at 0 or later and has at least one pixel, but got"
              + " top %d, left %d, height %d, width %d".formatted(top, left, height, width));
    }
  }

  /** Whether it lies within an image of this size. */
  public boolean isWithin(long imageHeight, long imageWidth) {
    return (long) top + height <= imageHeight && (long) left + width <= imageWidth;
  }
}
