package dev.headrace.optimize;

import dev.headrace.op.FilterOp;
import dev.headrace.op.PrefetchOp;
import dev.headrace.op.TakeOp;
import dev.headrace.spi.Op;
import dev.headrace.spi.OpShape;
import dev.headrace.spi.Parallelism;
import dev.headrace.spi.Site;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Lets what feeds a function that is called by one thread at a time go on meanwhile, once that
 * helps.
 *
 * <pre>
 * map(f) ← batch ← files   becomes   map(f) ← prefetch(if it helps) ← batch ← files
 * </pre>
 *
 * <p>Only below the last such function that a thread of the user's plan calls: more buffers would
 * be more to try, and seldom more to gain.
 */
final class PrefetchBeforeWaiting implements Rule {

  @Override
  public String name() {
    return "prefetch-before-waiting";
  }

  @Override
  public String what() {
    return "Reads ahead before the last `map`, `randomMap` or `filter` that is called by one thread"
        + " at a time, once that was measured to help, if what feeds it is work, too.";
  }

  @Override
  public @Nullable Change apply(Op op, Surroundings around) {
    if (!isCalledByOne(op)
        || around.readsNothingAhead()
        || !isLastOfItsThread(op, around)
        || readsNoMoreThanItNeeds(op, around)
        || !Pulling.isWork(op.inputs().getFirst())) {
      return null;
    }
    Op input = op.inputs().getFirst();
    PrefetchOp ahead = new PrefetchOp(input, Parallelism.IF_IT_HELPS, Site.UNKNOWN);
    Op above = OpShape.of(op.getClass()).withInputs(op, List.of(ahead));
    return Change.replace(
        op,
        above,
        "has its input read ahead, once that was measured to help",
        "one thread calls its function, and another can do what comes before meanwhile");
  }

  /** Whether no such function follows that the same thread calls, as the user wrote it. */
  private static boolean isLastOfItsThread(Op op, Surroundings around) {
    return around.above().stream()
        .takeWhile(above -> !Pulling.hasThreads(above) || !around.isWritten(above))
        .noneMatch(PrefetchBeforeWaiting::isCalledByOne);
  }

  private static boolean isCalledByOne(Op op) {
    return OpShape.of(op.getClass()).hasKnob("parallelism")
        && op.parallelism() == Parallelism.SEQUENTIAL
        && (op.traits().eachAlone() || op instanceof FilterOp);
  }

  /** A filter of which so many are taken; how many it needs for them is not known below. */
  private static boolean readsNoMoreThanItNeeds(Op op, Surroundings around) {
    return op instanceof FilterOp && around.above().stream().anyMatch(TakeOp.class::isInstance);
  }
}
