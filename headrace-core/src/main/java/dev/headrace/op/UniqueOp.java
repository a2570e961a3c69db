package dev.headrace.op;

import dev.headrace.spi.Checkpointing;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Failure;
import dev.headrace.spi.Fn;
import dev.headrace.spi.Op;
import dev.headrace.spi.Passing;
import dev.headrace.spi.Site;
import dev.headrace.spi.Spill;
import dev.headrace.spi.State;
import dev.headrace.spi.Traits;
import dev.headrace.spi.UnaryCursor;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the first of all elements that are equal, or that have equal keys.
 *
 * <p>Tensors and arrays are equal by content, within records, maps and lists too. The keys met so
 * far are held in memory, on the heap account; where they do not fit, on disk, if that is allowed
 * and they can be written, or the pipeline ends with the size reached. A checkpoint does not carry
 * them: they are found again by reading again.
 *
 * @param key null where elements are compared themselves
 */
public record UniqueOp(Op input, @Nullable Fn<Object, Object> key, Site site) implements Op {

  @Override
  public long cardinality() {
    return input.cardinality() == 0 ? 0 : UNKNOWN;
  }

  @Override
  public Traits traits() {
    return Traits.PLAIN.asKeepingPlace().with(Checkpointing.REPLAY).with(Passing.SOME);
  }

  @Override
  public Cursor open(Context context) {
    return new UniqueCursor(context, this);
  }

  private static final class UniqueCursor extends UnaryCursor {
    /** How much is pulled at once while nothing is kept. */
    private static final int LONGEST_PULL = 1024;

    private final UniqueOp op;
    private final SeenKeys seen;

    /** All of the pass is one group, because what was seen is found again by reading again. */
    private final OpenGroup kept = new OpenGroup();

    private boolean broken;

    UniqueCursor(Context context, UniqueOp op) {
      super(context, context.open(op.input));
      this.op = op;
      this.seen = new SeenKeys(context);
      kept.begin(source.save());
    }

    @Override
    protected void produce(Chunk out, int max) {
      int pull = max;
      while (!kept.hasMore()) {
        Chunk pulled = kept.refill();
        if (broken) {
          return;
        }
        source.fill(pulled, pull);
        if (pulled.isEmpty()) {
          return;
        }
        dropSeen(pulled);
        if (context.demand() == Long.MAX_VALUE) {
          pull = Math.min(2 * pull, Math.max(max, LONGEST_PULL));
        }
      }
      kept.give(out, max);
    }

    private void dropSeen(Chunk chunk) {
      int size = chunk.size();
      int last = 0;
      for (int i = 0; i < size && !broken; i++) {
        if (chunk.isFailure(i) || isNew(chunk, i, 0)) {
          chunk.move(i, last++);
        }
      }
      chunk.truncate(last);
    }

    /** Whether the element is kept; in the place of one that cannot be compared is its failure. */
    private boolean isNew(Chunk chunk, int index, int times) {
      Object itsKey;
      SeenKeys.Answer answer;
      try {
        Object item = chunk.item(index);
        itsKey =
            ContentKey.of(
                op.key == null
                    ? item
                    : Objects.requireNonNull(
                        op.key.apply(item),
                        "expected the function to return a key, but it returned null"));
        answer = seen.add(itsKey);
      } catch (Spill.LostException e) {
        throw e;
      } catch (Throwable e) {
        if (context.mustCallAgain(e, times)) {
          return isNew(chunk, index, times + 1);
        }
        chunk.replace(index, context.failure(chunk.id(index), e));
        return true;
      }
      if (answer == SeenKeys.Answer.DOES_NOT_FIT) {
        broken = true;
        chunk.replace(index, tooLarge(ContentKey.bytesOf(itsKey)));
      }
      return answer != SeenKeys.Answer.SEEN;
    }

    private Failure tooLarge(long bytes) {
      return new Failure(
          context.path(),
          null,
          new IllegalStateException(
              ("unique: expected the keys it has met to fit the memory budget, but %,d of them %s"
                      + " %,d bytes and %s; raise %s, or give a smaller key: unique(x -> …)%s")
                  .formatted(
                      seen.size() + 1,
                      seen.size() == 0 ? "needs" : "need",
                      seen.bytes() + bytes,
                      seen.isFull(),
                      seen.option(),
                      seen.whyNotOnDisk())),
          true);
    }

    @Override
    public boolean isReady() {
      return kept.hasMore() || source.isReady();
    }

    @Override
    protected State position() {
      return kept.positionFromInput();
    }

    @Override
    protected void moveTo(State state) {
      source.restore(state.state("input"));
      kept.begin(source.save());
    }

    @Override
    public void close() {
      seen.close();
      source.close();
    }
  }
}
