package dev.headrace.op;

import dev.headrace.data.IndexShuffle;
import dev.headrace.data.Philox;
import dev.headrace.data.Plural;
import dev.headrace.data.Seed;
import dev.headrace.spi.Access;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Failure;
import dev.headrace.spi.Hurry;
import dev.headrace.spi.Id;
import dev.headrace.spi.Op;
import dev.headrace.spi.Passing;
import dev.headrace.spi.PureFunction;
import dev.headrace.spi.Recurring;
import dev.headrace.spi.Site;
import dev.headrace.spi.State;
import dev.headrace.spi.Traits;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Gives the elements in random order, each of the possible ones, without a buffer: a computed
 * permutation says which index comes next, and the input is asked for that one. tf.data's own order
 * for the same seed.
 *
 * @param reshuffle whether each pass has an order of its own
 */
public record GlobalShuffleOp(Op input, Seed seed, boolean reshuffle, Site site) implements Op {
  /** How many numbers of the seeds' stream tf.data takes for a pass; it uses three of them. */
  private static final int DRAWS_PER_PASS = 4;

  public GlobalShuffleOp {
    Objects.requireNonNull(seed, "globalShuffle: expected a seed, but got null");
    if (input.cardinality() == INFINITE) {
      throw new IllegalArgumentException(
          "globalShuffle: expected a dataset that ends, but got one that does not; put repeat()"
              + " after it");
    }
    try {
      input.access().close();
    } catch (UnsupportedOperationException e) {
      throw new IllegalArgumentException(
          "globalShuffle: expected a dataset whose elements can be had by index, but "
              + e.getMessage()
              + "; put globalShuffle before it, or use shuffle with a buffer",
          e);
    }
  }

  @Override
  public long cardinality() {
    return input.cardinality();
  }

  @Override
  public Traits traits() {
    return Traits.PLAIN
        .asKeepingPlace()
        .asNeverFailing()
        .with(Passing.REORDERED)
        .with(reshuffle ? Recurring.VARIES : Recurring.FOLLOWS);
  }

  @Override
  public Cursor open(Context context) {
    return new GlobalShuffleCursor(context, this, context.shared(input::access));
  }

  private IndexShuffle order(long size, long iteration) {
    if (!reshuffle) {
      return new IndexShuffle(size, (int) seed.first(), (int) seed.second(), (int) seed.first());
    }
    Philox seeds = new Philox(seed);
    seeds.skip(DRAWS_PER_PASS * iteration);
    return new IndexShuffle(size, seeds.nextInt(), seeds.nextInt(), seeds.nextInt());
  }

  private static final class GlobalShuffleCursor extends Cursor {
    private final GlobalShuffleOp op;
    private final Access access;

    /** Made by the first pull: to know the size may mean to look at files. */
    private @Nullable IndexShuffle order;

    private long size;
    private long position;

    GlobalShuffleCursor(Context context, GlobalShuffleOp op, Access access) {
      super(context);
      this.op = op;
      this.access = access;
    }

    private IndexShuffle order() {
      IndexShuffle known = order;
      if (known == null) {
        size = access.size();
        known = op.order(size, context.iteration());
        order = known;
      }
      return known;
    }

    @Override
    protected void produce(Chunk out, int max) {
      IndexShuffle indexes;
      try {
        indexes = order();
      } catch (RuntimeException e) { // nothing to shuffle: missing files
        out.add(new Failure(context.path(), null, e, true), context.prefix(), 0);
        return;
      }
      int count = (int) Math.min(max, size - position);
      long deadline = Hurry.deadline();
      int step = Hurry.step(count);
      for (int i = 0; i < count && out.isOpen(count); i++) {
        if (i > 0 && i % step == 0 && Hurry.isOver(deadline)) {
          return;
        }
        long index = indexes.at(position++);
        out.add(element(index, 0), context.prefix(), index);
      }
    }

    private Object element(long index, int times) {
      try {
        return access.at(index);
      } catch (Throwable e) {
        return context.mustCallAgain(e, times)
            ? element(index, times + 1)
            : context.failure(new Id(context.prefix(), index), e);
      }
    }

    @Override
    public void skip(long count) {
      order();
      position = count > size - position ? size : position + count;
    }

    @Override
    public boolean leavesOutCalls() {
      return !isPure(op.input);
    }

    private static boolean isPure(Op by) {
      return PureFunction.areAllOf(by) && !by.anyInput(input -> !isPure(input));
    }

    @Override
    protected State position() {
      return position == 0
          ? State.START
          : State.ofPairs("position", position, "size", size, "content", access.fingerprint());
    }

    @Override
    protected void moveTo(State state) {
      position = state.number("position");
      long itsSize = state.number("size");
      order();
      if (itsSize != size || !state.text("content").equals(access.fingerprint())) {
        throw new State.InvalidState(
            "checkpoint: expected the %d %s that %s had when it was taken, but it has %d, or"
                    .formatted(itsSize, Plural.word(itsSize, "element"), context.path(), size)
                + " others; restore them, or start the epoch again");
      }
      if (position < 0 || position > size) {
        throw new State.InvalidState(
            "checkpoint: expected a position from 0 to %d, but got %d".formatted(size, position));
      }
    }

    @Override
    public void close() {} // the access is the pipeline's
  }
}
