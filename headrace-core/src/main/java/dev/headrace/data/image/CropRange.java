package dev.headrace.data.image;

import dev.headrace.data.Plural;
import java.util.random.RandomGenerator;

/**
 * How large the random windows of an image are and of what form, as {@code
 * tf.image.sample_distorted_bounding_box} draws them; the random numbers are the caller's own.
 *
 * @param leastArea of the image's area, above 0
 * @param mostArea of the image's area, up to 1
 * @param leastAspect the width over the height
 * @param mostAspect the width over the height
 * @param attempts how often is tried; then it is the whole image
 */
public record CropRange(
    double leastArea, double mostArea, double leastAspect, double mostAspect, int attempts) {
  /** What is common for training on ImageNet: 8 % to all of the area, 3:4 to 4:3. */
  public static final CropRange COMMON = new CropRange(0.08, 1, 3 / 4.0, 4 / 3.0, 100);

  public CropRange {
    boolean isArea = leastArea > 0 && leastArea <= mostArea && mostArea <= 1;
    boolean isAspect = leastAspect > 0 && leastAspect <= mostAspect && mostAspect < 1e6;
    if (!isArea || !isAspect || attempts < 1) {
      throw new IllegalArgumentException(
          "randomResizedCrop: expected areas of 0 to 1, aspects above 0, least before most, and at"
              + " least one attempt, but got area %s to %s, aspect %s to %s, %d %s"
                  .formatted(
                      leastArea,
                      mostArea,
                      leastAspect,
                      mostAspect,
                      attempts,
                      Plural.word(attempts, "attempt")));
    }
  }

  /** Draws a window of an image of that size. */
  public Window draw(RandomGenerator random, int height, int width) {
    for (int attempt = 0; attempt < attempts; attempt++) {
      double aspect = leastAspect + random.nextDouble() * (mostAspect - leastAspect);
      int tall = drawHeight(random, aspect, height, width);
      int wide = (int) Math.rint(tall * aspect);
      if (fits(tall, wide, height, width)) {
        // As there, the last place is never drawn.
        int top = tall < height ? random.nextInt(height - tall) : 0;
        int left = wide < width ? random.nextInt(width - wide) : 0;
        return new Window(top, left, tall, wide);
      }
    }
    return new Window(0, 0, height, width);
  }

  private int drawHeight(RandomGenerator random, double aspect, int height, int width) {
    double area = (double) height * width;
    int least = (int) Math.rint(Math.sqrt(leastArea * area / aspect));
    int most = (int) Math.rint(Math.sqrt(mostArea * area / aspect));
    if (Math.rint(most * aspect) > width) {
      // The largest height whose width still fits.
      most = (int) ((width + 0.5 - 1e-7) / aspect);
      if (Math.rint(most * aspect) > width) {
        most--;
      }
    }
    most = Math.min(most, height);
    int drawn = least < most ? least + random.nextInt(most - least + 1) : most;
    // Rounding may have left the range by a row.
    double covered = drawn * Math.rint(drawn * aspect);
    if (covered < leastArea * area) {
      return drawn + 1;
    }
    return covered > mostArea * area ? drawn - 1 : drawn;
  }

  private boolean fits(int tall, int wide, int height, int width) {
    double area = (double) height * width;
    double covered = (double) tall * wide;
    return tall > 0
        && wide > 0
        && tall <= height
        && wide <= width
        && covered >= leastArea * area
        && covered <= mostArea * area;
  }
}
