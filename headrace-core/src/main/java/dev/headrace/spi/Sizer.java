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
    return switch (element) {
      case Tensor tensor -> tensor.lease() != null ? 48 : 48 + tensor.byteSize();
      case Number _, Boolean _, Character _ -> 24;
      case byte[] bytes -> 16L + bytes.length;
      case CharSequence text -> 40L + text.length();
      case Record record -> bytesOfRecord(record);
      case Map<?, ?> map -> 48 + sum(map.values()) + 48L * map.size();
      case Collection<?> items -> 48 + sum(items);
      case Object[] items -> 16 + sum(java.util.Arrays.asList(items));
      default ->
          element.getClass().isArray()
              ? 16 + 8L * Array.getLength(element)
              : UNKNOWN_OBJECT_BYTES;
    };
  }

  private static long sum(Collection<?> items) {
    long bytes = 0;
    for (Object item : items) {
      bytes += item == null ? 4 : bytesOf(item);
    }
    return bytes;
  }

  private static long bytesOfRecord(Record record) {
    long bytes = 16;
    for (Object value : RecordValues.of(record)) {
      bytes += value == null ? 4 : bytesOf(value);
    }
    return bytes;
  }
}
