package dev.headrace.op;

import dev.headrace.data.HeapLayout;
import dev.headrace.data.Plural;
import dev.headrace.spi.Checkpointing;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Failure;
import dev.headrace.spi.Fn;
import dev.headrace.spi.Holding;
import dev.headrace.spi.Id;
import dev.headrace.spi.Op;
import dev.headrace.spi.Passing;
import dev.headrace.spi.Site;
import dev.headrace.spi.State;
import dev.headrace.spi.Traits;
import dev.headrace.spi.UnaryCursor;
import dev.headrace.spi.Weigher;
import java.util.ArrayList;
import java.util.List;

/**
 * Groups elements into windows of {@code size}, each of which is a dataset; windows may overlap.
 *
 * <p>A failed element is in no window: it is delivered when it is met, before the window that is
 * being filled.
 *
 * @param shift how many elements further each window begins
 * @param stride the distance of two elements in a window; 1 for neighbours
 * @param dropRemainder whether windows that are not full at the end are dropped
 * @param dataset makes a dataset of an operator
 */
public record WindowOp(
    Op input,
    int size,
    int shift,
    int stride,
    boolean dropRemainder,
    Fn<Op, Object> dataset,
    Site site)
    implements Op {

  /** How many elements are pulled at once. */
  private static final int LONGEST_PULL = 1024;

  public WindowOp {
    if (size < 1 || shift < 1 || stride < 1) {
      throw new IllegalArgumentException(
          "window: expected a size, shift and stride of at least 1, but got %d, %d and %d"
              .formatted(size, shift, stride));
    }
  }

  /** How many elements of the input a full window reaches over. */
  private long span() {
    return (size - 1L) * stride + 1;
  }

  @Override
  public long cardinality() {
    long all = input.cardinality();
    if (all < 0) {
      return all;
    }
    if (dropRemainder) {
      return all < span() ? 0 : (all - span()) / shift + 1;
    }
    return all / shift + (all % shift == 0 ? 0 : 1);
  }

  @Override
  public Traits traits() {
    return Traits.PLAIN.asKeepingPlace().with(Checkpointing.REPLAY).with(Passing.GROUPED);
  }

  @Override
  public Cursor open(Context context) {
    return new WindowCursor(context, this);
  }

  /** An element that windows to come need. */
  private record Held(Object item, Id id, long number, long bytes) {
    /** What it takes itself: with its id, and its place in a list that grows by half. */
    static final long OWN_BYTES =
        HeapLayout.object(2L * HeapLayout.REFERENCE + 20)
            + Id.BYTES
            + HeapLayout.REFERENCE * 3L / 2;
  }

  /** What so many windows need of the input. */
  private long demandOf(long windows) {
    long most = Long.MAX_VALUE - span();
    return windows > most / shift ? Long.MAX_VALUE : Math.max(0, windows - 1) * shift + span();
  }

  private static final class WindowCursor extends UnaryCursor {
    private final WindowOp op;
    private final long span;
    private final HoldingReader reader;

    /** The elements from the beginning of the next window on. */
    private final List<Held> held = new ArrayList<>();

    /** How many elements lie between what was read and the next window. */
    private long toDrop;

    private final Holding holding;
    private boolean ended;
    private boolean broken;

    WindowCursor(Context context, WindowOp op) {
      super(context, context.open(op.input, op.demandOf(context.demand())));
      this.op = op;
      this.span = op.span();
      this.holding = new Holding(context.heap());
      this.reader = new HoldingReader(source);
    }

    @Override
    protected void produce(Chunk out, int max) {
      while (out.isOpen(max) && !broken) {
        long missing = toDrop + span - held.size();
        if (missing > 0 && !ended) {
          if (!out.isEmpty() && !reader.isReady()) {
            return;
          }
          if (reader.advance((int) Math.min(missing, LONGEST_PULL))) {
            take(out);
          } else {
            ended = true;
          }
        } else if (held.isEmpty() || (missing > 0 && op.dropRemainder)) {
          return;
        } else {
          giveWindow(out);
        }
      }
    }

    private void take(Chunk out) {
      if (reader.isFailure()) {
        reader.giveTo(out);
      } else if (toDrop > 0) {
        toDrop--;
      } else if (!hold()) {
        out.add(tooLarge(), context.prefix(), 0);
        broken = true;
      }
    }

    private boolean hold() {
      Object item = reader.item();
      long bytes = Held.OWN_BYTES + Weigher.bytesOf(item);
      if (!holding.take(bytes)) {
        return false;
      }
      held.add(new Held(item, reader.id(), reader.number(), bytes));
      return true;
    }

    private void giveWindow(Chunk out) {
      List<Object> items = new ArrayList<>();
      for (long at = 0; at < held.size(); at += op.stride) {
        items.add(held.get((int) at).item);
      }
      Id id = held.getFirst().id;
      Object window;
      try {
        window = op.dataset.apply(WindowItems.of(List.copyOf(items), op.site));
      } catch (Throwable e) {
        window = context.failure(id, e);
      }
      out.add(window, id.parent(), id.ordinal());
      int gone = Math.min(op.shift, held.size());
      for (Held each : held.subList(0, gone)) {
        holding.letGo(each.bytes);
      }
      held.subList(0, gone).clear();
      toDrop = op.shift - gone;
      reader.forget(firstNumber());
    }

    private long firstNumber() {
      return held.isEmpty() ? reader.nextNumber() : held.getFirst().number;
    }

    private Failure tooLarge() {
      long each = Math.max(1, holding.bytes() / Math.max(1, held.size()));
      return new Failure(
          context.path(),
          null,
          new IllegalStateException(
              ("window: expected the %s of a window to fit the memory budget, but after"
                      + " %s of about %s %s; they need about %,d MB: make windows"
                      + " smaller, or raise %s")
                  .formatted(
                      Plural.of(span, "element"),
                      Plural.of(held.size(), "element"),
                      Plural.of(each, "byte"),
                      holding.isFull(),
                      (long) ((double) each * span / (1 << 20)),
                      holding.option())),
          true);
    }

    @Override
    public boolean isReady() {
      return held.size() >= span || reader.isReady();
    }

    @Override
    protected State position() {
      long first = firstNumber();
      return State.ofPairs(
          "toDrop", toDrop, "again", reader.nextNumber() - first, "input", reader.before(first));
    }

    @Override
    protected void moveTo(State state) {
      toDrop = state.number("toDrop");
      long again = state.number("again");
      if (toDrop < 0 || toDrop > op.shift || again < 0) {
        throw new State.InvalidState(
            "checkpoint: expected 0 to %d elements to drop and 0 or more to read again, but got %d"
                    .formatted(op.shift, toDrop)
                + " and "
                + again);
      }
      reader.restore(state.state("input"));
      for (long left = again; left > 0; left--) {
        if (!reader.advance((int) Math.min(left, LONGEST_PULL))) {
          throw new State.InvalidState(
              "checkpoint: expected %d more %s to read again, but the input has ended; it"
                      .formatted(left, Plural.word(left, "element"))
                  + " changed since the checkpoint");
        }
        if (!reader.isFailure() && !hold()) { // failures were delivered
          throw new IllegalStateException(String.valueOf(tooLarge().cause().getMessage()));
        }
      }
    }

    @Override
    public void close() {
      holding.close();
      held.clear();
      reader.close();
    }
  }
}
