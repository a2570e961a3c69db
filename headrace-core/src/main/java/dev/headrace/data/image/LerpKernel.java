package dev.headrace.data.image;

/**
 * The loops of a bilinear resize. All kernels give the same bits: {@code a + (b - a) * weight},
 * rounded after each operation.
 */
interface LerpKernel {
  /** Prepares a row of unsigned bytes, once, for {@link #blend}. */
  void prepare(byte[] row, int length);

  /** Writes to {@code into} what lies between two prepared rows, element by element. */
  void blend(byte[] top, byte[] bottom, float weight, float[] into, int length);

  /**
   * Writes to {@code into} what lies between the pixels of a row that {@code columns} names; both
   * arrays have {@link Rows#SLACK}.
   */
  void spread(float[] row, Lerp columns, int channels, float[] into);
}
