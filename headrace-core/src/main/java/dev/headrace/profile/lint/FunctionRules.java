package dev.headrace.profile.lint;

import dev.headrace.data.Plural;
import dev.headrace.op.FilterOp;
import dev.headrace.op.IgnoreErrorsOp;
import dev.headrace.op.InterleaveOp;
import dev.headrace.op.MapOp;
import dev.headrace.profile.Finding.Severity;
import dev.headrace.profile.lint.Rule.Found;
import dev.headrace.spi.Checkpointing;
import dev.headrace.spi.FunctionIdentity;
import dev.headrace.spi.Op;
import dev.headrace.spi.Parallelism;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Functions and the threads they run on, errors, checkpoints. */
public final class FunctionRules {
  private static final String LIBRARY = "dev.headrace.";

  public static final List<Rule> ALL =
      List.of(
          new Rule(
              "no-checkpoint",
              Severity.PROBLEM,
              "a `generator` in a pipeline with `options.requireCheckpoint()`; a note without it",
              "nobody knows whether the generator gives the same elements again, so `open()` fails",
              "`Dataset.repeatableGenerator(g)`, if it does",
              FunctionRules::noCheckpoint),
          new Rule(
              "errors-ignored-early",
              Severity.HINT,
              "`ignoreErrors` after operators that cannot fail, and before functions that can",
              "it drops errors of what comes before it; those after it are thrown",
              "`.map(f, AUTOTUNE).ignoreErrors(budget)`",
              FunctionRules::errorsIgnoredEarly),
          new Rule(
              "parser-on-one-thread",
              Severity.HINT,
              "`map` with a parser of this library and no parallelism",
              "these functions may be called from many threads, and one thread parses at a time",
              "`.map(parser, AUTOTUNE)`",
              FunctionRules::parserOnOneThread),
          new Rule(
              "interleave-idle-threads",
              Severity.HINT,
              "`interleave` with more threads than twice its cycle",
              "it reads as many datasets as its cycle, and as many again ahead; one thread each",
              "a larger cycle, which changes the order, or fewer threads",
              FunctionRules::idleThreads));

  private FunctionRules() {}

  private static @Nullable Found noCheckpoint(Node node) {
    if (node.op().traits().checkpointing() != Checkpointing.NONE) {
      return null;
    }
    boolean required = node.settings().requiresCheckpoint();
    Found found =
        Found.of(
            required
                ? "Its position cannot be told, so open() fails: checkpoints are required."
                : "Its position cannot be told, so checkpoint() will fail.",
            List.of("it is not known whether it gives the same elements again"),
            "if it does, declare it: Dataset.repeatableGenerator(…)");
    return required ? found : found.as(Severity.NOTE);
  }

  private static @Nullable Found errorsIgnoredEarly(Node node) {
    if (!(node.op() instanceof IgnoreErrorsOp)
        || node.anyBelow(op -> !op.traits().neverFails())
        || node.anyAbove(op -> op instanceof IgnoreErrorsOp)) {
      return null;
    }
    Node fails =
        node.above()
            .filter(above -> Effect.of(above.op()).contains(Effect.COMPUTES))
            .findFirst()
            .orElse(null);
    if (fails == null) {
      return null;
    }
    return Found.of(
        "Nothing before it can fail, and errors of what comes after it are thrown.",
        List.of(fails.title() + " calls a function, after it"),
        "put .ignoreErrors(…) after .%s(…)".formatted(fails.op().word()));
  }

  private static @Nullable Found parserOnOneThread(Node node) {
    if (!(node.op() instanceof MapOp map)
        || map.parallelism() != Parallelism.SEQUENTIAL
        || map.synchronous()
        || !isOfLibrary(map.function())
        || isMadeByVerb(map)
        || node.isCached()
        || node.settings().debug()) {
      return null;
    }
    return Found.of(
        "It parses on one thread, though its function may be called from many.",
        List.of("its function is " + FunctionIdentity.labelOf(map.function())),
        "write .map(…, AUTOTUNE)");
  }

  private static boolean isOfLibrary(Object function) {
    return function instanceof FunctionIdentity.Named
        && function.getClass().getName().startsWith(LIBRARY);
  }

  /**
   * Whether a verb such as {@code jsonLines} made it, for which the user cannot ask for threads.
   */
  private static boolean isMadeByVerb(MapOp map) {
    return map.input() instanceof FilterOp filter && isOfLibrary(filter.condition());
  }

  private static @Nullable Found idleThreads(Node node) {
    if (!(node.op() instanceof InterleaveOp interleave)
        || interleave.parallelism() <= 2L * interleave.cycle()) {
      return null;
    }
    Op op = interleave;
    return Found.of(
        "It has more threads than datasets to read at a time.",
        List.of(
            "%s, cycle %,d".formatted(Plural.of(op.parallelism(), "thread"), interleave.cycle())),
        "write .interleave(f, %d, %d, AUTOTUNE), or a larger cycle"
            .formatted(interleave.cycle(), interleave.block()));
  }
}
