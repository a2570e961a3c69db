package dev.headrace.op;

import dev.headrace.data.ElementCodec;
import dev.headrace.data.HeapLayout;
import dev.headrace.data.Tensor;
import dev.headrace.spi.RecordValues;
import dev.headrace.spi.Weigher;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.reflect.Array;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What stands for a value in a set: equal where the contents are, also for tensors and arrays,
 * which Java compares by identity.
 *
 * <p>Of tensors and arrays of more than 32 bytes only the SHA-256 is kept.
 */
final class ContentKey {
  private static final int MOST_BYTES = 32;

  /** What an entry of a hash set takes besides its key and its place in the table. */
  private static final long ENTRY_BYTES = HeapLayout.object(3L * HeapLayout.REFERENCE + 4);

  private ContentKey() {}

  /** The key of a value. */
  static Object of(Object value) {
    return switch (value) {
      case Tensor tensor -> bytes(tensor);
      case Record record -> ofRecord(record);
      case Map<?, ?> map -> ofMap(map);
      case List<?> list -> ofAll(list);
      default -> value.getClass().isArray() ? ofArray(value) : value;
    };
  }

  /** How many bytes a key and its entry in a set keep alive. */
  static long bytesOf(Object key) {
    return ENTRY_BYTES + Weigher.bytesOf(key);
  }

  /**
   * Writes a key; keys are equal if their bytes are, and the other way round.
   *
   * @param classes the classes met so far, which their places in it stand for
   * @throws IllegalArgumentException if it is of a class of which that is not known
   */
  static void write(@Nullable Object key, List<Class<?>> classes, DataOutputStream out)
      throws IOException {
    switch (key) {
      case null -> out.writeByte(0);
      case Long value -> writeLong(1, value, out);
      case Integer value -> writeLong(2, value, out);
      case Short value -> writeLong(3, value, out);
      case Byte value -> writeLong(4, value, out);
      case Character value -> writeLong(5, value, out);
      case Boolean value -> writeLong(6, value ? 1 : 0, out);
      case Double value -> writeLong(7, Double.doubleToLongBits(value), out);
      case Float value -> writeLong(8, Float.floatToIntBits(value), out);
      case String value -> writeText(value, out);
      case Enum<?> value -> {
        writeLong(10, value.ordinal(), out);
        write(value.getDeclaringClass(), classes, out);
      }
      case Class<?> value -> {
        int known = classes.indexOf(value);
        if (known < 0) {
          known = classes.size();
          classes.add(value);
        }
        writeLong(11, known, out);
      }
      case Bytes value -> {
        writeLong(12, value.content.length, out);
        out.write(value.content);
      }
      case ArrayList<?> value when value.getClass() == ArrayList.class -> {
        writeLong(13, value.size(), out);
        for (Object each : value) {
          write(each, classes, out);
        }
      }
      case HashMap<?, ?> value when value.getClass() == HashMap.class ->
          writeMap(value, classes, out);
      default ->
          throw new IllegalArgumentException(
              "it is not known when two of %s are equal".formatted(key.getClass().getName()));
    }
  }

  private static void writeLong(int tag, long value, DataOutputStream out) throws IOException {
    out.writeByte(tag);
    out.writeLong(value);
  }

  /** As it is: a text may hold what no encoding of texts does, half a character. */
  private static void writeText(String text, DataOutputStream out) throws IOException {
    writeLong(9, text.length(), out);
    out.writeChars(text);
  }

  private static void writeMap(Map<?, ?> map, List<Class<?>> classes, DataOutputStream out)
      throws IOException {
    List<byte[]> entries = new ArrayList<>(map.size());
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      DataOutputStream to = new DataOutputStream(bytes);
      write(entry.getKey(), classes, to);
      write(entry.getValue(), classes, to);
      entries.add(bytes.toByteArray());
    }
    entries.sort(Arrays::compare); // equal maps may have their entries in another order
    writeLong(14, entries.size(), out);
    for (byte[] entry : entries) {
      out.write(entry);
    }
  }

  private static @Nullable Object ofNullable(@Nullable Object value) {
    return value == null ? null : of(value);
  }

  private static Object ofRecord(Record record) {
    List<@Nullable Object> values = RecordValues.of(record);
    if (values.size() != record.getClass().getRecordComponents().length) {
      return record; // its module keeps it closed: as it says itself
    }
    List<@Nullable Object> key = new ArrayList<>(values.size() + 1);
    key.add(record.getClass());
    for (Object value : values) {
      key.add(ofNullable(value));
    }
    return key;
  }

  private static Object ofMap(Map<?, ?> map) {
    Map<Object, @Nullable Object> key = new HashMap<>();
    map.forEach((name, value) -> key.put(name, ofNullable(value)));
    return key;
  }

  private static Object ofAll(Collection<?> values) {
    List<@Nullable Object> key = new ArrayList<>(values.size());
    for (Object value : values) {
      key.add(ofNullable(value));
    }
    return key;
  }

  private static Object ofArray(Object array) {
    if (array instanceof byte[]
        || array instanceof long[]
        || array instanceof int[]
        || array instanceof float[]
        || array instanceof double[]) {
      return bytes(array);
    }
    List<@Nullable Object> key = new ArrayList<>();
    for (int i = 0; i < Array.getLength(array); i++) {
      key.add(ofNullable(Array.get(array, i)));
    }
    return key;
  }

  private static Bytes bytes(Object value) {
    byte[] content = new ElementCodec().encode(value);
    if (content.length > MOST_BYTES) {
      try {
        content = MessageDigest.getInstance("SHA-256").digest(content);
      } catch (NoSuchAlgorithmException e) {
        throw new AssertionError("every Java platform has SHA-256", e);
      }
    }
    return new Bytes(content);
  }

  private static final class Bytes {
    private final byte[] content;

    Bytes(byte[] content) {
      this.content = content;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Bytes that && Arrays.equals(content, that.content);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(content);
    }
  }
}
