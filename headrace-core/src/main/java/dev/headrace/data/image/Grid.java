package dev.headrace.data.image;

/** Where the pixels of a resized image lie in the image they come from. */
public enum Grid {
  /** Pixels are squares and their centres are what is mapped: tf.image.resize. */
  HALF_PIXEL,
  /** The centres of the corner pixels fall together: {@code align_corners} of TensorFlow 1. */
  ALIGN_CORNERS,
  /** The upper left corners fall together: the default of TensorFlow 1. */
  UPPER_LEFT
}
