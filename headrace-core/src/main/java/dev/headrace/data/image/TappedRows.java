package dev.headrace.data.image;

import java.util.Arrays;

/**
 * The rows of an image resized by any separable filter: each row of the source is filtered along
 * itself once, and kept as long as the filter reaches back to it.
 *
 * <p><b>Threading:</b> confined to one thread.
 */
final class TappedRows implements Rows {
  private final Raster raster;
  private final long image;
  private final Taps rows;
  private final Taps columns;
  private final int outputLength;
  private final PixelMemory pixels;
  private final float[] source;
  private final float[][] filtered;
  private final int[] held;

  TappedRows(Raster raster, long image, Axis vertical, Axis horizontal) {
    this.raster = raster;
    this.image = image;
    this.rows = AxisCache.taps(vertical);
    this.columns = AxisCache.taps(horizontal);
    ImageSize size = raster.size();
    this.outputLength = horizontal.outputs() * size.channels();
    this.pixels = new PixelMemory(size.rowLength());
    this.source = new float[size.rowLength()];
    this.filtered = new float[Math.max(1, rows.span())][outputLength];
    this.held = new int[filtered.length];
    Arrays.fill(held, -1);
  }

  @Override
  public void row(int y, float[] into) {
    Arrays.fill(into, 0, outputLength, 0);
    for (int k = 0; k < rows.counts()[y]; k++) {
      float weight = rows.weights()[y * rows.span() + k];
      add(filtered[hold(rows.starts()[y] + k)], weight, into, outputLength);
    }
  }

  private static void add(float[] row, float weight, float[] into, int length) {
    for (int i = 0; i < length; i++) {
      into[i] += row[i] * weight;
    }
  }

  private int hold(int row) {
    int place = row % filtered.length;
    if (held[place] != row) {
      int length = raster.size().rowLength();
      pixels.load(raster.dtype(), raster.memory(), raster.at(image, row), source, length);
      filter(filtered[place]);
      held[place] = row;
    }
    return place;
  }

  private void filter(float[] into) {
    if (raster.size().channels() == 3) {
      filter3(source, columns, into);
      return;
    }
    int channels = raster.size().channels();
    int to = 0;
    for (int x = 0; x < columns.starts().length; x++) {
      int from = columns.starts()[x] * channels;
      int weights = x * columns.span();
      int count = columns.counts()[x];
      for (int channel = 0; channel < channels; channel++) {
        float sum = 0;
        for (int k = 0; k < count; k++) {
          sum += source[from + channel + k * channels] * columns.weights()[weights + k];
        }
        into[to++] = sum;
      }
    }
  }

  private static void filter3(float[] source, Taps columns, float[] into) {
    int[] starts = columns.starts();
    int[] counts = columns.counts();
    float[] weights = columns.weights();
    int span = columns.span();
    for (int x = 0; x < starts.length; x++) {
      int from = starts[x] * 3;
      float red = 0;
      float green = 0;
      float blue = 0;
      for (int k = 0; k < counts[x]; k++) {
        float weight = weights[x * span + k];
        red += source[from] * weight;
        green += source[from + 1] * weight;
        blue += source[from + 2] * weight;
        from += 3;
      }
      into[3 * x] = red;
      into[3 * x + 1] = green;
      into[3 * x + 2] = blue;
    }
  }
}
