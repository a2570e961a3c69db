package dev.headrace.data.image;

import java.util.Locale;

/** How a resize computes a pixel from those around it; the names and results of tf.image. */
public enum ResizeMethod {
  /** The nearest pixel; the type of the image is kept. */
  NEAREST,
  /** Two by two pixels, linearly. */
  BILINEAR,
  /** Four by four pixels, by Keys' cubic. */
  BICUBIC,
  /** The average of the area that a pixel covers. */
  AREA,
  /** Lanczos' window of radius 3. */
  LANCZOS3,
  /** Lanczos' window of radius 5. */
  LANCZOS5,
  /** A Gaussian of deviation 0.5, cut off at 1.5. */
  GAUSSIAN,
  /** Mitchell and Netravali's cubic. */
  MITCHELLCUBIC;

  /** The name as tf.image spells it. */
  public String tfName() {
    return name().toLowerCase(Locale.ROOT);
  }
}
