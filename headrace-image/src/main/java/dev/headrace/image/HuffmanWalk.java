package dev.headrace.image;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Walks over the entropy-coded data of a sequential file of one scan, without decoding it: tells
 * how many of its units are there and what is wrong with it, where a decoder does not tell.
 *
 * <p>What is wrong is what libjpeg would warn of.
 */
final class HuffmanWalk {
  private static final ValueLayout.OfLong WORD =
      JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  private static final long ONES = 0x0101010101010101L;
  private static final long HIGH_BITS = 0x8080808080808080L;

  private static final int LOOKUP_BITS = 9;
  private static final int MAX_CODE_BITS = 16;
  private static final int MAX_BLOCKS = 10;

  private final MemorySegment bytes;
  private final JpegHeader header;
  private final @Nullable Table[] tables = new @Nullable Table[8];

  /* The blocks of a unit (MCU): the tables of each. */
  private final Table[] dc = new Table[MAX_BLOCKS];
  private final Table[] ac = new Table[MAX_BLOCKS];
  private int blocks;

  /* The next bits, from the highest on; more are below `count`, but not to be relied upon. */
  private long bits;
  private int count;
  private long at;

  private long units;
  private @Nullable String damage;

  private HuffmanWalk(JpegStream stream) {
    this.bytes = stream.bytes();
    this.header = stream.header();
  }

  /** Walks to the end of the scan, or to the first damage. */
  static HuffmanWalk over(JpegStream stream) {
    HuffmanWalk walk = new HuffmanWalk(stream);
    walk.readTables();
    if (walk.damage == null) {
      walk.readScan(stream.height());
    }
    return walk;
  }

  /** What is wrong, in the words of libjpeg, or null. */
  @Nullable String damage() {
    return damage;
  }

  /** The share of rows that are complete. */
  double completeRows() {
    long rows = units / unitsPerRow() * unitHeight();
    return Math.min(1.0, (double) rows / header.height());
  }

  private long unitHeight() {
    return header.components() == 1 ? 8 : 8L * header.maxVertical();
  }

  private long unitsPerRow() {
    long unitWidth = header.components() == 1 ? 8 : 8L * header.maxHorizontal();
    return (header.width() + unitWidth - 1) / unitWidth;
  }

  private void readTables() {
    at = 2;
    while (damage == null) {
      long marker = JpegHeader.markerAt(bytes, at);
      int length = JpegHeader.shortAt(bytes, marker + 1);
      if (JpegHeader.at(bytes, marker) == JpegHeader.DHT) {
        readTables(marker + 3, marker + 1 + length);
      }
      if (JpegHeader.at(bytes, marker) == JpegHeader.SOS) {
        readScanHeader(marker + 3, length - 2);
        at = marker + 1 + length;
        return;
      }
      at = marker + 1 + length;
    }
  }

  private void readTables(long from, long to) {
    long next = from;
    while (next + 17 <= to) {
      int id = JpegHeader.at(bytes, next);
      int symbols = 0;
      for (int i = 1; i <= MAX_CODE_BITS; i++) {
        symbols += JpegHeader.at(bytes, next + i);
      }
      if ((id & 0xEC) != 0 || symbols > 256 || next + 17 + symbols > to) {
        damage = "Bogus Huffman table definition";
        return;
      }
      Table table = new Table(bytes.asSlice(next + 1, 16L + symbols), id >> 4 != 0);
      tables[(id >> 4) * 4 + (id & 3)] = table;
      next += 17 + symbols;
    }
    if (next != to) {
      damage = "Bogus Huffman table definition";
    }
  }

  private void readScanHeader(long from, int length) {
    int components = JpegHeader.at(bytes, from);
    if (length != 4 + 2 * components || components != header.components()) {
      damage = "Invalid scan header";
      return;
    }
    for (int i = 0; i < components; i++) {
      int ids = JpegHeader.at(bytes, from + 2 + 2L * i);
      Table first = (ids >> 4) > 3 ? null : tables[ids >> 4];
      Table others = (ids & 15) > 3 ? null : tables[4 + (ids & 15)];
      if (first == null || others == null) {
        damage = "A Huffman table that a component needs is not defined";
        return;
      }
      int count = components == 1 ? 1 : header.horizontal(i) * header.vertical(i);
      for (int block = 0; block < count; block++) {
        dc[blocks] = first;
        ac[blocks++] = others;
      }
    }
    long parameters = from + 1 + 2L * components; // all coefficients, at full precision
    if (JpegHeader.shortAt(bytes, parameters) != 63 || JpegHeader.at(bytes, parameters + 2) != 0) {
      damage = "Invalid SOS parameters for sequential JPEG";
    }
  }

  private void readScan(int height) {
    long all = unitsPerRow() * ((height + unitHeight() - 1) / unitHeight());
    int interval = header.restartInterval();
    int restart = 0;
    while (units < all) {
      if (interval > 0 && units > 0 && units % interval == 0 && !readRestart(restart++)) {
        return;
      }
      if (!readUnit()) {
        return;
      }
      units++;
    }
    readEnd();
  }

