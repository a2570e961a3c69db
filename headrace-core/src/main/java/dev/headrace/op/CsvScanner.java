package dev.headrace.op;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.headrace.data.Csv;
import dev.headrace.spi.Cancelled;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Finds the rows of a file and the fields in them: quoted fields, doubled quotes, line ends within
 * quotes. Lines end with a line feed, a carriage return, or both; blank ones are passed over.
 *
 * <p>A row with misplaced quotes is {@link #problem bad}, and the next one begins in the line after
 * the problem; where a quote is never closed, in the line after the row began.
 *
 * <p><b>Threading:</b> its cursor's.
 */
final class CsvScanner {
  /** A quoted field that does not end within this many bytes was not meant to be one. */
  private static final int MOST_ROW_BYTES = 16 * 1024 * 1024;

  private enum Result {
    ROW,
    INCOMPLETE,
    BAD
  }

  private final byte delimiter;
  private final boolean quotes;

  /** The fields of the row: where each begins and ends in {@link #bytes}, without its quotes. */
  private int[] starts = new int[16];

  private int[] ends = new int[16];

  /** By field, whether doubled quotes are in it. */
  private boolean[] doubled = new boolean[16];

  private byte[] bytes = {};
  private int fields;

  private @Nullable String problem;
  private int problemField;

  /** Where the row ended, or where to look for the end of the bad line. */
  private int stop;

  /** Line ends within the row. */
  private int innerLines;

  /** The line in which the row begins, and in which the next one does; from 1. */
  private long line = 1;

  private long nextLine = 1;

  CsvScanner(Csv format) {
    this.delimiter = (byte) format.delimiter();
    this.quotes = format.quotes();
  }

  /** Begins a file, or goes on in a line of it. */
  void begin(long atLine) {
    nextLine = atLine;
  }

  /**
   * Finds the next row and moves past it; its fields can be read until more bytes are asked for.
   *
   * @return false at the end of the file
   */
  boolean next(FileBytes in) throws IOException {
    for (; ; ) {
      if (in.available() == 0 && !in.more()) {
        return false;
      }
      line = nextLine;
      problem = null;
      findRow(in);
      if (problem != null) {
        long rowAt = in.offset();
        try {
          passLine(in);
        } catch (Cancelled e) {
          in.rewind(rowAt); // the row is yet to be given
          nextLine = line;
          throw e;
        }
        return true;
      }
      nextLine = line + innerLines + 1;
      boolean isBlank = fields == 1 && stopsAtOnce(in);
      in.start = stop;
      if (!isBlank) {
        return true;
      }
    }
  }

  private boolean stopsAtOnce(FileBytes in) {
    return ends[0] == in.start; // a quoted empty field ends later
  }

  private void findRow(FileBytes in) throws IOException {
    for (; ; ) {
      Result result = scan(in.buffer, in.start, in.end, in.ended);
      bytes = in.buffer;
      if (result != Result.INCOMPLETE) {
        return;
      }
      if (in.available() > MOST_ROW_BYTES) {
        bad(
            fields,
            "expected a row of at most 16 MiB, but found no end of it; is a quote not closed?",
            in.start);
        return;
      }
      in.more(); // at the end of the file the row is scanned once more, knowing that
    }
  }

  private Result scan(byte[] in, int from, int to, boolean atEnd) {
    fields = 0;
    innerLines = 0;
    int at = from;
    for (; ; ) {
      int end;
      if (quotes && at < to && in[at] == '"') {
        end = closingQuote(in, at, to, atEnd);
        if (end < 0) {
          return problem == null ? Result.INCOMPLETE : bad(fields, problem, from);
        }
        at = end + 1;
        if (at < to && in[at] != delimiter && in[at] != '\n' && in[at] != '\r') {
          return bad(
              fields - 1, "expected a delimiter after the closing quote, but got more text", at);
        }
      } else {
        int begin = at;
        byte last = 0;
        while (at < to && (last = in[at]) != delimiter && last != '\n' && last != '\r') {
          if (last == '"' && quotes) {
            return bad(
                fields,
                "expected no quote within a field that does not begin with one; quote the field"
                    + " and double the quote",
                at);
          }
          at++;
        }
        add(begin, at, false);
      }
      if (at == to) {
        stop = at;
        return atEnd ? Result.ROW : Result.INCOMPLETE;
      }
      if (in[at] == '\n') {
        stop = at + 1;
        return Result.ROW;
      }
      if (in[at] == '\r') {
        if (at + 1 == to && !atEnd) {
          return Result.INCOMPLETE;
        }
        stop = at + 1 < to && in[at + 1] == '\n' ? at + 2 : at + 1;
        return Result.ROW;
      }
      at++;
    }
  }

  /** The place of the quote that closes a field, which is added; −1 if it is not there. */
  private int closingQuote(byte[] in, int open, int to, boolean atEnd) {
    boolean hasDoubled = false;
    for (int at = open + 1; at < to; at++) {
      if (in[at] == '\n') {
        innerLines++;
      }
      if (in[at] != '"') {
        continue;
      }
      if (at + 1 < to && in[at + 1] == '"') {
        hasDoubled = true;
        at++;
      } else if (at + 1 < to || atEnd) {
        add(open + 1, at, hasDoubled);
        return at;
      }
    }
    if (atEnd) {
      problem = "expected the quote to be closed, but the file ends";
    }
    return -1;
  }

  private Result bad(int field, String what, int lookFrom) {
    problem = what;
    problemField = field;
    stop = lookFrom;
    return Result.BAD;
  }

  /** Moves to the line after {@link #stop}. */
  private void passLine(FileBytes in) throws IOException {
    boolean fromStart = stop == in.start;
    nextLine = line + (fromStart ? 0 : innerLines) + 1;
    in.start = stop;
    for (; ; ) {
      for (int at = in.start; at < in.end; at++) {
        byte sign = in.buffer[at];
        if (sign == '\n' || sign == '\r') {
          in.start = at + 1;
          if (sign == '\r' && in.has(1) && in.buffer[in.start] == '\n') {
            in.start++;
          }
          return;
        }
      }
      in.start = in.end;
      if (!in.more()) {
        return;
      }
    }
  }

  private void add(int start, int end, boolean hasDoubled) {
    if (fields == starts.length) {
      starts = Arrays.copyOf(starts, 2 * fields);
      ends = Arrays.copyOf(ends, 2 * fields);
      doubled = Arrays.copyOf(doubled, 2 * fields);
    }
    starts[fields] = start;
    ends[fields] = end;
    doubled[fields++] = hasDoubled;
  }

  /** What is wrong with the row, or null. */
  @Nullable String problem() {
    return problem;
  }

  int problemField() {
    return problemField;
  }

  long line() {
    return line;
  }

  long nextLine() {
    return nextLine;
  }

  int fields() {
    return fields;
  }

  byte[] bytes() {
    return bytes;
  }

  int start(int field) {
    return starts[field];
  }

  int end(int field) {
    return ends[field];
  }

  /** The bytes of a field, doubled quotes made single. */
  byte[] content(int field) {
    byte[] content = Arrays.copyOfRange(bytes, starts[field], ends[field]);
    if (!doubled[field]) {
      return content;
    }
    int length = 0;
    for (int i = 0; i < content.length; i++) {
      content[length++] = content[i];
      if (content[i] == '"') {
        i++;
      }
    }
    return Arrays.copyOf(content, length);
  }

  /** What is wrong with a field that is no UTF-8, or null. */
  @Nullable String encodingProblem(int field) {
    int at = starts[field];
    while (at < ends[field] && bytes[at] >= 0) {
      at++;
    }
    if (at == ends[field]) {
      return null; // the usual case, at the cost of a look at each byte
    }
    try {
      UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, at, ends[field] - at));
      return null;
    } catch (CharacterCodingException e) {
      return "expected text in UTF-8, but got \"%s\" (with the byte 0x%02x); is the file in Latin-1? convert it, as by iconv -f latin1 -t utf-8"
          .formatted(
              new String(bytes, starts[field], ends[field] - starts[field], ISO_8859_1), bytes[at]);
    }
  }

  String text(int field) {
    return doubled[field]
        ? new String(content(field), UTF_8)
        : new String(bytes, starts[field], ends[field] - starts[field], UTF_8);
  }
}
