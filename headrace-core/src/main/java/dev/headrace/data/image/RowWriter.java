package dev.headrace.data.image;

import dev.headrace.data.DType;
import java.lang.foreign.MemorySegment;

/** Writes rows of pixels to where they belong among all images, channels last or first. */
final class RowWriter {
  private final ImageSize size;
  private final DType dtype;
  private final PixelMemory pixels;
  private final float[][] planes;
  private final boolean isPlanar;

  RowWriter(ImageSize size, DType dtype, boolean isPlanar) {
    this.size = size;
    this.dtype = dtype;
    this.isPlanar = isPlanar;
    this.pixels = new PixelMemory(size.rowLength());
    this.planes = new float[isPlanar ? size.channels() : 0][size.width()];
  }

  void write(float[] row, long image, int y, MemorySegment destination) {
    if (!isPlanar) {
      long at = (image * size.height() + y) * size.rowLength();
      pixels.store(dtype, destination, at * dtype.byteSize(), row, size.rowLength());
      return;
    }
    split(row);
    for (int channel = 0; channel < planes.length; channel++) {
      long rowOfPlanes = (image * size.channels() + channel) * size.height() + y;
      long at = rowOfPlanes * size.width() * dtype.byteSize();
      pixels.store(dtype, destination, at, planes[channel], size.width());
    }
  }

  private void split(float[] row) {
    if (planes.length == 3) {
      split3(row, planes[0], planes[1], planes[2]);
      return;
    }
    for (int channel = 0; channel < planes.length; channel++) {
      for (int x = 0, from = channel; x < size.width(); x++, from += planes.length) {
        planes[channel][x] = row[from];
      }
    }
  }

  private static void split3(float[] row, float[] first, float[] second, float[] third) {
    for (int x = 0, from = 0; x < first.length; x++, from += 3) {
      first[x] = row[from];
      second[x] = row[from + 1];
      third[x] = row[from + 2];
    }
  }
}
