package dev.headrace.op;

import dev.headrace.spi.Access;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Deferral;
import dev.headrace.spi.Deferring;
import dev.headrace.spi.Failure;
import dev.headrace.spi.Fn;
import dev.headrace.spi.Hurry;
import dev.headrace.spi.Kernels;
import dev.headrace.spi.Knob;
import dev.headrace.spi.Op;
import dev.headrace.spi.Order;
import dev.headrace.spi.Parallelism;
import dev.headrace.spi.Site;
import dev.headrace.spi.State;
import dev.headrace.spi.Traits;
import dev.headrace.spi.Work;
import java.lang.invoke.MethodHandles;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Applies a function to every element.
 *
 * @param parallelism {@link Parallelism#SEQUENTIAL}: never called concurrently; otherwise the
 *     number of calls in flight, or AUTOTUNE
 * @param synchronous whether nothing is read ahead of what the consumer asks for
 */
public record MapOp(
    Op input,
    Fn<Object, Object> function,
    @Knob int parallelism,
    Order order,
    @Knob boolean synchronous,
    Site site)
    implements Op {

  private static final String RETURNED_NULL =
      "expected the function to return an element, but it returned null; use filter to drop"
          + " elements";

  public MapOp {
    Objects.requireNonNull(function, "map: expected a function, but got null");
    Parallelism.check("map", parallelism);
  }

  @Override
  public long cardinality() {
    return input.cardinality();
  }

  @Override
  public Traits traits() {
    return Traits.PLAIN.asOneToOne().with(Deferring.COMPOSES);
  }

  @Override
  public Access access() {
    Access all = input.access();
    boolean oneAtATime = parallelism == Parallelism.SEQUENTIAL;
    ReentrantLock turn = new ReentrantLock();
    return Access.over(
        List.of(all),
        all::size,
        index -> {
          Object element = all.at(index);
          if (!oneAtATime) {
            return result(element);
          }
          turn.lock(); // map(f) is never called concurrently, nor is it here
          try {
            return result(element);
          } finally {
            turn.unlock();
          }
        });
  }

  private Object result(Object element) throws Exception {
    return Objects.requireNonNull(function.apply(element), RETURNED_NULL);
  }

  @Override
  public Cursor open(Context context) {
    Cursor source = context.open(input);
    Loop loop = Kernels.specialised(MethodHandles.lookup(), DirectLoop.class, function);
    Deferral deferral = context.deferral();
    Work work =
        (chunk, mayStop) -> {
          int done = loop.run(chunk, function, context, mayStop);
          deferral.settle(chunk, done, context);
          return done;
        };
    return parallelism == Parallelism.SEQUENTIAL
        ? new MapCursor(context, source, this, work)
        : context.parallel(source, work, parallelism, order);
  }

  private static final class MapCursor extends Cursor {
    private final Cursor source;
    private final MapOp op;
    private final Work work;

    /** What was pulled, but not worked on because the function turned slow. */
    private final Chunk rest = new Chunk();

    private int restGiven;
    private State restBefore = State.START;

    MapCursor(Context context, Cursor source, MapOp op, Work work) {
      super(context);
      this.source = source;
      this.op = op;
      this.work = work;
    }

    @Override
    protected void produce(Chunk out, int max) {
      if (restGiven < rest.size()) {
        out.append(rest, restGiven++, 1);
        work.run(out, false);
        return;
      }
      if (max == 1 || op.synchronous) {
        source.fill(out, 1);
        work.run(out, false);
        return;
      }
      State before = source.save();
      source.fill(out, max);
      int done = work.run(out, true);
      if (done < out.size()) {
        rest.clear();
        rest.append(out, done, out.size() - done);
        restGiven = 0;
        restBefore = State.skipping(done, before);
        out.truncate(done);
      }
    }

    @Override
    public boolean isReady() {
      return restGiven < rest.size() || source.isReady();
    }

    @Override
    public void skip(long count) {
      int ofRest = (int) Math.min(count, rest.size() - restGiven);
      restGiven += ofRest;
      source.skip(count - ofRest); // one to one: the function is not even called
    }

    @Override
    protected State position() {
      return restGiven < rest.size() ? State.skipping(restGiven, restBefore) : source.save();
    }

    @Override
    protected void moveTo(State state) {
      source.restore(state);
    }

    @Override
    public void close() {
      source.close();
    }
  }

  /** The loop over a chunk; copied for each class of function, see {@link Kernels}. */
  interface Loop {
    int run(Chunk chunk, Fn<Object, Object> function, Context context, boolean mayStop);
  }

  static final class DirectLoop implements Loop {
    DirectLoop() {}

    @Override
    public int run(Chunk chunk, Fn<Object, Object> function, Context context, boolean mayStop) {
      int size = chunk.size();
      long deadline = mayStop && size > 1 ? Hurry.deadline() : 0;
      int step = mayStop && size > 1 ? Hurry.step(size) : Integer.MAX_VALUE / 2;
      int look = step;
      if (chunk.inLongs()) {
        long[] longs = chunk.longs();
        for (int i = 0; i < size; i++) {
          if (i == look) {
            if (Hurry.isOver(deadline)) {
              return i;
            }
            look = i + step;
          }
          Object result;
          try {
            result = function.apply(longs[i]);
          } catch (Throwable e) {
            result = failed(chunk, i, e, context);
          }
          if (result instanceof Long number) {
            longs[i] = number;
          } else {
            return leaveLongs(chunk, i, result, function, context, step, deadline);
          }
        }
        return size;
      }
      @Nullable Object[] items = chunk.items();
      for (int i = 0; i < size; i++) {
        if (i == look) {
          if (Hurry.isOver(deadline)) {
            return i;
          }
          look = i + step;
        }
        Object value = items[i];
        if (value instanceof Failure) {
          continue;
        }
        Object result;
        try {
          result = function.apply(value);
        } catch (Throwable e) {
          result = failed(chunk, i, e, context);
        }
        if (result == null || result instanceof Failure) {
          chunk.replace(i, result == null ? isNull(chunk, i, context) : result);
          items = chunk.items();
        } else {
          items[i] = result;
        }
      }
      return size;
    }

    /** Goes on from the first result that is not a long, reading longs and writing objects. */
    private static int leaveLongs(
        Chunk chunk,
        int from,
        @Nullable Object first,
        Fn<Object, Object> function,
        Context context,
        int step,
        long deadline) {
      long[] longs = chunk.longs();
      @Nullable Object[] items = chunk.besideLongs();
      for (int i = 0; i < from; i++) {
        items[i] = longs[i];
      }
      items[from] = first == null ? isNull(chunk, from, context) : first;
      int look = from + step;
      int done = chunk.size();
      for (int i = from + 1; i < chunk.size(); i++) {
        if (i >= look) {
          if (Hurry.isOver(deadline)) {
            done = i;
            break;
          }
          look = i + step;
        }
        Object result;
        try {
          result = function.apply(longs[i]);
        } catch (Throwable e) {
          result = failed(chunk, i, e, context);
        }
        items[i] = result == null ? isNull(chunk, i, context) : result;
      }
      for (int i = done; i < chunk.size(); i++) {
        items[i] = longs[i]; // not worked on yet
      }
      chunk.leaveLongs();
      return done;
    }

    private static Failure failed(Chunk chunk, int index, Throwable cause, Context context) {
      return context.failure(chunk.id(index), cause);
    }

    private static Failure isNull(Chunk chunk, int index, Context context) {
      return failed(chunk, index, new NullPointerException(RETURNED_NULL), context);
    }
  }
}
