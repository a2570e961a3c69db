package dev.headrace.profile.lint;

import dev.headrace.data.Plural;
import dev.headrace.op.BatchOp;
import dev.headrace.op.MapOp;
import dev.headrace.op.PrefetchOp;
import dev.headrace.op.TakeOp;
import dev.headrace.profile.Finding.Severity;
import dev.headrace.profile.lint.Rule.Found;
import dev.headrace.spi.Op;
import dev.headrace.spi.OpShape;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reading ahead: where it is missing, and where it gains nothing. */
public final class PrefetchRules {
  /** Operators with these alone do nothing that takes time. */
  private static final Set<Effect> NO_WORK = EnumSet.of(Effect.DROPS, Effect.ENDS);

  /** Through these a batch stays a batch. */
  private static final Set<Effect> BATCHES =
      EnumSet.complementOf(EnumSet.of(Effect.GROUPS, Effect.EXPANDS, Effect.UNKNOWN));

  /** Waiting for fewer elements never takes long. */
  private static final long FEW = 100;

  /** More batches than this are meant as examples. */
  private static final int MANY_BATCHES = 1000;

  public static final List<Rule> ALL =
      List.of(
          new Rule(
              "work-after-prefetch",
              Severity.HINT,
              "the last `prefetch` is followed by a function without threads of its own; a note if"
                  + " it is only a condition",
              "the consumer runs that function itself, and waits for it at every element",
              "`….map(f).prefetch(AUTOTUNE)`, or `.prefetch(…).map(f, AUTOTUNE)`",
              PrefetchRules::workAfterPrefetch),
          new Rule(
              "no-prefetch",
              Severity.HINT,
              "nothing at the end reads ahead, though the consumer's thread reads files or calls"
                  + " functions that make elements",
              "reading and training take turns instead of overlapping",
              "`….prefetch(AUTOTUNE)` as the last operator",
              PrefetchRules::noPrefetch),
          new Rule(
              "prefetch-twice",
              Severity.HINT,
              "`prefetch` after `prefetch`, and no work between them",
              "the second buffer adds a thread and memory, but nothing to overlap with",
              "one `prefetch(AUTOTUNE)`",
              PrefetchRules::twice),
          new Rule(
              "prefetch-many-batches",
              Severity.HINT,
              "`prefetch` of " + MANY_BATCHES + " batches or more",
              "it counts batches, not examples; two or three hide all that can be hidden, the rest"
                  + " is memory",
              "`prefetch(AUTOTUNE)`",
              PrefetchRules::manyBatches),
          new Rule(
              "device-not-last",
              Severity.HINT,
              "`prefetchToDevice` is followed by an operator of the host",
              "the operator needs the elements back in host memory, so the copy was for nothing",
              "`prefetchToDevice` last, or followed only by operators of the device",
              PrefetchRules::deviceNotLast));

  private PrefetchRules() {}

  private static boolean isWorthAThread(Node node) {
    return Threads.runsFunctionInline(node) || Threads.readsInline(node.op());
  }

  /** Whether this is the last operator for which the consumer should not have to wait. */
  private static boolean isLastWorkOfConsumer(Node node) {
    return isWorthAThread(node)
        && node.above().noneMatch(PrefetchRules::isWorthAThread)
        && isOnConsumersThread(node);
  }

  /** Whether the consumer waits for this operator at every element, of many, and did not ask to. */
  private static boolean isOnConsumersThread(Node node) {
    return !node.settings().debug()
        && Threads.isOnConsumersThread(node)
        && !node.anyBelow(Threads::isOnDevice)
        && !node.anyAbove(above -> above instanceof MapOp map && map.synchronous())
        && !node.anyAbove(above -> above instanceof TakeOp take && isFew(take.count()))
        && Stream.concat(Stream.of(node), node.below())
            .anyMatch(each -> !isFew(Count.of(each.op()).most()));
  }

  private static boolean isFew(long elements) {
    return elements >= 0 && elements < FEW;
  }

  private static @Nullable Node prefetchBefore(Node node) {
    return node.behind(
        at -> !Threads.isStage(at.op()) && !Node.isCache(at.op()), Threads::isPrefetch);
  }

