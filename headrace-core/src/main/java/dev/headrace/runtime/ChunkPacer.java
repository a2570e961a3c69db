package dev.headrace.runtime;

/**
 * Chooses the length of the next chunk, so that one takes a few hundred microseconds.
 *
 * <p>The first chunk has one element and lengths at most double, so that a slow function is noticed
 * at its first element, not after a long chunk.
 */
final class ChunkPacer {
  private static final long TARGET_NS = 500_000;

  /** The longest chunk. */
  static final int LONGEST = 1024;

  private int length = 1;

  int length() {
    return length;
  }

  /** Takes note of how long a chunk of {@code elements} took. */
  void observe(int elements, long ns) {
    if (elements == 0) {
      return;
    }
    long fitting = TARGET_NS * elements / Math.max(ns, 1);
    int doubled = elements >= length ? Math.min(2 * length, LONGEST) : length;
    length = (int) Math.max(1, Math.min(fitting, doubled));
  }
}
