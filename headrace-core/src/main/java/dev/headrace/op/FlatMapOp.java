package dev.headrace.op;

import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Failure;
import dev.headrace.spi.Fn;
import dev.headrace.spi.Id;
import dev.headrace.spi.Op;
import dev.headrace.spi.Passing;
import dev.headrace.spi.Plan;
import dev.headrace.spi.Site;
import dev.headrace.spi.State;
import dev.headrace.spi.Traits;
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
    return Traits.PLAIN.asKeepingPlace().with(Passing.EXPANDED);
  }

  @Override
  public Cursor open(Context context) {
    return new FlatMapCursor(context, this);
  }

  private static final class FlatMapCursor extends Cursor {
    private final FlatMapOp op;
    private final Cursor source;
    private final Chunk one = new Chunk();

    /** The plan being read, and the input's position before the element it was made from. */
    private @Nullable Cursor child;

    private State before = State.START;

    FlatMapCursor(Context context, FlatMapOp op) {
      super(context);
      this.op = op;
      this.source = context.open(op.input);
    }

    @Override
    protected void produce(Chunk out, int max) {
      while (out.isOpen(max)) {
        Cursor current = child;
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
      before = source.save();
      source.fill(one, 1);
      if (one.isEmpty()) {
        return false;
      }
      Object opened = openPlan(0);
      if (opened instanceof Cursor cursor) {
        child = cursor;
      } else {
        out.add(opened, one.parentOf(0), one.ordinalOf(0));
      }
      return true;
    }

    /** The cursor of the plan of the element in {@code one}, or the failure to make it. */
    private Object openPlan(int times) {
      if (one.isFailure(0)) {
        return one.item(0);
      }
      Id id = one.id(0);
      Plan<?> plan;
      try {
        plan =
            Objects.requireNonNull(
                op.function.apply(one.item(0)),
                "expected the function to return a dataset, but it returned null");
      } catch (Throwable e) {
        if (context.mustCallAgain(e, times)) {
          return openPlan(times + 1);
        }
        return context.failure(id, e);
      }
      if (Thread.currentThread().isInterrupted()) {
        context.leftInterrupted();
      }
      return context.openChild(plan, id);
    }

    @Override
    public boolean isReady() {
      Cursor current = child;
      return (current == null ? source : current).isReady();
    }

    @Override
    public void start() {
      Cursor current = child;
      (current == null ? source : current).start();
    }

    @Override
    protected State position() {
      Cursor current = child;
      return current == null
          ? State.of("input", source.save())
          : State.of("before", before, "child", current.save());
    }

    @Override
    protected void moveTo(State state) {
      if (!state.has("child")) {
        source.restore(state.state("input"));
        return;
      }
      source.restore(state.state("before"));
      before = source.save(); // of this life, which goes on noting the order it meets
      source.fill(one, 1);
      if (one.isEmpty()) {
        throw new IllegalStateException(
            context.path()
                + ": expected to read an element of the input again, but it has ended; the input"
                + " changed since the checkpoint");
      }
      Object opened = openPlan(0);
      if (opened instanceof Failure failure) {
        throw new IllegalStateException(
            context.path() + ": cannot make the dataset of element " + one.id(0) + " again",
            failure.cause());
      }
      Cursor again = (Cursor) opened;
      child = again;
      again.restore(state.state("child"));
    }

    @Override
    public void close() {
      Cursor current = child;
      if (current != null) {
        current.close();
      }
      source.close();
    }
  }
}
