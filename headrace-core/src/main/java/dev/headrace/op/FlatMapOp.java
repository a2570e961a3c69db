package dev.headrace.op;

import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Duty;
import dev.headrace.spi.Fn;
import dev.headrace.spi.Op;
import dev.headrace.spi.Passing;
import dev.headrace.spi.Plan;
import dev.headrace.spi.Site;
import dev.headrace.spi.State;
import dev.headrace.spi.Traits;
import dev.headrace.spi.UnaryCursor;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Makes a plan of each element and gives their elements, one plan after the other. */
public record FlatMapOp(Op input, Fn<Object, Plan<?>> function, Site site) implements Op {

  public FlatMapOp {
    Objects.requireNonNull(function, "flatMap: expected a function, but got null");
  }

  @Override
  public long cardinality() {
    return input.cardinality() == 0 ? 0 : UNKNOWN;
  }

  @Override
  public Traits traits() {
    return Traits.PLAIN.asKeepingPlace().with(Passing.EXPANDED).with(Duty.OPENS);
  }

  @Override
  public Cursor open(Context context) {
    return new FlatMapCursor(context, this);
  }

  private static final class FlatMapCursor extends UnaryCursor {
    private final ChildPlans plans;

    /** The plan being read. */
    private ChildPlans.@Nullable Child child;

    FlatMapCursor(Context context, FlatMapOp op) {
      super(context, context.open(op.input));
      this.plans = new ChildPlans(context, op.function, null);
    }

    @Override
    protected void produce(Chunk out, int max) {
      while (out.isOpen(max)) {
        Cursor current = current();
        Cursor next = current == null ? source : current;
        if (!out.isEmpty() && !next.isReady()) {
          next.start();
          return;
        }
        if (current != null) {
          takeFrom(current, out, max);
        } else if (!openNext(out)) {
          return;
        }
      }
    }

    private @Nullable Cursor current() {
      ChildPlans.Child open = child;
      return open == null ? null : open.cursor();
    }

    private void takeFrom(Cursor current, Chunk out, int max) {
      Chunk taken = out.isEmpty() ? out : scratch();
      current.fill(taken, max - out.size());
      if (taken.isEmpty()) {
        child = null;
        current.close();
      } else if (taken != out) {
        out.append(taken, 0, taken.size());
      }
    }

    /** Opens the plan of the next element, or gives its failure; false at the end. */
    private boolean openNext(Chunk out) {
      ChildPlans.Child opened = plans.next(source);
      if (opened == null) {
        return false;
      }
      if (opened.failure() == null) {
        child = opened;
      } else {
        out.add(opened.failure(), opened.id().parent(), opened.id().ordinal());
      }
      return true;
    }

    @Override
    public boolean isReady() {
      Cursor current = current();
      return (current == null ? source : current).isReady();
    }

    @Override
    public void start() {
      Cursor current = current();
      (current == null ? source : current).start();
    }

    @Override
    protected State position() {
      ChildPlans.Child open = child;
      return open == null || open.cursor() == null
          ? State.of("input", source.save())
          : State.of("before", open.before(), "child", open.cursor().save());
    }

    @Override
    protected void moveTo(State state) {
      if (!state.has("child")) {
        source.restore(state.state("input"));
        return;
      }
      source.restore(state.state("before"));
      // The position before it is of this life, which goes on noting the order it meets.
      child = plans.again(source, source.save(), state.state("child"));
    }

    @Override
    public void close() {
      ChildPlans.Child open = child;
      if (open != null) {
        open.close();
      }
      super.close();
    }
  }
}
