package dev.headrace.op;

import dev.headrace.spi.Access;
import dev.headrace.spi.Blame;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Deferral;
import dev.headrace.spi.Deferring;
import dev.headrace.spi.Fn;
import dev.headrace.spi.Knob;
import dev.headrace.spi.Op;
import dev.headrace.spi.Order;
import dev.headrace.spi.Parallelism;
import dev.headrace.spi.Site;
import dev.headrace.spi.Traits;
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
    Deferral deferral = context.deferral();
    Blame blame = context;
    Work work =
        (chunk, mayStop) -> {
          int done = loop.run(chunk, 0, chunk.size(), function, blame, mayStop);
          deferral.settle(chunk, 0, done, blame);
          return done;
        };
    return parallelism == Parallelism.SEQUENTIAL
        ? new MapCursor(context, source, work, this, synchronous)
        : context.parallel(source, work, parallelism, order);
  }
}
