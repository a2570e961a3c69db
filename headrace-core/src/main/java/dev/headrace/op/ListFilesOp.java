package dev.headrace.op;

import dev.headrace.spi.Access;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Duty;
import dev.headrace.spi.Failure;
import dev.headrace.spi.FileListing;
import dev.headrace.spi.Op;
import dev.headrace.spi.Site;
import dev.headrace.spi.State;
import dev.headrace.spi.Traits;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The files that match a pattern, sorted by path; listed once per pipeline. */
public record ListFilesOp(String pattern, Site site) implements Op {

  public ListFilesOp {
    Objects.requireNonNull(pattern, "listFiles: expected a pattern, but got null");
    if (pattern.isBlank()) {
      throw new IllegalArgumentException(
          "listFiles: expected a pattern such as images/*.jpg, but got an empty one");
    }
  }

  @Override
  public long cardinality() {
    return UNKNOWN;
  }

  @Override
  public Traits traits() {
    return Traits.PLAIN.asKeepingPlace().asNeverFailing().with(Duty.LISTS_FILES);
  }

  @Override
  public Access access() {
    return new FilesAccess(pattern);
  }

  @Override
  public String dataVersion() {
    return FileListing.matching(word(), pattern).fingerprint();
  }

  @Override
  public Cursor open(Context context) {
    return new FilesCursor(
        context, context.shared(() -> FileListing.matching(word(), pattern, context)));
  }

  /** The files by index; the pattern is matched when the first is asked for. */
  private static final class FilesAccess implements Access {
    private final String pattern;
    private @Nullable FileListing listing;

    FilesAccess(String pattern) {
      this.pattern = pattern;
    }

    private synchronized FileListing listing() {
      FileListing known = listing;
      if (known == null) {
        known = FileListing.matching("listFiles", pattern);
        listing = known;
      }
      if (known.problem() instanceof IOException missing) {
        throw new UncheckedIOException(missing.getMessage(), missing);
      }
      if (known.problem() != null) {
        throw new IllegalStateException(known.problem().getMessage(), known.problem());
      }
      return known;
    }

    @Override
    public long size() {
      return listing().files().size();
    }

    @Override
    public Object at(long index) {
      return listing().path(Math.toIntExact(index));
    }

    @Override
    public String fingerprint() {
      return listing().fingerprint();
    }
  }

  private static final class FilesCursor extends Cursor {
    private final FileListing listing;
    private int position;

    FilesCursor(Context context, FileListing listing) {
      super(context);
      this.listing = listing;
    }

    @Override
    protected void produce(Chunk out, int max) {
      Exception problem = listing.problem();
      if (problem != null) {
        out.add(new Failure(context.path(), null, problem, true), context.prefix(), 0);
        return;
      }
      int size = Math.min(max, listing.files().size() - position);
      if (size <= 0) {
        return;
      }
      @Nullable Object[] items = out.itemRun(context.prefix(), position, size);
      for (int i = 0; i < size; i++) {
        items[i] = listing.path(position + i);
      }
      position += size;
    }

    @Override
    public void skip(long count) {
      position = (int) Math.min(listing.files().size(), position + count);
    }

    @Override
    protected State position() {
      return State.of("position", (long) position, "files", listing.fingerprint());
    }

    @Override
    protected void moveTo(State state) {
      listing.check(state, context);
      position = (int) Math.min(listing.files().size(), Math.max(0, state.number("position")));
    }

    @Override
    public void close() {}
  }
}
