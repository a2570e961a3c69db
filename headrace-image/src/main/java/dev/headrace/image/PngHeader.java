package dev.headrace.image;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.headrace.data.Plural;
import java.lang.foreign.MemorySegment;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * What a PNG file says of itself before its pixels, read without trust.
 *
 * @param bitDepth of a sample: 1, 2, 4, 8 or 16
 * @param colourType 0 grey, 2 colour, 3 palette, 4 grey and opacity, 6 colour and opacity
 * @param palette red, green and blue of each entry, or null
 * @param transparency the opacity of palette entries, or the transparent colour as 16-bit samples,
 *     or null
 * @param dataAt where the first chunk of pixels lies
 */
record PngHeader(
    int width,
    int height,
    int bitDepth,
    int colourType,
    boolean isInterlaced,
    byte @Nullable [] palette,
    byte @Nullable [] transparency,
    long dataAt) {
  private static final String PLACE = "decodePng";
  private static final int[] SIGNATURE = {0x89, 'P', 'N', 'G', 0x0D, 0x0A, 0x1A, 0x0A};

  static final int IHDR = 0x49484452;
  static final int PLTE = 0x504C5445;
  static final int TRNS = 0x74524E53;
  static final int IDAT = 0x49444154;
  static final int IEND = 0x49454E44;

  /** The most bytes that one compressed byte can stand for. */
  private static final long MOST_INFLATED = 1032;

  static boolean isPng(MemorySegment file) {
    if (file.byteSize() < SIGNATURE.length) {
      return false;
    }
    for (int i = 0; i < SIGNATURE.length; i++) {
      if (JpegHeader.at(file, i) != SIGNATURE[i]) {
        return false;
      }
    }
    return true;
  }

  /** Reads up to the first pixels; throws {@link InvalidImageException} for anything else. */
  static PngHeader read(MemorySegment file, Png options) {
    if (!isPng(file)) {
      throw new InvalidImageException(
          PLACE + ": expected a PNG file, but got " + Signature.describe(file));
    }
    Chunk first = Chunk.at(file, SIGNATURE.length);
    if (first.type != IHDR || first.length != 13) {
      throw invalid("an image header of 13 bytes", first.describe(), SIGNATURE.length);
    }
    byte[] fields = first.checked(file);
    long width = intAt(fields, 0);
    long height = intAt(fields, 4);
    if (width < 1 || height < 1) {
      throw invalid("an image with pixels", width + " x " + height, first.dataAt);
    }
    options.limits().check(PLACE, width, height);
    int bitDepth = fields[8];
    int colourType = fields[9];
    boolean isKnown =
        switch (colourType) {
          case 0 ->
              bitDepth == 1 || bitDepth == 2 || bitDepth == 4 || bitDepth == 8 || bitDepth == 16;
          case 3 -> bitDepth == 1 || bitDepth == 2 || bitDepth == 4 || bitDepth == 8;
          case 2, 4, 6 -> bitDepth == 8 || bitDepth == 16;
          default -> false;
        };
    if (!isKnown || fields[10] != 0 || fields[11] != 0 || fields[12] < 0 || fields[12] > 1) {
      throw invalid(
          "a colour type, bit depth and coding of the PNG standard",
          "type %d, depth %d, coding %d %d %d"
              .formatted(colourType, bitDepth, fields[10], fields[11], fields[12]),
          first.dataAt);
    }
    return tables(file, (int) width, (int) height, fields, first.end());
  }

  private static PngHeader tables(
      MemorySegment file, int width, int height, byte[] fields, long from) {
    byte[] palette = null;
    byte[] transparency = null;
    int colourType = fields[9];
    Chunk chunk = Chunk.at(file, from);
    while (chunk.type != IDAT) {
      switch (chunk.type) {
        case PLTE -> {
          if (palette != null || chunk.length % 3 != 0 || chunk.length == 0 || chunk.length > 768) {
            throw invalid("one palette of 1 to 256 colours", chunk.describe(), chunk.dataAt);
          }
          palette = chunk.checked(file);
        }
        case TRNS -> {
          int most = colourType == 3 ? 256 : colourType == 2 ? 6 : 2;
          boolean fits = colourType == 3 ? chunk.length <= most : chunk.length == most;
          if (transparency != null || !fits || colourType == 4 || colourType == 6) {
            throw invalid(
                "transparency that fits colour type " + colourType, chunk.describe(), chunk.dataAt);
          }
          transparency = chunk.checked(file);
        }
        case IEND -> throw invalid("pixels", "the end of the image", chunk.dataAt);
        default -> chunk.checkSkippable();
      }
      chunk = Chunk.at(file, chunk.end());
    }
    if (colourType == 3 && palette == null) {
      throw invalid("a palette before the pixels", "none", chunk.dataAt);
    }
    PngHeader header =
        new PngHeader(
            width,
            height,
            fields[8],
            colourType,
            fields[12] == 1,
            palette,
            transparency,
            chunk.dataAt - 8);
    // What claims to be huge and has no data is refused before its pixels are allocated.
    if ((file.byteSize() - chunk.dataAt) * MOST_INFLATED < (long) height * header.rowBytes(width)) {
      throw truncated(file);
    }
    return header;
  }

  /** Samples of a pixel as stored. */
  int samples() {
    return switch (colourType) {
      case 2 -> 3;
      case 4 -> 2;
      case 6 -> 4;
      default -> 1;
    };
  }

  boolean isColour() {
    return (colourType & 2) != 0;
  }

  /** Channels of the image where none are asked for. */
  int channels() {
    return colourType == 3 ? transparency == null ? 3 : 4 : samples();
  }

  /** The bytes of a row of {@code columns} pixels. */
  long rowBytes(int columns) {
    return ((long) columns * samples() * bitDepth + 7) / 8;
  }

  static InvalidImageException invalid(String expected, String got, long offset) {
    return new InvalidImageException(
        "%s: expected %s, but got %s at byte %d".formatted(PLACE, expected, got, offset));
  }

  static InvalidImageException truncated(MemorySegment file) {
    return new InvalidImageException(
        "%s: expected a whole file, but it ends early, after %d %s"
            .formatted(PLACE, file.byteSize(), Plural.word(file.byteSize(), "byte")));
  }

  static int intAt(byte[] bytes, int offset) {
    return (bytes[offset] & 0xFF) << 24
        | (bytes[offset + 1] & 0xFF) << 16
        | (bytes[offset + 2] & 0xFF) << 8
        | bytes[offset + 3] & 0xFF;
  }

  /** A chunk of a file, all of whose bytes are there. */
  record Chunk(int type, int length, long dataAt) {
    static Chunk at(MemorySegment file, long offset) {
      if (offset + 12 > file.byteSize()) {
        throw truncated(file);
      }
      int length = JpegHeader.shortAt(file, offset) << 16 | JpegHeader.shortAt(file, offset + 2);
      int type = JpegHeader.shortAt(file, offset + 4) << 16 | JpegHeader.shortAt(file, offset + 6);
      if (length < 0) {
        throw invalid("a chunk of at most 2^31-1 bytes", Integer.toUnsignedString(length), offset);
      }
      Chunk chunk = new Chunk(type, length, offset + 8);
      if (chunk.end() > file.byteSize()) {
        throw truncated(file);
      }
      return chunk;
    }

    long end() {
      return dataAt + length + 4;
    }

    /** The data, whose checksum was looked at. */
    byte[] checked(MemorySegment file) {
      CRC32 crc = new CRC32();
      byte[] data = new byte[length];
      MemorySegment.copy(file, JAVA_BYTE, dataAt, data, 0, length);
      crc.update(name());
      crc.update(data);
      check(file, crc);
      return data;
    }

    void check(MemorySegment file, CRC32 crc) {
      long at = dataAt + length;
      int stored = JpegHeader.shortAt(file, at) << 16 | JpegHeader.shortAt(file, at + 2);
      if ((int) crc.getValue() != stored) {
        throw invalid(
            "checksum 0x%08X of chunk %s".formatted((int) crc.getValue(), printable()),
            "0x%08X".formatted(stored),
            at);
      }
    }

    /** Chunks whose name begins with a small letter may be passed over; others must be known. */
    void checkSkippable() {
      if ((type >>> 24 & 0x20) == 0) {
        throw invalid("a known chunk", printable(), dataAt - 4);
      }
    }

    byte[] name() {
      return new byte[] {(byte) (type >> 24), (byte) (type >> 16), (byte) (type >> 8), (byte) type};
    }

    private String printable() {
      return new String(name(), ISO_8859_1).replaceAll("[^A-Za-z]", "?");
    }

    String describe() {
      return "chunk " + printable() + " of " + length + " " + Plural.word(length, "byte");
    }
  }
}
