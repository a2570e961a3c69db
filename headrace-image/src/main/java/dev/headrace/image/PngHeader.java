package dev.headrace.image;

import java.lang.foreign.MemorySegment;

final class PngHeader {
  private static final int[] SIGNATURE = {0x89, 'P', 'N', 'G', 0x0D, 0x0A, 0x1A, 0x0A};

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
}
