package dev.headrace.data.image;

/** Loops over the colours of a row of pixels, each of three floats of 0 to 1. */
final class Hsv {
  private Hsv() {}

  /* Bytes that were made floats are made bytes again by cutting fractions off, so that a last bit
   * shows. Operations are therefore those of TensorFlow, in its order, which for the hue alone is
   * another one than for all three. */

  /** Makes of red, green and blue the hue (0 to 1), saturation and value. */
  static void fromRgb(float[] row, int pixels) {
    for (int i = 0; i < 3 * pixels; i += 3) {
      setHsv(row, i);
    }
  }

  private static void setHsv(float[] row, int at) {
    float red = row[at];
    float green = row[at + 1];
    float blue = row[at + 2];
    float most = Math.max(red, Math.max(green, blue));
    float range = most - Math.min(red, Math.min(green, blue));
    float hue = 0;
    if (range > 0) {
      float part = 1 / (6 * range);
      if (red == most) {
        hue = part * (green - blue);
      } else if (green == most) {
        hue = part * (blue - red) + 2 / 6f;
      } else {
        hue = part * (red - green) + 4 / 6f;
      }
    }
    row[at] = hue < 0 ? hue + 1 : hue;
    row[at + 1] = most > 0 ? range / most : 0;
    row[at + 2] = most;
  }

  /** The other way round; hues outside of 0 to 1 are those at its ends, red. */
  static void toRgb(float[] row, int pixels) {
    for (int i = 0; i < 3 * pixels; i += 3) {
      float sixths = row[i] * 6;
      float saturation = row[i + 1];
      float value = row[i + 2];
      row[i] = mixed(Math.abs(sixths - 3) - 1, saturation, value);
      row[i + 1] = mixed(2 - Math.abs(sixths - 2), saturation, value);
      row[i + 2] = mixed(2 - Math.abs(sixths - 4), saturation, value);
    }
  }

  private static float mixed(float share, float saturation, float value) {
    return (1 - saturation + saturation * Math.clamp(share, 0f, 1f)) * value;
  }

  private static void toRgb(float[] row, int at, float saturation) {
    float sixths = row[at] * 6;
    float value = row[at + 2];
    float chroma = saturation * value;
    float least = value - chroma;
    int sector = Math.floorMod((int) sixths, 6);
    float phase = sixths - 2 * (float) Math.floor(sixths / 2);
    float middle = chroma * (1 - Math.abs(phase - 1));
    setRgb(row, at, sector, chroma + least, middle + least, least);
  }

  static void saturate(float[] row, int pixels, float factor) {
    for (int i = 0; i < 3 * pixels; i += 3) {
      setHsv(row, i);
      toRgb(row, i, Math.clamp(row[i + 1] * factor, 0f, 1f));
    }
  }

  static void turn(float[] row, int pixels, float delta) {
    for (int i = 0; i < 3 * pixels; i += 3) {
      float most = Math.max(row[i], Math.max(row[i + 1], row[i + 2]));
      float least = Math.min(row[i], Math.min(row[i + 1], row[i + 2]));
      float hue = hue(row[i], row[i + 1], row[i + 2], most, least) + delta * 6;
      setTurned(row, i, hue, most, least);
    }
  }

  /** The hue in sixths of a turn, from 0 on. */
  private static float hue(float red, float green, float blue, float most, float least) {
    float range = most - least;
    if (!(range > 0)) {
      return 0;
    }
    float hue;
    if (red == most) {
      hue = (green - blue) / range;
    } else if (green == most) {
      hue = (blue - red) / range + 2;
    } else {
      hue = (red - green) / range + 4;
    }
    return hue < 0 ? hue + 6 : hue;
  }

  private static void setTurned(float[] row, int at, float sixths, float most, float least) {
    float hue = sixths;
    if (hue < 0) {
      hue += 6;
    }
    if (hue >= 6) {
      hue -= 6;
    }
    int sector = Math.clamp((long) hue, 0, 5);
    float part = hue - sector;
    // Between the largest and the least: rising in even sectors, falling in odd ones.
    float middle = least + (most - least) * ((sector & 1) == 0 ? part : 1 - part);
    setRgb(row, at, sector, most, middle, least);
  }

  private static void setRgb(
      float[] row, int at, int sector, float most, float middle, float least) {
    row[at] =
        switch (sector) {
          case 0, 5 -> most;
          case 1, 4 -> middle;
          default -> least;
        };
    row[at + 1] =
        switch (sector) {
          case 1, 2 -> most;
          case 0, 3 -> middle;
          default -> least;
        };
    row[at + 2] =
        switch (sector) {
          case 3, 4 -> most;
          case 2, 5 -> middle;
          default -> least;
        };
  }
}
