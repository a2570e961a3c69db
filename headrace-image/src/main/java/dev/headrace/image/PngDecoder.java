package dev.headrace.image;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import dev.headrace.data.DType;
import dev.headrace.data.image.Window;
import java.lang.foreign.MemorySegment;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;

/**
 * Decodes one PNG file: inflates row by row, undoes each row's filter, and writes its pixels in the
 * form that is wanted. No more is inflated than the image has.
 *
 * <p>Values are libpng's as TensorFlow uses it, with one exception: where opacity is wanted of a
 * file of fewer than 8 bits that has none, it is full.
 *
 * <p><b>Threading:</b> of one thread, for one image.
 */
final class PngDecoder {
  private static final int BUFFER_BYTES = 32 << 10;

  /* Columns and rows of Adam7's passes: where each begins, and its steps. */
  private static final int[] PASS_TOP = {0, 0, 4, 0, 2, 0, 1};
  private static final int[] PASS_LEFT = {0, 4, 0, 2, 0, 1, 0};
  private static final int[] PASS_DOWN = {8, 8, 8, 4, 4, 2, 2};
  private static final int[] PASS_RIGHT = {8, 8, 4, 4, 2, 2, 1};

  /* libpng's fixed point with 15 bits, of 0.299, 0.587 and the rest. */
  private static final int RED_WEIGHT = 9797;
  private static final int GREEN_WEIGHT = 19234;
  private static final int BLUE_WEIGHT = 32768 - RED_WEIGHT - GREEN_WEIGHT;

  private final MemorySegment file;
  private final PngHeader header;
  private final int channels;
  private final boolean isWide;
  private final Window window;
  private final MemorySegment destination;

  private final Inflater inflater = new Inflater();
  private final byte[] buffer = new byte[BUFFER_BYTES];
  private final CRC32 crc = new CRC32();
  private PngHeader.Chunk chunk;
  private long chunkRead;

  /* The pixel that is being converted. */
  private int red;
  private int green;
  private int blue;
  private int opacity;

  private PngDecoder(
      MemorySegment file, PngHeader header, Png options, Window window, MemorySegment destination) {
    this.file = file;
    this.header = header;
    this.channels = options.channels() == 0 ? header.channels() : options.channels();
    this.isWide = options.dtype() == DType.UINT16;
    this.window = window;
    this.destination = destination;
    this.chunk = PngHeader.Chunk.at(file, header.dataAt());
    crc.update(chunk.name());
  }

  /** Writes the pixels of a window, row by row without gaps. */
  static void decode(
      MemorySegment file, PngHeader header, Png options, Window window, MemorySegment destination) {
    PngDecoder decoder = new PngDecoder(file, header, options, window, destination);
    try {
      if (header.isInterlaced()) {
        for (int pass = 0; pass < 7; pass++) {
          decoder.pass(PASS_TOP[pass], PASS_LEFT[pass], PASS_DOWN[pass], PASS_RIGHT[pass]);
        }
      } else {
        decoder.pass(0, 0, 1, 1);
      }
      decoder.finish();
    } catch (DataFormatException e) {
      throw new InvalidImageException(
          "decodePng: expected undamaged pixels, but they cannot be inflated: " + e.getMessage());
    } finally {
      decoder.inflater.end();
    }
  }

  private void pass(int top, int left, int down, int right) throws DataFormatException {
    int columns = (header.width() - left + right - 1) / right;
    if (columns <= 0) {
      return;
    }
    int rowBytes = Math.toIntExact(header.rowBytes(columns));
    int step = Math.max(1, header.samples() * header.bitDepth() / 8);
    byte[] row = new byte[rowBytes + 1];
    byte[] above = new byte[rowBytes + 1];
    int bottom = header.isInterlaced() ? header.height() : window.top() + window.height();
    for (int y = top; y < bottom; y += down) {
      inflate(row);
      unfilter(row, above, step);
      if (y >= window.top() && y < window.top() + window.height()) {
        write(row, y, left, right, columns);
      }
      byte[] done = row;
      row = above;
      above = done;
    }
  }

