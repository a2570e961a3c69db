package dev.headrace.data.image;

import dev.headrace.data.Plural;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;

/**
 * What the dimensions of an image tensor mean: [height, width, channels], or a batch of those.
 *
 * @param images how many images there are; 1 where the tensor is no batch
 * @param isBatch whether the shape names the number of images
 */
record ImageSize(long images, int height, int width, int channels, boolean isBatch) {

  /** The size of {@code tensor}; fails in the name of {@code word} where it holds no image. */
  static ImageSize of(String word, Tensor tensor) {
    Shape shape = tensor.shape();
    int rank = shape.rank();
    if (rank != 3 && rank != 4 || !tensor.dtype().isFixedSize()) {
      throw new IllegalArgumentException(
          "%s: expected an image [height, width, channels] or a batch of them, but got %s%s; %s"
              .formatted(
                  word,
                  tensor.dtype().tfName(),
                  shape,
                  tensor.dtype().isFixedSize()
                      ? "give decodeRaw a shape, or reshape"
                      : "decode it first"));
    }
    return new ImageSize(
        rank == 4 ? shape.dim(0) : 1,
        dimension(word, tensor, rank - 3),
        dimension(word, tensor, rank - 2),
        dimension(word, tensor, rank - 1),
        rank == 4);
  }

  private static int dimension(String word, Tensor tensor, int index) {
    long dimension = tensor.shape().dim(index);
    if (dimension < 1 || dimension > Integer.MAX_VALUE / 16) {
      throw new IllegalArgumentException(
          "%s: expected an image with pixels, but got %s%s"
              .formatted(word, tensor.dtype().tfName(), tensor.shape()));
    }
    return (int) dimension;
  }

  /** This size with another height, width and number of channels. */
  ImageSize with(int newHeight, int newWidth, int newChannels) {
    return new ImageSize(images, newHeight, newWidth, newChannels, isBatch);
  }

  /** The numbers of one row. */
  int rowLength() {
    return Math.multiplyExact(width, channels);
  }

  /** The tensor's shape. */
  Shape shape() {
    return isBatch ? Shape.of(images, height, width, channels) : Shape.of(height, width, channels);
  }

  /** Fails where images have not three channels. */
  static ImageSize ofRgb(String word, Tensor tensor) {
    return ofChannels(word, tensor, 3, "red, green and blue");
  }

  /** Fails where images have another number of channels. */
  static ImageSize ofChannels(String word, Tensor tensor, int channels, String meaning) {
    ImageSize size = of(word, tensor);
    if (size.channels != channels) {
      throw new IllegalArgumentException(
          "%s: expected images of %d %s (%s), but got %s%s"
              .formatted(
                  word,
                  channels,
                  Plural.word(channels, "channel"),
                  meaning,
                  tensor.dtype().tfName(),
                  tensor.shape()));
    }
    return size;
  }

  /** Fails where an argument that names a size in pixels is not positive. */
  static void checkTarget(String word, int height, int width) {
    if (height < 1 || width < 1 || height > 1 << 24 || width > 1 << 24) {
      throw new IllegalArgumentException(
          "%s: expected a height and a width of 1 to 2^24, but got %d and %d"
              .formatted(word, height, width));
    }
  }
}
