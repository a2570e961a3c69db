package dev.headrace.op;

import dev.headrace.data.Plural;
import dev.headrace.data.Tensor;
import dev.headrace.data.TfRecordFormat;
import dev.headrace.data.TfRecordIndex;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import org.jspecify.annotations.Nullable;

/** A TFRecord file that is being read, record by record. Both checksums are always checked. */
abstract class RecordFile implements OpenFile {
  private final boolean quietEnd;

  /** How many records of this file came before the next one. */
  private long number;

  RecordFile(boolean quietEnd) {
    this.quietEnd = quietEnd;
  }

  /** Data or a checksum that is not what it should be, in a record whose length is known. */
  static final class DamagedData extends IOException {
    private static final long serialVersionUID = 1;

    DamagedData(String message) {
      super(message);
    }
  }

  /** Says that records are not where an index has them. */
  static final class WrongIndex extends IOException {
    private static final long serialVersionUID = 1;

    WrongIndex(String message) {
      super(message);
    }
  }

  /** The next record, or null at the end. */
  final @Nullable Tensor next() throws IOException {
    Tensor record = read();
    number++;
    return record;
  }

  /** Checks a record and passes over it; false at the end. */
  final boolean pass() throws IOException {
    boolean passed = check();
    number++;
    return passed;
  }

  abstract @Nullable Tensor read() throws IOException;

  abstract boolean check() throws IOException;

  /** How many bytes of data the next record has, or -1 at the end. */
  abstract long length() throws IOException;

  /**
   * Passes over records up to one that begins before {@code next}, where the next known one is.
   *
   * @throws WrongIndex if it does not, so that the index from which that is known does not fit
   */
  final void walk(long count, long next) throws IOException {
    walk(count);
    if (count > 0 && offset() >= next) {
      throw new WrongIndex(
          "%sexpected it before byte %d, as the index has it; the file was changed, or its index damaged: remove the index"
              .formatted(here(), next));
    }
  }

  /** The anchors around a record that must be looked at before its place is believed. */
  static int firstToCheck(TfRecordIndex index, long record) {
    return Math.max(0, index.anchorOf(record) - 1);
  }

  /**
   * Walks from one place of an index to the next, if that was not done yet.
   *
   * @throws WrongIndex if there are other records, or none
   */
  final void check(TfRecordIndex index, int anchor) throws IOException {
    if (index.isChecked(anchor)) {
      return;
    }
    TfRecordIndex.Anchor from = index.anchor(anchor);
    TfRecordIndex.Anchor to = index.anchor(anchor + 1);
    String problem;
    try {
      seek(from.offset(), from.number());
      walk(to.number() - from.number());
      problem = offset() == to.offset() ? null : "it begins at byte " + offset();
    } catch (ClosedByInterruptException e) {
      throw e; // not the index's fault
    } catch (IOException e) {
      problem = e.getMessage();
    }
    if (problem != null) {
      throw new WrongIndex(
          "expected record %d at byte %d, as the index has it, but %s; the file was changed, or its index damaged: remove the index"
              .formatted(to.number(), to.offset(), problem));
    }
    index.noteChecked(anchor);
  }

  /** Passes over records without looking at their data. */
  final void walk(long count) throws IOException {
    for (long i = 0; i < count; i++) {
      long length = length();
      if (length < 0) {
        throw new EOFException(here() + "the file has become shorter");
      }
      seek(offset() + length + TfRecordFormat.FRAME_BYTES);
      number++;
    }
  }

  /** Goes to the record of this number, which begins at this place. */
  final void seek(long offset, long record) throws IOException {
    number = record;
    seek(offset);
  }

  abstract void seek(long offset) throws IOException;

  final long number() {
    return number;
  }

  /**
   * Says what is wrong with the length of the next record, if anything is.
   *
   * @param left how many bytes there are from the start of the record on, or the most there can be
   */
  final void checkLength(long length, int crc, long left) throws IOException {
    if (crc != TfRecordFormat.lengthCrc(length)) {
      throw new IOException(
          here()
              + "the checksum of its length does not fit"
              + (offset() == 0 ? "; is this a TFRecord file, and not a packed one?" : ""));
    }
    if (length < 0 || length > left - TfRecordFormat.FRAME_BYTES) {
      throw cut(
          "its data should have "
              + Long.toUnsignedString(length)
              + " "
              + Plural.word(length, "byte"),
          left);
    }
  }

  /** The end of a file that has only these bytes of a header. */
  final void endInHeader(long left) throws IOException {
    if (left > 0 && !quietEnd) {
      throw cut("its header should have " + TfRecordFormat.HEADER_BYTES + " bytes", left);
    }
  }

  final boolean quietEnd() {
    return quietEnd;
  }

  final EOFException cut(String what, long left) {
    return new EOFException("%s%s, but the file ends after %d".formatted(here(), what, left));
  }

  final DamagedData damagedData(long length) {
    return new DamagedData(
        "%sthe checksum of its data, %d %s, does not fit"
            .formatted(here(), length, Plural.word(length, "byte")));
  }

  final String here() {
    return "record %d at byte %d: ".formatted(number, offset());
  }
}
