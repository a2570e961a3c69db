package dev.headrace.profile.lint;

import dev.headrace.data.Compression;
import dev.headrace.data.Plural;
import dev.headrace.op.CacheOp;
import dev.headrace.op.FixedLengthRecordsOp;
import dev.headrace.op.PrefetchOp;
import dev.headrace.op.ShuffleOp;
import dev.headrace.op.TextLinesOp;
import dev.headrace.profile.Finding.Severity;
import dev.headrace.profile.LintSettings;
import dev.headrace.profile.lint.Rule.Found;
import dev.headrace.spi.InputFiles;
import dev.headrace.spi.Op;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What cannot fit the budgets; silent wherever sizes are not known for certain. */
public final class MemoryRules {
  private static final Set<Effect> ALL_OF_THEM =
      EnumSet.of(Effect.REORDERS, Effect.HOLDS, Effect.VARIES);

  public static final List<Rule> ALL =
      List.of(
          new Rule(
              "does-not-fit",
              Severity.PROBLEM,
              "a `shuffle` buffer, a memory `cache` or a `prefetch` whose elements are known to be"
                  + " larger than the memory budget",
              "`shuffle` and `cache` write to disk what does not fit, which takes time, or fail"
                  + " where they must not; `prefetch` holds fewer than asked for",
              "a smaller buffer, `cache(Path)`, `globalShuffle(seed)` of what can be had by index,"
                  + " or a larger `options.heapBudget(bytes)`",
              MemoryRules::doesNotFit));

  /** What a shuffle keeps in memory of an element that is on disk, at most. */
  private static final long IN_MEMORY_BYTES = 40;

  private MemoryRules() {}

  private static @Nullable Found doesNotFit(Node node) {
    return switch (node.op()) {
      case ShuffleOp shuffle -> shuffle(shuffle, node.settings());
      case CacheOp cache -> cache(cache, node.settings());
      case PrefetchOp prefetch -> prefetch(prefetch, node.settings().memoryBudget());
      default -> null;
    };
  }

  private static @Nullable Found shuffle(ShuffleOp shuffle, LintSettings settings) {
    long budget = settings.heapBudget();
    long bytes = ElementSize.of(shuffle.input());
    long held =
        isSmallerThanFiles(shuffle, bytes)
            ? shuffle.buffer()
            : Math.min(Count.of(shuffle.input()).least(), shuffle.buffer());
    if (fits(held, bytes, budget)) {
      return null;
    }
    // Of each element on disk a little stays in memory.
    boolean spills = settings.spills() && fits(held, IN_MEMORY_BYTES, budget);
    return found(
        "Its buffer of %s does not fit the memory budget"
            .formatted(Plural.of(shuffle.buffer(), "element")),
        spills,
        sizes(held, bytes, budget),
        "write .shuffle(%,d) or less, shuffle before elements grow, or set options.heapBudget(…)"
            .formatted(Math.max(1, budget / bytes / 2)));
  }

  /** Whether files of unknown length have at least as many elements as the buffer wants. */
  private static boolean isSmallerThanFiles(ShuffleOp shuffle, long bytes) {
    long all = fileBytes(shuffle.input());
    return bytes != ElementSize.UNKNOWN && all / bytes >= shuffle.buffer();
  }

  private static Found found(String message, boolean spills, List<String> sizes, String advice) {
    return Found.of(
            message
                + (spills ? "; the rest goes to disk, which takes time." : ", so it will fail."),
            sizes,
            advice)
        .as(spills ? Severity.HINT : Severity.PROBLEM);
  }

  private static @Nullable Found cache(CacheOp cache, LintSettings settings) {
    long budget = settings.heapBudget();
    long elements = Count.of(cache.input()).least();
    long bytes = ElementSize.of(cache.input());
    long all = fileBytes(cache.input());
    if (all > budget) {
      return found(
          "It keeps whole files, and they are larger than the memory budget",
          settings.spills(),
          List.of("the files have %,d bytes, the budget is %,d".formatted(all, budget)),
          "write .cache(Path.of(…)), which keeps them on disk, or leave it out");
    }
    if (elements == Count.ENDLESS || fits(elements, bytes, budget)) { // said elsewhere
      return null;
    }
    return found(
        "What it keeps does not fit the memory budget",
        settings.spills(),
        sizes(elements, bytes, budget),
        "write .cache(Path.of(…)), or set options.heapBudget(…)");
  }

  private static @Nullable Found prefetch(PrefetchOp prefetch, long budget) {
    long held = Math.min(Count.of(prefetch.input()).least(), prefetch.buffer());
    long bytes = ElementSize.of(prefetch.input());
    if (fits(held, bytes, budget)) {
      return null;
    }
    return Found.of(
            "Its buffer of %s does not fit the memory budget; it will hold fewer."
                .formatted(Plural.of(prefetch.buffer(), "element")),
            sizes(held, bytes, budget),
            "write .prefetch(AUTOTUNE)")
        .as(Severity.HINT);
  }

  private static boolean fits(long elements, long bytes, long budget) {
    return bytes == ElementSize.UNKNOWN || elements <= 0 || bytes <= budget / elements;
  }

  private static List<String> sizes(long elements, long bytes, long budget) {
    return List.of(
        "%s of %s each, the budget is %,d bytes"
            .formatted(Plural.of(elements, "element"), Plural.of(bytes, "byte"), budget));
  }

  /** The bytes of local files whose contents are the elements, all of them; or 0. */
  private static long fileBytes(Op op) {
    return switch (op) {
      case FixedLengthRecordsOp records when records.headerBytes() + records.footerBytes() == 0 ->
          fileBytes(records.files());
      case TextLinesOp lines -> fileBytes(lines.files()) / 2; // line ends, and room for doubt
      default ->
          ALL_OF_THEM.containsAll(Effect.of(op)) && op.inputs().size() == 1
              ? fileBytes(op.inputs().getFirst())
              : 0;
    };
  }

  private static long fileBytes(InputFiles files) {
    return files.compression() == Compression.NONE ? LocalFiles.of(files).bytes() : 0;
  }
}
