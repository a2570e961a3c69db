package dev.headrace.profile.lint;

import dev.headrace.data.Plural;
import dev.headrace.op.InterleaveOp;
import dev.headrace.op.ListFilesOp;
import dev.headrace.op.MapOp;
import dev.headrace.profile.Finding.Severity;
import dev.headrace.profile.lint.Rule.Found;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Patterns of files; only those of this machine are looked at. */
public final class FileRules {
  /** Through these a file comes as it is, or is dropped. */
  private static final Set<Effect> FILES =
      EnumSet.complementOf(
          EnumSet.of(Effect.CHANGES, Effect.GROUPS, Effect.EXPANDS, Effect.UNKNOWN));

  /** Through these there is at most one element for a file. */
  private static final Set<Effect> EACH_FILE_ONCE =
      EnumSet.complementOf(
          EnumSet.of(Effect.REPEATS, Effect.GROUPS, Effect.EXPANDS, Effect.UNKNOWN));

  private static final long MANY_FILES = 2_000;
  private static final long SMALL_BYTES = 64 << 10;

  public static final List<Rule> ALL =
      List.of(
          new Rule(
              "fewer-files-than-threads",
              Severity.NOTE,
              "`interleave` over `listFiles` with more threads than there are files",
              "a file is read by one thread at a time",
              "more and smaller files, or fewer threads",
              FileRules::fewerFilesThanThreads),
          new Rule(
              "many-small-files",
              Severity.NOTE,
              "`listFiles` and a `map` over %d files or more, of %d KiB or less on average"
                  .formatted(MANY_FILES, SMALL_BYTES >> 10),
              "opening a file costs more than reading it, the more so over a network",
              "write them once as TFRecords: `dataset.writeTfRecords(…)`, then `Dataset.tfRecords`",
              FileRules::manySmallFiles));

  private FileRules() {}

  /** How many different files come through at least; what repeats them makes them no more. */
  private static long fewest(LocalFiles files, Node list, Node map) {
    Count count = Count.exactly(files.count());
    long fewest = count.least();
    for (Node at : list.above().takeWhile(above -> above != map).toList()) {
      count = count.through(at.op());
      fewest = Math.min(fewest, count.least());
    }
    return fewest;
  }

  private static @Nullable Found fewerFilesThanThreads(Node node) {
    if (!(node.op() instanceof InterleaveOp interleave) || interleave.parallelism() < 2) {
      return null;
    }
    if (node.behind(EACH_FILE_ONCE, op -> op instanceof ListFilesOp) == null) {
      return null;
    }
    long files = Count.of(interleave.input()).most();
    return files == 0 || files >= interleave.parallelism()
        ? null
        : Found.of(
            "It can read %,d files at a time, and there are fewer."
                .formatted(interleave.parallelism()),
            List.of("%s %s".formatted(Plural.of(files, "file"), files == 1 ? "matches" : "match")),
            "write the data as more files, or use fewer threads");
  }

  private static @Nullable Found manySmallFiles(Node node) {
    if (!(node.op() instanceof MapOp) || node.isCached()) {
      return null;
    }
    Node list = node.behind(FILES, op -> op instanceof ListFilesOp);
    if (list == null) {
      return null;
    }
    LocalFiles files = LocalFiles.of((ListFilesOp) list.op());
    return fewest(files, list, node) < MANY_FILES || files.bytes() / files.count() > SMALL_BYTES
        ? null
        : Found.of(
            "It opens a small file for each element.",
            List.of(
                "%,d files of %s on average"
                    .formatted(files.count(), Plural.of(files.bytes() / files.count(), "byte"))),
            "write them once as TFRecords and read those");
  }
}
