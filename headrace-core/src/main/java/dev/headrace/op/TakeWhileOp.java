package dev.headrace.op;

import dev.headrace.spi.Chunk;
import dev.headrace.spi.Condition;
import dev.headrace.spi.Context;
import dev.headrace.spi.CountingCursor;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Leases;
import dev.headrace.spi.Op;
import dev.headrace.spi.Passing;
import dev.headrace.spi.Site;
import dev.headrace.spi.State;
import dev.headrace.spi.Traits;
import java.util.Objects;

/**
 * The elements before the first one for which a condition does not hold.
 *
 * <p>A failed element, or one on which the condition fails, is delivered as an error and ends
 * nothing.
 */
public record TakeWhileOp(Op input, Condition<Object> condition, Site site) implements Op {

  public TakeWhileOp {
    Objects.requireNonNull(condition, "takeWhile: expected a condition, but got null");
  }

  @Override
  public long cardinality() {
    return UNKNOWN;
  }

  @Override
  public Traits traits() {
    return Traits.PLAIN.asKeepingPlace().asKeepingElements().with(Passing.FIRST);
  }

  @Override
  public Cursor open(Context context) {
    return new TakeWhileCursor(context, this);
  }

  private static final class TakeWhileCursor extends CountingCursor {
    private final TakeWhileOp op;
    private boolean over;

    TakeWhileCursor(Context context, TakeWhileOp op) {
      super(context, context.open(op.input, context.demand()));
      this.op = op;
    }

    @Override
    protected void produce(Chunk out, int max) {
      if (over) {
        return;
      }
      source.fill(out, max);
      int size = out.size();
      int kept = 0;
      while (kept < size && (out.isFailure(kept) || holds(out, kept, 0))) {
        kept++;
      }
      if (kept < size) {
        over = true;
        drop(out, kept, "it came after the end of takeWhile");
      }
    }

    private boolean holds(Chunk out, int index, int times) {
      try {
        return op.condition.test(out.item(index));
      } catch (Throwable e) {
        if (context.mustCallAgain(e, times)) {
          return holds(out, index, times + 1);
        }
        Object element = out.item(index);
        out.replace(index, context.failure(out.id(index), e));
        Leases.giveBack(element, "the condition of takeWhile failed on it");
        return true;
      }
    }

    @Override
    public boolean isReady() {
      return over || source.isReady();
    }

    @Override
    protected State own() {
      return State.of("over", over);
    }

    @Override
    protected void moveOwn(State saved) {
      over = saved.flag("over");
    }
  }
}
