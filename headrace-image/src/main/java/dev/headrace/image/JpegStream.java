package dev.headrace.image;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import dev.headrace.data.Plural;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The part of a JPEG file that its pixels depend on, copied to native memory: tables, frame and
 * scans, up to the end of the image. Comments, thumbnails, camera data and colour profiles never
 * reach a decoder, nor does what follows the image.
 *
 * <p>The copy is also what makes a file safe that another process changes while it is decoded.
 */
final class JpegStream {
  private static final ValueLayout.OfLong WORD =
      JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final long ONES = 0x0101010101010101L;
  private static final long HIGH_BITS = 0x8080808080808080L;

  private final JpegHeader header;
  private final MemorySegment room;
  private final boolean recovers;
  private final int maxScans;
  private long frameAt;
  private long end;
  private long firstScanAt;
  private long firstDataAt;
  private long firstScanEnd;
  private int firstScanComponents;
  private int scans;
  private boolean truncated;
  private boolean shortened;
  private int height;

  /* While scans are walked over: what was seen and is kept ends at `keptEnd`; of it, what lies from
   * `unmoved` on is yet to be moved there. */
  private long keptEnd;
  private long unmoved;

  private JpegStream(JpegHeader header, MemorySegment room, Jpeg options) {
    this.header = header;
    this.room = room;
    this.recovers = options.recoversTruncated();
    this.maxScans = options.limits().maxScans();
    this.height = header.height();
  }

  /** How much memory {@link #copy} needs. */
  static long bytesFor(MemorySegment file) {
    return file.byteSize() + 2;
  }

  /** Copies and checks a file whose header was read before. */
  static JpegStream copy(MemorySegment file, JpegHeader header, Jpeg options, MemorySegment room) {
    JpegStream stream = new JpegStream(header, room, options);
    stream.copyHeader(file);
    stream.firstScanAt = stream.end;
    stream.append(file, header.scanAt(), file.byteSize() - header.scanAt());
    stream.checkHeader(options);
    stream.readScans();
    if (stream.truncated) {
      stream.checkFraction(options.acceptedFraction());
    }
    return stream;
  }

  JpegHeader header() {
    return header;
  }

  /** The stream, from its first marker to its last. */
  MemorySegment bytes() {
    return room.asSlice(0, end);
  }

  int width() {
    return header.width();
  }

  /** The rows that decoders see. */
  int height() {
    return height;
  }

  /** Whether the file ended early; {@link #bytes} then has an end put on. */
  boolean isTruncated() {
    return truncated;
  }

  /** Whether decoders see fewer rows than there are data for. */
  boolean isShortened() {
    return shortened;
  }

  /** Whether the whole image is in one scan, each part of it once. */
  boolean isSequential() {
    return scans == 1 && firstScanComponents == header.components() && !header.progressive();
  }

  /** Whether the rows beyond some point can be left out by {@link #shortenTo}. */
  boolean canBeShortened() {
    return isSequential();
  }

  /**
   * Makes the stream claim fewer rows, so that a decoder stops there: at least {@code rows}, and
   * enough that these are what they are in the whole image.
   */
  void shortenTo(int rows) {
    // Interpolated colour of the last row would look at the row below: so one more than needed.
    int step = 8 * header.maxVertical();
    long kept = (rows + 1L + step - 1) / step * step;
    if (kept < height && (header.restartInterval() == 0 || cutAfter(kept))) {
      height = (int) kept;
      shortened = true;
      room.set(JAVA_BYTE, frameAt + 3, (byte) (height >> 8));
      room.set(JAVA_BYTE, frameAt + 4, (byte) height);
    }
  }

  /** Ends the stream at the restart marker behind these rows; false if it has too few of them. */
  private boolean cutAfter(long rows) {
    boolean isSingle = header.components() == 1;
    long unitWidth = isSingle ? 8 : 8L * header.maxHorizontal();
    long unitHeight = isSingle ? 8 : 8L * header.maxVertical();
    long units = (header.width() + unitWidth - 1) / unitWidth * (rows / unitHeight);
    long intervals = (units + header.restartInterval() - 1) / header.restartInterval();
    MemorySegment copied = bytes();
    long at = firstDataAt;
    for (long i = 0; i < intervals; i++) {
      at = nextMarker(copied, at) + 2;
      if (at > firstScanEnd) {
        return false;
      }
    }
    room.set(JAVA_BYTE, at - 1, (byte) JpegHeader.EOI);
    end = at;
    return true;
  }

