package dev.headrace.example;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;

/** Bytes of protobuf messages, written one behind the other. */
final class FeatureBytes {
  private byte[] bytes = new byte[64];
  private int size;

  private void makeRoom(int more) {
    if (bytes.length - size < more) {
      bytes = Arrays.copyOf(bytes, Math.max(Math.addExact(size, more), size + (size >> 1)));
    }
  }

  void varint(long value) {
    makeRoom(10);
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      bytes[size++] = (byte) (rest & 0x7F | 0x80);
      rest >>>= 7;
    }
    bytes[size++] = (byte) rest;
  }

  void delimited(int field, byte[] content) {
    delimited(field, content, content.length);
  }

  void delimited(int field, FeatureBytes content) {
    delimited(field, content.bytes, content.size);
  }

  private void delimited(int field, byte[] content, int length) {
    varint((long) field << 3 | Wire.DELIMITED);
    varint(length);
    makeRoom(length);
    System.arraycopy(content, 0, bytes, size, length);
    size += length;
  }

  /** A feature of an int64_list, packed. */
  static FeatureBytes int64s(long... values) {
    FeatureBytes packed = new FeatureBytes();
    for (long value : values) {
      packed.varint(value);
    }
    return feature(3, values.length == 0 ? new FeatureBytes() : field(1, packed));
  }

  /** A feature of a float_list, packed. */
  static FeatureBytes floats(float... values) {
    FeatureBytes packed = new FeatureBytes();
    packed.makeRoom(Math.multiplyExact(values.length, 4));
    for (float value : values) {
      int bits = Float.floatToRawIntBits(value);
      for (int shift = 0; shift < 32; shift += 8) {
        packed.bytes[packed.size++] = (byte) (bits >>> shift);
      }
    }
    return feature(2, values.length == 0 ? new FeatureBytes() : field(1, packed));
  }

  /** A feature of a bytes_list. */
  static FeatureBytes strings(byte[]... values) {
    FeatureBytes list = new FeatureBytes();
    for (byte[] value : values) {
      list.delimited(1, value);
    }
    return feature(1, list);
  }

  private static FeatureBytes feature(int field, FeatureBytes list) {
    return field(field, list);
  }

  private static FeatureBytes field(int field, FeatureBytes content) {
    FeatureBytes message = new FeatureBytes();
    message.delimited(field, content);
    return message;
  }

  /** Adds an entry of a map by text. */
  void entry(String key, FeatureBytes value) {
    FeatureBytes entry = new FeatureBytes();
    entry.delimited(1, key.getBytes(UTF_8));
    entry.delimited(2, value);
    delimited(1, entry);
  }

  byte[] toArray() {
    return Arrays.copyOf(bytes, size);
  }
}