  /**
   * Counts the bytes between the last unit and the marker that ends the scan, as libjpeg does: but
   * for those that were fetched already.
   */
  private void readEnd() {
    long stray = 0;
    while (at + 1 < bytes.byteSize()) {
      if (JpegHeader.at(bytes, at) != 0xFF) {
        stray++;
        at++;
        continue;
      }
      int next = JpegHeader.at(bytes, ++at);
      if (next == 0) {
        stray += 2;
        at++;
      } else if (next != 0xFF && stray > 0) {
        damage =
            "Corrupt JPEG data: %d extraneous bytes before marker 0x%02x".formatted(stray, next);
        return;
      } else if (next >= JpegHeader.RST0 && next <= JpegHeader.RST7) {
        at++; // one too many, which libjpeg passes over
      } else if (next != 0xFF) {
        return;
      }
    }
  }

  /**
   * Passes over the blocks of a unit; the state is in locals, since this is what takes the time.
   */
  private boolean readUnit() {
    long next = bits;
    int left = count;
    for (int block = 0; block < blocks; block++) {
      Table table = dc[block];
      for (int k = 0; k < 64; table = ac[block]) {
        if (left < 32) {
          bits = next;
          count = left;
          fill();
          next = bits;
          left = count;
        }
        int step = table.lookup[(int) (next >>> 64 - LOOKUP_BITS)];
        if (step == 0) {
          step = table.longStep(next);
        }
        int length = step & 0xFF;
        if (step < 0 || length > left) {
          // Bits that are not there read as zeros, and may be no code.
          damage =
              step < 0 && left >= MAX_CODE_BITS
                  ? "Corrupt JPEG data: bad Huffman code"
                  : "Corrupt JPEG data: premature end of data segment";
          return false;
        }
        next <<= length;
        left -= length;
        k += step >>> 8;
      }
    }
    bits = next;
    count = left;
    return true;
  }

  /** Passes over the restart marker of this number. */
  private boolean readRestart(int number) {
    fill();
    if (count >= 8) {
      damage = "Corrupt JPEG data: extraneous bytes before a restart marker";
      return false;
    }
    long marker = at;
    while (marker < bytes.byteSize() && JpegHeader.at(bytes, marker) == 0xFF) {
      marker++;
    }
    if (marker == at
        || marker >= bytes.byteSize()
        || JpegHeader.at(bytes, marker) != JpegHeader.RST0 + (number & 7)) {
      damage = "Corrupt JPEG data: no restart marker " + (number & 7) + " where it belongs";
      return false;
    }
    at = marker + 1;
    bits = 0;
    count = 0;
    return true;
  }

  /** Fetches bits until there are 48 or the data ends. */
  private void fill() {
    if (at + 8 <= bytes.byteSize()) {
      long word = bytes.get(WORD, at);
      if ((~word - ONES & word & HIGH_BITS) == 0) {
        bits |= word >>> count;
        at += 63 - count >> 3;
        count |= 56;
        return;
      }
    }
    fillByBytes();
  }

  private void fillByBytes() {
    if (count == 0) {
      bits = 0;
    } else {
      bits &= -1L << 64 - count;
    }
    while (count <= 56 && at < bytes.byteSize()) {
      int value = JpegHeader.at(bytes, at);
      long next = at + 1;
      if (value == 0xFF) {
        while (next < bytes.byteSize() && JpegHeader.at(bytes, next) == 0xFF) {
          next++;
        }
        if (next >= bytes.byteSize() || JpegHeader.at(bytes, next) != 0) {
          return; // a marker, which stays unread
        }
        next++;
      }
      bits |= (long) value << 56 - count;
      count += 8;
      at = next;
    }
  }

  /** A Huffman table, made for passing over values. */
  private static final class Table {
    /* A step: how many bits to pass over, code and value, in the low byte; how many coefficients
     * that stands for above it (64 for the end of a block). 0 in the lookup: a longer code. */
    private final int[] lookup = new int[1 << LOOKUP_BITS];
    private final int[] steps = new int[256];
    private final int[] endCode = new int[MAX_CODE_BITS + 1];
    private final int[] firstIndex = new int[MAX_CODE_BITS + 1];

    Table(MemorySegment definition, boolean isAc) {
      int code = 0;
      int index = 0;
      for (int length = 1; length <= MAX_CODE_BITS; length++) {
        int symbols = JpegHeader.at(definition, length - 1);
        firstIndex[length] = index - code;
        for (int i = 0; i < symbols; i++, code++, index++) {
          int symbol = JpegHeader.at(definition, 16 + index);
          steps[index] = step(symbol, length, isAc);
          if (length <= LOOKUP_BITS) {
            int from = code << LOOKUP_BITS - length;
            int to = Math.min(lookup.length, code + 1 << LOOKUP_BITS - length);
            for (int entry = from; entry < to; entry++) {
              lookup[entry] = steps[index];
            }
          }
        }
        endCode[length] = symbols == 0 ? 0 : code;
        code <<= 1;
      }
    }

    private static int step(int symbol, int length, boolean isAc) {
      int size = symbol & 15;
      int run = isAc ? symbol >> 4 : 0;
      int coefficients = !isAc || size != 0 || run == 15 ? run + 1 : 64;
      return coefficients << 8 | length + size;
    }

    /** The step of a code that is too long for the lookup, or -1 if there is none. */
    int longStep(long bits) {
      for (int length = LOOKUP_BITS + 1; length <= MAX_CODE_BITS; length++) {
        int code = (int) (bits >>> 64 - length);
        if (code < endCode[length]) {
          int index = firstIndex[length] + code;
          return index >= 0 ? steps[index & 0xFF] : -1;
        }
      }
      return -1;
    }
  }
}
