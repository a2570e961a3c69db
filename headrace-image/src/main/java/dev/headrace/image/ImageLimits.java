package dev.headrace.image;

import dev.headrace.data.Plural;
import java.util.Locale;

/**
 * How large an image may be, checked in its header before anything is allocated or decoded.
 *
 * <p>The defaults are set by the system properties {@code headrace.image.maxWidth}, {@code
 * .maxHeight}, {@code .maxPixels} and {@code .maxScans}, or the variables {@code
 * HEADRACE_IMAGE_MAXWIDTH} and so on; {@link Jpeg#limits} and {@link Png#limits} set others in
 * code.
 *
 * @param maxWidth columns at most
 * @param maxHeight rows at most
 * @param maxPixels columns times rows at most
 * @param maxScans passes over the image that a JPEG file may consist of; usual progressive files
 *     have about ten
 */
public record ImageLimits(int maxWidth, int maxHeight, long maxPixels, int maxScans) {
  private static final int MAX_SIDE = 65_500;
  private static final long MAX_PIXELS = 178_956_970;
  private static final int MAX_SCANS = 100;

  public ImageLimits {
    if (maxWidth < 1 || maxHeight < 1 || maxPixels < 1 || maxScans < 1) {
      throw new IllegalArgumentException(
          "ImageLimits: expected limits of at least 1, but got width %d, height %d, pixels %d, scans %d"
              .formatted(maxWidth, maxHeight, maxPixels, maxScans));
    }
  }

  /** The limits that hold where code sets no others. */
  public static ImageLimits defaults() {
    return Defaults.LIMITS;
  }

  /** The same, but for at most this number of pixels. */
  public ImageLimits withMaxPixels(long pixels) {
    return new ImageLimits(maxWidth, maxHeight, pixels, maxScans);
  }

  void check(String place, long width, long height) {
    if (width > maxWidth || height > maxHeight || width * height > maxPixels) {
      throw new InvalidImageException(
          ("%s: expected an image of at most %d x %d and %s, but got %d x %d; raise"
                  + " headrace.image.maxWidth, maxHeight or maxPixels if the file is trusted")
              .formatted(place, maxWidth, maxHeight, Plural.of(maxPixels, "pixel"), width, height));
    }
  }

  private static ImageLimits fromSettings() {
    return new ImageLimits(
        (int) setting("maxWidth", MAX_SIDE, Integer.MAX_VALUE),
        (int) setting("maxHeight", MAX_SIDE, Integer.MAX_VALUE),
        setting("maxPixels", MAX_PIXELS, Long.MAX_VALUE),
        (int) setting("maxScans", MAX_SCANS, Integer.MAX_VALUE));
  }

  private static long setting(String name, long otherwise, long most) {
    String property = "headrace.image." + name;
    String text = System.getProperty(property);
    if (text == null) {
      text = System.getenv("HEADRACE_IMAGE_" + name.toUpperCase(Locale.ROOT));
    }
    if (text == null) {
      return otherwise;
    }
    try {
      long value = Long.parseLong(text.strip().replace("_", ""));
      if (value >= 1 && value <= most) {
        return value;
      }
    } catch (NumberFormatException e) {
      // said below
    }
    throw new IllegalArgumentException(
        "%s: expected a whole number of at least 1, but got '%s'".formatted(property, text));
  }

  /** Read once, when the first image is. */
  private static final class Defaults {
    private static final ImageLimits LIMITS = fromSettings();
  }
}
