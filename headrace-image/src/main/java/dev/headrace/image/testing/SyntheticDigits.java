package dev.headrace.image.testing;

import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import java.util.SplittableRandom;

/**
 * Drawings of the digits 0 to 9 in all sizes, places and slants, with noise: what a small network
 * learns in seconds, without a file to download. The same number always gives the same drawing.
 */
public final class SyntheticDigits {
  /** The sides of a drawing. */
  public static final int SIZE = 28;

  /** How many digits there are. */
  public static final int CLASSES = 10;

  private static final int COLUMNS = 5;
  private static final int ROWS = 7;

  /** Five columns by seven rows for each digit, as on old displays. */
  private static final String[] GLYPHS = {
    "01110100011001110101110011000101110",
    "00100011000010000100001000010001110",
    "01110100010000100010001000100011111",
    "11111000100010000010000011000101110",
    "00010001100101010010111110001000010",
    "11111100001111000001000011000101110",
    "00110010001000011110100011000101110",
    "11111000010001000100010000100001000",
    "01110100011000101110100011000101110",
    "01110100011000101111000010001001100",
  };

  private SyntheticDigits() {}

  /** Which digit drawing {@code number} shows. */
  public static int label(long number) {
    return (int) Math.floorMod(number, (long) CLASSES);
  }

  /** A drawing, uint8 [28, 28, 1], white on black. */
  public static Tensor drawing(long number) {
    SplittableRandom random = new SplittableRandom(number * 0x9E3779B97F4A7C15L + 7);
    double scale = 2.4 + random.nextDouble();
    double slant = 0.5 * (random.nextDouble() - 0.5);
    double centreX = SIZE / 2.0 + 5 * (random.nextDouble() - 0.5);
    double centreY = SIZE / 2.0 + 4 * (random.nextDouble() - 0.5);
    double noise = 20 + 30 * random.nextDouble();
    double ink = 130 + 100 * random.nextDouble();
    byte[] pixels = new byte[SIZE * SIZE];
    for (int y = 0; y < SIZE; y++) {
      for (int x = 0; x < SIZE; x++) {
        double row = (y - centreY) / scale + (ROWS - 1) / 2.0;
        double column = (x - centreX) / scale + slant * (row - 3) + (COLUMNS - 1) / 2.0;
        double light = ink * coverage(label(number), row, column);
        double sum = random.nextDouble() + random.nextDouble() + random.nextDouble() - 1.5;
        pixels[y * SIZE + x] = (byte) Math.clamp(Math.round(light + 2 * noise * sum), 0, 255);
      }
    }
    return Tensor.wrap(Shape.of(SIZE, SIZE, 1), pixels);
  }

  /** How much of the place is ink, from 0 to 1, between the four nearest points of the glyph. */
  private static double coverage(int digit, double row, double column) {
    int top = (int) Math.floor(row);
    int left = (int) Math.floor(column);
    double down = row - top;
    double right = column - left;
    return (1 - down) * ((1 - right) * at(digit, top, left) + right * at(digit, top, left + 1))
        + down * ((1 - right) * at(digit, top + 1, left) + right * at(digit, top + 1, left + 1));
  }

  private static int at(int digit, int row, int column) {
    boolean inside = row >= 0 && row < ROWS && column >= 0 && column < COLUMNS;
    return inside && GLYPHS[digit].charAt(row * COLUMNS + column) == '1' ? 1 : 0;
  }
}
