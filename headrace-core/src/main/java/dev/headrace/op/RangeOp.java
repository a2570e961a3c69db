package dev.headrace.op;

import dev.headrace.spi.Access;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Op;
import dev.headrace.spi.Site;
import dev.headrace.spi.State;
import dev.headrace.spi.Traits;
import java.util.List;

/** The numbers from {@code start} (inclusive) to {@code stop} (exclusive) by {@code step}. */
public record RangeOp(long start, long stop, long step, Site site) implements Op {

  public RangeOp {
    if (step == 0) {
      throw new IllegalArgumentException(
          "range(%d, %d, 0): expected a step other than 0; use 1 to count up, -1 to count down"
              .formatted(start, stop));
    }
  }

  @Override
  public long cardinality() {
    if (step > 0 ? start >= stop : start <= stop) {
      return 0;
    }
    // The distance may exceed a long; as an unsigned number it never does.
    long distance = step > 0 ? stop - start : start - stop;
    long stride = step > 0 ? step : -step;
    long count = Long.divideUnsigned(distance - 1, stride) + 1;
    return count < 0 ? Long.MAX_VALUE : count;
  }

  @Override
  public Traits traits() {
    return Traits.PLAIN.asNeverFailing();
  }

  @Override
  public Access access() {
    long count = cardinality();
    return Access.over(List.of(), () -> count, index -> start + index * step);
  }

  @Override
  public Cursor open(Context context) {
    return new RangeCursor(context, this);
  }

  private static final class RangeCursor extends Cursor {
    private final RangeOp op;
    private final long count;
    private long position;

    RangeCursor(Context context, RangeOp op) {
      super(context);
      this.op = op;
      this.count = op.cardinality();
    }

    @Override
    protected void produce(Chunk out, int max) {
      int size = (int) Math.min(max, count - position);
      if (size <= 0) {
        return;
      }
      long[] values = out.longRun(context.prefix(), position, size);
      long value = op.start + position * op.step;
      for (int i = 0; i < size; i++) {
        values[i] = value;
        value += op.step;
      }
      position += size;
    }

    @Override
    public void skip(long elements) {
      position = elements > count - position ? count : position + elements;
    }

    @Override
    protected State position() {
      return State.of("position", position);
    }

    @Override
    protected void moveTo(State state) {
      position = state.number("position");
      if (position < 0 || position > count) {
        throw new State.InvalidState(
            "checkpoint: expected a position from 0 to %d for %s, but got %d"
                .formatted(count, op.word(), position));
      }
    }

    @Override
    public void close() {}
  }
}
