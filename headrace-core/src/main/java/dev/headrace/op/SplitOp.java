package dev.headrace.op;

import dev.headrace.data.Plural;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.CountingCursor;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Failure;
import dev.headrace.spi.Id;
import dev.headrace.spi.Op;
import dev.headrace.spi.Passing;
import dev.headrace.spi.Site;
import dev.headrace.spi.State;
import dev.headrace.spi.Traits;
import java.io.EOFException;
import java.util.Objects;

/**
 * Some places of a source, counted with those of elements that fail, so that parts of a source
 * never share one.
 *
 * @param first the first place, from 0
 * @param count how many places
 */
public record SplitOp(Op input, long first, long count, Site site) implements Op {

  public SplitOp {
    Objects.requireNonNull(input);
    if (first < 0 || count < 0) {
      throw new IllegalArgumentException(
          "split: expected a place and a count of 0 or more, but got %d and %d"
              .formatted(first, count));
    }
  }

  @Override
  public long cardinality() {
    return isBounded() ? count : UNKNOWN;
  }

  /** Whether it is known how many places there must be; all that there are otherwise. */
  private boolean isBounded() {
    return count < Long.MAX_VALUE - first;
  }

  @Override
  public Traits traits() {
    return Traits.PLAIN.asKeepingPlace().asKeepingElements().with(Passing.SOME);
  }

  @Override
  public Cursor open(Context context) {
    return new SplitCursor(context, this);
  }

  private static final class SplitCursor extends CountingCursor {
    private final SplitOp op;
    private boolean begun;
    private long given;

    SplitCursor(Context context, SplitOp op) {
      super(context, context.open(op.input, Math.addExact(op.first, op.count)));
      this.op = op;
    }

    private void begin() {
      if (!begun) {
        source.skip(op.first); // if it is interrupted, it begins again
        begun = true;
      }
    }

    @Override
    protected void produce(Chunk out, int max) {
      begin();
      if (given < op.count) {
        source.fill(out, (int) Math.min(max, op.count - given));
        if (out.isEmpty() && op.isBounded()) {
          out.add(endedEarly(), context.prefix(), op.first + given);
        } else {
          given += out.size() - (out.hasTerminalFailure() ? 1 : 0); // which comes again
        }
      }
    }

    private Failure endedEarly() {
      return new Failure(
          context.path(),
          new Id(context.prefix(), op.first + given),
          new EOFException(
              "split: expected %d %s from record %d on, but the source ends after %d of them; make the splits again"
                  .formatted(op.count, Plural.word(op.count, "record"), op.first, given)),
          true);
    }

    @Override
    public void skip(long elements) {
      begin();
      long passed = Math.min(elements, op.count - given);
      source.skip(passed);
      given += passed;
    }

    @Override
    protected State position() {
      return begun ? super.position() : State.START;
    }

    @Override
    protected State own() {
      return State.of("given", given);
    }

    @Override
    protected void moveOwn(State saved) {
      given = saved.number("given", op.count, "places of a split");
      begun = true;
    }
  }
}
