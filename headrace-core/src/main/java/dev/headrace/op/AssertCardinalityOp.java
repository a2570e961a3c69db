package dev.headrace.op;

import dev.headrace.data.Plural;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.CountingCursor;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Failure;
import dev.headrace.spi.Leases;
import dev.headrace.spi.Op;
import dev.headrace.spi.Passing;
import dev.headrace.spi.Site;
import dev.headrace.spi.State;
import dev.headrace.spi.Traits;

/**
 * Its input, which must have {@code count} elements, or no end where {@code count} is {@link
 * Op#INFINITE}. A pass that turns out otherwise ends the pipeline: at the first element too many,
 * or at the end. Failures are not counted.
 */
public record AssertCardinalityOp(Op input, long count, Site site) implements Op {

  public AssertCardinalityOp {
    if (count < INFINITE) {
      throw new IllegalArgumentException(
          "assertCardinality: expected a count of at least 0, or -1 for no end, but got " + count);
    }
  }

  private long limit() {
    return count == INFINITE ? Long.MAX_VALUE : count;
  }

  @Override
  public long cardinality() {
    return count;
  }

  @Override
  public Traits traits() {
    return Traits.PLAIN.asKeepingPlace().asKeepingElements().asNeverFailing().with(Passing.ALL);
  }

  @Override
  public Cursor open(Context context) {
    return new AssertCardinalityCursor(context, this);
  }

  private static final class AssertCardinalityCursor extends CountingCursor {
    private final AssertCardinalityOp op;
    private long seen;
    private boolean over;

    AssertCardinalityCursor(Context context, AssertCardinalityOp op) {
      long most = op.limit() == Long.MAX_VALUE ? Long.MAX_VALUE : op.limit() + 1;
      super(context, context.open(op.input, Math.min(most, context.demand())));
      this.op = op;
    }

    @Override
    protected void produce(Chunk out, int max) {
      if (over) {
        return;
      }
      // One more than is expected, and no more, so that an element too many is the last one here.
      source.fill(out, (int) Math.min(max, Math.max(1, op.limit() - seen + 1)));
      seen += out.size() - out.failures();
      if (seen > op.limit()) {
        int last = out.size() - 1;
        Object surplus = out.item(last);
        out.replace(last, wrong("at least " + seen));
        Leases.giveBack(surplus, "there are more elements than assertCardinality expects");
      } else if (out.isEmpty() && (op.count == INFINITE || seen < op.count)) {
        out.add(wrong("only " + seen), context.prefix(), seen);
      }
    }

    private Failure wrong(String found) {
      over = true;
      return new Failure(
          context.path(),
          null,
          new IllegalStateException(
              "assertCardinality: expected %s, but the dataset has %s"
                  .formatted(
                      op.count == INFINITE
                          ? "no end"
                          : op.count + Plural.word(op.count, " element"),
                      found)),
          true);
    }

    @Override
    public boolean isReady() {
      return over || source.isReady();
    }

    @Override
    protected State position() {
      return over ? State.of("over", true) : super.position();
    }

    @Override
    protected void moveTo(State state) {
      over = state.has("over") && state.flag("over");
      if (!over) {
        super.moveTo(state);
      }
    }

    @Override
    protected State own() {
      return State.of("seen", seen);
    }

    @Override
    protected void moveOwn(State saved) {
      seen = saved.number("seen", op.limit(), "elements seen");
    }
  }
}
