package dev.headrace.example;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Parses examples into columns.
 *
 * <p><b>Threading:</b> of one thread.
 */
final class ExampleReader {
  /* A record is read in two ways. Entries of the map as every writer makes them (lengths below 128,
   * key before value, one list, packed) are read in a window, a copy of the record in an array,
   * where all checks together are a few comparisons. Whatever is not quite like that is given back
   * unread, and read field by field from the record itself, which accepts what protobuf accepts.
   *
   * Records of up to WINDOW bytes are copied as a whole. Of longer ones, pieces are copied where an
   * entry begins, so that a large image is never touched. */

  private static final int WINDOW = 4096;
  private static final int PIECE = 512;

  /** The longest entry that is read in the window, and how far ahead it must be filled. */
  private static final int MOST_USUAL = 2 + 127;

  private static final byte FIRST = 1 << 3 | Wire.DELIMITED;
  private static final byte SECOND = 2 << 3 | Wire.DELIMITED;
  private static final int MOST_KEY = 1 << 16;

  private final Column[] columns;
  private final Keys keys;
  private final Wire wire = new Wire();
  private final byte[] window = new byte[WINDOW + Keys.LOOK_AHEAD + Values.SLACK];
  private byte[] keyBytes = new byte[256 + Values.SLACK];

  private MemorySegment record = MemorySegment.NULL;
  private int size;
  private int windowFrom;
  private int windowTo;

  /** Whether an entry of the example was not written in the usual way. */
  private boolean unusual;

  /** What is being read, for messages. */
  private String place = "";

  /**
   * @param wanted the columns that a key's values go to
   */
  ExampleReader(List<Column> columns, Function<String, List<Column>> wanted) {
    this.columns = columns.toArray(Column[]::new);
    this.keys = new Keys(wanted);
  }

  /** Starts again, for this many rows. */
  void begin(int rows) {
    for (Column column : columns) {
      column.begin(rows);
    }
  }

  /** Lets go of records and values. */
  void release() {
    record = MemorySegment.NULL;
    wire.release();
    for (Column column : columns) {
      column.release();
    }
  }

  /** Parses one example as a row. */
  void read(MemorySegment example, int row) {
    open(example);
    unusual = false;
    int seen = 0;
    int at = 0;
    while (at < size) {
      wire.on(record, at, size);
      int tag = wire.tag();
      if (tag == FIRST) {
        int length = wire.length();
        at = wire.at();
        seen += readFeatures(at, at + length, row);
        at += length;
      } else {
        wire.skip(tag);
        at = wire.at();
      }
    }
    if (unusual || seen != columns.length) {
      endRow(row);
    }
  }

  void open(MemorySegment example) {
    if (example.byteSize() > Integer.MAX_VALUE - WINDOW) {
      throw new Wire.Malformed("at most 2 GB, but got " + example.byteSize() + " bytes", 0);
    }
    record = example;
    size = (int) example.byteSize();
    windowFrom = 0;
    windowTo = size <= WINDOW ? size : 0;
    MemorySegment.copy(record, JAVA_BYTE, 0, window, 0, windowTo);
  }

  int size() {
    return size;
  }

  Wire wire() {
    return wire;
  }

  MemorySegment record() {
    return record;
  }

  /** Says which feature is being read, for messages. */
  void at(String key) {
    place = key;
  }

  /** Ends a row of all columns. */
  void endRow(int row) {
    for (Column column : columns) {
      place = column.key;
      column.endRow(row);
    }
    place = "";
  }

  /**
   * Reads a map of features.
   *
   * @return how many columns were filled in the usual way
   */
  int readFeatures(int from, int to, int row) {
    byte[] bytes = window;
    Keys.Key last = keys.start;
    int seen = 0;
    int next = from;
    while (next < to) {
      if (windowTo - next < MOST_USUAL && windowTo < size) {
        fill(next);
      }
      int base = windowFrom;
      int at = next - base;
      int limit = Math.min(to, windowTo) - base;
      int end = at + 2 + bytes[at + 1];
      Keys.Key key = last.next;
      if (!key.opens(bytes, at)) {
        key = usualKey(bytes, at, limit);
      }
      if (key != null && end - at - key.opening >= 1 && end <= limit) {
        int value = at + key.opening;
        last.next = key;
        last = key;
        Column column = key.only;
        if (column == null) {
          if (key.columns.length == 0 && bytes[value] == end - value - 1) {
            next = base + end;
            continue;
          }
        } else if (!(key.isLoose && column.isExact(row))
            && column.readUsual(bytes, value, end, record, base, row)) {
          column.found(row, key.isLoose);
          seen++;
          next = base + end;
          continue;
        }
      }
      next = readField(next, to, row);
    }
    return seen;
  }

