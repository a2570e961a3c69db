package dev.headrace.optimize;

import dev.headrace.op.PrefetchOp;
import dev.headrace.spi.Op;
import dev.headrace.spi.Parallelism;
import dev.headrace.spi.Site;
import org.jspecify.annotations.Nullable;

/**
 * Reads ahead at the end of the plan, once that helps.
 *
 * <pre>
 * batch ← map ← range   becomes   prefetch(if it helps) ← batch ← map ← range
 * </pre>
 */
final class PrefetchLast implements Rule {

  @Override
  public String name() {
    return "prefetch-last";
  }

  @Override
  public String what() {
    return "Reads ahead at the end of the plan while the consumer works, once that was measured to"
        + " help, unless the plan ends with a buffer already, has nothing to do ahead, or is"
        + " `synchronous()`.";
  }

  @Override
  public @Nullable Change apply(Op op, Surroundings around) {
    if (!around.isLast() || around.readsNothingAhead() || !Pulling.isWork(op)) {
      return null;
    }
    return Change.add(
        new PrefetchOp(op, Parallelism.IF_IT_HELPS, Site.UNKNOWN),
        "is read ahead, once that was measured to help",
        "the consumer would otherwise do its work itself, and wait for it");
  }
}
