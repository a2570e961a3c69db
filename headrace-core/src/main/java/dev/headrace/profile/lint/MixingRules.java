package dev.headrace.profile.lint;

import dev.headrace.op.ConcatenateOp;
import dev.headrace.op.GroupByReducerOp;
import dev.headrace.op.SampleFromOp;
import dev.headrace.profile.Finding.Severity;
import dev.headrace.profile.lint.Rule.Found;
import dev.headrace.spi.Op;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Several datasets, some of which never end. */
public final class MixingRules {
  public static final List<Rule> ALL =
      List.of(
          new Rule(
              "never-reached",
              Severity.PROBLEM,
              "`concatenate` after a dataset that never ends, or `groupByReducer` of one",
              "what comes after it is never given",
              "`repeat()` after `concatenate`, or `take(n)` before",
              MixingRules::neverReached),
          new Rule(
              "mix-drifts",
              Severity.HINT,
              "`sampleFrom` with `stopOnEmpty` false over datasets of which some end and some do"
                  + " not",
              "once the short ones have ended, only the endless ones are left, forever",
              "`repeat()` on each dataset, or leave `stopOnEmpty` out",
              MixingRules::drifts));

  private MixingRules() {}

  private static @Nullable Found neverReached(Node node) {
    boolean waits = node.op() instanceof GroupByReducerOp;
    if (!waits && !(node.op() instanceof ConcatenateOp)) {
      return null;
    }
    List<Op> inputs = node.op().inputs();
    List<Op> mustEnd = waits ? inputs : inputs.subList(0, inputs.size() - 1);
    Op endless = mustEnd.stream().filter(Count::isEndless).findFirst().orElse(null);
    if (endless == null) {
      return null;
    }
    return Found.of(
        waits
            ? "It gives its results at the end of its input, which never comes."
            : "What is appended is never reached, because a dataset before it never ends.",
        List.of(endless.title() + " has no end"),
        waits ? "put .take(n) before it" : "put .repeat() after .concatenate(…)");
  }

  private static @Nullable Found drifts(Node node) {
    if (!(node.op() instanceof SampleFromOp sample) || sample.stopOnEmpty()) {
      return null;
    }
    Op ends = sample.datasets().stream().filter(MixingRules::ends).findFirst().orElse(null);
    boolean someGoOn = sample.datasets().stream().anyMatch(Count::isEndless);
    if (ends == null || !someGoOn) {
      return null;
    }
    return Found.of(
        "Once a dataset has ended, the others fill its place, and the mixture is another one"
            + " forever.",
        List.of(ends.title() + " ends, others do not"),
        "put .repeat() on every dataset, or let the mixture end: leave stopOnEmpty out");
  }

  /** Whether it ends for certain; a generator may go on. */
  private static boolean ends(Op op) {
    return Count.of(op).most() < Count.ENDLESS;
  }
}
