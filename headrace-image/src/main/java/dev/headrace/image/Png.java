package dev.headrace.image;

import dev.headrace.data.DType;

/**
 * How a PNG file is to be decoded. {@link #AS_STORED}, {@link #RGB}, {@link #GRAY} and {@link
 * #RGBA} are where to begin.
 *
 * @param channels 1 (grey), 3 (colour), 4 (colour and opacity), or 0 for what the file has
 * @param dtype {@link DType#UINT8} or {@link DType#UINT16}
 * @param limits how large the image may be
 */
public record Png(int channels, DType dtype, ImageLimits limits) {
  /**
   * Channels as stored: 1, 2 (grey and opacity), 3 or 4. A colour that is declared transparent
   * gives a fourth channel with a palette only, as in TensorFlow.
   */
  public static final Png AS_STORED = new Png(0, DType.UINT8, ImageLimits.defaults());

  /** Three channels. */
  public static final Png RGB = channels(3);

  /** Four channels. */
  public static final Png RGBA = channels(4);

  /** One channel. */
  public static final Png GRAY = channels(1);

  public Png {
    if (channels != 0 && channels != 1 && channels != 3 && channels != 4) {
      throw new IllegalArgumentException(
          "decodePng: expected channels of 0 (as stored), 1, 3 or 4, but got " + channels);
    }
    if (dtype != DType.UINT8 && dtype != DType.UINT16) {
      throw new IllegalArgumentException(
          "decodePng: expected uint8 or uint16, but got " + dtype.tfName());
    }
  }

  /** As {@link #AS_STORED}, with this number of channels: 0, 1, 3 or 4. */
  public static Png channels(int channels) {
    return new Png(channels, DType.UINT8, ImageLimits.defaults());
  }

  /** In another type: files of up to 8 bits are scaled up, those of 16 bits are cut to 8. */
  public Png dtype(DType type) {
    return new Png(channels, type, limits);
  }

  /** Within other limits. */
  public Png limits(ImageLimits others) {
    return new Png(channels, dtype, others);
  }
}
