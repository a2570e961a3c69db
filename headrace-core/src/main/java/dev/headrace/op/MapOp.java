package dev.headrace.op;

import dev.headrace.spi.Access;
import dev.headrace.spi.Blame;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Deferral;
import dev.headrace.spi.Deferring;
import dev.headrace.spi.Failure;
import dev.headrace.spi.Fn;
import dev.headrace.spi.Hurry;
import dev.headrace.spi.Knob;
import dev.headrace.spi.Op;
import dev.headrace.spi.Order;
import dev.headrace.spi.Parallelism;
import dev.headrace.spi.Site;
import dev.headrace.spi.Tally;
import dev.headrace.spi.Traits;
import dev.headrace.spi.Weigher;
import dev.headrace.spi.Work;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;

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
    return Traits.PLAIN.asKeepingPlace().asTreatingEachAlone().with(Deferring.COMPOSES);
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
    return Objects.requireNonNull(function.apply(element), MapLoop.RETURNED_NULL);
  }

  @Override
  public Cursor open(Context context) {
    Cursor source = context.open(input);
    MapLoop loop = MapLoop.of(function);
    Work work = new Calls(function, loop, context.deferral(), context);
    return parallelism == Parallelism.SEQUENTIAL
        ? new MapCursor(context, source, work, this, synchronous)
        : context.parallel(source, work, parallelism, order);
  }

  /** Calls the function, and computes the tensors that it leaves deferred where they may not be. */
  private static final class Calls implements Work {
    private final Fn<Object, Object> function;
    private final MapLoop loop;
    private final Deferral deferral;
    private final Blame blame;

    /*
     * Tensors that are computed here weigh more afterwards than when the loop weighs them. So
     * elements that have such tensors are worked on one by one, and weighed when they are computed.
     * So are elements whose weight is a guess, to see what is allocated for each. The first element
     * tells; these are only hints between threads.
     */
    private boolean isFirst = true;

    private boolean computes;
    private boolean guesses;

    Calls(Fn<Object, Object> function, MapLoop loop, Deferral deferral, Blame blame) {
      this.function = function;
      this.loop = loop;
      this.deferral = deferral;
      this.blame = blame;
    }

    @Override
    public int run(Chunk chunk, boolean mayStop) {
      int size = chunk.size();
      if (!mayStop || (!isFirst && !computes && !guesses)) {
        return runAll(chunk, 0, mayStop);
      }
      long deadline = Hurry.deadline();
      Tally made = new Tally();
      for (int i = 0; i < size; i++) {
        if (i > 0 && !computes && !guesses) {
          return runAll(chunk, i, true);
        }
        runOne(chunk, i);
        if (made.upTo(chunk, i + 1) >= chunk.fullBytes() || Hurry.isOver(deadline)) {
          return i + 1;
        }
      }
      return size;
    }

    private void runOne(Chunk chunk, int index) {
      Object given = chunk.item(index);
      long allocated = guesses ? Weigher.allocatedBytes() : -1;
      int _ = loop.run(chunk, index, index + 1, function, blame, false);
      computes |= deferral.settle(chunk, index, index + 1, blame);
      Object result = chunk.item(index);
      isFirst = result instanceof Failure;
      if (Weigher.isGuess(result)) {
        guesses = true;
        Weigher.made(result, given, allocated);
      }
    }

    private int runAll(Chunk chunk, int from, boolean mayStop) {
      int done = loop.run(chunk, from, chunk.size(), function, blame, mayStop);
      computes |= deferral.settle(chunk, from, done, blame);
      return done;
    }
  }
}
