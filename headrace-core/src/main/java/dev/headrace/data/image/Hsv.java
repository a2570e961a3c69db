package dev.headrace.data.image;

/** Loops over the colours of a row of pixels, each of three floats of 0 to 1. */
final class Hsv {
  private Hsv() {}

  /** Makes of red, green and blue the hue (0 to 1), saturation and value. */
  static void fromRgb(float[] row, int pixels) {
    for (int i = 0; i < 3 * pixels; i += 3) {
      float most = Math.max(row[i], Math.max(row[i + 1], row[i + 2]));
      float least = Math.min(row[i], Math.min(row[i + 1], row[i + 2]));
      float hue = hue(row[i], row[i + 1], row[i + 2], most, least) / 6;
      row[i] = hue;
      row[i + 1] = most > 0 ? (most - least) / most : 0;
      row[i + 2] = most;
    }
  }

  /** The other way round. */
  static void toRgb(float[] row, int pixels) {
    for (int i = 0; i < 3 * pixels; i += 3) {
      float value = row[i + 2];
      setRgb(row, i, row[i] * 6, value, value - row[i + 1] * value);
    }
  }

  static void saturate(float[] row, int pixels, float factor) {
    for (int i = 0; i < 3 * pixels; i += 3) {
      float most = Math.max(row[i], Math.max(row[i + 1], row[i + 2]));
      float least = Math.min(row[i], Math.min(row[i + 1], row[i + 2]));
      float hue = hue(row[i], row[i + 1], row[i + 2], most, least);
      float saturation = most > 0 ? (most - least) / most : 0;
      float adjusted = Math.clamp(saturation * factor, 0f, 1f);
      setRgb(row, i, hue, most, most - adjusted * most);
    }
  }

  static void turn(float[] row, int pixels, float delta) {
    for (int i = 0; i < 3 * pixels; i += 3) {
      float most = Math.max(row[i], Math.max(row[i + 1], row[i + 2]));
      float least = Math.min(row[i], Math.min(row[i + 1], row[i + 2]));
      float hue = hue(row[i], row[i + 1], row[i + 2], most, least) + delta * 6;
      setRgb(row, i, hue, most, least);
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

  private static void setRgb(float[] row, int at, float sixths, float most, float least) {
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
