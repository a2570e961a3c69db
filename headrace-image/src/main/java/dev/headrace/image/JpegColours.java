package dev.headrace.image;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;

/** Colour conversions as libjpeg and TensorFlow do them, to the bit. */
final class JpegColours {
  /* libjpeg's fixed point: 16 bits behind the point, the constants of JFIF rounded to it. */
  private static final int HALF = 1 << 15;
  private static final int[] CR_TO_RED = new int[256];
  private static final int[] CB_TO_BLUE = new int[256];
  private static final int[] CR_TO_GREEN = new int[256];
  private static final int[] CB_TO_GREEN = new int[256];

  static {
    for (int i = 0; i < 256; i++) {
      int x = i - 128;
      CR_TO_RED[i] = fixed(1.40200) * x + HALF >> 16;
      CB_TO_BLUE[i] = fixed(1.77200) * x + HALF >> 16;
      CR_TO_GREEN[i] = -fixed(0.71414) * x;
      CB_TO_GREEN[i] = -fixed(0.34414) * x + HALF;
    }
  }

  private JpegColours() {}

  private static int fixed(double value) {
    return (int) (value * 65536 + 0.5);
  }

  /** Converts interleaved YCbCr samples to RGB, in place. */
  static void yccToRgb(byte[] samples, int step) {
    for (int i = 0; i + 2 < samples.length; i += step) {
      int y = samples[i] & 0xFF;
      int cb = samples[i + 1] & 0xFF;
      int cr = samples[i + 2] & 0xFF;
      samples[i] = clamp(y + CR_TO_RED[cr]);
      samples[i + 1] = clamp(y + (CB_TO_GREEN[cb] + CR_TO_GREEN[cr] >> 16));
      samples[i + 2] = clamp(y + CB_TO_BLUE[cb]);
    }
  }

  /** Converts YCCK to CMYK, in place: as YCbCr to RGB, then inverted; black stays. */
  static void ycckToCmyk(byte[] samples) {
    yccToRgb(samples, 4);
    for (int i = 0; i + 3 < samples.length; i += 4) {
      samples[i] = (byte) ~samples[i];
      samples[i + 1] = (byte) ~samples[i + 1];
      samples[i + 2] = (byte) ~samples[i + 2];
    }
  }

  /** The brightness of RGB samples. */
  static byte grey(int red, int green, int blue) {
    return (byte)
        (fixed(0.29900) * red + fixed(0.58700) * green + fixed(0.11400) * blue + HALF >> 16);
  }

  /** Converts CMYK as TensorFlow does; Adobe's files store it inverted. */
  static void cmykToRgb(MemorySegment cmyk, MemorySegment rgb, long pixels, boolean isAdobe) {
    int inverted = isAdobe ? 0 : 0xFF;
    for (long i = 0; i < pixels; i++) {
      int black = cmyk.get(JAVA_BYTE, i * 4 + 3) & 0xFF ^ inverted;
      for (int c = 0; c < 3; c++) {
        int ink = cmyk.get(JAVA_BYTE, i * 4 + c) & 0xFF ^ inverted;
        rgb.set(JAVA_BYTE, i * 3 + c, (byte) (black * ink / 255));
      }
    }
  }

  private static byte clamp(int value) {
    return (byte) Math.clamp(value, 0, 255);
  }
}
