package dev.headrace.image;

/**
 * How a JPEG file is to be decoded. {@link #RGB} and {@link #GRAY} and {@link #AS_STORED} are where
 * to begin: {@code Jpeg.RGB.dct(Dct.FAST)}.
 *
 * @param channels 3 for colour, 1 for grey (the brightness as stored), 0 for what the file has
 * @param dct the transform
 * @param fancyUpsampling whether colour that was stored at a lower resolution is interpolated; if
 *     not, it is repeated
 * @param ratio 1, or 2, 4, 8 for an image of that fraction of the size, decoded at it: cheaper than
 *     decoding and resizing, and not the same
 * @param acceptedFraction the share of the rows that a truncated file must have to be decoded with
 *     the rest filled in; NaN if it must not be truncated at all
 * @param acceptsDamage whether damaged data is decoded as well as it goes, as tf.data does
 * @param decoder which library decodes
 * @param limits how large the image may be
 */
public record Jpeg(
    int channels,
    Dct dct,
    boolean fancyUpsampling,
    int ratio,
    double acceptedFraction,
    boolean acceptsDamage,
    Decoder decoder,
    ImageLimits limits) {
  /** Channels as stored: 1 or 3 (also for CMYK). */
  public static final Jpeg AS_STORED =
      new Jpeg(0, Dct.ACCURATE, true, 1, Double.NaN, false, Decoder.AUTO, ImageLimits.defaults());

  /** Three channels. */
  public static final Jpeg RGB = AS_STORED.withChannels(3);

  /** One channel. */
  public static final Jpeg GRAY = AS_STORED.withChannels(1);

  public Jpeg {
    if (channels != 0 && channels != 1 && channels != 3) {
      throw new IllegalArgumentException(
          "decodeJpeg: expected channels of 0 (as stored), 1 or 3, but got " + channels);
    }
    if (ratio != 1 && ratio != 2 && ratio != 4 && ratio != 8) {
      throw new IllegalArgumentException(
          "decodeJpeg: expected a ratio of 1, 2, 4 or 8, but got " + ratio);
    }
    if (acceptedFraction < 0 || acceptedFraction > 1) {
      throw new IllegalArgumentException(
          "recoverTruncated: expected a fraction of 0 to 1, but got " + acceptedFraction);
    }
  }

  /** As {@link #AS_STORED}, with this number of channels: 0, 1 or 3. */
  public static Jpeg channels(int channels) {
    return AS_STORED.withChannels(channels);
  }

  private Jpeg withChannels(int count) {
    return new Jpeg(
        count, dct, fancyUpsampling, ratio, acceptedFraction, acceptsDamage, decoder, limits);
  }

  /** With another transform. */
  public Jpeg dct(Dct transform) {
    return new Jpeg(
        channels,
        transform,
        fancyUpsampling,
        ratio,
        acceptedFraction,
        acceptsDamage,
        decoder,
        limits);
  }

  /** With colour interpolated, or repeated. */
  public Jpeg fancyUpsampling(boolean interpolated) {
    return new Jpeg(
        channels, dct, interpolated, ratio, acceptedFraction, acceptsDamage, decoder, limits);
  }

  /** At 1/2, 1/4 or 1/8 of the size, rounded up; an approximation. */
  public Jpeg ratio(int denominator) {
    return new Jpeg(
        channels,
        dct,
        fancyUpsampling,
        denominator,
        acceptedFraction,
        acceptsDamage,
        decoder,
        limits);
  }

  /**
   * Decodes files that end early, if at least this share of their rows is there; the others are
   * filled in as libjpeg does. In a progressive file each scan holds all rows: its first scan must
   * be complete, unless the share is 0.
   */
  public Jpeg recoverTruncated(double fraction) {
    return new Jpeg(
        channels, dct, fancyUpsampling, ratio, fraction, acceptsDamage, decoder, limits);
  }

  /**
   * Decodes damaged data as well as it goes, without a word, as tf.data does. Otherwise it is an
   * error.
   */
  public Jpeg acceptDamage() {
    return new Jpeg(channels, dct, fancyUpsampling, ratio, acceptedFraction, true, decoder, limits);
  }

  /** Decoded by this library, or not at all. */
  public Jpeg decoder(Decoder library) {
    return new Jpeg(
        channels, dct, fancyUpsampling, ratio, acceptedFraction, acceptsDamage, library, limits);
  }

  /** Within other limits. */
  public Jpeg limits(ImageLimits others) {
    return new Jpeg(
        channels, dct, fancyUpsampling, ratio, acceptedFraction, acceptsDamage, decoder, others);
  }

  boolean recoversTruncated() {
    return !Double.isNaN(acceptedFraction);
  }

  /** As {@code accurate} or {@code fast, 1/2}. */
  String describe() {
    StringBuilder text = new StringBuilder(dct == Dct.FAST ? "fast" : "accurate");
    if (!fancyUpsampling) {
      text.append(", plain upsampling");
    }
    if (ratio > 1) {
      text.append(", 1/").append(ratio);
    }
    return text.toString();
  }
}
