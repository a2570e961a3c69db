package dev.headrace.image;

/** Decodes with OpenCV. */
final class OpenCvDecoder {
  private OpenCvDecoder() {}

  static JpegDecoder find() {
    throw new IllegalStateException("no OpenCV");
  }
}
