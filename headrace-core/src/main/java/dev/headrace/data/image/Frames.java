package dev.headrace.data.image;

import dev.headrace.data.Tensor;

/** Sizes reached by cropping and padding around the middle, as tf.image does. */
public final class Frames {
  private Frames() {}

  /** The middle of an image, or the image in the middle of zeros, in each direction. */
  public static Tensor cropOrPad(Tensor image, int height, int width) {
    ImageSize.checkTarget("resizeWithCropOrPad", height, width);
    ImageSize size = ImageSize.of("resizeWithCropOrPad", image);
    int keptHeight = Math.min(height, size.height());
    int keptWidth = Math.min(width, size.width());
    Tensor cropped =
        image.crop(
            Math.max(0, Math.floorDiv(size.height() - height, 2)),
            Math.max(0, Math.floorDiv(size.width() - width, 2)),
            keptHeight,
            keptWidth);
    return cropped.pad(
        Math.max(0, Math.floorDiv(height - size.height(), 2)),
        Math.max(0, Math.floorDiv(width - size.width(), 2)),
        height,
        width);
  }

  /** The whole image, resized without distortion and with zeros at two sides. */
  public static Tensor resizeWithPad(Tensor image, int height, int width, Resize options) {
    ImageSize.checkTarget("resizeWithPad", height, width);
    ImageSize size = ImageSize.of("resizeWithPad", image);
    float ratio = Math.max((float) size.width() / width, (float) size.height() / height);
    float tall = size.height() / ratio;
    float wide = size.width() / ratio;
    Tensor resized =
        image.resize(
            Math.max(1, (int) Math.floor(tall)), Math.max(1, (int) Math.floor(wide)), options);
    return resized.pad(
        Math.max(0, (int) Math.floor((height - tall) / 2)),
        Math.max(0, (int) Math.floor((width - wide) / 2)),
        height,
        width);
  }
}