  private void inflate(byte[] row) throws DataFormatException {
    int at = 0;
    while (at < row.length) {
      int count = inflater.inflate(row, at, row.length - at);
      at += count;
      if (count == 0) {
        if (inflater.finished() || inflater.needsDictionary()) {
          throw new InvalidImageException(
              "decodePng: expected pixels for %d x %d, but there are fewer"
                  .formatted(header.width(), header.height()));
        }
        if (!feed()) {
          throw PngHeader.truncated(file);
        }
      }
    }
  }

  /** Gives the inflater more bytes, copied first: the file may be mapped and change. */
  private boolean feed() {
    while (chunkRead == chunk.length()) {
      chunk.check(file, crc);
      PngHeader.Chunk next = PngHeader.Chunk.at(file, chunk.end());
      if (next.type() != PngHeader.IDAT) {
        return false;
      }
      chunk = next;
      chunkRead = 0;
      crc.reset();
      crc.update(chunk.name());
    }
    int count = (int) Math.min(buffer.length, chunk.length() - chunkRead);
    MemorySegment.copy(file, JAVA_BYTE, chunk.dataAt() + chunkRead, buffer, 0, count);
    crc.update(buffer, 0, count);
    chunkRead += count;
    inflater.setInput(buffer, 0, count);
    return true;
  }

  /** Reads what is left, for its checksums, unless only a part of the image was wanted. */
  private void finish() throws DataFormatException {
    if (window.top() + window.height() < header.height()) {
      return;
    }
    byte[] more = new byte[1];
    while (!inflater.finished()) {
      if (inflater.inflate(more) > 0) {
        throw new InvalidImageException(
            "decodePng: expected pixels for %d x %d, but there are more"
                .formatted(header.width(), header.height()));
      }
      if (!inflater.finished() && (inflater.needsDictionary() || !feed())) {
        throw PngHeader.truncated(file);
      }
    }
    while (feed()) {
      // what is behind the pixels has checksums, too
    }
    long at = chunk.end();
    PngHeader.Chunk next = PngHeader.Chunk.at(file, at);
    while (next.type() != PngHeader.IEND) {
      if (next.type() != PngHeader.IDAT) {
        next.checkSkippable();
      }
      next = PngHeader.Chunk.at(file, next.end());
    }
  }

  /** Undoes a row's filter, in place; its first byte says which. */
  private static void unfilter(byte[] row, byte[] above, int step) {
    int length = row.length;
    switch (row[0]) {
      case 0 -> {}
      case 1 -> {
        for (int i = 1 + step; i < length; i++) {
          row[i] += row[i - step];
        }
      }
      case 2 -> {
        for (int i = 1; i < length; i++) {
          row[i] += above[i];
        }
      }
      case 3 -> {
        for (int i = 1; i < Math.min(1 + step, length); i++) {
          row[i] += (byte) ((above[i] & 0xFF) >> 1);
        }
        for (int i = 1 + step; i < length; i++) {
          row[i] += (byte) ((row[i - step] & 0xFF) + (above[i] & 0xFF) >> 1);
        }
      }
      case 4 -> {
        for (int i = 1; i < Math.min(1 + step, length); i++) {
          row[i] += above[i];
        }
        for (int i = 1 + step; i < length; i++) {
          row[i] += paeth(row[i - step] & 0xFF, above[i] & 0xFF, above[i - step] & 0xFF);
        }
      }
      default ->
          throw new InvalidImageException(
              "decodePng: expected a filter of 0 to 4, but got " + (row[0] & 0xFF));
    }
  }

  /** Whichever of left, above and corner is nearest to left + above - corner. */
  private static byte paeth(int left, int above, int corner) {
    int toLeft = Math.abs(above - corner);
    int toAbove = Math.abs(left - corner);
    int toCorner = Math.abs(left + above - 2 * corner);
    if (toLeft <= toAbove && toLeft <= toCorner) {
      return (byte) left;
    }
    return (byte) (toAbove <= toCorner ? above : corner);
  }

