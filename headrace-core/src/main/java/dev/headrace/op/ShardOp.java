package dev.headrace.op;

import dev.headrace.data.Plural;
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

/**
 * Every {@code count}-th element, from number {@code index} on.
 *
 * <p>Places are counted, failures among them: a failure belongs to one shard, and all shards
 * together are the whole. What belongs to other shards is not made, unless a function that was not
 * declared pure would then be called less often.
 */
public record ShardOp(Op input, long count, long index, Site site) implements Op {

  public ShardOp {
    if (count < 1) {
      throw new IllegalArgumentException("shard: expected at least 1 shard, but got " + count);
    }
    if (index < 0 || index >= count) {
      throw new IllegalArgumentException(
          "shard: expected an index from 0 to %d for %d %s, but got %d"
              .formatted(count - 1, count, Plural.word(count, "shard"), index));
    }
  }

  @Override
  public long cardinality() {
    long all = input.cardinality();
    return all < 0 ? all : shareOf(all);
  }

  private long shareOf(long all) {
    return all <= index ? 0 : (all - index - 1) / count + 1;
  }

  @Override
  public Traits traits() {
    Traits some =
        Traits.PLAIN.asKeepingPlace().asKeepingElements().asNeverFailing().with(Deferring.CARRIES);
    return count == 1 ? some.asOneToOne().with(Passing.ALL) : some.with(Passing.SOME);
  }

  @Override
  public Access access() {
    Access all = input.access();
    return Access.over(List.of(all), () -> shareOf(all.size()), at -> all.at(index + at * count));
  }

  @Override
  public Cursor open(Context context) {
    return count == 1 ? context.open(input) : new ShardCursor(context, this);
  }

  private static final class ShardCursor extends CountingCursor {
    private final ShardOp op;

    /** How many elements of other shards come before the next of this one. */
    private long toPass;

    ShardCursor(Context context, ShardOp op) {
      super(context, context.open(op.input, times(context.demand(), op.count)));
      this.op = op;
      this.toPass = op.index;
    }

    private static long times(long elements, long count) {
      return elements > Long.MAX_VALUE / count ? Long.MAX_VALUE : elements * count;
    }

    @Override
    protected void produce(Chunk out, int max) {
      while (out.isOpen(max) && (out.isEmpty() || source.isReady())) {
        if (toPass > 0) {
          source.passOver(toPass);
          toPass = 0;
        }
        Chunk one = out.isEmpty() ? out : scratch();
        source.fill(one, 1);
        if (one.isEmpty()) {
          return;
        }
        if (one != out) {
          out.append(one, 0, 1);
        }
        toPass = op.count - 1;
      }
    }

    @Override
    public void skip(long elements) {
      if (elements > 0) {
        long others = times(elements - 1, op.count);
        source.skip(others > Long.MAX_VALUE - op.count ? others : others + toPass + 1);
        toPass = op.count - 1;
      }
    }

    @Override
    protected State own() {
      return State.of("toPass", toPass);
    }

    @Override
    protected void moveOwn(State saved) {
      toPass = saved.number("toPass", op.count - 1, "elements of other shards");
    }
  }
}
