package dev.headrace.optimize;

import dev.headrace.op.AutoCacheOp;
import dev.headrace.op.CacheFileOp;
import dev.headrace.op.CounterOp;
import dev.headrace.op.FromListOp;
import dev.headrace.op.FromTensorSlicesOp;
import dev.headrace.op.FromTensorsOp;
import dev.headrace.op.GlobalShuffleOp;
import dev.headrace.op.ListFilesOp;
import dev.headrace.op.RangeOp;
import dev.headrace.op.RepeatOp;
import dev.headrace.op.ShardOp;
import dev.headrace.op.SkipOp;
import dev.headrace.op.TakeOp;
import dev.headrace.spi.Deferring;
import dev.headrace.spi.Op;
import dev.headrace.spi.OpShape;
import dev.headrace.spi.Recurring;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Keeps elements in memory that every epoch would make again, if they fit and that saves something.
 *
 * <pre>
 * batch ← shuffle ← map ← listFiles   becomes   batch ← shuffle ← cacheIfItHelps ← map ← listFiles
 * </pre>
 *
 * <p>It goes where elements have just been made by a function or read from a file, and every pass
 * gives the same: below the first random operator. There may be several such places; which of them
 * is used is found out by running.
 */
final class KeepElements implements Rule {
  /** Places before these are not worth trying: elements seldom get so much larger so often. */
  private static final int MOST_PLACES = 3;

  @Override
  public String name() {
    return "cache";
  }

  @Override
  public String what() {
    return "With `assumePure()`: keeps elements in memory from which later epochs or repetitions"
        + " are given, where every pass makes the same ones, if they fit into half of the"
        + " free heap budget and were measured to take longer to make than to keep.";
  }

  @Override
  public @Nullable Change apply(Op op, Surroundings around) {
    Goals goals = around.goals();
    List<Op> above = around.above();
    if (!goals.assumePure() || around.readsNothingAhead() || !isPlace(op, above, around)) {
      return null;
    }
    long passes = passes(above, goals);
    if (passes == 1 && goals.epochs() == 1) {
      return null;
    }
    int after = 0;
    for (int i = 0; i < above.size() && after < MOST_PLACES; i++) {
      after += isPlace(above.get(i), above.subList(i + 1, above.size()), around) ? 1 : 0;
      after += above.get(i) instanceof AutoCacheOp ? 1 : 0;
    }
    if (after >= MOST_PLACES) {
      return null;
    }
    boolean isDelivered = above.stream().allMatch(each -> each.traits().keepsElements());
    return Change.add(
        new AutoCacheOp(op, passes, isDelivered, false, op.site()),
        "may have its elements kept in memory for later epochs, if they fit and take longer to make"
            + " than to keep",
        "assumePure() says that every epoch would make the same ones again");
  }

  /** Whether the elements of an operator could be kept, and no better place follows at once. */
  private static boolean isPlace(Op op, List<Op> above, Surroundings around) {
    Op next = above.isEmpty() ? null : above.getFirst();
    return isMade(op)
        && !(next instanceof AutoCacheOp)
        && !(next != null && onlyLeavesOut(next))
        && above.stream().noneMatch(KeepElements::readsItOnceOrByIndex)
        && op.cardinality() != Op.INFINITE
        && around.recurs().test(op);
  }

  /** Whether making its elements costs something: a function is called, or a file is read. */
  private static boolean isMade(Op op) {
    if (onlyLeavesOut(op)) {
      return isMade(op.inputs().getFirst());
    }
    boolean isThere =
        op instanceof RangeOp
            || op instanceof CounterOp
            || op instanceof FromListOp
            || op instanceof FromTensorsOp
            || op instanceof FromTensorSlicesOp
            || op instanceof ListFilesOp
            || op.traits().recurring() == Recurring.HOLDS
            || op.traits().deferring() == Deferring.PLACES;
    return !isThere
        && (op.inputs().isEmpty() || !OpShape.of(op.getClass()).functions(op).isEmpty());
  }

  /**
   * Whether an operator gives some of its input's elements, so that fewer need be kept after it.
   */
  private static boolean onlyLeavesOut(Op op) {
    return op instanceof TakeOp || op instanceof SkipOp || op instanceof ShardOp;
  }

  /** Whether an operator reads its input in one pass only, or not in order. */
  private static boolean readsItOnceOrByIndex(Op op) {
    return op.traits().recurring() == Recurring.HOLDS
        || op instanceof CacheFileOp
        || op instanceof GlobalShuffleOp;
  }

  /** How many passes over an operator are known to come; {@link Op#INFINITE} for no end. */
  private static long passes(List<Op> above, Goals goals) {
    long passes = Math.max(1, goals.epochs());
    for (Op op : above) {
      if (op instanceof RepeatOp repeat && repeat.count() != 0) {
        long product = repeat.count() < 0 ? Op.INFINITE : passes * repeat.count();
        boolean isTooMany = repeat.count() < 0 || Math.multiplyHigh(passes, repeat.count()) != 0;
        if (isTooMany || product < 0) {
          return Op.INFINITE;
        }
        passes = product;
      }
    }
    return passes;
  }
}
