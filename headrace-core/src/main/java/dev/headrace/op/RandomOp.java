package dev.headrace.op;

import dev.headrace.data.Philox;
import dev.headrace.data.Seed;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Op;
import dev.headrace.spi.Recurring;
import dev.headrace.spi.Site;
import dev.headrace.spi.State;
import dev.headrace.spi.Traits;
import java.util.Objects;

/**
 * Random numbers from 0 to below 2³², without end: tf.data's stream for this seed.
 *
 * @param rerandomize whether each pass has numbers of its own
 */
public record RandomOp(Seed seed, boolean rerandomize, Site site) implements Op {

  public RandomOp {
    Objects.requireNonNull(
        seed, "random: expected a seed, but got null; Seed.random() differs from run to run");
  }

  @Override
  public long cardinality() {
    return INFINITE;
  }

  @Override
  public Traits traits() {
    return Traits.PLAIN.with(rerandomize ? Recurring.VARIES : Recurring.FOLLOWS);
  }

  @Override
  public Cursor open(Context context) {
    return new RandomCursor(context, generator(context.iteration()));
  }

  /** The draws of one pass, from the first. */
  private Philox generator(long iteration) {
    Philox seeds = new Philox(seed);
    if (!rerandomize) {
      return seeds;
    }
    seeds.skip(2 * iteration);
    long first = Integer.toUnsignedLong(seeds.nextInt());
    return new Philox(first, Integer.toUnsignedLong(seeds.nextInt()));
  }

  private static final class RandomCursor extends Cursor {
    private final Philox draws;

    RandomCursor(Context context, Philox draws) {
      super(context);
      this.draws = draws;
    }

    @Override
    protected void produce(Chunk out, int max) {
      long[] values = out.longRun(context.prefix(), draws.position(), max);
      for (int i = 0; i < max; i++) {
        values[i] = Integer.toUnsignedLong(draws.nextInt());
      }
    }

    @Override
    public void skip(long count) {
      draws.skip(count);
    }

    @Override
    protected State position() {
      return State.of("position", draws.position());
    }

    @Override
    protected void moveTo(State state) {
      long to = state.number("position");
      if (to < 0) {
        throw new State.InvalidState(
            "checkpoint: expected a position of 0 or more for random, but got " + to);
      }
      draws.skip(to);
    }

    @Override
    public void close() {}
  }
}
