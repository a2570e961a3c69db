package dev.headrace.op;

import dev.headrace.spi.Blame;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Failure;
import dev.headrace.spi.Fn;
import dev.headrace.spi.Hurry;
import dev.headrace.spi.Kernels;
import dev.headrace.spi.Tally;
import java.lang.invoke.MethodHandles;
import org.jspecify.annotations.Nullable;

/** Calls a function for the elements of a chunk, in place. */
interface MapLoop {
  String RETURNED_NULL =
      "expected the function to return an element, but it returned null; use filter to drop"
          + " elements";

  /** Chunks of so few elements take long for each, so that a look at each costs nothing. */
  int FEW = 64;

  /** The loop for a function; copied for each class of function, see {@link Kernels}. */
  static MapLoop of(Fn<Object, Object> function) {
    return Kernels.specialised(MethodHandles.lookup(), Direct.class, function);
  }

  /**
   * Calls the function for the elements from one to before another.
   *
   * @param mayStop whether it may stop early, if it takes long or results are heavy
   * @return up to which element it came
   */
  int run(Chunk chunk, int from, int to, Fn<Object, Object> function, Blame blame, boolean mayStop);

  /** The loop itself. */
  final class Direct implements MapLoop {
    Direct() {}

    @Override
    public int run(
        Chunk chunk, int from, int to, Fn<Object, Object> function, Blame blame, boolean mayStop) {
      int size = to - from;
      long deadline = mayStop && size > 1 ? Hurry.deadline() : 0;
      int step = mayStop && size > 1 ? Hurry.step(size) : Integer.MAX_VALUE / 2;
      int look = from + step;
      boolean looksAtEach = size <= FEW;
      Tally made = mayStop && size > 1 ? new Tally() : null;
      if (chunk.inLongs()) {
        long[] longs = chunk.longs();
        for (int i = from; i < to; i++) {
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
            result = afterFailure(e, function, longs[i], chunk, i, blame);
          }
          if (looksAtEach && Thread.currentThread().isInterrupted()) {
            blame.leftInterrupted();
          }
          if (result instanceof Long number) {
            longs[i] = number;
          } else {
            return leaveLongs(chunk, i, to, result, function, blame, step, deadline, made);
          }
        }
        return to;
      }
      @Nullable Object[] items = chunk.items();
      for (int i = from; i < to; i++) {
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
          result = afterFailure(e, function, value, chunk, i, blame);
        }
        if (looksAtEach && Thread.currentThread().isInterrupted()) {
          blame.leftInterrupted();
        }
        if (result == null || result instanceof Failure) {
          chunk.replace(i, result == null ? isNull(chunk, i, blame) : result);
          items = chunk.items();
        } else {
          items[i] = result;
          if (made != null && made.upTo(items, i + 1) >= chunk.fullBytes()) {
            return i + 1;
          }
        }
      }
      return to;
    }

    /** Goes on from the first result that is not a long, reading longs and writing objects. */
    private static int leaveLongs(
        Chunk chunk,
        int at,
        int to,
        @Nullable Object first,
        Fn<Object, Object> function,
        Blame blame,
        int step,
        long deadline,
        @Nullable Tally made) {
      long[] longs = chunk.longs();
      @Nullable Object[] items = chunk.besideLongs();
      for (int i = 0; i < at; i++) {
        items[i] = longs[i];
      }
      items[at] = first == null ? isNull(chunk, at, blame) : first;
      int look = at + step;
      int done = to;
      boolean looksAtEach = to <= FEW;
      for (int i = at + 1; i < to; i++) {
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
          result = afterFailure(e, function, longs[i], chunk, i, blame);
        }
        if (looksAtEach && Thread.currentThread().isInterrupted()) {
          blame.leftInterrupted();
        }
        items[i] = result == null ? isNull(chunk, i, blame) : result;
        if (made != null && made.upTo(items, i + 1) >= chunk.fullBytes()) {
          done = i + 1;
          break;
        }
      }
      for (int i = done; i < chunk.size(); i++) {
        items[i] = longs[i]; // not worked on yet
      }
      chunk.leaveLongs();
      return done;
    }

    /**
     * Calls the function again where an interrupt that was not meant for the element hit it.
     * Outside of the loops, which the compiler can unroll only if they count up.
     */
    private static @Nullable Object afterFailure(
        Throwable thrown,
        Fn<Object, Object> function,
        Object value,
        Chunk chunk,
        int index,
        Blame blame) {
      Throwable failed = thrown;
      for (int again = 0; blame.mustCallAgain(failed, again); again++) {
        try {
          return function.apply(value);
        } catch (Throwable e) {
          failed = e;
        }
      }
      return blame.failure(chunk.id(index), failed);
    }

    private static Failure isNull(Chunk chunk, int index, Blame blame) {
      return blame.failure(chunk.id(index), new NullPointerException(RETURNED_NULL));
    }
  }
}