  private void copyHeader(MemorySegment file) {
    append(file, 0, 2);
    long at = 2;
    while (at < header.scanAt()) {
      long lengthAt = JpegHeader.markerAt(file, at) + 1;
      if (lengthAt == header.scanAt() + 2) {
        return; // filling bytes before the scan
      }
      // Read again, since the file may have changed under us: it must still end before the scan.
      int length = lengthAt + 2 > header.scanAt() ? 0 : JpegHeader.shortAt(file, lengthAt);
      if (length < 2 || lengthAt + length > header.scanAt()) {
        throw changed();
      }
      if (matters(file, lengthAt, length)) {
        append(file, lengthAt - 2, length + 2L);
        normalise(end - length, JpegHeader.at(file, lengthAt - 1));
      }
      at = lengthAt + length;
    }
  }

  /**
   * Reads the copy of the header: it must say what the file said when the image's shape was told,
   * or decoders would write another image than there is room for.
   */
  private void checkHeader(Jpeg options) {
    JpegHeader copied = JpegHeader.read(bytes(), options);
    if (!copied.saysTheSame(header) || copied.scanAt() != firstScanAt) {
      throw changed();
    }
    frameAt = copied.frameAt();
  }

  private static InvalidImageException changed() {
    return new InvalidImageException(
        "decodeJpeg: expected bytes that stay, but they changed while they were read");
  }

  private static boolean matters(MemorySegment file, long lengthAt, int length) {
    int marker = JpegHeader.at(file, lengthAt - 1);
    return switch (marker) {
      case JpegHeader.APP0 -> JpegHeader.isJfif(file, lengthAt, length);
      case JpegHeader.APP14 -> JpegHeader.isAdobe(file, lengthAt, length);
      case JpegHeader.COM -> false;
      default -> marker < JpegHeader.APP0 || marker > JpegHeader.APP15;
    };
  }

  /**
   * Puts usual values where libjpeg would only warn and assume them: the first warning hides those
   * behind it.
   */
  private void normalise(long lengthAt, int marker) {
    if (marker == JpegHeader.APP0) {
      room.set(JAVA_BYTE, lengthAt + 7, (byte) 1); // version 1.1 of JFIF
      room.set(JAVA_BYTE, lengthAt + 8, (byte) 1);
    } else if (marker == JpegHeader.APP14) {
      byte transform = (byte) header.colour().adobeTransform();
      room.set(JAVA_BYTE, lengthAt + 13, transform);
    }
  }

  private void append(MemorySegment file, long from, long length) {
    MemorySegment.copy(file, from, room, end, length);
    end += length;
  }

  /** Walks over the copied scans, and takes out of the copy what lies between and is no table. */
  private void readScans() {
    MemorySegment copied = bytes();
    long at = firstScanAt;
    keptEnd = at;
    unmoved = at;
    while (true) {
      long marker = JpegHeader.markerAt(copied, at);
      if (marker >= end) {
        endEarly(end);
        return;
      }
      switch (JpegHeader.at(copied, marker)) {
        case JpegHeader.EOI -> {
          keepUpTo(marker + 1);
          end = keptEnd;
          return;
        }
        case JpegHeader.SOS -> {
          if (++scans > maxScans) {
            throw new InvalidImageException(
                ("decodeJpeg: expected at most %d %s, but got more; raise"
                        + " headrace.image.maxScans if the file is trusted")
                    .formatted(maxScans, Plural.word(maxScans, "scan")));
          }
          at = segmentEnd(copied, marker);
          if (at < 0) {
            endEarly(marker - 1);
            return;
          }
          if (scans == 1) {
            firstDataAt = at;
            firstScanComponents = at > marker + 3 ? JpegHeader.at(copied, marker + 3) : 0;
          }
          at = scanEnd(copied, at);
          if (scans == 1) {
            firstScanEnd = at;
          }
        }
        default -> {
          at = between(copied, marker);
          if (at < 0) {
            endEarly(marker - 1);
            return;
          }
        }
      }
    }
  }

