package dev.headrace.data.image;

import dev.headrace.data.DType;
import java.lang.foreign.MemorySegment;

/** Writes rows of pixels to where they belong among all images, channels last or first. */
final class RowWriter {
  private final ImageSize size;
  private final DType dtype;
  private final PixelMemory pixels;
  private final float[] plane;
  private final boolean isPlanar;

  RowWriter(ImageSize size, DType dtype, boolean isPlanar) {
    this.size = size;
    this.dtype = dtype;
    this.isPlanar = isPlanar;
    this.pixels = new PixelMemory(size.rowLength());
    this.plane = new float[isPlanar ? size.width() : 0];
  }

  void write(float[] row, long image, int y, MemorySegment destination) {
    if (!isPlanar) {
      long at = (image * size.height() + y) * size.rowLength();
      pixels.store(dtype, destination, at * dtype.byteSize(), row, size.rowLength());
      return;
    }
    for (int channel = 0; channel < size.channels(); channel++) {
      for (int x = 0, from = channel; x < plane.length; x++, from += size.channels()) {
        plane[x] = row[from];
      }
      long rowOfPlanes = (image * size.channels() + channel) * size.height() + y;
      pixels.store(
          dtype, destination, rowOfPlanes * plane.length * dtype.byteSize(), plane, plane.length);
    }
  }
}
