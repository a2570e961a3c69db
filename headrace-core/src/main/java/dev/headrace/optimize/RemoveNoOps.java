package dev.headrace.optimize;

import dev.headrace.op.PrefetchOp;
import dev.headrace.op.ShardOp;
import dev.headrace.op.SkipOp;
import dev.headrace.op.TakeOp;
import dev.headrace.spi.Deferral;
import dev.headrace.spi.Knob;
import dev.headrace.spi.Op;
import dev.headrace.spi.Parallelism;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Takes out operators that do nothing.
 *
 * <pre>
 * batch ← take(-1) ← prefetch(2) ← prefetch(3) ← range   becomes   batch ← prefetch(5) ← range
 * </pre>
 *
 * <p>{@code repeat(1)} stays: it gives ids a repetition, from which random operators draw. So does
 * {@code prefetch(0)} at the end, which says that nothing is to be read ahead.
 */
final class RemoveNoOps implements Rule {

  @Override
  public String name() {
    return "noop";
  }

  @Override
  public String what() {
    return "Takes out what does nothing: `take(-1)`, `skip(0)`, `shard(1, 0)`, `prefetch(0)`, and a"
        + " `prefetch` directly after another, whose buffers become one.";
  }

  @Override
  public @Nullable Change apply(Op op, Surroundings around) {
    return switch (op) {
      case TakeOp take when take.count() == -1 -> gone(op, "it takes all there is");
      case SkipOp skip when skip.count() == 0 -> gone(op, "it skips nothing");
      case ShardOp shard when shard.count() == 1 -> gone(op, "the only shard is the whole");
      case PrefetchOp none
          when none.buffer() == 0 && !around.isLast() && !changesWhenIsComputed(none) ->
          gone(op, "it has no buffer");
      case PrefetchOp later when later.input() instanceof PrefetchOp earlier ->
          merged(later, earlier);
      default -> null;
    };
  }

  private static Change gone(Op op, String why) {
    return Change.remove(op, "is taken out", why);
  }

  /** Whether tensors that wait to be computed pass it: in a buffer only some of them wait. */
  private static boolean changesWhenIsComputed(PrefetchOp prefetch) {
    return !Deferral.makersOf(prefetch).isEmpty();
  }

  private static Change merged(PrefetchOp later, PrefetchOp earlier) {
    PrefetchOp one =
        new PrefetchOp(earlier.input(), together(later.buffer(), earlier.buffer()), later.site());
    return Change.replace(
            later,
            one,
            "and the prefetch before it become one",
            "one thread can fill one buffer as large as both")
        .with(one, List.of(later, earlier));
  }

  private static int together(int later, int earlier) {
    if (later >= 0 && earlier >= 0) {
      return (int) Math.min((long) later + earlier, Integer.MAX_VALUE);
    }
    return later == Knob.AUTOTUNE || earlier == Knob.AUTOTUNE
        ? Knob.AUTOTUNE
        : Parallelism.IF_IT_HELPS;
  }
}
