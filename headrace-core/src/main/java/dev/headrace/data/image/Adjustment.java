package dev.headrace.data.image;

/** A change of an image's brightness or colours, as the adjust functions of tf.image make it. */
public sealed interface Adjustment {
  /** In messages and descriptions. */
  String describe();

  /** Whether images need the channels red, green and blue. */
  default boolean needsRgb() {
    return false;
  }

  /** Adds a number to values of 0 to 1. */
  record Brightness(float delta) implements Adjustment {
    @Override
    public String describe() {
      return "adjustBrightness(" + delta + ")";
    }
  }

  /** Multiplies the distance of values from their channel's mean. */
  record Contrast(float factor) implements Adjustment {
    @Override
    public String describe() {
      return "adjustContrast(" + factor + ")";
    }
  }

  /** Raises values of 0 to 1 to a power and multiplies the result. */
  record Gamma(float gamma, float gain) implements Adjustment {
    public Gamma {
      if (!(gamma >= 0)) {
        throw new IllegalArgumentException(
            "adjustGamma: expected a gamma of 0 or more, but got " + gamma);
      }
    }

    @Override
    public String describe() {
      return "adjustGamma(" + gamma + ", " + gain + ")";
    }
  }

  /** Multiplies the saturation, up to full. */
  record Saturation(float factor) implements Adjustment {
    @Override
    public String describe() {
      return "adjustSaturation(" + factor + ")";
    }

    @Override
    public boolean needsRgb() {
      return true;
    }
  }

  /** Turns the hue; 1 is a full turn. */
  record Hue(float delta) implements Adjustment {
    public Hue {
      if (!(Math.abs(delta) <= 1)) {
        throw new IllegalArgumentException(
            "adjustHue: expected a delta of -1 to 1, but got " + delta);
      }
    }

    @Override
    public String describe() {
      return "adjustHue(" + delta + ")";
    }

    @Override
    public boolean needsRgb() {
      return true;
    }
  }
}
