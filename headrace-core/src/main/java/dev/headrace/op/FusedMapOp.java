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
import dev.headrace.spi.FunctionIdentity;
import dev.headrace.spi.Hurry;
import dev.headrace.spi.Id;
import dev.headrace.spi.Knob;
import dev.headrace.spi.Op;
import dev.headrace.spi.Order;
import dev.headrace.spi.Parallelism;
import dev.headrace.spi.Site;
import dev.headrace.spi.Tally;
import dev.headrace.spi.Traits;
import dev.headrace.spi.UserFunction;
import dev.headrace.spi.Weigher;
import dev.headrace.spi.Work;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Applies several functions to every element, one after the other: maps that became one operator.
 * Only the optimizer adds it.
 *
 * <p>A failure has the path of the map whose function failed.
 *
 * @param parts the maps, in the order in which they are applied
 */
public record FusedMapOp(Op input, List<Part> parts, @Knob int parallelism, Order order, Site site)
    implements Op {

  /**
   * One of the maps.
   *
   * @param title as in {@link Op#title}
   * @param path as in {@link Op#route}
   * @param computesAtOnce whether tensors that the function leaves deferred are computed before
   *     they are handed on, because what read them in the user's plan would have had them computed
   */
  public record Part(Fn<Object, Object> function, String title, String path, boolean computesAtOnce)
      implements FunctionIdentity.Named {

    @Override
    public String functionName() {
      return FunctionIdentity.labelOf(function);
    }

    @Override
    public Object identity() {
      return function;
    }
  }

  public FusedMapOp {
    parts = List.copyOf(parts);
    if (parts.isEmpty()) {
      throw new IllegalArgumentException("map: expected at least one function, but got none");
    }
    Parallelism.check("map", parallelism);
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
        .with(parts.getLast().computesAtOnce ? Deferring.COMPUTES : Deferring.COMPOSES);
  }

  @Override
  public List<? extends UserFunction> calledFunctions() {
    return parts.stream().map(Part::function).toList();
  }

  @Override
  public String word() {
    return "map";
  }

  @Override
  public String title() {
    return parts.stream().map(Part::title).collect(Collectors.joining(" + "));
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
          turn.lock();
          try {
            return result(element);
          } finally {
            turn.unlock();
          }
        });
  }

  private Object result(Object element) throws Exception {
    Object result = element;
    for (Part part : parts) {
      result = Objects.requireNonNull(part.function.apply(result), MapLoop.RETURNED_NULL);
    }
    return result;
  }

  @Override
  public Cursor open(Context context) {
    Cursor source = context.open(input);
    Work work = new Parts(context, parts);
    return parallelism == Parallelism.SEQUENTIAL
        ? new MapCursor(context, source, work, this, false)
        : context.parallel(source, work, parallelism, order);
  }

  /** Runs the parts over a chunk. */
  private static final class Parts implements Work {
    /** How many elements that are no longs go through all parts at once. */
    private static final int AT_ONCE = 8;

    private final Step[] steps;

    /** Whether the last results were no longs; only a hint between threads. */
    private boolean givesObjects;

    /** Whether tensors were computed here, each of which may be large; such a hint, too. */
    private boolean computes;

    /** Whether what results weigh is a guess, so that what is allocated for each is looked at. */
    private boolean guesses;

    Parts(Context context, List<Part> parts) {
      steps = new Step[parts.size()];
      for (int i = 0; i < steps.length; i++) {
        boolean isLast = i == steps.length - 1;
        Part part = parts.get(i);
        Deferral otherwise = isLast ? context.deferral() : Deferral.LATER;
        steps[i] =
            new Step(
                part.function,
                MapLoop.of(part.function),
                blame(context, part.path),
                part.computesAtOnce ? Deferral.AT_ONCE : otherwise);
      }
    }

    private static Blame blame(Context context, String path) {
      return new Blame() {
        @Override
        public Failure failure(@Nullable Id id, Throwable cause) {
          Failure failure = context.failure(id, cause);
          return new Failure(path, failure.id(), failure.cause(), failure.terminal());
        }

        @Override
        public boolean mustCallAgain(Throwable cause, int times) {
          return context.mustCallAgain(cause, times);
        }

        @Override
        public void leftInterrupted() {
          context.leftInterrupted();
        }
      };
    }

    private record Step(
        Fn<Object, Object> function, MapLoop loop, Blame blame, Deferral deferral) {}

    /*
     * A few elements at a time go through all parts, so that it can be stopped between two of them
     * and each element has then been through all parts or none.
     */
    @Override
    public int run(Chunk chunk, boolean mayStop) {
      int size = chunk.size();
      boolean looks = mayStop && size > 1;
      Tally made = new Tally();
      long deadline = looks ? Hurry.deadline() : 0;
      int to;
      for (int from = 0; from < size; from = to) {
        if (looks
            && from > 0
            && (Hurry.isOver(deadline) || made.upTo(chunk, from) >= chunk.fullBytes())) {
          return from;
        }
        int most =
            computes || guesses ? 1 : givesObjects ? AT_ONCE : Hurry.step(size); // they may grow
        to = Math.min(size, looks ? from + most : size);
        Object given = guesses ? chunk.item(from) : ""; // not boxed for nothing
        long allocated = guesses ? Weigher.allocatedBytes() : -1;
        for (Step step : steps) {
          int _ = step.loop.run(chunk, from, to, step.function, step.blame, false);
          computes |= step.deferral.settle(chunk, from, to, step.blame);
        }
        givesObjects = !chunk.inLongs();
        if (givesObjects && (from == 0 || guesses) && Weigher.isGuess(chunk.item(from))) {
          guesses = true;
          Weigher.made(chunk.item(from), given, to == from + 1 ? allocated : -1);
        }
      }
      return size;
    }
  }
}