  private void write(byte[] row, int y, int left, int right, int columns) {
    long rowAt = (long) (y - window.top()) * window.width();
    boolean isAsStored =
        header.bitDepth() == 8
            && !isWide
            && right == 1
            && header.colourType() != 3
            && channels == header.samples();
    if (isAsStored) {
      MemorySegment.copy(
          row,
          1 + window.left() * channels,
          destination,
          JAVA_BYTE,
          rowAt * channels,
          window.width() * channels);
      return;
    }
    int end = window.left() + window.width();
    for (int i = 0; i < columns; i++) {
      int x = left + i * right;
      if (x >= end) {
        return;
      }
      if (x >= window.left()) {
        load(row, i);
        store((rowAt + x - window.left()) * channels);
      }
    }
  }

  private void load(byte[] row, int column) {
    int samples = header.samples();
    int full = header.bitDepth() == 16 ? 0xFFFF : 0xFF;
    int first = sample(row, column * samples);
    opacity = full;
    switch (header.colourType()) {
      case 3 -> loadFromPalette(first);
      case 2, 6 -> {
        red = first;
        green = sample(row, column * samples + 1);
        blue = sample(row, column * samples + 2);
        if (samples == 4) {
          opacity = sample(row, column * samples + 3);
        } else if (isTransparent(red, 0) && isTransparent(green, 1) && isTransparent(blue, 2)) {
          opacity = 0;
        }
      }
      default -> {
        if (samples == 2) {
          opacity = sample(row, column * samples + 1);
        } else if (isTransparent(first, 0)) {
          opacity = 0;
        }
        int most = (1 << header.bitDepth()) - 1;
        red = first * (full / most);
        green = red;
        blue = red;
      }
    }
  }

  private void loadFromPalette(int index) {
    byte @Nullable [] palette = header.palette();
    byte @Nullable [] opacities = header.transparency();
    if (palette == null || index * 3 >= palette.length) {
      throw new InvalidImageException(
          "decodePng: expected a colour of the palette, but got number " + index);
    }
    red = palette[index * 3] & 0xFF;
    green = palette[index * 3 + 1] & 0xFF;
    blue = palette[index * 3 + 2] & 0xFF;
    opacity = opacities == null || index >= opacities.length ? 0xFF : opacities[index] & 0xFF;
  }

  private boolean isTransparent(int sample, int index) {
    byte @Nullable [] colour = header.transparency();
    if (colour == null) {
      return false;
    }
    int transparent = (colour[index * 2] & 0xFF) << 8 | colour[index * 2 + 1] & 0xFF;
    return sample == (transparent & (1 << header.bitDepth()) - 1);
  }

  private int sample(byte[] row, int index) {
    int bitDepth = header.bitDepth();
    if (bitDepth == 8) {
      return row[1 + index] & 0xFF;
    }
    if (bitDepth == 16) {
      return (row[1 + index * 2] & 0xFF) << 8 | row[2 + index * 2] & 0xFF;
    }
    int bit = index * bitDepth;
    return row[1 + bit / 8] >> 8 - bitDepth - bit % 8 & (1 << bitDepth) - 1;
  }

  private void store(long at) {
    if (channels <= 2) {
      put(at, header.isColour() ? grey() : red);
    } else {
      put(at, red);
      put(at + 1, green);
      put(at + 2, blue);
    }
    if (channels % 2 == 0) {
      put(at + channels - 1, opacity);
    }
  }

  private int grey() {
    int sum = RED_WEIGHT * red + GREEN_WEIGHT * green;
    return header.bitDepth() == 16
        ? (int) ((Integer.toUnsignedLong(sum) + (long) BLUE_WEIGHT * blue + 16384) >> 15)
        : sum + BLUE_WEIGHT * blue >> 15;
  }

  private void put(long index, int value) {
    boolean is16 = header.bitDepth() == 16;
    if (isWide) {
      destination.set(JAVA_SHORT_UNALIGNED, index * 2, (short) (is16 ? value : value * 257));
    } else {
      destination.set(JAVA_BYTE, index, (byte) (is16 ? value >> 8 : value));
    }
  }
}
