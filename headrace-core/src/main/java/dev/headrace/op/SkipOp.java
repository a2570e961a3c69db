package dev.headrace.op;

import dev.headrace.spi.Access;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.CountingCursor;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Deferring;
import dev.headrace.spi.Leases;
import dev.headrace.spi.Op;
import dev.headrace.spi.Passing;
import dev.headrace.spi.Reader;
import dev.headrace.spi.Site;
import dev.headrace.spi.State;
import dev.headrace.spi.Traits;
import java.util.List;

/**
 * All but the first {@code count} elements; none where {@code count} is −1.
 *
 * <p>It is what {@code take} leaves: a failure is not one of the elements passed over, and is
 * delivered. So the elements must be made, unless nothing below can fail; then they are not.
 */
public record SkipOp(Op input, long count, Site site) implements Op {

  public SkipOp {
    if (count < -1) {
      throw new IllegalArgumentException(
          "skip: expected a count of at least 0, or -1 for all, but got " + count);
    }
  }

  @Override
  public long cardinality() {
    if (count == -1) {
      return 0;
    }
    long all = input.cardinality();
    return all < 0 ? all : Math.max(0, all - count);
  }

  @Override
  public Traits traits() {
    Traits some = Traits.PLAIN.asKeepingPlace().asKeepingElements().asNeverFailing();
    return count == 0
        ? some.asOneToOne().with(Deferring.CARRIES).with(Passing.ALL)
        : some.with(Passing.SOME);
  }

  @Override
  public Access access() {
    Access all = input.access();
    return Access.over(
        List.of(all),
        () -> count == -1 ? 0 : Math.max(0, all.size() - count),
        index -> all.at(count + index));
  }

  /** Whether the elements it passes over are made, because a failure among them is to be given. */
  public boolean makesWhatItPasses() {
    return mayFail(input);
  }

  @Override
  public Cursor open(Context context) {
    return count == 0 ? context.open(input) : new SkipCursor(context, this);
  }

  /** Whether failures may lie among what is passed over, which must be given and not counted. */
  private static boolean mayFail(Op op) {
    if (op.traits().knowsPlaces()) {
      return false; // places are counted there, as at(i) and cardinality() do
    }
    return !op.traits().neverFails() || op.anyInput(SkipOp::mayFail);
  }

  private static final class SkipCursor extends CountingCursor {
    private static final int LONGEST_PULL = 1024;

    private final SkipOp op;

    /** Reads what is passed over; never more than that, so it holds nothing afterwards. */
    private final Reader passing;

    private final boolean mayFail;
    private long passed;

    SkipCursor(Context context, SkipOp op) {
      long more = Math.max(0, op.count);
      super(
          context,
          context.open(
              op.input,
              context.demand() > Long.MAX_VALUE - more ? Long.MAX_VALUE : context.demand() + more));
      this.op = op;
      this.passing = new Reader(source);
      this.mayFail = op.makesWhatItPasses();
    }

    @Override
    protected void produce(Chunk out, int max) {
      if (op.count == -1) {
        return;
      }
      passOver(out, max);
      if (out.isEmpty() && passed == op.count) {
        source.fill(out, max);
      }
    }

    /** Passes over what is to be, as far as the failures on the way find place. */
    private void passOver(Chunk out, int max) {
      if (passed < op.count && !mayFail) {
        source.skip(op.count - passed);
        passed = op.count;
      }
      while (passed < op.count
          && out.size() < max
          && (out.isEmpty() || passing.isReady())
          && passing.advance((int) Math.min(LONGEST_PULL, op.count - passed))) {
        if (passing.isFailure()) {
          passing.giveTo(out);
        } else {
          passed++;
          if (!passing.inLongs()) {
            Leases.giveBack(passing.item(), "it was skipped");
          }
        }
      }
    }

    @Override
    public boolean isReady() {
      return passing.isReady();
    }

    @Override
    public void skip(long elements) {
      if (op.count != -1 && (!mayFail || passed == op.count)) {
        long first = op.count - passed;
        passed = op.count;
        source.skip(elements > Long.MAX_VALUE - first ? Long.MAX_VALUE : elements + first);
      } else {
        super.skip(elements);
      }
    }

    @Override
    protected State own() {
      return State.of("passed", passed);
    }

    @Override
    protected State input() {
      return passing.after();
    }

    @Override
    protected void moveOwn(State saved) {
      passed = saved.number("passed", Math.max(0, op.count), "elements skipped");
    }

    @Override
    public void close() {
      passing.close();
    }
  }
}
