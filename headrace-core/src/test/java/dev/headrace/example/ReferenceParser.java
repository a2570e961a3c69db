package dev.headrace.example;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Parses an example as slowly and plainly as it can be written, to compare with: whole messages
 * become lists of fields, and lists of fields become features.
 */
final class ReferenceParser {
  /** The record is not one. */
  static final class Rejected extends Exception {
    private static final long serialVersionUID = 1;
  }

  /**
   * @param kind 1 bytes, 2 floats, 3 int64
   * @param values Strings of Latin-1, float bits as Integers, Longs
   */
  record Parsed(int kind, List<Object> values) {}

  private record Field(int number, int type, long varint, byte[] content) {}

  private ReferenceParser() {}

  /**
   * @param wanted by key, the kind that is asked for; other values are not looked at
   */
  static Map<String, Parsed> parse(byte[] record, Map<String, Integer> wanted) throws Rejected {
    Map<String, Parsed> features = new LinkedHashMap<>();
    for (Field map : fields(record)) {
      if (map.number == 1 && map.type == 2) {
        for (Field entry : fields(map.content)) {
          if (entry.number == 1 && entry.type == 2) {
            entry(entry.content, wanted, features);
          }
        }
      }
    }
    return features;
  }

  private static void entry(
      byte[] content, Map<String, Integer> wanted, Map<String, Parsed> features) throws Rejected {
    String key = "";
    List<Field> parts = fields(content);
    for (Field part : parts) {
      if (part.number == 1 && part.type == 2) {
        key = new String(part.content, UTF_8);
      }
    }
    Integer kind = wanted.get(key);
    if (kind == null) {
      return;
    }
    int found = 0;
    List<Object> values = new ArrayList<>();
    for (Field part : parts) {
      if (part.number != 2 || part.type != 2) {
        continue;
      }
      for (Field list : fields(part.content)) {
        if (list.number <= 3 && list.type == 2) {
          if (found != list.number) {
            values.clear();
          }
          found = list.number;
          if (found == kind) {
            list(list, values);
          }
        }
      }
    }
    if (found != 0) {
      features.put(key, new Parsed(found, values));
    }
  }

  private static void list(Field list, List<Object> values) throws Rejected {
    for (Field field : fields(list.content)) {
      if (field.number != 1) {
        continue;
      }
      switch (list.number) {
        case 1 -> {
          if (field.type == 2) {
            values.add(new String(field.content, java.nio.charset.StandardCharsets.ISO_8859_1));
          }
        }
        case 2 -> {
          if (field.type == 5 || field.type == 2) {
            if (field.content.length % 4 != 0) {
              throw new Rejected();
            }
            for (int i = 0; i < field.content.length; i += 4) {
              int bits = 0;
              for (int b = 3; b >= 0; b--) {
                bits = bits << 8 | field.content[i + b] & 0xFF;
              }
              values.add(bits);
            }
          }
        }
        default -> {
          if (field.type == 0) {
            values.add(field.varint);
          } else if (field.type == 2) {
            int[] at = {0};
            while (at[0] < field.content.length) {
              values.add(varint(field.content, at));
            }
          }
        }
      }
    }
  }

  private static List<Field> fields(byte[] message) throws Rejected {
    List<Field> fields = new ArrayList<>();
    int[] at = {0};
    while (at[0] < message.length) {
      long tag = varint(message, at);
      int type = (int) (tag & 7);
      if (tag < 0 || tag > 0xFFFFFFFFL || tag >>> 3 == 0) {
        throw new Rejected();
      }
      long number = 0;
      long bytes = 0;
      switch (type) {
        case 0 -> number = varint(message, at);
        case 1 -> bytes = 8;
        case 2 -> bytes = varint(message, at);
        case 5 -> bytes = 4;
        default -> throw new Rejected();
      }
      if (bytes < 0 || bytes > message.length - at[0]) {
        throw new Rejected();
      }
      byte[] content = Arrays.copyOfRange(message, at[0], at[0] + (int) bytes);
      at[0] += (int) bytes;
      fields.add(new Field((int) (tag >>> 3), type, number, content));
    }
    return fields;
  }

  private static long varint(byte[] message, int[] at) throws Rejected {
    long value = 0;
    for (int i = 0; i < 10; i++) {
      if (at[0] == message.length) {
        throw new Rejected();
      }
      byte next = message[at[0]++];
      value |= (long) (next & 0x7F) << 7 * i;
      if (next >= 0) {
        return value;
      }
    }
    throw new Rejected();
  }
}
