package dev.headrace.spi;

import dev.headrace.data.Tensor;
import java.lang.reflect.Array;
import java.util.Collection;
import java.util.Map;

/** Estimates how many bytes an element keeps alive on the heap. */
public final class Sizer {
  /** What an object of unknown make is taken to weigh. */
  public static final long UNKNOWN_OBJECT_BYTES = 64;

  private static final int SAMPLES = 4;
  private static final int MOST_ITEMS = 64;
  private static final int DEEPEST = 8;

  private Sizer() {}

  /** The bytes of a chunk, from a few of its elements. */
  public static long bytesOf(Chunk chunk) {
    int size = chunk.size();
    if (chunk.inLongs()) {
      return 8L * size;
    }
    int samples = Math.min(SAMPLES, size);
    long sampled = 0;
    for (int i = 0; i < samples; i++) {
      sampled += bytesOf(chunk.item((int) ((long) i * size / samples)));
    }
    return samples == 0 ? 0 : sampled * size / samples;
  }

  public static long bytesOf(Object element) {
    try {
      return bytesOf(element, 0);
    } catch (RuntimeException | StackOverflowError e) {
      return UNKNOWN_OBJECT_BYTES; // a collection of the user that cannot be walked
    }
  }

  private static long bytesOf(Object element, int depth) {
    if (depth > DEEPEST) {
      return UNKNOWN_OBJECT_BYTES;
    }
    return switch (element) {
      case Tensor tensor -> 48 + tensor.heapBytes();
      case Weighed weighed -> weighed.heapBytes();
      case Number _, Boolean _, Character _ -> 24;
      case byte[] bytes -> 16L + bytes.length;
      case CharSequence text -> 40L + text.length();
      case Plan<?> plan -> 16 + bytesOf(plan.op(), depth + 1); // a window holds its elements
      case Record record -> 16 + sum(RecordValues.of(record), depth);
      case Map<?, ?> map -> 48 + sum(map.values(), depth) + 48L * map.size();
      case Collection<?> items -> 48 + sum(items, depth);
      case Object[] items -> 16 + sum(java.util.Arrays.asList(items), depth);
      default ->
          element.getClass().isArray() ? 16 + 8L * Array.getLength(element) : UNKNOWN_OBJECT_BYTES;
    };
  }

  /** The sum over the first items, scaled up to all of them. */
  private static long sum(Collection<?> items, int depth) {
    long bytes = 0;
    int seen = 0;
    for (Object item : items) {
      if (seen == MOST_ITEMS) {
        return bytes / seen * items.size();
      }
      bytes += item == null ? 4 : bytesOf(item, depth + 1);
      seen++;
    }
    return bytes;
  }
}
