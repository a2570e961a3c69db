package dev.headrace.op;

import dev.headrace.spi.Access;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Failure;
import dev.headrace.spi.FunctionIdentity;
import dev.headrace.spi.Op;
import dev.headrace.spi.Site;
import dev.headrace.spi.State;
import dev.headrace.spi.Traits;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
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
    return Traits.PLAIN.asNeverFailing();
  }

  @Override
  public Access access() {
    return new FilesAccess(pattern);
  }

  @Override
  public Cursor open(Context context) {
    return new FilesCursor(context, context.shared(() -> Listing.of(pattern)));
  }

  /** What the pattern matched when the pipeline first asked. */
  private record Listing(List<Path> files, String fingerprint, @Nullable Exception problem) {

    static Listing of(String pattern) {
      try {
        List<Path> files = list(pattern);
        List<String> facts = new ArrayList<>();
        for (Path file : files) {
          facts.add(
              file + "|" + Files.size(file) + "|" + Files.getLastModifiedTime(file).toMillis());
        }
        return new Listing(files, FunctionIdentity.digest(facts.toArray(String[]::new)), null);
      } catch (IOException | RuntimeException e) {
        return new Listing(List.of(), "", e);
      }
    }

    private static List<Path> list(String pattern) throws IOException {
      Path folder = fixedPart(pattern);
      String glob = pattern.replace("\\", "\\\\");
      PathMatcher matcher = folder.getFileSystem().getPathMatcher("glob:" + glob);
      int depth =
          pattern.contains("**")
              ? Integer.MAX_VALUE
              : Path.of(pattern).getNameCount()
                  - (folder.toString().isEmpty() ? 0 : folder.getNameCount());
      List<Path> files = List.of();
      if (Files.exists(folder)) {
        try (Stream<Path> walk =
            Files.walk(folder, Math.max(depth, 1), FileVisitOption.FOLLOW_LINKS)) {
          files =
              walk.filter(path -> matcher.matches(path) && Files.isRegularFile(path))
                  .sorted(Comparator.comparing(Path::toString))
                  .toList();
        }
      }
      if (files.isEmpty()) {
        throw new NoSuchFileException(
            pattern,
            null,
            "listFiles: expected at least one file to match, but none does; looked in "
                + folder.toAbsolutePath()
                + (Files.exists(folder) ? "" : ", which does not exist"));
      }
      return files;
    }

    /** The folders of a pattern before its first wildcard. */
    private static Path fixedPart(String pattern) {
      int wildcard = 0;
      while (wildcard < pattern.length() && "*?[{\\".indexOf(pattern.charAt(wildcard)) < 0) {
        wildcard++;
      }
      int slash = pattern.lastIndexOf('/', wildcard - 1);
      return Path.of(slash < 0 ? "" : slash == 0 ? "/" : pattern.substring(0, slash));
    }
  }

  /** The files by index; the pattern is matched when the first is asked for. */
  private static final class FilesAccess implements Access {
    private final String pattern;
    private @Nullable Listing listing;

    FilesAccess(String pattern) {
      this.pattern = pattern;
    }

    private synchronized Listing listing() {
      Listing known = listing;
      if (known == null) {
        known = Listing.of(pattern);
        listing = known;
      }
      if (known.problem instanceof IOException missing) {
        throw new UncheckedIOException(missing.getMessage(), missing);
      }
      if (known.problem != null) {
        throw new IllegalStateException(known.problem.getMessage(), known.problem);
      }
      return known;
    }

    @Override
    public long size() {
      return listing().files.size();
    }

    @Override
    public Object at(long index) {
      return listing().files.get(Math.toIntExact(index));
    }

    @Override
    public String fingerprint() {
      return listing().fingerprint;
    }
  }

  private static final class FilesCursor extends Cursor {
    private final Listing listing;
    private int position;

    FilesCursor(Context context, Listing listing) {
      super(context);
      this.listing = listing;
    }

    @Override
    protected void produce(Chunk out, int max) {
      if (listing.problem != null) {
        out.add(new Failure(context.path(), null, listing.problem, true), context.prefix(), 0);
        return;
      }
      int size = Math.min(max, listing.files.size() - position);
      if (size <= 0) {
        return;
      }
      @Nullable Object[] items = out.itemRun(context.prefix(), position, size);
      for (int i = 0; i < size; i++) {
        items[i] = listing.files.get(position + i);
      }
      position += size;
    }

    @Override
    public void skip(long count) {
      position = (int) Math.min(listing.files.size(), position + count);
    }

    @Override
    protected State position() {
      return State.of("position", (long) position, "files", listing.fingerprint);
    }

    @Override
    protected void moveTo(State state) {
      if (listing.problem != null) {
        return; // said by the next element
      }
      if (!state.text("files").equals(listing.fingerprint)) {
        throw new State.InvalidState(
            "checkpoint: expected the files that %s matched when it was taken, but files were added,"
                    .formatted(context.path())
                + " removed or changed since (now "
                + listing.files.size()
                + "); restore them, or start the epoch anew");
      }
      position = (int) Math.min(listing.files.size(), Math.max(0, state.number("position")));
    }

    @Override
    public void close() {}
  }
}
