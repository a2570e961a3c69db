package dev.headrace.image;

/** How the coefficients of a JPEG file become pixels. */
public enum Dct {
  /** The accurate integer transform, on which all decoders agree bit for bit. */
  ACCURATE,
  /**
   * The fast integer transform, which tf.data uses unless told otherwise: up to 4 levels away from
   * {@link #ACCURATE}. Needs libturbojpeg.
   */
  FAST
}
