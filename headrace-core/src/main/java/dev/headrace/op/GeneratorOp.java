package dev.headrace.op;

import dev.headrace.data.Plural;
import dev.headrace.spi.Causes;
import dev.headrace.spi.Checkpointing;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Failure;
import dev.headrace.spi.Generator;
import dev.headrace.spi.Hurry;
import dev.headrace.spi.Id;
import dev.headrace.spi.Op;
import dev.headrace.spi.Recurring;
import dev.headrace.spi.Site;
import dev.headrace.spi.State;
import dev.headrace.spi.Traits;
import java.util.Iterator;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The elements of an iterator of the user; each pass makes a new one.
 *
 * @param repeatable whether the user promised that each pass gives the same elements; only then can
 *     a pipeline return to a position, by running the iterator again
 */
public record GeneratorOp(Generator<Object> generator, boolean repeatable, Site site)
    implements Op {

  public GeneratorOp {
    Objects.requireNonNull(
        generator, "generator: expected a function that makes an iterator, but got null");
  }

  @Override
  public long cardinality() {
    return UNKNOWN;
  }

  @Override
  public Traits traits() {
    return repeatable
        ? Traits.PLAIN.asKeepingPlace().with(Checkpointing.REPLAY)
        : Traits.PLAIN.asKeepingPlace().with(Checkpointing.NONE).with(Recurring.VARIES);
  }

  @Override
  public Cursor open(Context context) {
    return new GeneratorCursor(context, this);
  }

  private static final class GeneratorCursor extends Cursor {
    private final GeneratorOp op;
    private @Nullable Iterator<?> iterator;

    /** Elements and failures given so far. */
    private long position;

    private boolean ended;

    /** Whether {@code hasNext()} threw and nothing was given since: a second time is the end. */
    private boolean stuck;

    private @Nullable Failure terminal;

    GeneratorCursor(Context context, GeneratorOp op) {
      super(context);
      this.op = op;
    }

    @Override
    protected void produce(Chunk out, int max) {
      long deadline = max > 1 ? Hurry.deadline() : Long.MAX_VALUE;
      int step = Hurry.step(max);
      int look = step;
      while (out.isOpen(max) && !ended) {
        if (out.size() >= look) {
          if (Hurry.isOver(deadline)) {
            return;
          }
          look += step;
        }
        Object next = terminal == null ? next(0) : terminal;
        if (next == null) {
          ended = true;
          closeIterator();
          return;
        }
        out.add(next, context.prefix(), position);
        if (next instanceof Failure failure && failure.terminal()) {
          terminal = failure;
          return;
        }
        position++;
      }
    }

    /** The next element, its failure, or null at the end. */
    private @Nullable Object next(int times) {
      Iterator<?> elements = iterator;
      if (elements == null) {
        try {
          elements =
              Objects.requireNonNull(
                  op.generator.iterator(),
                  "expected the function to return an iterator, but it returned null");
        } catch (Throwable e) {
          return context.mustAskAgain(e, times) ? next(times + 1) : terminal(e);
        }
        iterator = elements;
      }
      try {
        if (!elements.hasNext()) {
          return null;
        }
      } catch (Throwable e) {
        if (context.mustAskAgain(e, times)) {
          return next(times + 1);
        }
        if (stuck) {
          return terminal(e);
        }
        stuck = true;
        return context.failure(id(), e);
      }
      stuck = false;
      try {
        return Objects.requireNonNull(
            elements.next(), "expected an element, but the iterator gave null; leave it out");
      } catch (Throwable e) {
        return context.mustAskAgain(e, times) ? next(times + 1) : context.failure(id(), e);
      }
    }

    private Failure terminal(Throwable cause) {
      Failure failure = context.failure(id(), cause); // which looks for interruptions
      return new Failure(failure.path(), failure.id(), failure.cause(), true);
    }

    private Id id() {
      return new Id(context.prefix(), position);
    }

    @Override
    protected State position() {
      if (op.repeatable || position == 0) {
        return State.of("position", position);
      }
      long reached = position;
      return State.lazy(() -> cannotReturn(reached));
    }

    /** A plan that a function made is not seen before this. */
    private State cannotReturn(long reached) {
      throw new IllegalStateException(
          "checkpoint: expected sources that can be read again, but %s, at element %d, was not declared repeatable; use repeatableGenerator"
              .formatted(context.path(), reached));
    }

    @Override
    protected void moveTo(State state) {
      long to = state.number("position");
      if (to < 0) {
        throw new State.InvalidState(
            "checkpoint: expected a position of 0 or more for generator, but got " + to);
      }
      skip(to);
      if (position < to && terminal == null) {
        throw new State.InvalidState(
            "checkpoint: expected %s to give %d %s again, but it ended after %d; is it repeatable?"
                .formatted(context.path(), to, Plural.word(to, "element"), position));
      }
    }

    @Override
    public void close() {
      ended = true;
      closeIterator();
    }

    private void closeIterator() {
      if (iterator instanceof AutoCloseable resource) {
        iterator = null;
        try {
          resource.close();
        } catch (Throwable e) { // the elements are there, and are not lost by it
          context.warn(
              "%s: closing the iterator failed: %s".formatted(context.path(), Causes.textOf(e)));
        }
      }
    }
  }
}
