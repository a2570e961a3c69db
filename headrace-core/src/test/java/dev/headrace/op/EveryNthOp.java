package dev.headrace.op;

import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.ElementCursor;
import dev.headrace.spi.Op;
import dev.headrace.spi.Site;
import dev.headrace.spi.State;
import org.jspecify.annotations.Nullable;

/** Every {@code n}-th element of its input, from the first one on. */
public record EveryNthOp(Op input, int n, Site site) implements Op {

  public EveryNthOp {
    if (n < 1) {
      throw new IllegalArgumentException("everyNth: expected at least 1, but got " + n);
    }
  }

  @Override
  public long cardinality() {
    long all = input.cardinality();
    return all < 0 ? all : all / n + (all % n == 0 ? 0 : 1);
  }

  @Override
  public Cursor open(Context context) {
    return new EveryNthCursor(context, this);
  }

  private static final class EveryNthCursor extends ElementCursor {
    private final EveryNthOp op;

    /** How many elements are still to be dropped before one is kept. */
    private long toDrop;

    EveryNthCursor(Context context, EveryNthOp op) {
      super(context, context.open(op.input));
      this.op = op;
    }

    @Override
    protected @Nullable Object each(Object element) {
      boolean isKept = toDrop == 0;
      toDrop = isKept ? op.n - 1 : toDrop - 1;
      return isKept ? element : null;
    }

    @Override
    protected State own() {
      return State.of("toDrop", toDrop);
    }

    @Override
    protected void moveOwn(State saved) {
      toDrop = saved.number("toDrop", op.n - 1, "elements to drop");
    }
  }
}
