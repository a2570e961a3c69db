package dev.headrace.op;

import dev.headrace.spi.Chunk;
import dev.headrace.spi.Condition;
import dev.headrace.spi.Context;
import dev.headrace.spi.CountingCursor;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Failure;
import dev.headrace.spi.Kernels;
import dev.headrace.spi.Knob;
import dev.headrace.spi.Op;
import dev.headrace.spi.Order;
import dev.headrace.spi.Parallelism;
import dev.headrace.spi.Passing;
import dev.headrace.spi.Site;
import dev.headrace.spi.State;
import dev.headrace.spi.Traits;
import java.lang.invoke.MethodHandles;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the elements for which a condition holds.
 *
 * @param beforeMaps how many maps directly before it may be asked before, because the condition is
 *     declared to give the same answer there; null for none
 */
public record FilterOp(
    Op input,
    Condition<Object> condition,
    @Knob int parallelism,
    Order order,
    @Knob @Nullable Integer beforeMaps,
    Site site)
    implements Op {

  public FilterOp {
    Objects.requireNonNull(condition, "filter: expected a condition, but got null");
    Parallelism.check("filter", parallelism);
  }

  @Override
  public long cardinality() {
    return UNKNOWN;
  }

  @Override
  public Traits traits() {
    return Traits.PLAIN.asKeepingPlace().with(Passing.SOME);
  }

  @Override
  public Cursor open(Context context) {
    Cursor source = context.open(input);
    Loop loop = Kernels.specialised(MethodHandles.lookup(), DirectLoop.class, condition);
    return parallelism == Parallelism.SEQUENTIAL
        ? new FilterCursor(context, source, condition, loop)
        : context.parallel(
            source,
            (chunk, mayStop) -> {
              int size = chunk.size();
              loop.run(chunk, condition, context);
              return size;
            },
            parallelism,
            order);
  }

  private static final class FilterCursor extends CountingCursor {
    /** How much is pulled at once while nothing is kept. */
    private static final int LONGEST_PULL = 1024;

    private final Condition<Object> condition;
    private final Loop loop;

    /*
     * While nothing is kept, pulls double: a consumer that asks for one element of a filter that
     * keeps one in a million must not pay for a million pulls. What is kept beyond what was asked
     * for waits here. Not where it is known how much will be asked for: then nothing more is read
     * than is needed.
     */
    private final OpenGroup kept = new OpenGroup();

    FilterCursor(Context context, Cursor source, Condition<Object> condition, Loop loop) {
      super(context, source);
      this.condition = condition;
      this.loop = loop;
    }

    @Override
    protected void produce(Chunk out, int max) {
      if (kept.hasMore()) {
        give(out, max);
        return;
      }
      int pull = max;
      do {
        boolean mayKeepMore = pull > max;
        if (mayKeepMore) {
          kept.begin(source.save());
        }
        Chunk pulled = mayKeepMore ? kept.refill() : out;
        source.fill(pulled, pull);
        if (pulled.isEmpty()) {
          return;
        }
        loop.run(pulled, condition, context);
        if (mayKeepMore && kept.hasMore()) {
          give(out, max);
        }
        if (context.demand() == Long.MAX_VALUE) {
          pull = Math.min(2 * pull, Math.max(max, LONGEST_PULL));
        }
      } while (out.isEmpty());
    }

    @Override
    public boolean isReady() {
      return kept.hasMore() || source.isReady();
    }

    private void give(Chunk out, int max) {
      kept.give(out, max);
      if (!kept.hasMore()) {
        kept.end();
      }
    }

    @Override
    protected State position() {
      return kept.hasMore() ? kept.positionFromInput() : super.position();
    }

    @Override
    protected State own() {
      return State.START;
    }

    @Override
    protected void moveOwn(State saved) {}
  }

  /** The loop over a chunk; copied for each class of condition, see {@link Kernels}. */
  interface Loop {
    void run(Chunk chunk, Condition<Object> condition, Context context);
  }

  static final class DirectLoop implements Loop {
    DirectLoop() {}

    @Override
    public void run(Chunk chunk, Condition<Object> condition, Context context) {
      int size = chunk.size();
      int kept = 0;
      int i = 0;
      int again = 0;
      int againAt = -1;
      if (chunk.inLongs()) {
        long[] longs = chunk.longs();
        for (; i < size; i++) {
          boolean keep;
          try {
            keep = condition.test(longs[i]);
          } catch (Throwable e) {
            again = i == againAt ? again + 1 : 0;
            againAt = i;
            if (context.mustCallAgain(e, again)) {
              i--;
              continue;
            }
            chunk.replace(i, context.failure(chunk.id(i), e)); // to the object lane
            break;
          }
          if (size <= MapLoop.FEW && Thread.currentThread().isInterrupted()) {
            context.leftInterrupted();
          }
          if (keep) {
            chunk.move(i, kept++);
          }
        }
      }
      @Nullable Object[] items = chunk.items();
      for (; i < size; i++) {
        Object value = items[i];
        boolean keep;
        if (value instanceof Failure) {
          keep = true;
        } else {
          try {
            keep = condition.test(value);
          } catch (Throwable e) {
            again = i == againAt ? again + 1 : 0;
            againAt = i;
            if (context.mustCallAgain(e, again)) {
              i--;
              continue;
            }
            chunk.replace(i, context.failure(chunk.id(i), e));
            keep = true;
          }
          if (size <= MapLoop.FEW && Thread.currentThread().isInterrupted()) {
            context.leftInterrupted();
          }
        }
        if (keep) {
          chunk.move(i, kept++);
        }
      }
      if (kept < size) {
        chunk.truncate(kept);
      }
    }
  }
}
