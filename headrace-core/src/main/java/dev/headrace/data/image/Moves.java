package dev.headrace.data.image;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;

/** The loops of steps that move whole pixels and leave their values, of any type, alone. */
final class Moves {
  /** Rows that are turned at a time, so that what is written lies together. */
  private static final int TURNED_ROWS = 16;

  private Moves() {}

  /** Row after row without gaps. */
  static void copy(Raster raster, MemorySegment destination) {
    ImageSize size = raster.size();
    long rowBytes = (long) size.width() * raster.pixelBytes();
    long to = 0;
    for (long image = 0; image < size.images(); image++) {
      for (int y = 0; y < size.height(); y++) {
        MemorySegment.copy(raster.memory(), raster.at(image, y), destination, to, rowBytes);
        to += rowBytes;
      }
    }
  }

  /** Each element of {@code bytes} bytes several times. */
  static void repeat(MemorySegment memory, long bytes, int times, MemorySegment destination) {
    for (long at = 0; at < memory.byteSize(); at += bytes) {
      for (int i = 0; i < times; i++) {
        MemorySegment.copy(memory, at, destination, at * times + i * bytes, bytes);
      }
    }
  }

  static void pad(Raster raster, PadExpression pad, MemorySegment destination) {
    destination.fill((byte) 0);
    ImageSize size = raster.size();
    long rowBytes = (long) size.width() * raster.pixelBytes();
    long paddedBytes = (long) pad.width() * raster.pixelBytes();
    for (long image = 0; image < size.images(); image++) {
      for (int y = 0; y < size.height(); y++) {
        long row = image * pad.height() + pad.top() + y;
        long to = row * paddedBytes + (long) pad.left() * raster.pixelBytes();
        MemorySegment.copy(raster.memory(), raster.at(image, y), destination, to, rowBytes);
      }
    }
  }

  static void nearest(Raster raster, ResizeExpression resize, MemorySegment destination) {
    ImageSize size = raster.size();
    int pixelBytes = raster.pixelBytes();
    Axis vertical = resize.vertical();
    int[] columns = new int[resize.width()];
    for (int x = 0; x < columns.length; x++) {
      columns[x] = resize.horizontal().nearest(x) * pixelBytes;
    }
    byte[] source = new byte[Math.multiplyExact(size.width(), pixelBytes)];
    byte[] row = new byte[Math.multiplyExact(columns.length, pixelBytes)];
    long to = 0;
    for (long image = 0; image < size.images(); image++) {
      int held = -1;
      for (int y = 0; y < resize.height(); y++) {
        int from = vertical.nearest(y);
        if (from != held) {
          MemorySegment.copy(
              raster.memory(), JAVA_BYTE, raster.at(image, from), source, 0, source.length);
          pick(source, columns, pixelBytes, row);
          held = from;
        }
        MemorySegment.copy(row, 0, destination, JAVA_BYTE, to, row.length);
        to += row.length;
      }
    }
  }

  private static void pick(byte[] source, int[] columns, int pixelBytes, byte[] into) {
    int to = 0;
    for (int column : columns) {
      for (int i = 0; i < pixelBytes; i++) {
        into[to++] = source[column + i];
      }
    }
  }

  static void orient(Raster raster, Orientation orientation, MemorySegment destination) {
    for (long image = 0; image < raster.size().images(); image++) {
      if (orientation.swaps()) {
        turn(raster, image, orientation, destination);
      } else {
        mirror(raster, image, orientation, destination);
      }
    }
  }

  private static void mirror(
      Raster raster, long image, Orientation orientation, MemorySegment destination) {
    ImageSize size = raster.size();
    byte[] row = new byte[Math.multiplyExact(size.width(), raster.pixelBytes())];
    for (int y = 0; y < size.height(); y++) {
      int from = orientation.reversesRows() ? size.height() - 1 - y : y;
      MemorySegment.copy(raster.memory(), JAVA_BYTE, raster.at(image, from), row, 0, row.length);
      if (orientation.reversesColumns()) {
        reverse(row, raster.pixelBytes());
      }
      long to = (image * size.height() + y) * row.length;
      MemorySegment.copy(row, 0, destination, JAVA_BYTE, to, row.length);
    }
  }

  private static void reverse(byte[] row, int pixelBytes) {
    for (int left = 0, right = row.length - pixelBytes;
        left < right;
        left += pixelBytes, right -= pixelBytes) {
      for (int i = 0; i < pixelBytes; i++) {
        byte kept = row[left + i];
        row[left + i] = row[right + i];
        row[right + i] = kept;
      }
    }
  }

  // A column of the source is a row of the result: some rows are read, then all their columns
  // written, as far as those rows go.
  private static void turn(
      Raster raster, long image, Orientation orientation, MemorySegment destination) {
    ImageSize size = raster.size();
    int pixelBytes = raster.pixelBytes();
    int rowLength = Math.multiplyExact(size.width(), pixelBytes);
    byte[] rows = new byte[Math.multiplyExact(TURNED_ROWS, rowLength)];
    byte[] run = new byte[TURNED_ROWS * pixelBytes];
    long turnedRow = (long) size.height() * pixelBytes;
    for (int from = 0; from < size.height(); from += TURNED_ROWS) {
      int count = Math.min(TURNED_ROWS, size.height() - from);
      for (int i = 0; i < count; i++) {
        int y = orientation.reversesRows() ? size.height() - 1 - from - i : from + i;
        MemorySegment.copy(
            raster.memory(), JAVA_BYTE, raster.at(image, y), rows, i * rowLength, rowLength);
      }
      for (int y = 0; y < size.width(); y++) {
        int column = orientation.reversesColumns() ? size.width() - 1 - y : y;
        for (int i = 0; i < count; i++) {
          System.arraycopy(
              rows, i * rowLength + column * pixelBytes, run, i * pixelBytes, pixelBytes);
        }
        long to = image * size.width() * turnedRow + y * turnedRow + (long) from * pixelBytes;
        MemorySegment.copy(run, 0, destination, JAVA_BYTE, to, count * pixelBytes);
      }
    }
  }
}
