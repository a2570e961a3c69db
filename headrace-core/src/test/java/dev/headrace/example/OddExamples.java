package dev.headrace.example;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Writes examples in all the ways that protobuf allows, and breaks them. */
final class OddExamples {
  static final List<String> KEYS =
      List.of("i", "label", "I13", "a key of some length", "eightlen", "x", "C26", "text");

  private final Random random;

  OddExamples(long seed) {
    random = new Random(seed);
  }

  /** A random example; usual ones and odd ones. */
  byte[] next() {
    boolean odd = random.nextInt(3) == 0;
    ByteArrayOutputStream features = new ByteArrayOutputStream();
    List<String> keys = new ArrayList<>(KEYS);
    if (random.nextBoolean()) {
      Collections.shuffle(keys, random);
    }
    for (String key : keys) {
      int times = odd && random.nextInt(6) == 0 ? 2 : random.nextInt(8) == 0 ? 0 : 1;
      for (int i = 0; i < times; i++) {
        delimited(features, 1, entry(key, odd), odd);
      }
      if (odd && random.nextInt(6) == 0) {
        unknown(features);
      }
    }
    ByteArrayOutputStream example = new ByteArrayOutputStream();
    if (odd && random.nextInt(4) == 0) {
      unknown(example);
    }
    delimited(example, 1, features.toByteArray(), odd);
    if (odd && random.nextInt(4) == 0) {
      ByteArrayOutputStream more = new ByteArrayOutputStream();
      delimited(more, 1, entry(KEYS.get(random.nextInt(KEYS.size())), true), true);
      delimited(example, 1, more.toByteArray(), false);
    }
    return example.toByteArray();
  }

  private byte[] entry(String key, boolean odd) {
    ByteArrayOutputStream entry = new ByteArrayOutputStream();
    byte[] value = feature(kind(key, odd), odd);
    boolean valueFirst = odd && random.nextInt(4) == 0;
    if (valueFirst) {
      delimited(entry, 2, value, odd);
    }
    if (!odd || random.nextInt(30) != 0) {
      delimited(entry, 1, key.getBytes(UTF_8), odd);
    }
    if (odd && random.nextInt(6) == 0) {
      unknown(entry);
    }
    if (!valueFirst && (!odd || random.nextInt(30) != 0)) {
      delimited(entry, 2, value, odd);
    }
    if (odd && random.nextInt(10) == 0) {
      delimited(entry, 2, feature(kind(key, true), true), true);
    }
    return entry.toByteArray();
  }

  /** The kind that goes with a key, mostly. */
  static int kindOf(String key) {
    return key.startsWith("I") || key.equals("x") ? 2 : key.equals("text") ? 1 : 3;
  }

  private int kind(String key, boolean odd) {
    return odd && random.nextInt(12) == 0 ? 1 + random.nextInt(3) : kindOf(key);
  }

  private byte[] feature(int kind, boolean odd) {
    ByteArrayOutputStream feature = new ByteArrayOutputStream();
    if (odd && random.nextInt(12) == 0) {
      return feature.toByteArray();
    }
    int lists = odd && random.nextInt(8) == 0 ? 2 : 1;
    for (int i = 0; i < lists; i++) {
      int each = odd && random.nextInt(20) == 0 ? 1 + random.nextInt(3) : kind;
      delimited(feature, each, list(each, odd), odd);
      if (odd && random.nextInt(8) == 0) {
        unknown(feature);
      }
    }
    return feature.toByteArray();
  }

  private byte[] list(int kind, boolean odd) {
    ByteArrayOutputStream list = new ByteArrayOutputStream();
    int chunks = odd && random.nextInt(6) == 0 ? 2 : 1;
    for (int chunk = 0; chunk < chunks; chunk++) {
      boolean packed = !odd || random.nextBoolean();
      int count = random.nextInt(6) == 0 ? random.nextInt(40) : 1;
      ByteArrayOutputStream values = new ByteArrayOutputStream();
      for (int i = 0; i < count; i++) {
        switch (kind) {
          case 1 -> {
            byte[] bytes = new byte[random.nextInt(8) == 0 ? random.nextInt(300) : 3];
            random.nextBytes(bytes);
            delimited(list, 1, bytes, odd);
          }
          case 2 -> {
            if (!packed) {
              varint(list, 1 << 3 | 5, odd);
            }
            int bits = random.nextInt();
            for (int b = 0; b < 4; b++) {
              (packed ? values : list).write(bits >>> 8 * b);
            }
          }
          default -> {
            if (!packed) {
              varint(list, 1 << 3, odd);
            }
            varint(packed ? values : list, random.nextLong() >>> random.nextInt(64), odd);
          }
        }
      }
      if (kind != 1 && packed) {
        delimited(list, 1, values.toByteArray(), odd);
      }
      if (odd && random.nextInt(8) == 0) {
        unknown(list);
      }
    }
    return list.toByteArray();
  }

  private void unknown(ByteArrayOutputStream out) {
    int number = 4 + random.nextInt(100);
    switch (random.nextInt(4)) {
      case 0 -> {
        varint(out, (long) number << 3, false);
        varint(out, random.nextLong(), false);
      }
      case 1 -> {
        varint(out, (long) number << 3 | 1, false);
        out.writeBytes(new byte[8]);
      }
      case 2 -> {
        varint(out, (long) number << 3 | 5, false);
        out.writeBytes(new byte[4]);
      }
      default -> delimited(out, number, new byte[random.nextInt(20)], false);
    }
  }

  private void delimited(ByteArrayOutputStream out, int field, byte[] content, boolean odd) {
    varint(out, (long) field << 3 | 2, odd);
    varint(out, content.length, odd);
    out.writeBytes(content);
  }

  /** A number, now and then with more bytes than it needs. */
  private void varint(ByteArrayOutputStream out, long value, boolean odd) {
    int written = 1;
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      out.write((int) (rest & 0x7F | 0x80));
      rest >>>= 7;
      written++;
    }
    int more = odd && random.nextInt(25) == 0 ? random.nextInt(11 - written) : 0;
    out.write((int) rest | (more > 0 ? 0x80 : 0));
    for (int i = 0; i < more; i++) {
      out.write(i + 1 < more ? 0x80 : 0);
    }
  }

  /** A record with a few bytes changed, added, lost or swapped. */
  byte[] broken(byte[] record) {
    byte[] result = record.clone();
    int changes = 1 + random.nextInt(3);
    for (int i = 0; i < changes && result.length > 0; i++) {
      int at = random.nextInt(result.length);
      switch (random.nextInt(6)) {
        case 0 -> result[at] = (byte) random.nextInt(256);
        case 1 -> result[at] ^= (byte) (1 << random.nextInt(8));
        case 2 -> result = java.util.Arrays.copyOf(result, at);
        case 3 -> {
          byte[] longer = new byte[result.length + 1];
          System.arraycopy(result, 0, longer, 0, at);
          longer[at] = (byte) random.nextInt(256);
          System.arraycopy(result, at, longer, at + 1, result.length - at);
          result = longer;
        }
        case 4 -> result[at] = (byte) (result[at] + random.nextInt(5) - 2);
        default -> result[at] = (byte) 0xFF;
      }
    }
    return result;
  }
}
