package dev.headrace.spi;

import dev.headrace.data.Plural;
import java.io.IOException;
import java.time.Instant;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A part of what a source reads, small enough to be sent to another process, which reads just that
 * part. The records of all parts together are those of the source, each once.
 *
 * <p>(Not to be confused with {@code Pipeline.split}, which shares the elements of one running
 * pipeline among threads.)
 *
 * @param uri the file, as its store calls it
 * @param fromByte where the part begins in the file
 * @param toByte where it ends, or -1 for the end of the file
 * @param firstRecord which record of the file is the first, from 0
 * @param records how many places of records it has, or -1 for all from there on
 * @param estimatedBytes about how much is to be read
 * @param fileBytes how large the file was when it was taken apart, or -1 if that is not known
 * @param fileModifiedMs when the file had been changed last by then, in milliseconds
 */
public record InputSplit(
    String uri,
    long fromByte,
    long toByte,
    long firstRecord,
    long records,
    long estimatedBytes,
    long fileBytes,
    long fileModifiedMs) {
  private static final int LONGEST_TEXT = 1 << 16;
  private static final Pattern TEXT =
      Pattern.compile(
          "split1 bytes=(\\d{1,18})-(\\d{0,18}) records=(\\d{1,18})\\+(\\d{0,18})"
              + " estimated=(\\d{1,18}) file=(?:(\\d{1,18})@(-?\\d{1,18}))? (.+)",
          Pattern.DOTALL);

  public InputSplit {
    Objects.requireNonNull(uri, "split: expected a file, but got null");
    if (uri.isBlank()
        || fromByte < 0
        || toByte < -1
        || (toByte >= 0 && toByte < fromByte)
        || firstRecord < 0
        || records < -1
        || estimatedBytes < 0
        || fileBytes < -1) {
      throw new IllegalArgumentException(
          "split: expected a file with a range of bytes and records, but got '%s' bytes %d to %d, %d %s from %d on, about %d %s"
              .formatted(
                  uri,
                  fromByte,
                  toByte,
                  records,
                  Plural.word(records, "record"),
                  firstRecord,
                  estimatedBytes,
                  Plural.word(estimatedBytes, "byte")));
    }
  }

  /** A part of a file that may change, if it then still has such a part. */
  public InputSplit(
      String uri, long fromByte, long toByte, long firstRecord, long records, long estimatedBytes) {
    this(uri, fromByte, toByte, firstRecord, records, estimatedBytes, -1, 0);
  }

  /** A file as a whole. */
  public static InputSplit ofFile(String uri, long bytes) {
    return new InputSplit(uri, 0, -1, 0, -1, bytes);
  }

  /** The same part, which is only to be read while the file is as it is now. */
  public InputSplit of(Store.Facts now) {
    return new InputSplit(
        uri, fromByte, toByte, firstRecord, records, estimatedBytes, now.size(), now.modifiedMs());
  }

  /** Refuses a file that is another one than was taken apart. */
  public void check(Store.Facts now) throws IOException {
    if (fileBytes >= 0 && (now.size() != fileBytes || now.modifiedMs() != fileModifiedMs)) {
      throw new IOException(
          "split: expected %s as it was taken apart, with %d %s, changed last at %s, but it now has %d %s, changed last at %s; make the splits again"
              .formatted(
                  uri,
                  fileBytes,
                  Plural.word(fileBytes, "byte"),
                  Instant.ofEpochMilli(fileModifiedMs),
                  now.size(),
                  Plural.word(now.size(), "byte"),
                  Instant.ofEpochMilli(now.modifiedMs())));
    }
  }

  /** Whether it is a file as a whole. */
  public boolean isWholeFile() {
    return fromByte == 0 && toByte == -1 && firstRecord == 0 && records == -1;
  }

  /** The split that {@link #toString} described. */
  public static InputSplit parse(String text) {
    Matcher parts = TEXT.matcher(text.length() > LONGEST_TEXT ? "" : text);
    if (!parts.matches()) {
      throw new IllegalArgumentException(
          "split: expected a text that InputSplit.toString() gave, but got '%s'"
              .formatted(text.length() > 100 ? text.substring(0, 100) + "…" : text));
    }
    return new InputSplit(
        parts.group(8),
        Long.parseLong(parts.group(1)),
        openEnded(parts.group(2)),
        Long.parseLong(parts.group(3)),
        openEnded(parts.group(4)),
        Long.parseLong(parts.group(5)),
        parts.group(6) == null ? -1 : Long.parseLong(parts.group(6)),
        parts.group(7) == null ? 0 : Long.parseLong(parts.group(7)));
  }

  private static long openEnded(String digits) {
    return digits.isEmpty() ? -1 : Long.parseLong(digits);
  }

  /** The text that {@link #parse} reads. */
  @Override
  public String toString() {
    return "split1 bytes=%d-%s records=%d+%s estimated=%d file=%s %s"
        .formatted(
            fromByte,
            toByte < 0 ? "" : Long.toString(toByte),
            firstRecord,
            records < 0 ? "" : Long.toString(records),
            estimatedBytes,
            fileBytes < 0 ? "" : fileBytes + "@" + fileModifiedMs,
            uri);
  }
}
