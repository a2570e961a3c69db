package dev.headrace.op;

import dev.headrace.spi.Chunk;
import dev.headrace.spi.Condition;
import dev.headrace.spi.Context;
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

  private static final class TakeWhileCursor extends Cursor {
    private final TakeWhileOp op;
    private final Cursor source;
    private boolean over;

    TakeWhileCursor(Context context, TakeWhileOp op) {
      super(context);
      this.op = op;
      this.source = context.open(op.input, context.demand());
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
        for (int i = kept; i < size && !out.inLongs(); i++) {
          Leases.giveBack(out.item(i), "it came after the end of takeWhile");
        }
        out.truncate(kept);
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
    protected State position() {
      return State.of("over", over, "input", source.save());
    }

    @Override
    protected void moveTo(State state) {
      over = state.flag("over");
      source.restore(state.state("input"));
    }

    @Override
    public void close() {
      source.close();
    }
  }
}