  /** A segment between two scans: where the next one begins, or -1 if the file ends in it. */
  private long between(MemorySegment copied, long marker) {
    int kind = JpegHeader.at(copied, marker);
    boolean isApplication = kind >= JpegHeader.APP0 && kind <= JpegHeader.APP15;
    boolean isTable = kind == JpegHeader.DHT || kind == JpegHeader.DQT || kind == JpegHeader.DRI;
    if (!isTable && !isApplication && kind != JpegHeader.COM) {
      throw JpegHeader.invalid(
          "a scan, a table or the end of the image behind a scan",
          "marker 0x%02X".formatted(kind),
          header.scanAt() + marker - firstScanAt);
    }
    long next = segmentEnd(copied, marker);
    if (next < 0 || isTable) {
      return next;
    }
    keepUpTo(marker - 1);
    unmoved = next;
    return next;
  }

  /** Moves what lies before {@code to} and was not left out behind the rest: each byte once. */
  private void keepUpTo(long to) {
    if (keptEnd != unmoved) {
      MemorySegment.copy(room, unmoved, room, keptEnd, to - unmoved);
    }
    keptEnd += to - unmoved;
    unmoved = to;
  }

  private long segmentEnd(MemorySegment copied, long marker) {
    if (marker + 3 > end) {
      return -1;
    }
    int length = JpegHeader.shortAt(copied, marker + 1);
    if (length < 2) {
      throw JpegHeader.invalid(
          "a segment of at least 2 bytes",
          Integer.toString(length),
          header.scanAt() + marker - firstScanAt);
    }
    return marker + 1 + length > end ? -1 : marker + 1 + length;
  }

  /** Where the marker lies that ends the scan whose data begins at {@code from}. */
  private static long scanEnd(MemorySegment copied, long from) {
    long size = copied.byteSize();
    long at = nextMarker(copied, from);
    while (at < size && isRestart(JpegHeader.at(copied, at + 1))) {
      at = nextMarker(copied, at + 2);
    }
    return at;
  }

  private static boolean isRestart(int marker) {
    return marker >= JpegHeader.RST0 && marker <= JpegHeader.RST7;
  }

  /** Where the next marker lies, its first byte, or the size if there is none. */
  private static long nextMarker(MemorySegment copied, long from) {
    long size = copied.byteSize();
    long at = from;
    while (true) {
      while (at + 8 <= size) {
        long word = copied.get(WORD, at);
        long found = ~word - ONES & word & HIGH_BITS; // the lowest bit marks the first 0xFF
        if (found != 0) {
          at += Long.numberOfTrailingZeros(found) >> 3;
          break;
        }
        at += 8;
      }
      while (at < size && JpegHeader.at(copied, at) != 0xFF) {
        at++;
      }
      if (at + 1 >= size) {
        return size;
      }
      int next = JpegHeader.at(copied, at + 1);
      if (next == 0) {
        at += 2;
      } else if (next == 0xFF) {
        at++; // a filling byte
      } else {
        return at;
      }
    }
  }

  private void endEarly(long at) {
    if (!recovers) {
      long size = header.scanAt() + end - firstScanAt;
      throw scans == 0
          ? JpegHeader.endsBeforeFirstScan(size)
          : JpegHeader.truncated(size, "in scan " + scans, true);
    }
    truncated = true;
    keepUpTo(at);
    end = keptEnd;
    firstScanEnd = Math.min(firstScanEnd, end); // nothing is left out before it
    room.set(JAVA_BYTE, end, (byte) 0xFF);
    room.set(JAVA_BYTE, end + 1, (byte) JpegHeader.EOI);
    end += 2;
  }

  private void checkFraction(double accepted) {
    if (scans == 0) {
      throw JpegHeader.endsBeforeFirstScan(end - 2);
    }
    double there;
    if (!isSequential()) {
      there = firstScanEnd < end - 2 ? 1 : 0;
    } else {
      there = HuffmanWalk.over(this).completeRows();
    }
    if (there < accepted) {
      throw new InvalidImageException(
          "decodeJpeg: expected at least %.3f of the rows, but the file ends after %.3f of them"
              .formatted(accepted, there));
    }
  }
}
