package dev.headrace.optimize;

import dev.headrace.op.ShardOp;
import dev.headrace.op.SkipOp;
import dev.headrace.op.TakeOp;
import dev.headrace.spi.Op;
import dev.headrace.spi.OpShape;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Leaves elements out as early as possible.
 *
 * <pre>
 * shard(4, 0) ← map(pure(f)) ← files   becomes   map(pure(f)) ← shard(4, 0) ← files
 * take(10) ← prefetch(2) ← files       becomes   prefetch(2) ← take(10) ← files
 * </pre>
 *
 * <p>{@code shard} counts places, so it does not matter whether the elements in them were made, or
 * failed; but a function that it passes is called less often, so that must be known to be pure.
 * {@code take} and {@code skip} count elements that did not fail, so they may pass only operators
 * that never fail; past others they bound what is asked for while running.
 */
final class LimitEarly implements Rule {

  @Override
  public String name() {
    return "limit-early";
  }

  @Override
  public String what() {
    return "Puts `shard` before `prefetch`, and before a `map` or `randomMap` whose function is"
        + " `pure(f)`, one of the library's, or `assumePure()` was set; and `take` and"
        + " `skip` before `prefetch`: what is left out is neither made nor handed on.";
  }

  @Override
  public @Nullable Change apply(Op op, Surroundings around) {
    boolean isLimit = op instanceof TakeOp || op instanceof SkipOp || op instanceof ShardOp;
    if (!isLimit) {
      return null;
    }
    Op passed = op.inputs().getFirst();
    boolean mayPass =
        passed.traits().neverFails() || (op instanceof ShardOp && around.isPure(passed));
    if (!passed.traits().eachAlone() || !mayPass || !around.keepsOrder(passed)) {
      return null;
    }
    Op limit = OpShape.of(op.getClass()).withInputs(op, passed.inputs());
    Op above = OpShape.of(passed.getClass()).withInputs(passed, List.of(limit));
    return new Change(
            above,
            Change.carrying(above, List.of(passed)),
            "is done before " + around.written(passed).title(),
            "what is left out need not be made")
        .with(limit, List.of(op));
  }
}
