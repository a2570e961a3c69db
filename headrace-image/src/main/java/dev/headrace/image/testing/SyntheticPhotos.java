package dev.headrace.image.testing;

import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import java.util.SplittableRandom;

/**
 * Pictures that compress like photographs: soft shapes at all scales, edges, and a sensor's noise.
 * The same number always gives the same picture.
 */
public final class SyntheticPhotos {
  private static final int CHANNELS = 3;
  private static final int DISCS = 12;

  private SyntheticPhotos() {}

  /**
   * A picture, uint8 [height, width, 3].
   *
   * @param number which picture
   * @param noise the standard deviation of the sensor's noise; 8 makes JPEGs of quality 90 about as
   *     large as photographs of that size
   */
  public static Tensor photo(int height, int width, long number, double noise) {
    SplittableRandom random = new SplittableRandom(number * 0x9E3779B97F4A7C15L + 1);
    float[] pixels = new float[height * width * CHANNELS];
    paintBackground(pixels, random);
    for (int cells = 2, octave = 0; cells < Math.min(height, width) / 4; cells *= 2, octave++) {
      addClouds(pixels, height, width, cells, 70 / (1 + octave), random);
    }
    for (int disc = 0; disc < DISCS; disc++) {
      addDisc(pixels, height, width, random);
    }
    byte[] bytes = new byte[pixels.length];
    for (int i = 0; i < bytes.length; i++) {
      double sum = random.nextDouble() + random.nextDouble() + random.nextDouble() - 1.5;
      bytes[i] = (byte) Math.clamp(Math.round(pixels[i] + 2 * noise * sum), 0, 255);
    }
    return Tensor.wrap(Shape.of(height, width, CHANNELS), bytes);
  }

  /**
   * A picture whose subject is one of several classes, so that a model can learn them: a large disc
   * in the colour of its class on a background of any colour.
   */
  public static Tensor labelledPhoto(int height, int width, int label, int labels, long number) {
    byte[] bytes = photo(height, width, number, 8).toByteArray();
    SplittableRandom random = new SplittableRandom(number);
    double angle = 2 * Math.PI * label / labels;
    float[] colour = new float[CHANNELS];
    for (int channel = 0; channel < CHANNELS; channel++) {
      colour[channel] = (float) (128 + 110 * Math.cos(angle + channel * 2 * Math.PI / 3));
    }
    int radius = Math.min(height, width) / 3;
    int top = radius + random.nextInt(Math.max(1, height - 2 * radius));
    int left = radius + random.nextInt(Math.max(1, width - 2 * radius));
    for (int y = top - radius; y < top + radius; y++) {
      for (int x = left - radius; x < left + radius; x++) {
        int dy = y - top;
        int dx = x - left;
        if (y < 0 || x < 0 || y >= height || x >= width || dy * dy + dx * dx > radius * radius) {
          continue;
        }
        for (int channel = 0; channel < CHANNELS; channel++) {
          int at = (y * width + x) * CHANNELS + channel;
          bytes[at] = (byte) Math.round(0.4f * (bytes[at] & 0xFF) + 0.6f * colour[channel]);
        }
      }
    }
    return Tensor.wrap(Shape.of(height, width, CHANNELS), bytes);
  }

  private static void paintBackground(float[] pixels, SplittableRandom random) {
    float[] colour = colour(random);
    for (int i = 0; i < pixels.length; i++) {
      pixels[i] = colour[i % CHANNELS];
    }
  }

  private static float[] colour(SplittableRandom random) {
    return new float[] {
      60 + random.nextInt(140), 60 + random.nextInt(140), 60 + random.nextInt(140)
    };
  }

  /** Adds noise that changes smoothly over a cell of the grid. */
  private static void addClouds(
      float[] pixels, int height, int width, int cells, float strength, SplittableRandom random) {
    int columns = cells + 2;
    float[] grid = new float[columns * columns * CHANNELS];
    for (int i = 0; i < grid.length; i += CHANNELS) {
      float light = strength * (float) (random.nextDouble() - 0.5);
      for (int channel = 0; channel < CHANNELS; channel++) {
        grid[i + channel] = light + strength / 3 * (float) (random.nextDouble() - 0.5);
      }
    }
    float scale = (float) cells / Math.max(height, width);
    for (int y = 0; y < height; y++) {
      float gy = y * scale;
      int row = (int) gy;
      float fy = smooth(gy - row);
      for (int x = 0; x < width; x++) {
        float gx = x * scale;
        int column = (int) gx;
        float fx = smooth(gx - column);
        int a = (row * columns + column) * CHANNELS;
        int b = a + columns * CHANNELS;
        int at = (y * width + x) * CHANNELS;
        for (int channel = 0; channel < CHANNELS; channel++) {
          float upper = grid[a + channel] + fx * (grid[a + CHANNELS + channel] - grid[a + channel]);
          float lower = grid[b + channel] + fx * (grid[b + CHANNELS + channel] - grid[b + channel]);
          pixels[at + channel] += upper + fy * (lower - upper);
        }
      }
    }
  }

  private static float smooth(float t) {
    return t * t * (3 - 2 * t);
  }

  private static void addDisc(float[] pixels, int height, int width, SplittableRandom random) {
    float[] colour = colour(random);
    int radius = 4 + random.nextInt(Math.max(1, Math.min(height, width) / 6));
    int centreY = random.nextInt(height);
    int centreX = random.nextInt(width);
    for (int y = Math.max(0, centreY - radius); y < Math.min(height, centreY + radius); y++) {
      for (int x = Math.max(0, centreX - radius); x < Math.min(width, centreX + radius); x++) {
        int dy = y - centreY;
        int dx = x - centreX;
        if (dy * dy + dx * dx < radius * radius) {
          for (int channel = 0; channel < CHANNELS; channel++) {
            int at = (y * width + x) * CHANNELS + channel;
            pixels[at] = 0.3f * pixels[at] + 0.7f * colour[channel];
          }
        }
      }
    }
  }
}
