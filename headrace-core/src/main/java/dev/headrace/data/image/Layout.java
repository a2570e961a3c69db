package dev.headrace.data.image;

/** In which order the dimensions of an image lie. */
public enum Layout {
  /** [height, width, channels]: what decoders give and all other steps expect. */
  NHWC,
  /** [channels, height, width]: one plane after the other. */
  NCHW
}
