package dev.headrace.optimize;

import dev.headrace.op.FilterOp;
import dev.headrace.op.TakeOp;
import dev.headrace.spi.Op;
import dev.headrace.spi.OpShape;
import dev.headrace.spi.Parallelism;
import dev.headrace.spi.PureFunction;
import org.jspecify.annotations.Nullable;

/**
 * Lets a function that is known to be pure be called by several threads, once that helps.
 *
 * <pre>
 * map(pure(f)) ← range   becomes   map(pure(f), parallelism=if it helps) ← range
 * </pre>
 */
final class Parallelise implements Rule {
  private static final String KNOB = "parallelism";

  @Override
  public String name() {
    return "parallelise";
  }

  @Override
  public String what() {
    return "Lets a `map`, `randomMap` or `filter` without parallelism call its function on several"
        + " threads, once that was measured to help, if the function is `pure(f)`, one of the"
        + " library's, or `assumePure()` was set; order is kept.";
  }

  @Override
  public @Nullable Change apply(Op op, Surroundings around) {
    OpShape shape = OpShape.of(op.getClass());
    if (!shape.hasKnob(KNOB)
        || op.parallelism() != Parallelism.SEQUENTIAL
        || around.readsNothingAhead()
        || !treatsElementsAlone(op, around)) {
      return null;
    }
    if (!around.isPure(op)) {
      return null;
    }
    return Change.replace(
        op,
        shape.withKnob(op, KNOB, before -> Parallelism.IF_IT_HELPS),
        "may call its function on several threads, once that was measured to help",
        PureFunction.areAllOf(op)
            ? "its function is known to be pure"
            : "assumePure() says that functions are pure");
  }

  /**
   * Whether each element is the work of one call. A filter is, too, but does not know how many
   * elements it needs for so many; where that is bounded it must not read ahead.
   */
  private static boolean treatsElementsAlone(Op op, Surroundings around) {
    return op.traits().eachAlone()
        || (op instanceof FilterOp && around.above().stream().noneMatch(TakeOp.class::isInstance));
  }
}
