package dev.headrace.op;

import dev.headrace.spi.Access;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.CountingCursor;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Deferring;
import dev.headrace.spi.Op;
import dev.headrace.spi.Passing;
import dev.headrace.spi.Site;
import dev.headrace.spi.State;
import dev.headrace.spi.Traits;
import java.util.List;

/** The first {@code count} elements; all of them where {@code count} is −1. */
public record TakeOp(Op input, long count, Site site) implements Op {

  public TakeOp {
    if (count < -1) {
      throw new IllegalArgumentException(
          "take: expected a count of at least 0, or -1 for all, but got " + count);
    }
  }

  private long limit() {
    return count == -1 ? Long.MAX_VALUE : count;
  }

  @Override
  public long cardinality() {
    long all = input.cardinality();
    if (count == -1 || all == 0) {
      return all;
    }
    if (all == INFINITE) {
      return count;
    }
    return all == UNKNOWN ? (count == 0 ? 0 : UNKNOWN) : Math.min(all, count);
  }

  @Override
  public Traits traits() {
    Traits some = Traits.PLAIN.asKeepingPlace().asKeepingElements().asNeverFailing();
    return count == -1
        ? some.asOneToOne().with(Deferring.CARRIES).with(Passing.ALL)
        : some.with(Passing.FIRST);
  }

  @Override
  public Access access() {
    Access all = input.access();
    return Access.over(List.of(all), () -> Math.min(limit(), all.size()), all::at);
  }

  @Override
  public Cursor open(Context context) {
    return count == -1 ? context.open(input) : new TakeCursor(context, this);
  }

  /** Opens the input for what is left to be taken. */
  private Cursor openInput(Context context, long left) {
    return context.open(input, Math.min(left, context.demand()));
  }

  private static final class TakeCursor extends CountingCursor {
    private final TakeOp op;
    private final long limit;
    private long taken;

    TakeCursor(Context context, TakeOp op) {
      super(context, op.openInput(context, op.count));
      this.op = op;
      this.limit = op.count;
    }

    @Override
    protected void produce(Chunk out, int max) {
      if (taken >= limit) {
        return;
      }
      source.fill(out, (int) Math.min(max, limit - taken));
      taken += out.size() - out.failures(); // a failure is not one of the elements taken
    }

    @Override
    public boolean isReady() {
      return taken >= limit || source.isReady();
    }

    @Override
    protected State own() {
      return State.of("taken", taken);
    }

    @Override
    protected void moveOwn(State saved) {
      taken = saved.number("taken", limit, "elements taken");
      source.close(); // it was opened to give all of them; now only the rest may be read
      source = op.openInput(context, limit - taken);
    }
  }
}
