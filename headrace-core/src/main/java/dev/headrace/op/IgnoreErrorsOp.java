package dev.headrace.op;

import dev.headrace.data.Plural;
import dev.headrace.spi.Causes;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.CountingCursor;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.ErrorBudget;
import dev.headrace.spi.Failure;
import dev.headrace.spi.Knob;
import dev.headrace.spi.Op;
import dev.headrace.spi.Passing;
import dev.headrace.spi.Site;
import dev.headrace.spi.State;
import dev.headrace.spi.Traits;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * Makes the consumer pass over elements that failed, up to a budget.
 *
 * <p>A failure keeps its place among the elements, through all operators that follow, and is put
 * aside when the consumer comes to it. So what is written down as a dead letter is what the
 * consumer has passed, never what was read ahead; and a checkpoint needs to know nothing of it.
 *
 * @param deadLetters the file to which failures are written, if any
 */
public record IgnoreErrorsOp(
    Op input, @Knob ErrorBudget budget, @Knob @Nullable Path deadLetters, Site site) implements Op {

  public IgnoreErrorsOp {
    Objects.requireNonNull(budget, "ignoreErrors: expected a budget, but got null");
  }

  @Override
  public long cardinality() {
    long all = input.cardinality();
    return all == 0 || all == INFINITE ? all : UNKNOWN;
  }

  @Override
  public Traits traits() {
    return Traits.PLAIN
        .asKeepingPlace()
        .asOneToOne()
        .asKeepingElements()
        .asNeverFailing()
        .with(Passing.ALL);
  }

  @Override
  public Cursor open(Context context) {
    Path file = deadLetters;
    Failure.AsidePlace place =
        context.shared(() -> file == null ? (failure, epoch) -> {} : new DeadLetters(file));
    return new IgnoreErrorsCursor(context, this, place);
  }

  private static final class IgnoreErrorsCursor extends CountingCursor {
    private static final int LAST_CAUSES = 3;

    private final IgnoreErrorsOp op;
    private final Failure.AsidePlace place;

    /** Failures put aside, and elements given, in this pass. */
    private long ignored;

    private long given;
    private boolean exceeded;
    private final ArrayDeque<Failure> last = new ArrayDeque<>();

    IgnoreErrorsCursor(Context context, IgnoreErrorsOp op, Failure.AsidePlace place) {
      super(context, context.open(op.input));
      this.op = op;
      this.place = place;
    }

    @Override
    protected void produce(Chunk out, int max) {
      if (exceeded) {
        return;
      }
      source.fill(out, max);
      if (out.failures() == 0) {
        given += out.size();
        return;
      }
      int size = out.size();
      for (int i = 0; i < size; i++) {
        if (!out.isFailure(i)) {
          given++;
          continue;
        }
        Failure failure = (Failure) out.item(i);
        if (failure.terminal() || failure.place() != null) {
          continue;
        }
        ignored++;
        remember(failure);
        if (op.budget.isExceeded(ignored, ignored + given)) {
          out.replace(i, tooMany(failure));
          out.truncate(i + 1);
          exceeded = true;
          return;
        }
        out.replace(i, failure.aside(place));
      }
    }

    private void remember(Failure failure) {
      if (ignored == 1) {
        context.warn(
            "%s: passing over elements that fail; the first: %s"
                .formatted(context.path(), text(failure)));
      }
      last.addLast(failure);
      if (last.size() > LAST_CAUSES) {
        last.removeFirst();
      }
    }

    private Failure tooMany(Failure failure) {
      StringJoiner causes = new StringJoiner("; ");
      last.forEach(each -> causes.add(text(each)));
      return new Failure(
          context.path(),
          failure.id(),
          new IllegalStateException(
              "ignoreErrors: expected %s, but got %,d among %s; the last ones: %s"
                  .formatted(
                      allowed(op.budget), ignored, Plural.of(ignored + given, "element"), causes),
              failure.cause()),
          true);
    }

    /** As its text, which checkpoints compare and which therefore stays, but for one failure. */
    private static String allowed(ErrorBudget budget) {
      String text = budget.toString();
      return budget.count() == 1 ? text.replaceFirst("failures", "failure") : text;
    }

    private static String text(Failure failure) {
      return failure.path()
          + (failure.id() == null ? "" : " on " + failure.id())
          + ": "
          + Causes.textOf(failure.cause());
    }

    @Override
    public boolean isReady() {
      return exceeded || source.isReady();
    }

    @Override
    protected State own() {
      return State.of("ignored", ignored, "given", given);
    }

    @Override
    protected void moveOwn(State saved) {
      ignored = saved.number("ignored");
      given = saved.number("given");
      if (ignored < 0 || given < 0) {
        throw new State.InvalidState(
            "checkpoint: expected counts of 0 or more for ignoreErrors, but got " + saved);
      }
    }
  }
}
