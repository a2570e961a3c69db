package dev.headrace.profile.lint;

import dev.headrace.data.Plural;
import dev.headrace.op.BatchOp;
import dev.headrace.op.UnbatchOp;
import dev.headrace.profile.Finding.Severity;
import dev.headrace.profile.lint.Rule.Found;
import java.util.EnumSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Batches that are undone, lose elements, or hold one. */
public final class BatchRules {
  /** A tenth: less is the usual remainder. */
  private static final int WORTH_SAYING = 10;

  public static final List<Rule> ALL =
      List.of(
          new Rule(
              "batch-drops",
              Severity.PROBLEM,
              "`batch(n, true)` of fewer than n elements; a note where a tenth or more is dropped",
              "the last batch that is not full is dropped, and it may be the only one",
              "`batch(n)`, a smaller n, or `.repeat().batch(n, true)`",
              BatchRules::drops),
          new Rule(
              "batch-undone",
              Severity.HINT,
              "`unbatch` after `batch`, and nothing between that works on batches",
              "elements are copied together and apart again, and are as before",
              "neither of them; to regroup batches that exist: `rebatch(n)`",
              BatchRules::undone),
          new Rule(
              "batch-of-one",
              Severity.NOTE,
              "`batch(1)`",
              "each element only gains a dimension; overheads of batches are paid for every"
                  + " element",
              "a larger batch, unless the model wants single elements",
              BatchRules::ofOne));

  private BatchRules() {}

  private static @Nullable Found drops(Node node) {
    if (!(node.op() instanceof BatchOp batch) || !batch.dropRemainder()) {
      return null;
    }
    Count count = Count.of(batch.input());
    long elements = count.most();
    if (elements < 1) {
      return null;
    }
    long lost = elements % batch.size();
    List<String> evidence =
        List.of(
            "%s%s in batches of %,d"
                .formatted(
                    count.isExact() ? "" : "at most ",
                    Plural.of(elements, "element"),
                    batch.size()));
    if (elements < batch.size()) {
      return Found.of(
          "It drops everything: there are not enough elements for one batch.",
          evidence,
          "write .batch(%d), or a smaller size".formatted(batch.size()));
    }
    return !count.isExact() || lost < elements / WORTH_SAYING
        ? null
        : Found.of(
                "It drops the last %,d of %s in each pass."
                    .formatted(lost, Plural.of(elements, "element")),
                evidence,
                "write .batch(%d) to keep them".formatted(batch.size()))
            .as(Severity.NOTE);
  }

  private static @Nullable Found undone(Node node) {
    if (!(node.op() instanceof UnbatchOp unbatch) || unbatch.items() != null) {
      return null;
    }
    Node batch =
        node.behind(
            EnumSet.of(Effect.REPEATS, Effect.HOLDS),
            op -> op instanceof BatchOp b && b.collator() == null && !b.dropRemainder());
    if (batch == null) {
      return null;
    }
    return Found.of(
        "It takes apart what was put together before.",
        List.of(batch.title() + " comes before it"),
        "leave both out");
  }

  private static @Nullable Found ofOne(Node node) {
    return node.op() instanceof BatchOp batch && batch.size() == 1
        ? Found.of(
            "Its batches hold one element each.",
            List.of("size=1"),
            "use a larger size unless the model wants single elements")
        : null;
  }
}
