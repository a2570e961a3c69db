package dev.headrace.image;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.headrace.data.Plural;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * What a JPEG file says of itself before its first scan, read without trust.
 *
 * @param width columns
 * @param height rows
 * @param components 1 (grey), 3 (YCbCr or RGB) or 4 (CMYK or YCCK)
 * @param progressive whether it is to be decoded in several scans
 * @param colour what the components mean
 * @param isAdobe whether Adobe's marker was there: CMYK is stored inverted then
 * @param sampling of each component: horizontal factor times 16 plus vertical factor
 * @param restartInterval MCUs between restart markers, or 0
 * @param frameAt where the frame header lies in the file, its length field first
 * @param scanAt where the first scan's marker lies
 */
record JpegHeader(
    int width,
    int height,
    int components,
    boolean progressive,
    Colour colour,
    boolean isAdobe,
    int[] sampling,
    int restartInterval,
    long frameAt,
    long scanAt) {
  private static final String PLACE = "decodeJpeg";

  static final int SOF0 = 0xC0;
  static final int SOF1 = 0xC1;
  static final int SOF2 = 0xC2;
  static final int DHT = 0xC4;
  static final int DAC = 0xCC;
  static final int RST0 = 0xD0;
  static final int RST7 = 0xD7;
  static final int SOI = 0xD8;
  static final int EOI = 0xD9;
  static final int SOS = 0xDA;
  static final int DQT = 0xDB;
  static final int DNL = 0xDC;
  static final int DRI = 0xDD;
  static final int APP0 = 0xE0;
  static final int APP14 = 0xEE;
  static final int APP15 = 0xEF;
  static final int COM = 0xFE;

  private static final byte[] JFIF = {'J', 'F', 'I', 'F', 0};
  private static final byte[] ADOBE = {'A', 'd', 'o', 'b', 'e'};

  /** What the components of a file mean. */
  enum Colour {
    GREY(0),
    YCBCR(1),
    RGB(0),
    CMYK(0),
    YCCK(2);

    private final int adobeTransform;

    Colour(int adobeTransform) {
      this.adobeTransform = adobeTransform;
    }

    /** The number that stands for it in Adobe's marker. */
    int adobeTransform() {
      return adobeTransform;
    }
  }

  static boolean isJpeg(MemorySegment file) {
    return file.byteSize() >= 3 && at(file, 0) == 0xFF && at(file, 1) == SOI && at(file, 2) == 0xFF;
  }

  /** Reads up to the first scan; throws {@link InvalidImageException} for anything else. */
  static JpegHeader read(MemorySegment file, Jpeg options) {
    if (!isJpeg(file)) {
      throw new InvalidImageException(
          PLACE + ": expected a JPEG file, but got " + Signature.describe(file));
    }
    return new Parser(file, options).parse();
  }

  /** Whether another header tells of the same image, wherever it lies in its file. */
  boolean saysTheSame(JpegHeader other) {
    return width == other.width
        && height == other.height
        && components == other.components
        && progressive == other.progressive
        && colour == other.colour
        && isAdobe == other.isAdobe
        && Arrays.equals(sampling, other.sampling)
        && restartInterval == other.restartInterval;
  }

  int horizontal(int component) {
    return sampling[component] >> 4;
  }

  int vertical(int component) {
    return sampling[component] & 15;
  }

  int maxHorizontal() {
    int most = 1;
    for (int factors : sampling) {
      most = Math.max(most, factors >> 4);
    }
    return most;
  }

  int maxVertical() {
    int most = 1;
    for (int factors : sampling) {
      most = Math.max(most, factors & 15);
    }
    return most;
  }

  /** How many 8 x 8 blocks the image has at least. */
  long blocks() {
    long blocks = 0;
    for (int factors : sampling) {
      long columns = blocksAlong(width, factors >> 4, maxHorizontal());
      blocks += columns * blocksAlong(height, factors & 15, maxVertical());
    }
    return blocks;
  }

  private static long blocksAlong(int pixels, int factor, int most) {
    long samples = ((long) pixels * factor + most - 1) / most;
    return (samples + 7) / 8;
  }

  /** As {@code 4:2:0}, for people. */
  String describe() {
    StringBuilder text = new StringBuilder();
    text.append(width).append(" x ").append(height).append(progressive ? " progressive " : " ");
    text.append(colour);
    for (int i = 0; components > 1 && i < components; i++) {
      text.append(i == 0 ? " " : ",").append(horizontal(i)).append('x').append(vertical(i));
    }
    return text.toString();
  }

  static int at(MemorySegment file, long offset) {
    return file.get(JAVA_BYTE, offset) & 0xFF;
  }

  static int shortAt(MemorySegment file, long offset) {
    return at(file, offset) << 8 | at(file, offset + 1);
  }

  static boolean isJfif(MemorySegment file, long lengthAt, int length) {
    return length >= 16 && startsWith(file, lengthAt + 2, JFIF);
  }

  static boolean isAdobe(MemorySegment file, long lengthAt, int length) {
    return length >= 14 && startsWith(file, lengthAt + 2, ADOBE);
  }

  private static boolean startsWith(MemorySegment file, long offset, byte[] text) {
    for (int i = 0; i < text.length; i++) {
      if (file.get(JAVA_BYTE, offset + i) != text[i]) {
        return false;
      }
    }
    return true;
  }

  static InvalidImageException invalid(String expected, String got, long offset) {
    return new InvalidImageException(
        "%s: expected %s, but got %s at byte %d".formatted(PLACE, expected, got, offset));
  }

  /**
   * Says that a file was cut.
   *
   * @param couldBeRecovered whether an option that is not set would decode a part of it
   */
  static InvalidImageException truncated(long size, String where, boolean couldBeRecovered) {
    return new InvalidImageException(
        "%s: expected a whole file, but it ends after %d %s, %s%s"
            .formatted(
                PLACE,
                size,
                Plural.word(size, "byte"),
                where,
                couldBeRecovered ? "; Jpeg.recoverTruncated(fraction) decodes what there is" : ""));
  }

  /** Says that a file was cut where there is nothing to decode yet. */
  static InvalidImageException endsBeforeFirstScan(long size) {
    return truncated(size, "before its first scan, so that there is nothing to decode", false);
  }

  /** Where the marker lies that follows {@code offset}, past filling bytes: its second byte. */
  static long markerAt(MemorySegment file, long offset) {
    long size = file.byteSize();
    long at = offset;
    if (at < size && at(file, at) != 0xFF) {
      throw invalid("a marker", "byte 0x%02X".formatted(at(file, at)), at);
    }
    while (at < size && at(file, at) == 0xFF) {
      at++;
    }
    return at;
  }

  private static final class Parser {
    private final MemorySegment file;
    private final Jpeg options;
    private int width;
    private int height;
    private boolean progressive;
    private int[] sampling = {};
    private int[] ids = {};
    private int restartInterval;
    private long frameAt;
    private boolean jfif;
    private int adobeTransform = -1;

    Parser(MemorySegment file, Jpeg options) {
      this.file = file;
      this.options = options;
    }

    JpegHeader parse() {
      long at = 2;
      while (true) {
        at = markerAt(file, at);
        if (at >= file.byteSize()) {
          throw endsBeforeFirstScan(file.byteSize());
        }
        int marker = at(file, at);
        long lengthAt = at + 1;
        if (marker == EOI) {
          throw invalid("a scan", "the end of the image", at);
        }
        if (marker >= RST0 && marker <= SOI) { // these have no length
          throw invalid("a segment before the first scan", "marker 0x%02X".formatted(marker), at);
        }
        if (lengthAt + 2 > file.byteSize()) {
          throw endsBeforeFirstScan(file.byteSize());
        }
        int length = shortAt(file, lengthAt);
        if (length < 2) {
          throw invalid("a segment of at least 2 bytes", Integer.toString(length), lengthAt);
        }
        if (lengthAt + length > file.byteSize()) {
          throw endsBeforeFirstScan(file.byteSize());
        }
        if (marker == SOS) {
          return finish(at - 1);
        }
        segment(marker, lengthAt, length);
        at = lengthAt + length;
      }
    }

    private void segment(int marker, long lengthAt, int length) {
      switch (marker) {
        case SOF0, SOF1, SOF2 -> frame(marker, lengthAt, length);
        case DRI -> {
          if (length != 4) {
            throw invalid("a restart interval of 4 bytes", Integer.toString(length), lengthAt);
          }
          restartInterval = shortAt(file, lengthAt + 2);
        }
        case APP0 -> jfif |= isJfif(file, lengthAt, length);
        case APP14 -> {
          if (isAdobe(file, lengthAt, length)) {
            adobeTransform = at(file, lengthAt + 13);
          }
        }
        case DHT, DQT, COM -> {}
        case 0xC3, 0xC5, 0xC6, 0xC7, 0xCB, 0xCD, 0xCE, 0xCF ->
            throw invalid(
                "a baseline or progressive file",
                (marker & 3) == 3 ? "a lossless one" : "a hierarchical one",
                lengthAt - 1);
        case 0xC9, 0xCA, DAC -> throw invalid("Huffman coding", "arithmetic coding", lengthAt - 1);
        default -> {
          if (marker < APP0 || marker > APP15) {
            throw invalid("a known segment", "marker 0x%02X".formatted(marker), lengthAt - 1);
          }
        }
      }
    }

    private void frame(int marker, long lengthAt, int length) {
      if (frameAt != 0) {
        throw invalid("one frame", "a second one", lengthAt - 1);
      }
      int count = length < 8 ? 0 : at(file, lengthAt + 7);
      if (length != 8 + 3 * count) {
        throw invalid("a frame header of %d bytes".formatted(8 + 3 * count), "" + length, lengthAt);
      }
      int precision = at(file, lengthAt + 2);
      if (precision != 8) {
        throw invalid("8 bits per sample", Integer.toString(precision), lengthAt + 2);
      }
      height = shortAt(file, lengthAt + 3);
      width = shortAt(file, lengthAt + 5);
      if (height == 0 || width == 0) {
        throw invalid("an image with pixels", width + " x " + height, lengthAt + 3);
      }
      if (count != 1 && count != 3 && count != 4) {
        throw invalid("1, 3 or 4 components", Integer.toString(count), lengthAt + 7);
      }
      options.limits().check(PLACE, width, height);
      sampling = new int[count];
      ids = new int[count];
      int blocks = 0;
      for (int i = 0; i < count; i++) {
        long component = lengthAt + 8 + 3L * i;
        ids[i] = at(file, component);
        sampling[i] = at(file, component + 1);
        int horizontal = sampling[i] >> 4;
        int vertical = sampling[i] & 15;
        blocks += horizontal * vertical;
        if (horizontal < 1 || horizontal > 4 || vertical < 1 || vertical > 4) {
          throw invalid("sampling factors of 1 to 4", horizontal + " x " + vertical, component + 1);
        }
      }
      if (count > 1 && blocks > 10) {
        throw invalid("sampling of at most 10 blocks", Integer.toString(blocks), lengthAt);
      }
      progressive = marker == SOF2;
      frameAt = lengthAt;
    }

    private JpegHeader finish(long scanAt) {
      if (frameAt == 0) {
        throw invalid("a frame header before the first scan", "none", scanAt);
      }
      JpegHeader header =
          new JpegHeader(
              width,
              height,
              sampling.length,
              progressive,
              colour(),
              adobeTransform >= 0,
              sampling,
              restartInterval,
              frameAt,
              scanAt);
      // A block takes at least one bit in its first scan, and two where that is the only one: what
      // claims to be huge and has no data is refused before its pixels are allocated.
      double share = options.recoversTruncated() ? options.acceptedFraction() : 1;
      double leastBits = header.blocks() * (progressive ? 1.0 : 2.0) * share;
      if ((file.byteSize() - scanAt) * 8.0 < leastBits && !options.acceptsDamage()) {
        throw truncated(
            file.byteSize(),
            "too early for an image of %d x %d".formatted(width, height),
            !options.recoversTruncated());
      }
      return header;
    }

    /** As libjpeg guesses it. */
    private Colour colour() {
      return switch (sampling.length) {
        case 1 -> Colour.GREY;
        case 3 -> {
          if (jfif) {
            yield Colour.YCBCR;
          }
          boolean rgb =
              adobeTransform >= 0
                  ? adobeTransform == 0
                  : ids[0] == 'R' && ids[1] == 'G' && ids[2] == 'B';
          yield rgb ? Colour.RGB : Colour.YCBCR;
        }
        default -> adobeTransform > 0 ? Colour.YCCK : Colour.CMYK;
      };
    }
  }
}
