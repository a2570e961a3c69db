package dev.headrace.spi;

import org.jspecify.annotations.Nullable;

/**
 * About how many bytes the elements of a chunk weigh, while it is being filled or worked on.
 *
 * <p>Of small elements one in four is weighed: the tally tells when to stop, not what to charge.
 */
public final class Tally {
  private static final long SMALL_BYTES = 2048;
  private static final int SMALL_AT_ONCE = 4;

  /** Made when the first object is weighed: chunks of longs need none. */
  private Weigher.@Nullable Walk walk;

  private long bytes;

  /** The element that is weighed next; those before it are counted. */
  private int next;

  /** Begins again with nothing. */
  public void reset() {
    bytes = 0;
    next = 0;
  }

  /**
   * What the elements before {@code end} weigh, among them those that were counted before, and up
   * to three small ones that follow.
   */
  public long upTo(Chunk chunk, int end) {
    return chunk.inLongs() ? bytes : upTo(chunk.items(), end); // longs lie in the chunk itself
  }

  /** The same for elements that lie in the lane of objects, or will. */
  public long upTo(@Nullable Object[] items, int end) {
    Weigher.Walk by = walk;
    if (by == null && next < end) {
      by = new Weigher.Walk();
      walk = by;
    }
    while (by != null && next < end) {
      Object item = items[next];
      long each = item == null ? 0 : by.bytesOf(item);
      int count = each < SMALL_BYTES ? SMALL_AT_ONCE : 1;
      bytes += count * each;
      next += count;
    }
    return bytes;
  }
}
