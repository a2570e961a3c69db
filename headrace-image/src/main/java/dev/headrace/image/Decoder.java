package dev.headrace.image;

/** The libraries that can decode JPEG files. */
public enum Decoder {
  /** The first of the others that this machine has. */
  AUTO,
  /** libturbojpeg of the system: the fastest, and the only one with {@link Dct#FAST}. */
  TURBOJPEG,
  /** OpenCV, where {@code org.bytedeco:opencv} is on the class path. */
  OPENCV,
  /** The JDK's own: everywhere, and several times slower. */
  IMAGEIO
}