  /** The key of an entry that begins in the usual way, or null if it does not. */
  private Keys.@Nullable Key usualKey(byte[] bytes, int at, int limit) {
    int end = at + 2 + bytes[at + 1];
    int length = bytes[at + 3];
    int value = at + 4 + length;
    return limit - at >= 6
            && bytes[at] == FIRST
            && bytes[at + 2] == FIRST
            && length > 0
            && end <= limit
            && end - value >= 2
            && bytes[value] == SECOND
        ? keys.find(bytes, at + 4, length)
        : null;
  }

  private void fill(int from) {
    windowFrom = from;
    windowTo = Math.min(size, from + PIECE);
    MemorySegment.copy(record, JAVA_BYTE, from, window, 0, windowTo - from);
  }

  /** Reads one field of a map of features, however it is written; returns where it ends. */
  private int readField(int from, int to, int row) {
    unusual = true;
    wire.on(record, from, to);
    int tag = wire.tag();
    if (tag != FIRST) {
      wire.skip(tag);
      return wire.at();
    }
    int length = wire.length();
    int start = wire.at();
    int end = start + length;
    Keys.Key key = keyOf(start, end);
    for (Column column : key.columns) {
      if (key.isLoose && column.isExact(row)) {
        continue;
      }
      column.found(row, key.isLoose);
      place = column.key;
      column.beginFeature(row);
      int at = start;
      while (at < end) {
        wire.on(record, at, end);
        int field = wire.tag();
        if (field == SECOND) {
          int bytes = wire.length();
          at = wire.at() + bytes;
          column.readFeature(wire, record, at - bytes, at);
        } else {
          wire.skip(field);
          at = wire.at();
        }
      }
      column.endFeature(row);
      place = "";
    }
    return end;
  }

  /** The columns of an entry of a map. */
  Column[] columnsOf(int from, int to) {
    return keyOf(from, to).columns;
  }

  /** The last key of an entry of a map, which counts, as protobuf has it. */
  private Keys.Key keyOf(int from, int to) {
    int keyFrom = from;
    int keyLength = 0;
    wire.on(record, from, to);
    while (wire.hasMore()) {
      int field = wire.tag();
      if (field == FIRST) {
        keyLength = wire.length();
        keyFrom = wire.at();
        wire.pass(keyLength);
      } else {
        wire.skip(field);
      }
    }
    if (keyLength > MOST_KEY) {
      return keys.start; // no column has a key of that length
    }
    if (keyBytes.length < keyLength + Values.SLACK) {
      keyBytes = new byte[keyLength + Values.SLACK];
    }
    MemorySegment.copy(record, JAVA_BYTE, keyFrom, keyBytes, 0, keyLength);
    return keys.find(keyBytes, 0, keyLength);
  }

  /** Completes an error with where it is. */
  IllegalArgumentException failure(String word, Wire.Malformed error, int row, boolean single) {
    StringBuilder text = new StringBuilder(word);
    if (!single) {
      text.append(" ").append(row).append(" of the batch");
    }
    if (!place.isEmpty()) {
      text.append(": feature '").append(place).append("'");
    }
    place = "";
    if (error.offset < 0) {
      return new IllegalArgumentException(text + ": " + error.getMessage());
    }
    return new IllegalArgumentException(
        "%s: expected %s, at byte %d of %d; is it a serialised tf.train.%s?"
            .formatted(
                text,
                error.getMessage(),
                error.offset,
                size,
                word.equals("example") ? "Example" : "SequenceExample"));
  }
}
