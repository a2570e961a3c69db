package dev.headrace.op;

import dev.headrace.data.Compression;
import dev.headrace.spi.Checkpointing;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.FileLine;
import dev.headrace.spi.FileListing;
import dev.headrace.spi.InputFiles;
import dev.headrace.spi.InputSplit;
import dev.headrace.spi.Op;
import dev.headrace.spi.Site;
import dev.headrace.spi.Traits;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The lines of files, one file after the other. As in tf.data a line ends at a line feed, and every
 * carriage return is removed, also within a line.
 *
 * @param asBytes whether lines are {@code byte[]} as they are in the file; else they are text, read
 *     as UTF-8
 * @param withPlace whether text comes as a {@link FileLine}, which knows its file and number
 */
public record TextLinesOp(InputFiles files, boolean asBytes, boolean withPlace, Site site)
    implements Op {

  public TextLinesOp {
    Objects.requireNonNull(files, "textLines: expected files, but got null");
  }

  @Override
  public long cardinality() {
    return UNKNOWN;
  }

  @Override
  public Traits traits() {
    return files.compression() == Compression.NONE
        ? Traits.PLAIN.asKeepingPlace()
        : Traits.PLAIN.asKeepingPlace().with(Checkpointing.REPLAY);
  }

  @Override
  public List<InputSplit> splits(int wanted) throws IOException {
    return FileSplits.whole(FileListing.of(word(), files));
  }

  @Override
  public Op ofSplit(InputSplit split) throws IOException {
    return new TextLinesOp(FileSplits.of(split, files), asBytes, withPlace, site);
  }

  @Override
  public String dataVersion() {
    return FileListing.of(word(), files).fingerprint();
  }

  @Override
  public Cursor open(Context context) {
    return new LinesCursor(
        context, this, context.shared(() -> FileListing.of(word(), files, context)));
  }

  private static final class LinesCursor extends FileBytesCursor {
    private static final VarHandle WORDS =
        MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ONES = 0x0101010101010101L;
    private static final long HIGH_BITS = 0x8080808080808080L;

    private final boolean asBytes;
    private final boolean withPlace;
    private String path = "";

    /** The number of the next line, from 1. */
    private long nextLine = 1;

    /** Where the line that was found last begins and ends in the buffer. */
    private int from;

    private int to;

    LinesCursor(Context context, TextLinesOp op, FileListing listing) {
      super(context, op.files, listing);
      this.asBytes = op.asBytes;
      this.withPlace = op.withPlace;
    }

    @Override
    void opened(FileBytes in, long resumeAt) throws IOException {
      path = in.file().name();
      if (resumeAt > 0) {
        in.seek(resumeAt);
        return;
      }
      nextLine = 1;
      if (!asBytes) {
        try {
          in.refuseArchive();
        } catch (FileBytes.IsArchive e) {
          throw new IOException("textLines: %s: %s".formatted(path, e.getMessage()), e);
        }
      }
    }

    @Override
    @Nullable Object next(FileBytes in) throws IOException {
      if (!find(in)) {
        return null;
      }
      byte[] buffer = in.buffer;
      if (indexOf((byte) '\r', buffer, from, to) >= 0) {
        byte[] clean = withoutReturns(buffer, from, to);
        return element(clean, 0, clean.length);
      }
      return element(buffer, from, to);
    }

    private Object element(byte[] bytes, int begin, int end) {
      if (asBytes) {
        return Arrays.copyOfRange(bytes, begin, end);
      }
      String text = new String(bytes, begin, end - begin, StandardCharsets.UTF_8);
      return withPlace ? new FileLine(path, nextLine - 1, text) : text;
    }

    @Override
    long line() {
      return nextLine;
    }

    @Override
    void atLine(long line) {
      nextLine = Math.max(1, line);
    }

    @Override
    boolean pass(FileBytes in) throws IOException {
      return find(in);
    }

    /** Finds the next line and moves past it; false at the end of the file. */
    private boolean find(FileBytes in) throws IOException {
      int looked = 0;
      for (; ; ) {
        int at = indexOf((byte) '\n', in.buffer, in.start + looked, in.end);
        if (at >= 0) {
          from = in.start;
          to = at;
          in.start = at + 1;
          nextLine++;
          return true;
        }
        looked = in.available();
        if (!in.more()) {
          return last(in);
        }
      }
    }

    /** A last line without line feed; one of nothing but carriage returns is none. */
    private boolean last(FileBytes in) {
      from = in.start;
      to = in.end;
      in.start = in.end;
      for (int i = from; i < to; i++) {
        if (in.buffer[i] != '\r') {
          nextLine++;
          return true;
        }
      }
      return false;
    }

    /** Looks at eight bytes at a time. */
    private static int indexOf(byte wanted, byte[] buffer, int from, int to) {
      long pattern = (wanted & 0xFFL) * ONES;
      int i = from;
      for (; i <= to - 8; i += 8) {
        long word = (long) WORDS.get(buffer, i) ^ pattern;
        // The lowest bit that is set marks the first byte that became zero.
        long zeros = (word - ONES) & ~word & HIGH_BITS;
        if (zeros != 0) {
          return i + (Long.numberOfTrailingZeros(zeros) >>> 3);
        }
      }
      for (; i < to; i++) {
        if (buffer[i] == wanted) {
          return i;
        }
      }
      return -1;
    }

    private static byte[] withoutReturns(byte[] buffer, int from, int to) {
      byte[] clean = new byte[to - from];
      int length = 0;
      for (int i = from; i < to; i++) {
        if (buffer[i] != '\r') {
          clean[length++] = buffer[i];
        }
      }
      return Arrays.copyOf(clean, length);
    }
  }
}
