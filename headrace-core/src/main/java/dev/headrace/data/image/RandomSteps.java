package dev.headrace.data.image;

import dev.headrace.data.Tensor;
import java.util.random.RandomGenerator;

/**
 * Steps whose parameters are drawn, each from one or two numbers of the generator that {@code
 * randomMap} gives for the element. The ranges are those of tf.image, the numbers are not.
 */
public final class RandomSteps {
  private RandomSteps() {}

  /** A window of that size at a random place. */
  public static Tensor crop(Tensor image, RandomGenerator random, int height, int width) {
    ImageSize size = ImageSize.of("randomCrop", image);
    if (height < 1 || width < 1 || height > size.height() || width > size.width()) {
      throw new IllegalArgumentException(
          "randomCrop: expected a size within %s%s, but got %d, %d; pad or resize before it"
              .formatted(image.dtype().tfName(), image.shape(), height, width));
    }
    int top = random.nextInt(size.height() - height + 1);
    int left = random.nextInt(size.width() - width + 1);
    return image.crop(top, left, height, width);
  }

  /** A random window, resized. */
  public static Tensor resizedCrop(
      Tensor image,
      RandomGenerator random,
      int height,
      int width,
      CropRange range,
      Resize options) {
    ImageSize size = ImageSize.of("randomResizedCrop", image);
    Window window = range.draw(random, size.height(), size.width());
    return image.crop(window).resize(height, width, options);
  }

  /** The image, in one of two cases oriented otherwise. */
  public static Tensor orient(Tensor image, RandomGenerator random, Orientation orientation) {
    ImageSize.of(orientation.word(), image);
    return random.nextBoolean() ? Tensor.deferred(new OrientExpression(image, orientation)) : image;
  }

  /** Brightness changed by at most {@code mostDelta}. */
  public static Tensor brightness(Tensor image, RandomGenerator random, float mostDelta) {
    return image.adjustBrightness(delta("randomBrightness", random, mostDelta, Float.MAX_VALUE));
  }

  /** The hue turned by at most {@code mostDelta}, which is up to a half. */
  public static Tensor hue(Tensor image, RandomGenerator random, float mostDelta) {
    return image.adjustHue(delta("randomHue", random, mostDelta, 0.5f));
  }

  /** Contrast multiplied by a factor of {@code least} to {@code most}. */
  public static Tensor contrast(Tensor image, RandomGenerator random, float least, float most) {
    return image.adjustContrast(factor("randomContrast", random, least, most));
  }

  /** Saturation multiplied by a factor of {@code least} to {@code most}. */
  public static Tensor saturation(Tensor image, RandomGenerator random, float least, float most) {
    return image.adjustSaturation(factor("randomSaturation", random, least, most));
  }

  private static float delta(String word, RandomGenerator random, float most, float limit) {
    if (!(most >= 0 && most <= limit)) {
      throw new IllegalArgumentException(
          word
              + ": expected a largest delta of 0 or more"
              + (limit < 1 ? " up to " + limit : "")
              + ", but got "
              + most);
    }
    return (random.nextFloat() * 2 - 1) * most;
  }

  private static float factor(String word, RandomGenerator random, float least, float most) {
    if (!(least >= 0 && least < most)) {
      throw new IllegalArgumentException(
          "%s: expected factors of 0 or more, the least before the most, but got %s and %s"
              .formatted(word, least, most));
    }
    return least + random.nextFloat() * (most - least);
  }
}