  private static @Nullable Found workAfterPrefetch(Node node) {
    boolean makes = isLastWorkOfConsumer(node);
    if (!makes && !isOnlyConditionOfConsumer(node)) {
      return null;
    }
    Node prefetch = prefetchBefore(node);
    if (prefetch == null) {
      return null;
    }
    Found found =
        Found.of(
            makes
                ? "Its function runs on the thread that calls next(), because it comes after the"
                    + " prefetch."
                : "Its condition runs on the thread that calls next(), because it comes after the"
                    + " prefetch; that costs time if it computes.",
            List.of(
                prefetch.title() + " reads ahead what comes before it",
                node.title() + " has no threads, and nothing after it has"),
            OpShape.of(node.op().getClass()).hasKnob("parallelism")
                ? "put .prefetch(AUTOTUNE) after it, or give it threads: .%s(…, AUTOTUNE)"
                    .formatted(node.op().word())
                : "put .prefetch(AUTOTUNE) after it");
    return makes ? found : found.as(Severity.NOTE);
  }

  /**
   * Whether the consumer runs this condition, and no function that makes elements, after a
   * prefetch. Most conditions cost nothing.
   */
  private static boolean isOnlyConditionOfConsumer(Node node) {
    Node prefetch = Threads.asksInline(node.op()) ? prefetchBefore(node) : null;
    return prefetch != null
        && isOnConsumersThread(node)
        && prefetch.above().noneMatch(PrefetchRules::isWorthAThread)
        && node.above().noneMatch(above -> Threads.asksInline(above.op()));
  }

  private static @Nullable Found noPrefetch(Node node) {
    if (!isLastWorkOfConsumer(node) || prefetchBefore(node) != null) {
      return null;
    }
    boolean reads = Threads.readsInline(node.op());
    return Found.of(
        reads
            ? "It reads on the thread that calls next(), so nothing is read while you train."
            : "Its function runs on the thread that calls next(), so nothing is made while you"
                + " train.",
        List.of("no operator from here to the end has threads of its own"),
        "end the plan with .prefetch(AUTOTUNE)");
  }

  private static @Nullable Found twice(Node node) {
    Node before = Threads.isPrefetch(node.op()) ? node.behind(NO_WORK, Threads::isPrefetch) : null;
    if (before == null) {
      return null;
    }
    return Found.of(
        "It reads ahead from a buffer that is read ahead already.",
        List.of(before.title() + " comes before it, and no work between them"),
        "leave one of them out");
  }

  private static @Nullable Found manyBatches(Node node) {
    if (!(node.op() instanceof PrefetchOp prefetch) || prefetch.buffer() < MANY_BATCHES) {
      return null;
    }
    Node batch = node.behind(BATCHES, op -> op instanceof BatchOp);
    long bytes = ElementSize.of(prefetch.input());
    long budget = node.settings().memoryBudget();
    boolean isKnown = bytes != ElementSize.UNKNOWN; // then it is a matter of memory alone
    boolean fitsEasily = isKnown && bytes <= budget / 4 / prefetch.buffer();
    boolean isSaidElsewhere = isKnown && bytes > budget / prefetch.buffer();
    if (batch == null || fitsEasily || isSaidElsewhere || isAll(prefetch)) {
      return null;
    }
    int size = ((BatchOp) batch.op()).size();
    return Found.of(
        "It asks for %,d batches ahead, and one is enough while the other is used."
            .formatted(prefetch.buffer()),
        List.of(
            "%s groups %s each: up to %,d elements in the buffer"
                .formatted(
                    batch.title(), Plural.of(size, "element"), (long) size * prefetch.buffer())),
        "write .prefetch(AUTOTUNE)");
  }

  /** Whether the buffer is larger than the dataset, so that it bounds nothing. */
  private static boolean isAll(PrefetchOp prefetch) {
    long elements = prefetch.input().cardinality();
    return elements >= 0 && elements < MANY_BATCHES;
  }

  private static @Nullable Found deviceNotLast(Node node) {
    if (!Threads.isOnDevice(node.op())) {
      return null;
    }
    Node host = node.above().filter(above -> needsHost(above.op())).findFirst().orElse(null);
    if (host == null) {
      return null;
    }
    return Found.of(
        "It copies to the device, but " + host.op().word() + " after it works in host memory.",
        List.of(host.title() + " comes after it"),
        "put .prefetchToDevice(…) last, or do on the device what follows it");
  }

  private static boolean needsHost(Op op) {
    return !op.traits().keepsElements()
        && !op.traits().shapesNothing()
        && !Node.isCache(op)
        && !Threads.isOnDevice(op);
  }
}
