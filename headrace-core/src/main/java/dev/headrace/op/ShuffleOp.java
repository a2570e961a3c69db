package dev.headrace.op;

import dev.headrace.data.Philox;
import dev.headrace.data.Seed;
import dev.headrace.spi.Checkpointing;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Failure;
import dev.headrace.spi.Op;
import dev.headrace.spi.Site;
import dev.headrace.spi.Sizer;
import dev.headrace.spi.State;
import dev.headrace.spi.Traits;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Gives the elements in random order, each drawn from a buffer of {@code buffer} elements: exactly
 * tf.data's order for the same seed.
 *
 * @param seed null to draw one when the pipeline is opened
 * @param reshuffle whether each pass has an order of its own
 */
public record ShuffleOp(Op input, long buffer, @Nullable Seed seed, boolean reshuffle, Site site)
    implements Op {

  public ShuffleOp {
    if (buffer < 1) {
      throw new IllegalArgumentException(
          "shuffle: expected a buffer of at least 1 element, but got " + buffer);
    }
  }

  @Override
  public long cardinality() {
    return input.cardinality();
  }

  @Override
  public Traits traits() {
    return Traits.PLAIN.with(Checkpointing.REPLAY);
  }

  @Override
  public Cursor open(Context context) {
    Seed given = seed;
    DrawnSeed drawn =
        context.shared(() -> new DrawnSeed(given == null ? Seed.random() : given));
    return new ShuffleCursor(context, this, drawn);
  }

  /** The seed of one pipeline; a resumed pipeline takes over the one of its checkpoint. */
  private static final class DrawnSeed {
    private volatile Seed seed;

    DrawnSeed(Seed seed) {
      this.seed = seed;
    }
  }

  /** A place in the input from which the buffered elements after it can be read again. */
  private static final class Mark {
    final State state;

    /** Elements of the input before this place, and how many of them were no failures. */
    final long inputs;

    final long good;

    /** Which elements after this place (and before the next mark) were failures. */
    long[] failed = {};

    int failedCount;

    /** Buffered elements that came from between this mark and the next. */
    int live;

    Mark(State state, long inputs, long good) {
      this.state = state;
      this.inputs = inputs;
      this.good = good;
    }

    void addFailed(long input) {
      if (failedCount == failed.length) {
        failed = Arrays.copyOf(failed, Math.max(4, 2 * failedCount));
      }
      failed[failedCount++] = input;
    }
  }

  private static final class ShuffleCursor extends Cursor {
    /*
     * Buffer: a ring of slots over the running numbers [given, good): element number j of the input
     * enters slot j mod capacity. Output t draws one of the numbers [t, good), emits what is there
     * and moves what is at t in its place. So where an element is depends on the draws alone, and
     * the buffer need not be saved: the draws are made again on numbers, and the elements that turn
     * out to be buffered are read again.
     *
     * An element is forgotten after about capacity * ln(capacity) draws, so only the last draws are
     * made again, from a buffer whose content is not known (BufferReplay). To know where to read
     * from, the cursor keeps marks: states of the input about every capacity / 8 elements, dropped
     * from the front once nothing that came after them is still buffered.
     */
    private final ShuffleOp op;
    private final DrawnSeed drawn;
    private final Cursor source;
    private final int capacity;
    private final Chunk ring = new Chunk();
    private final Chunk pulled = new Chunk();
    private final ArrayDeque<Mark> marks = new ArrayDeque<>();
    private @Nullable Mark[] markOf = {};
    private Philox philox;

    private long inputs;
    private long good;
    private long given;
    private int givenSlot;
    private int goodSlot;
    private boolean ended;
    private boolean broken;
    private long reservedBytes;

    ShuffleCursor(Context context, ShuffleOp op, DrawnSeed drawn) {
      super(context);
      this.op = op;
      this.drawn = drawn;
      this.capacity = (int) Math.min(op.buffer, Integer.MAX_VALUE - 16);
      this.source = context.open(op.input);
      this.philox = generator();
    }

    private Philox generator() {
      if (!op.reshuffle) {
        return new Philox(drawn.seed);
      }
      Philox seeds = new Philox(drawn.seed);
      seeds.skip(2 * context.iteration());
      long first = Integer.toUnsignedLong(seeds.nextInt());
      return new Philox(first, Integer.toUnsignedLong(seeds.nextInt()));
    }

    @Override
    protected void produce(Chunk out, int max) {
      while (out.size() < max && !broken) {
        if (!ended) {
          pull((int) Math.min(max - out.size(), capacity - (good - given)));
          if (pulled.isEmpty()) {
            ended = true;
            continue;
          }
          takeIn(out);
        } else if (given < good) {
          draw(out);
        } else {
          return;
        }
        if (!out.isEmpty() && !ended && !source.isReady()) {
          return;
        }
      }
    }

    private void pull(int count) {
      Mark last = marks.peekLast();
      if (last == null || inputs - last.inputs >= Math.max(64, capacity / 8)) {
        marks.addLast(new Mark(source.save(), inputs, good));
      }
      source.fill(pulled, count);
    }

    private void takeIn(Chunk out) {
      if (good < capacity && !reserve()) {
        out.add(tooLarge(), context.prefix(), 0);
        broken = true;
        return;
      }
      Mark mark = Objects.requireNonNull(marks.peekLast());
      int size = pulled.size();
      for (int i = 0; i < size; i++) {
        long input = inputs++;
        if (pulled.isFailure(i)) {
          mark.addFailed(input);
          out.append(pulled, i);
          continue;
        }
        place(goodSlot, pulled, i, mark);
        good++;
        goodSlot = next(goodSlot);
        if (good - given == capacity) {
          draw(out);
        }
      }
    }

    private void place(int slot, Chunk from, int index, Mark mark) {
      ring.put(slot, from, index);
      if (slot >= markOf.length) {
        int grown = Math.max(64, slot + (slot >> 1) + 1);
        markOf = Arrays.copyOf(markOf, Math.min(grown, capacity));
      }
      markOf[slot] = mark;
      mark.live++;
    }

    private void draw(Chunk out) {
      int window = (int) (good - given);
      int slot = givenSlot + Integer.remainderUnsigned(philox.nextInt(), window);
      if (slot >= capacity || slot < 0) {
        slot -= capacity;
      }
      out.append(ring, slot);
      Mark mark = Objects.requireNonNull(markOf[slot]);
      if (slot != givenSlot) {
        ring.put(slot, ring, givenSlot);
        markOf[slot] = markOf[givenSlot];
      }
      ring.forget(givenSlot);
      given++;
      givenSlot = next(givenSlot);
      if (--mark.live == 0 && mark == marks.peekFirst()) {
        dropUselessMarks();
      }
    }

    private void dropUselessMarks() {
      while (marks.size() > 1 && Objects.requireNonNull(marks.peekFirst()).live == 0) {
        marks.removeFirst();
      }
    }

    private int next(int slot) {
      return slot + 1 == capacity ? 0 : slot + 1;
    }

    private boolean reserve() {
      long bytes = Sizer.bytesOf(pulled);
      if (!context.heap().tryReserve(bytes)) {
        return false;
      }
      reservedBytes += bytes;
      return true;
    }

    private Failure tooLarge() {
      long each = Math.max(1, reservedBytes / Math.max(1, good));
      return new Failure(
          context.path(),
          null,
          new IllegalStateException(
              ("shuffle: expected a buffer of %,d elements to fit the memory budget, but after %,d"
                      + " elements of about %,d bytes the %s account is full (%,d MB of %,d MB); the"
                      + " buffer needs about %,d MB: lower it, raise options.heapBudget, or shuffle"
                      + " before elements grow")
                  .formatted(
                      op.buffer,
                      good,
                      each,
                      context.heap().name(),
                      context.heap().usedBytes() >> 20,
                      context.heap().limitBytes() >> 20,
                      (each * (double) op.buffer) / (1 << 20) > Long.MAX_VALUE
                          ? Long.MAX_VALUE
                          : (long) ((double) each * op.buffer / (1 << 20)))),
          true);
    }

    @Override
    protected State position() {
      Mark oldest = marks.peekFirst();
      return State.ofPairs(
          "given", given,
          "good", good,
          "inputs", inputs,
          "ended", ended,
          "seed", new long[] {drawn.seed.first(), drawn.seed.second()},
          "markInputs", oldest == null ? 0 : oldest.inputs,
          "markGood", oldest == null ? 0 : oldest.good,
          "failed", failedSinceOldest(),
          "mark", oldest == null ? source.save() : oldest.state);
    }

    private long[] failedSinceOldest() {
      int count = 0;
      for (Mark mark : marks) {
        count += mark.failedCount;
      }
      if (count == 0) {
        return NONE;
      }
      long[] failed = new long[count];
      int at = 0;
      for (Mark mark : marks) {
        System.arraycopy(mark.failed, 0, failed, at, mark.failedCount);
        at += mark.failedCount;
      }
      return failed;
    }

    private static final long[] NONE = {};

    @Override
    protected void moveTo(State state) {
      long[] seed = state.numbers("seed");
      if (seed.length != 2) {
        throw new State.InvalidState("checkpoint: expected two seeds of shuffle");
      }
      drawn.seed = new Seed(seed[0], seed[1]);
      philox = generator();
      given = state.number("given");
      good = state.number("good");
      if (given < 0 || good < given || good - given > capacity) {
        throw new State.InvalidState(
            "checkpoint: expected at most %d elements in the buffer of shuffle, but got %d"
                .formatted(capacity, good - given));
      }
      givenSlot = (int) (given % capacity);
      goodSlot = (int) (good % capacity);
      boolean wasEnded = state.flag("ended");
      long[] live = BufferReplay.liveBySlot(philox, capacity, given, good);
      philox = generator();
      philox.skip(given);
      readAgain(state, live);
      if (wasEnded) {
        source.fill(pulled, 1); // those before it must have seen the end, too
        ended = pulled.isEmpty();
      }
    }

    /** Reads the input from the oldest mark on and puts the elements that are live in their slots. */
    private void readAgain(State state, long[] live) {
      long target = state.number("inputs");
      long[] failed = state.numbers("failed");
      inputs = state.number("markInputs");
      long number = state.number("markGood");
      source.restore(state.state("mark"));
      marks.addLast(new Mark(state.state("mark"), inputs, number));
      long[] wanted = BufferReplay.sortedByNumber(live);
      if (wanted.length > 0) {
        ring.openSlots((int) Math.min(capacity, good));
      }
      int nextWanted = 0;
      int nextFailed = 0;
      while (inputs < target) {
        Mark last = Objects.requireNonNull(marks.peekLast());
        if (inputs - last.inputs >= Math.max(64, capacity / 8)) {
          last = new Mark(source.save(), inputs, number);
          marks.addLast(last);
        }
        long failure = nextFailed < failed.length ? failed[nextFailed] : target;
        if (failure == inputs) {
          source.skip(1);
          last.addFailed(inputs++);
          nextFailed++;
          continue;
        }
        long wantedNumber = nextWanted < wanted.length ? live[(int) wanted[nextWanted]] : Long.MAX_VALUE;
        if (wantedNumber > number) {
          long run = Math.min(Math.min(wantedNumber - number, failure - inputs), target - inputs);
          run = Math.min(run, Math.max(64, capacity / 8));
          source.skip(run);
          inputs += run;
          number += run;
          continue;
        }
        int run = 1;
        while (nextWanted + run < wanted.length
            && run < 1024
            && live[(int) wanted[nextWanted + run]] == number + run
            && inputs + run < failure) {
          run++;
        }
        source.fill(pulled, run);
        if (pulled.isEmpty()) {
          throw new IllegalStateException(
              context.path()
                  + ": expected to read element "
                  + inputs
                  + " again, but its input has ended; the input changed since the checkpoint");
        }
        for (int i = 0; i < pulled.size(); i++) {
          place((int) wanted[nextWanted++], pulled, i, last);
        }
        inputs += pulled.size();
        number += pulled.size();
        reserve();
      }
      dropUselessMarks();
    }

    @Override
    public void close() {
      source.close();
      context.heap().release(reservedBytes);
      reservedBytes = 0;
      ring.clear();
    }
  }
}
