package dev.headrace.spi;

import dev.headrace.data.HeapLayout;
import org.jspecify.annotations.Nullable;

/**
 * The name of one element: its ordinal in a source, under the ids of what the source was opened for
 * (a repetition, the element an interleaved child was made from).
 */
public record Id(@Nullable Id parent, long ordinal) {
  /** What an id takes on the heap; its parent is shared with others. */
  public static final long BYTES = HeapLayout.object(HeapLayout.REFERENCE + 8);

  /** The id with these ordinals, from the outermost inwards; null for none. */
  public static @Nullable Id ofPath(long[] ordinals) {
    Id id = null;
    for (long ordinal : ordinals) {
      id = new Id(id, ordinal);
    }
    return id;
  }

  /** The ordinals of an id, from the outermost inwards; none for null. */
  public static long[] path(@Nullable Id id) {
    int depth = 0;
    for (Id at = id; at != null; at = at.parent) {
      depth++;
    }
    long[] ordinals = new long[depth];
    for (Id at = id; at != null; at = at.parent) {
      ordinals[--depth] = at.ordinal;
    }
    return ordinals;
  }

  /** A 64-bit mix of the whole path, the key of per-element randomness. */
  public long mixed() {
    return mix((parent == null ? 0x9E3779B97F4A7C15L : parent.mixed()) ^ mix(ordinal + 1));
  }

  static long mix(long bits) {
    long z = (bits ^ (bits >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }

  /** Ordinals from the outermost inwards: {@code 3/17}. */
  @Override
  public String toString() {
    return parent == null ? Long.toString(ordinal) : parent + "/" + ordinal;
  }
}
