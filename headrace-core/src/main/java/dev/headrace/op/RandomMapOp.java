package dev.headrace.op;

import dev.headrace.data.RandomStream;
import dev.headrace.data.Seed;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Deferral;
import dev.headrace.spi.Deferring;
import dev.headrace.spi.Hurry;
import dev.headrace.spi.Knob;
import dev.headrace.spi.Op;
import dev.headrace.spi.Order;
import dev.headrace.spi.Parallelism;
import dev.headrace.spi.RandomFn;
import dev.headrace.spi.Recurring;
import dev.headrace.spi.Site;
import dev.headrace.spi.Tally;
import dev.headrace.spi.Traits;
import dev.headrace.spi.Work;
import java.util.Objects;

/**
 * Applies a function that draws random numbers to every element.
 *
 * <p>Each element gets a generator of its own, keyed by the seed, this operator's place, the pass
 * and the element's id: the same values for any number of threads.
 */
public record RandomMapOp(
    Op input,
    RandomFn<Object, Object> function,
    Seed seed,
    @Knob int parallelism,
    Order order,
    Site site)
    implements Op {

  public RandomMapOp {
    Objects.requireNonNull(function, "randomMap: expected a function, but got null");
    Objects.requireNonNull(seed, "randomMap: expected a seed, but got null");
    Parallelism.check("randomMap", parallelism);
  }

  @Override
  public long cardinality() {
    return input.cardinality();
  }

  @Override
  public Traits traits() {
    return Traits.PLAIN
        .asKeepingPlace()
        .asTreatingEachAlone()
        .with(Deferring.COMPOSES)
        .with(Recurring.VARIES);
  }

  @Override
  public Cursor open(Context context) {
    Cursor source = context.open(input);
    Deferral deferral = context.deferral();
    Work work = (chunk, mayStop) -> run(chunk, context, deferral, mayStop);
    return parallelism == Parallelism.SEQUENTIAL
        ? new MapCursor(context, source, work, this, false)
        : context.parallel(source, work, parallelism, order);
  }

  private int run(Chunk chunk, Context context, Deferral deferral, boolean mayStop) {
    long deadline = Hurry.deadline();
    int step = mayStop ? Hurry.step(chunk.size()) : Integer.MAX_VALUE / 2;
    int look = step;
    Tally made = new Tally();
    long stream = seed.second() ^ context.place() ^ (context.iteration() * 0x9E3779B97F4A7C15L);
    int again = 0;
    int againAt = -1;
    for (int i = 0; i < chunk.size(); i++) {
      if (i == look) {
        if (Hurry.isOver(deadline)) {
          return i;
        }
        look = i + step;
      }
      if (chunk.isFailure(i)) {
        continue;
      }
      RandomStream random = new RandomStream(seed.first() ^ stream, chunk.id(i).mixed());
      Object result;
      try {
        result =
            Objects.requireNonNull(
                function.apply(chunk.item(i), random),
                "expected the function to return an element, but it returned null");
      } catch (Throwable e) {
        again = i == againAt ? again + 1 : 0;
        againAt = i;
        if (context.mustCallAgain(e, again)) {
          i--;
          continue;
        }
        result = context.failure(chunk.id(i), e);
      }
      if (Thread.currentThread().isInterrupted()) {
        context.leftInterrupted();
      }
      chunk.replace(i, result);
      boolean _ = deferral.settle(chunk, i, i + 1, context);
      if (mayStop && made.upTo(chunk, i + 1) >= chunk.fullBytes()) {
        return i + 1;
      }
    }
    return chunk.size();
  }
}
