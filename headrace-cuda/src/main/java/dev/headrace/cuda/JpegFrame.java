package dev.headrace.cuda;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * What the markers of a JPEG file say that decides who can decode it.
 *
 * @param isBaseline eight bits, Huffman codes, one scan of all components, in one of the usual
 *     samplings: what the decoders of the hardware know
 * @param isWhole whether an end marker is where it should be; without one the file is damaged
 * @param isYcc whether colours are YCbCr, or there are none; a decoder elsewhere takes all others
 *     for that too
 */
record JpegFrame(
    int height, int width, int components, boolean isBaseline, boolean isWhole, boolean isYcc) {
  private static final int START_OF_IMAGE = 0xD8;
  private static final int END_OF_IMAGE = 0xD9;
  private static final int START_OF_SCAN = 0xDA;
  private static final int BASELINE_FRAME = 0xC0;
  private static final int LAST_FRAME = 0xCF;
  private static final int HUFFMAN_TABLES = 0xC4;
  private static final int EXTENSION = 0xC8;
  private static final int ARITHMETIC_TABLES = 0xCC;
  private static final int JFIF = 0xE0;
  private static final int ADOBE = 0xEE;

  private static final int ADOBE_BYTES = 12;
  private static final int JFIF_BYTES = 5;

  /** Some writers put a little behind the end marker. */
  private static final long MOST_BEHIND_END = 1024;

  /** Reads the markers up to the first scan; null where the file has none, or makes no sense. */
  static @Nullable JpegFrame read(MemorySegment file) {
    try {
      return new Reader(file).read();
    } catch (IndexOutOfBoundsException e) {
      return null; // it ends too early
    }
  }

  private static final class Reader {
    private final MemorySegment file;
    private int height;
    private int width;
    private int components;
    private boolean isBaseline;
    private boolean hasJfif;
    private int adobeTransform = -1;
    private boolean areNamedRgb;

    Reader(MemorySegment file) {
      this.file = file;
    }

    private int u8(long at) {
      return file.get(JAVA_BYTE, at) & 0xFF;
    }

    private int u16(long at) {
      return u8(at) << 8 | u8(at + 1);
    }

    @Nullable JpegFrame read() {
      if (u8(0) != 0xFF || u8(1) != START_OF_IMAGE) {
        return null;
      }
      for (long at = 2; ; ) {
        if (u8(at) != 0xFF) {
          return null;
        }
        int marker = u8(at + 1);
        if (marker == 0xFF) {
          at++; // filled up
          continue;
        }
        long content = at + 4;
        int bytes = u16(at + 2) - 2;
        if (marker == START_OF_SCAN) {
          return components == 0 ? null : frame(u8(content) == components);
        }
        segment(marker, content, bytes);
        at = content + bytes;
      }
    }

    private void segment(int marker, long at, int bytes) {
      if (marker == JFIF && bytes >= JFIF_BYTES) {
        hasJfif |= u8(at) == 'J' && u8(at + 1) == 'F' && u8(at + 2) == 'I' && u8(at + 3) == 'F';
      } else if (marker == ADOBE && bytes >= ADOBE_BYTES) {
        boolean isAdobe = u8(at) == 'A' && u8(at + 1) == 'd' && u8(at + 4) == 'e';
        adobeTransform = isAdobe ? u8(at + ADOBE_BYTES - 1) : adobeTransform;
      } else if (marker >= BASELINE_FRAME
          && marker <= LAST_FRAME
          && marker != HUFFMAN_TABLES
          && marker != EXTENSION
          && marker != ARITHMETIC_TABLES) {
        height = u16(at + 1);
        width = u16(at + 3);
        components = u8(at + 5);
        isBaseline = marker == BASELINE_FRAME && u8(at) == 8 && isSampledAsUsual(at + 6);
        areNamedRgb =
            components == 3 && u8(at + 6) == 'R' && u8(at + 9) == 'G' && u8(at + 12) == 'B';
      }
    }

    /** 4:4:4, 4:2:2, 4:2:0, 4:4:0 or grey. */
    private boolean isSampledAsUsual(long at) {
      if (components == 1) {
        return true;
      }
      if (components != 3 || u8(at + 4) != 0x11 || u8(at + 7) != 0x11) {
        return false;
      }
      int luma = u8(at + 1);
      return luma == 0x11 || luma == 0x21 || luma == 0x22 || luma == 0x12;
    }

    private JpegFrame frame(boolean isOneScan) {
      boolean isYcc =
          components == 1
              || (components == 3
                  && (hasJfif || (adobeTransform == -1 ? !areNamedRgb : adobeTransform == 1)));
      return new JpegFrame(height, width, components, isBaseline && isOneScan, isWhole(), isYcc);
    }

    private boolean isWhole() {
      long least = Math.max(0, file.byteSize() - MOST_BEHIND_END);
      for (long at = file.byteSize() - 2; at >= least; at--) {
        if (u8(at) == 0xFF && u8(at + 1) == END_OF_IMAGE) {
          return true;
        }
      }
      return false;
    }
  }
}
