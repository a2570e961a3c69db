package dev.headrace.image;

import java.lang.foreign.MemorySegment;

/** Tells formats by their first bytes. */
final class Signature {
  private Signature() {}

  /** As {@code a PNG file}, or the first bytes where they tell nothing. */
  static String describe(MemorySegment file) {
    if (file.byteSize() == 0) {
      return "no bytes";
    }
    if (PngHeader.isPng(file)) {
      return "a PNG file; use decodePng or decodeImage";
    }
    if (JpegHeader.isJpeg(file)) {
      return "a JPEG file; use decodeJpeg or decodeImage";
    }
    if (starts(file, 0, "GIF8")) {
      return "a GIF file, which is not supported";
    }
    if (starts(file, 0, "BM")) {
      return "a BMP file, which is not supported";
    }
    if (starts(file, 0, "RIFF") && starts(file, 8, "WEBP")) {
      return "a WebP file, which is not supported";
    }
    if (starts(file, 4, "ftypavif") || starts(file, 4, "ftyphei")) {
      return "an AVIF or HEIF file, which is not supported";
    }
    if (starts(file, 0, "II*\0") || starts(file, 0, "MM\0*")) {
      return "a TIFF file, which is not supported";
    }
    StringBuilder text =
        new StringBuilder(
            file.byteSize() == 1 ? "1 byte that is" : file.byteSize() + " bytes that begin with");
    for (int i = 0; i < Math.min(8, file.byteSize()); i++) {
      text.append(" %02X".formatted(JpegHeader.at(file, i)));
    }
    return text.toString();
  }

  private static boolean starts(MemorySegment file, int offset, String text) {
    if (file.byteSize() < offset + text.length()) {
      return false;
    }
    for (int i = 0; i < text.length(); i++) {
      if (JpegHeader.at(file, offset + i) != text.charAt(i)) {
        return false;
      }
    }
    return true;
  }
}
