package dev.headrace.data.image;

/** A change of what the channels of an image mean. */
public enum Colour {
  RGB_TO_GRAYSCALE("rgbToGrayscale", 3, 1),
  GRAYSCALE_TO_RGB("grayscaleToRgb", 1, 3),
  /** Floats of 0 to 1 only. */
  RGB_TO_HSV("rgbToHsv", 3, 3),
  /** Floats of 0 to 1 only. */
  HSV_TO_RGB("hsvToRgb", 3, 3);

  private final String word;
  private final int sourceChannels;
  private final int channels;

  Colour(String word, int sourceChannels, int channels) {
    this.word = word;
    this.sourceChannels = sourceChannels;
    this.channels = channels;
  }

  /** The name in messages and descriptions. */
  public String word() {
    return word;
  }

  /** The channels that the source must have. */
  public int sourceChannels() {
    return sourceChannels;
  }

  /** The channels of the result. */
  public int channels() {
    return channels;
  }
}
