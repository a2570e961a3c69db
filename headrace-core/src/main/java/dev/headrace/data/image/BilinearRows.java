package dev.headrace.data.image;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.headrace.data.DType;
import java.lang.foreign.MemorySegment;

/**
 * The rows of an image resized between two by two pixels.
 *
 * <p>Two rows of the source are blended first, a long run without gaps, then their pixels. Rows are
 * kept while the next one may need them.
 *
 * <p><b>Threading:</b> confined to one thread.
 */
final class BilinearRows implements Rows {
  private final Raster raster;
  private final long image;
  private final Lerp rows;
  private final Lerp columns;
  private final LerpKernel kernel;
  private final int rowLength;
  private final float[] blended;
  private final PixelMemory pixels;

  // Two source rows, as bytes or as floats, and which ones they are.
  private final byte[][] bytes;
  private final float[][] floats;
  private final int[] held = {-1, -1};

  /** Rows from left to right, or from right to left where {@code isMirrored}. */
  BilinearRows(Raster raster, long image, Axis vertical, Axis horizontal, boolean isMirrored) {
    this.raster = raster;
    this.image = image;
    int channels = raster.size().channels();
    this.rows = AxisCache.lerp(vertical, 1);
    this.columns =
        isMirrored
            ? AxisCache.reversedLerp(horizontal, channels)
            : AxisCache.lerp(horizontal, channels);
    this.rowLength = raster.size().rowLength();
    this.blended = new float[rowLength + SLACK];
    boolean isBytes = raster.dtype() == DType.UINT8;
    this.bytes = new byte[2][isBytes ? rowLength : 0];
    this.floats = new float[2][isBytes ? 0 : rowLength + SLACK];
    this.pixels = new PixelMemory(isBytes ? 0 : rowLength);
    this.kernel = LerpKernels.next();
  }

  @Override
  public void row(int y, float[] into) {
    int low = rows.low()[y];
    int high = rows.high()[y];
    int top = hold(low, high);
    int bottom = hold(high, low);
    float weight = rows.weight()[y];
    if (raster.dtype() == DType.UINT8) {
      kernel.blend(bytes[top], bytes[bottom], weight, blended, rowLength);
    } else {
      blend(floats[top], floats[bottom], weight, blended, rowLength);
    }
    kernel.spread(blended, columns, raster.size().channels(), into);
  }

  /**
   * Where source row {@code row} is held, read if need be into the place that is not {@code
   * other}'s.
   */
  private int hold(int row, int other) {
    if (held[0] == row) {
      return 0;
    }
    if (held[1] == row) {
      return 1;
    }
    int place = held[0] == other ? 1 : 0;
    long at = raster.at(image, row);
    if (raster.dtype() == DType.UINT8) {
      MemorySegment.copy(raster.memory(), JAVA_BYTE, at, bytes[place], 0, rowLength);
      kernel.prepare(bytes[place], rowLength);
    } else {
      pixels.load(raster.dtype(), raster.memory(), at, floats[place], rowLength);
    }
    held[place] = row;
    return place;
  }

  private static void blend(float[] top, float[] bottom, float weight, float[] into, int length) {
    for (int i = 0; i < length; i++) {
      float a = top[i];
      into[i] = a + (bottom[i] - a) * weight;
    }
  }
}
