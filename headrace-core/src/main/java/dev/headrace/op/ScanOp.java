package dev.headrace.op;

import dev.headrace.data.ElementCodec;
import dev.headrace.spi.BiFn;
import dev.headrace.spi.Checkpointing;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.CountingCursor;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Hurry;
import dev.headrace.spi.Op;
import dev.headrace.spi.Scanned;
import dev.headrace.spi.Site;
import dev.headrace.spi.State;
import dev.headrace.spi.Tally;
import dev.headrace.spi.Traits;
import dev.headrace.spi.Values;
import dev.headrace.spi.Work;
import java.util.Arrays;
import java.util.Objects;

/**
 * Applies a function to a running state and each element; it gives the next state and a result.
 *
 * <p>Where the function fails, the element is a failure and the state stays as it was. The state is
 * part of a checkpoint, so it must be a structure or a plain value there.
 */
public record ScanOp(
    Op input, Initial initial, BiFn<Object, Object, Scanned<Object, Object>> function, Site site)
    implements Op {

  public ScanOp {
    Objects.requireNonNull(function, "scan: expected a function, but got null");
  }

  /**
   * The state before the first element. Its text is the same in every process, since it is part of
   * the plan's identity.
   */
  public record Initial(Object value) {

    public Initial {
      Objects.requireNonNull(value, "scan: expected an initial state, but got null");
    }

    /** A value of this pass's own, as far as it can be copied: the function may change it. */
    Object fresh() {
      if (isImmutable()) {
        return value;
      }
      try {
        ElementCodec codec = new ElementCodec().learn(value);
        return codec.decode(codec.encode(value));
      } catch (IllegalArgumentException notWritable) {
        return value;
      }
    }

    private boolean isImmutable() {
      return value instanceof Number || value instanceof String || value instanceof Boolean;
    }

    @Override
    public String toString() {
      if (isImmutable()) {
        return value.toString();
      }
      String name = value.getClass().getSimpleName();
      try {
        return name + "#" + Integer.toHexString(Arrays.hashCode(new ElementCodec().encode(value)));
      } catch (IllegalArgumentException notWritable) {
        return name;
      }
    }
  }

  @Override
  public long cardinality() {
    return input.cardinality();
  }

  @Override
  public Traits traits() {
    return Traits.PLAIN.asKeepingPlace().asOneToOne().with(Checkpointing.VALUE);
  }

  @Override
  public Cursor open(Context context) {
    return new ScanCursor(context, this);
  }

  /** Calls the function, and has the running state. */
  private static final class Scanning implements Work {
    private final Context context;
    private final ScanOp op;
    private Object value;

    Scanning(Context context, ScanOp op) {
      this.context = context;
      this.op = op;
      this.value = op.initial.fresh();
    }

    @Override
    public int run(Chunk chunk, boolean mayStop) {
      long deadline = Hurry.deadline();
      Tally made = new Tally();
      int size = chunk.size();
      int step = Hurry.step(size);
      int look = step;
      for (int i = 0; i < size; i++) {
        if (mayStop && i == look) {
          if (Hurry.isOver(deadline)) {
            return i;
          }
          look = i + step;
        }
        if (!chunk.isFailure(i)) {
          Object result = scan(chunk, i, 0);
          chunk.replace(i, result);
          if (mayStop && made.upTo(chunk, i + 1) >= chunk.fullBytes()) {
            return i + 1;
          }
        }
      }
      return size;
    }

    private Object scan(Chunk chunk, int index, int times) {
      try {
        Scanned<Object, Object> scanned =
            Objects.requireNonNull(
                op.function.apply(value, chunk.item(index)),
                "expected the function to return a state and a result, but it returned null");
        value = scanned.state();
        if (Thread.currentThread().isInterrupted()) {
          context.leftInterrupted();
        }
        return scanned.result();
      } catch (Throwable e) {
        if (context.mustCallAgain(e, times)) {
          return scan(chunk, index, times + 1);
        }
        return context.failure(chunk.id(index), e);
      }
    }
  }

  private static final class ScanCursor extends CountingCursor {
    private final ScanOp op;
    private final Scanning scanning;

    ScanCursor(Context context, ScanOp op) {
      Scanning work = new Scanning(context, op);
      // It keeps what was pulled but not worked on because results were heavy.
      super(context, MapCursor.uncounted(context, context.open(op.input), work, op));
      this.op = op;
      this.scanning = work;
    }

    @Override
    protected void produce(Chunk out, int max) {
      source.fill(out, max);
    }

    @Override
    protected State own() {
      return State.of("value", valueState());
    }

    /** Positions are taken all the time; a state that cannot be written only stops checkpoints. */
    private State valueState() {
      Object now = scanning.value;
      String path = context.path(); // not the cursor, which a position must not keep alive
      try {
        State state = Values.toState(now);
        return State.lazy(() -> written(state, now, path));
      } catch (IllegalArgumentException notWritable) {
        return State.lazy(
            () -> {
              throw unwritable(now, path, notWritable);
            });
      }
    }

    private static State written(State state, Object value, String path) {
      try {
        return state.settled();
      } catch (IllegalArgumentException notWritable) {
        throw unwritable(value, path, notWritable);
      }
    }

    private static IllegalStateException unwritable(
        Object value, String path, IllegalArgumentException why) {
      return new IllegalStateException(
          ("%s: expected the state to be a structure or a plain value, so that a checkpoint can"
                  + " carry it, but got %s; use a record, map or list of tensors, numbers and"
                  + " texts")
              .formatted(path, value.getClass().getName()),
          why);
    }

    @Override
    protected void moveOwn(State state) {
      try {
        scanning.value = Values.fromState(state.state("value"), op.initial.value());
      } catch (State.InvalidState e) {
        throw e;
      } catch (IllegalArgumentException e) {
        throw new State.InvalidState(
            "checkpoint: expected a state of scan, but got " + e.getMessage());
      }
    }
  }
}
