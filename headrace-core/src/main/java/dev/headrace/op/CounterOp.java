package dev.headrace.op;

import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Op;
import dev.headrace.spi.Site;
import dev.headrace.spi.State;

/**
 * The numbers from {@code start} by {@code step}, without end. As in tf.data they go on at the
 * other end of the {@code long}s when they pass one.
 */
public record CounterOp(long start, long step, Site site) implements Op {

  @Override
  public long cardinality() {
    return INFINITE;
  }

  @Override
  public Cursor open(Context context) {
    return new CounterCursor(context, this);
  }

  private static final class CounterCursor extends Cursor {
    private final CounterOp op;
    private long position;

    CounterCursor(Context context, CounterOp op) {
      super(context);
      this.op = op;
    }

    @Override
    protected void produce(Chunk out, int max) {
      long[] values = out.longRun(context.prefix(), position, max);
      long value = op.start + position * op.step;
      for (int i = 0; i < max; i++) {
        values[i] = value;
        value += op.step;
      }
      position += max;
    }

    @Override
    public void skip(long count) {
      position += count;
    }

    @Override
    protected State position() {
      return State.of("position", position);
    }

    @Override
    protected void moveTo(State state) {
      position = state.number("position");
      if (position < 0) {
        throw new State.InvalidState(
            "checkpoint: expected a position of 0 or more for counter, but got " + position);
      }
    }

    @Override
    public void close() {}
  }
}
