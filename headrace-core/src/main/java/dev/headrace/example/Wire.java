package dev.headrace.example;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.headrace.data.Plural;
import java.lang.foreign.MemorySegment;

/**
 * Reads the protobuf wire format of one record, field by field. Everything is checked against the
 * end of the part being read before it is touched.
 *
 * <p><b>Threading:</b> of one thread.
 */
final class Wire {
  /** Says what is wrong with a record, and where; caught and completed, never shown as it is. */
  static final class Malformed extends RuntimeException {
    private static final long serialVersionUID = 1;
    final int offset;

    Malformed(String message, int offset) {
      super(message, null, false, false);
      this.offset = offset;
    }
  }

  static final int VARINT = 0;
  static final int FIXED64 = 1;
  static final int DELIMITED = 2;
  static final int FIXED32 = 5;

  private MemorySegment record = MemorySegment.NULL;
  private int at;
  private int end;

  /** The record and the part of it to read. */
  Wire on(MemorySegment newRecord, int from, int to) {
    record = newRecord;
    at = from;
    end = to;
    return this;
  }

  void release() {
    record = MemorySegment.NULL;
  }

  boolean hasMore() {
    return at < end;
  }

  int at() {
    return at;
  }

  /** The next field's number and wire type, as protobuf packs them. */
  int tag() {
    int start = at;
    long tag = varint();
    if (tag >>> 32 != 0 || tag >>> 3 == 0) {
      throw new Malformed("a field number, but got tag " + Long.toUnsignedString(tag), start);
    }
    return (int) tag;
  }

  /** The next variable-length number, of at most ten bytes; bits beyond 64 are dropped. */
  long varint() {
    int start = at;
    long value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      if (at >= end) {
        throw new Malformed("the rest of a number, but it ends", start);
      }
      byte next = record.get(JAVA_BYTE, at++);
      value |= (long) (next & 0x7F) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw new Malformed("a number of at most 10 bytes, but got more", start);
  }

  /** Reads the length of a delimited field, which lies within what is left. */
  int length() {
    int start = at;
    long length = varint();
    if (length < 0 || length > end - at) {
      throw new Malformed(
          "a length of at most %d, but got %s".formatted(end - at, Long.toUnsignedString(length)),
          start);
    }
    return (int) length;
  }

  /** Passes over bytes, which are known to be there. */
  void pass(int bytes) {
    at += bytes;
  }

  /** Passes over the field whose tag was read. */
  void skip(int tag) {
    int start = at;
    switch (tag & 7) {
      case VARINT -> varint();
      case FIXED64 -> need(8, start);
      case DELIMITED -> pass(length());
      case FIXED32 -> need(4, start);
      default -> throw new Malformed("a field, but got one of wire type " + (tag & 7), start);
    }
  }

  private void need(int bytes, int start) {
    if (end - at < bytes) {
      throw new Malformed(
          "%d %s, but %d %s left"
              .formatted(bytes, Plural.word(bytes, "byte"), end - at, end - at == 1 ? "is" : "are"),
          start);
    }
    at += bytes;
  }
}
