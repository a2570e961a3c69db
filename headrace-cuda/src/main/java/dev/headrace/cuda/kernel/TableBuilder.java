package dev.headrace.cuda.kernel;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** A table while it is filled: records, and behind them the arrays that they point to. */
final class TableBuilder {
  private static final int ALIGNMENT = 16;

  private final ByteBuffer records;
  private final List<Object> arrays = new ArrayList<>();
  private final Map<Object, Integer> places = new IdentityHashMap<>();
  private final List<Program.Address> addresses = new ArrayList<>();
  private int bytes;

  TableBuilder(int recordBytes) {
    this.records = buffer(Math.max(ALIGNMENT, recordBytes));
    this.bytes = records.capacity();
  }

  private static ByteBuffer buffer(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  void putInt(int at, int value) {
    records.putInt(at, value);
  }

  void putLong(int at, long value) {
    records.putLong(at, value);
  }

  void putAddress(int at, MemoryPlace place) {
    addresses.add(new Program.Address(at, place.buffer(), place.offset()));
  }

  /** Where an {@code int[]} or {@code float[]} lies in the table; the same one lies there once. */
  int arrayAt(Object array) {
    Integer known = places.get(array);
    if (known != null) {
      return known;
    }
    int at = bytes;
    places.put(array, at);
    arrays.add(array);
    int padded = (length(array) + ALIGNMENT / 4 - 1) / (ALIGNMENT / 4) * ALIGNMENT;
    bytes = Math.addExact(bytes, padded);
    return at;
  }

  private static int length(Object array) {
    return switch (array) {
      case int[] ints -> ints.length;
      case float[] floats -> floats.length;
      default -> throw new AssertionError(array);
    };
  }

  Program.Table build() {
    ByteBuffer all = buffer(bytes);
    all.put(0, records.array());
    for (Object array : arrays) {
      int at = arrayAt(array);
      switch (array) {
        case int[] ints ->
            all.slice(at, ints.length * 4).order(all.order()).asIntBuffer().put(ints);
        case float[] floats ->
            all.slice(at, floats.length * 4).order(all.order()).asFloatBuffer().put(floats);
        default -> throw new AssertionError(array);
      }
    }
    return new Program.Table(all.array(), addresses);
  }
}
