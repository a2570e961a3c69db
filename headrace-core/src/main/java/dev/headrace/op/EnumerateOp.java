package dev.headrace.op;

import dev.headrace.data.Indexed;
import dev.headrace.spi.Access;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.CountingCursor;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Op;
import dev.headrace.spi.Site;
import dev.headrace.spi.State;
import dev.headrace.spi.Traits;
import java.util.List;

/**
 * Numbers the elements from {@code start} on. A failed element uses up a number, as in tf.data, so
 * that the numbers of the others do not depend on it.
 */
public record EnumerateOp(Op input, long start, Site site) implements Op {

  @Override
  public long cardinality() {
    return input.cardinality();
  }

  @Override
  public Traits traits() {
    return Traits.PLAIN.asKeepingPlace().asOneToOne().asNeverFailing();
  }

  @Override
  public Access access() {
    Access all = input.access();
    return Access.over(
        List.of(all), all::size, index -> new Indexed<>(start + index, all.at(index)));
  }

  @Override
  public Cursor open(Context context) {
    return new EnumerateCursor(context, this);
  }

  private static final class EnumerateCursor extends CountingCursor {
    private long next;

    EnumerateCursor(Context context, EnumerateOp op) {
      super(context, context.open(op.input));
      this.next = op.start;
    }

    @Override
    protected void produce(Chunk out, int max) {
      source.fill(out, max);
      out.widen();
      for (int i = 0; i < out.size(); i++) {
        if (!out.isFailure(i)) {
          out.replace(i, new Indexed<>(next + i, out.item(i)));
        }
      }
      next += out.size();
    }

    @Override
    public void skip(long count) {
      source.skip(count);
      next += count;
    }

    @Override
    protected State own() {
      return State.of("next", next);
    }

    @Override
    protected void moveOwn(State saved) {
      next = saved.number("next");
    }
  }
}
