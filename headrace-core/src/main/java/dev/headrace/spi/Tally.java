package dev.headrace.spi;

/**
 * About how many bytes the elements of a chunk weigh, while it is being filled or worked on.
 *
 * <p>Small elements are weighed one of four: it tells when to stop, not what to charge.
 */
public final class Tally {
  private static final long SMALL_BYTES = 2048;
  private static final int SMALL_AT_ONCE = 4;

  private long bytes;
  private long last;
  private int toCome;

  /** What was added so far. */
  public long bytes() {
    return bytes;
  }

  /** Begins again with nothing. */
  public void reset() {
    bytes = 0;
    toCome = 0;
  }

  /** Adds an element. */
  public void add(Object element) {
    if (toCome > 0) {
      toCome--;
    } else {
      last = Weigher.bytesOf(element);
      toCome = last < SMALL_BYTES ? SMALL_AT_ONCE - 1 : 0;
    }
    bytes += last;
  }

  /** Adds some elements of a chunk. */
  void addAll(Chunk from, int start, int count) {
    for (int i = start; i < start + count && bytes < Chunk.FULL_BYTES; i++) {
      Object item = from.items()[i];
      if (item != null) {
        add(item);
      }
    }
  }
}
