package dev.headrace.op;

/**
 * A file that a source is reading.
 *
 * <p><b>Threading and ownership:</b> its cursor's.
 */
interface OpenFile extends AutoCloseable {
  /** Where in the unpacked file the next record begins. */
  long offset();

  @Override
  void close();
}
