package dev.headrace.op;

import dev.headrace.spi.Cancelled;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Failure;
import dev.headrace.spi.FileListing;
import dev.headrace.spi.Id;
import dev.headrace.spi.State;
import dev.headrace.spi.StoredFile;
import dev.headrace.spi.Weigher;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reads files one after the other and finds the records in them: what all sources of files have in
 * common.
 *
 * <p>A position is the file, the byte where its next record begins, and how many records there were
 * before; so resuming seeks. (In a packed file it unpacks up to there.)
 *
 * <p>A file that cannot be opened is the end, as in tf.data; a file that is damaged half-way costs
 * one failure and what is left of it.
 */
abstract class FileCursor<F extends OpenFile> extends Cursor {
  private final FileListing listing;

  /** The file being read, or the next to be. */
  private int file;

  private @Nullable F open;

  /** Where to go on in {@link #file} when it is opened. */
  private long offset;

  /** Records and failures so far, in all files. */
  private long ordinal;

  private @Nullable Failure terminal;

  FileCursor(Context context, FileListing listing) {
    super(context);
    this.listing = listing;
  }

  /** Opens a file. */
  abstract F open(StoredFile file) throws IOException;

  /**
   * Looks at a file that was opened, at its first byte, and goes to the first record.
   *
   * @param resumeAt where reading goes on, or 0 at the first record
   * @throws IOException if the file cannot be read as what it should be, which is the end
   */
  abstract void opened(F in, long resumeAt) throws IOException;

  /**
   * The next record of a file, its {@link #failure}, or null at the end of the file.
   *
   * @throws IOException if the rest of the file is lost
   */
  abstract @Nullable Object next(F in) throws IOException;

  /** Passes over a record or its failure; false at the end of the file. */
  boolean pass(F in) throws IOException {
    return next(in) != null;
  }

  /** Passes over some of the next {@code most} records at once, if that is possible. */
  long jump(F in, long most) throws IOException {
    return 0;
  }

  /** The failure of the record that is being read. */
  final Failure failure(Throwable cause) {
    return context.failure(new Id(context.prefix(), ordinal), cause);
  }

  @Override
  protected final void produce(Chunk out, int max) {
    while (out.isEmpty()) {
      F in = current();
      if (in == null) {
        giveTerminal(out);
        return;
      }
      try {
        fill(in, out, max);
      } catch (IOException e) {
        out.add(broken(e), context.prefix(), ordinal);
        if (terminal == null) {
          ordinal++;
          nextFile();
        }
      }
    }
  }

  /**
   * Reads records until there are enough, or they are heavy. Of a chunk the first record alone is
   * weighed: it shows what becomes of a byte of the file, and the file's bytes are counted.
   */
  private void fill(F in, Chunk out, int max) throws IOException {
    long from = in.offset();
    long mostBytes = Long.MAX_VALUE;
    while (out.size() < max && in.offset() - from < mostBytes) {
      Object record;
      try {
        record = next(in);
      } catch (Cancelled e) {
        if (out.isEmpty()) {
          throw e;
        }
        return; // what was read is given first; the next call is told
      }
      if (record == null) {
        nextFile();
        return;
      }
      if (out.isEmpty()) {
        long read = in.offset() - from;
        mostBytes = Chunk.FULL_BYTES * read / Math.max(1, Math.max(read, Weigher.bytesOf(record)));
      }
      out.add(record, context.prefix(), ordinal++);
    }
  }

  private void giveTerminal(Chunk out) {
    if (terminal != null) {
      out.add(terminal, context.prefix(), ordinal);
    }
  }

  /** The failure of a file that cannot be read on; terminal if it does not fit into memory. */
  private Failure broken(IOException cause) {
    if (cause instanceof FileBytes.TooLarge) {
      return end(cause);
    }
    return failure(
        new IOException(
            "%s: cannot be read on after byte %d, what is left of it is lost: %s"
                .formatted(
                    listing.files().get(file),
                    offsetNow(),
                    Objects.requireNonNullElse(cause.getMessage(), cause.toString())),
            cause));
  }

  private Failure end(Exception cause) {
    Failure failure = new Failure(context.path(), new Id(context.prefix(), ordinal), cause, true);
    terminal = failure;
    return failure;
  }

  /** The file to read from, opened; null at the end, or where it cannot be opened. */
  private @Nullable F current() {
    if (open != null || terminal != null) {
      return terminal == null ? open : null;
    }
    if (listing.problem() != null) {
      end(listing.problem());
      return null;
    }
    if (file >= listing.files().size()) {
      return null;
    }
    for (; ; ) {
      try {
        open = openNext();
        return open;
      } catch (ClosedByInterruptException e) {
        context.checkGoing(); // the consumer's interruption, or a closed pipeline
        boolean _ = Thread.interrupted(); // one that a function of the user left behind
      } catch (IOException e) {
        end(e);
        return null;
      }
    }
  }

  private F openNext() throws IOException {
    F opening = open(listing.files().get(file));
    boolean isOpen = false;
    try {
      opened(opening, offset);
      isOpen = true;
      return opening;
    } finally {
      if (!isOpen) {
        opening.close();
      }
    }
  }

  private void nextFile() {
    closeFile();
    file++;
    offset = 0;
  }

  private void closeFile() {
    if (open != null) {
      open.close();
      open = null;
    }
  }

  private long offsetNow() {
    return open == null ? offset : open.offset();
  }

  /** Passes over records; where it is interrupted over none, and owes them. */
  @Override
  public final void skip(long count) {
    int fileBefore = file;
    long offsetBefore = offsetNow();
    long ordinalBefore = ordinal;
    long lineBefore = line();
    try {
      passOverRecords(count);
    } catch (Cancelled e) {
      closeFile();
      file = fileBefore;
      offset = offsetBefore;
      ordinal = ordinalBefore;
      atLine(lineBefore);
      if (!e.isPlaceKept()) {
        throw e;
      }
      owe(count);
    }
  }

  private void passOverRecords(long count) {
    long left = count;
    while (left > 0) {
      context.checkGoing();
      F in = current();
      if (in == null) {
        return;
      }
      long passed;
      try {
        passed = jump(in, left);
        if (passed == 0) {
          passed = pass(in) ? 1 : 0;
        }
        if (passed == 0) {
          nextFile();
        }
      } catch (IOException e) {
        Failure failure = broken(e);
        if (failure.terminal()) {
          return;
        }
        passed = 1;
        nextFile();
      }
      ordinal += passed;
      left -= passed;
    }
  }

  @Override
  protected final State position() {
    return State.ofPairs(
        "file", (long) file,
        "offset", offsetNow(),
        "ordinal", ordinal,
        "line", line(),
        "files", listing.fingerprint());
  }

  /** The line the next record begins in; for operators that count them. */
  long line() {
    return 0;
  }

  /** Told before the file is opened in which line it will go on. */
  void atLine(long line) {}

  @Override
  protected final void moveTo(State state) {
    listing.check(state, context);
    if (listing.problem() != null) {
      return;
    }
    file = listing.fileOf(state);
    offset = state.number("offset");
    ordinal = state.number("ordinal");
    if (offset < 0 || ordinal < 0 || state.number("line") < 0) {
      throw new State.InvalidState(
          "checkpoint: expected an offset, ordinal and line of 0 or more, but got %d, %d and %d"
              .formatted(offset, ordinal, state.number("line")));
    }
    atLine(state.number("line"));
  }

  @Override
  public final void close() {
    closeFile();
  }
}
