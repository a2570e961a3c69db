package dev.headrace.op;

import dev.headrace.data.Philox;
import dev.headrace.data.Plural;
import dev.headrace.data.Seed;
import dev.headrace.spi.Checkpointing;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Deferring;
import dev.headrace.spi.Failure;
import dev.headrace.spi.Holding;
import dev.headrace.spi.Op;
import dev.headrace.spi.Passing;
import dev.headrace.spi.Recurring;
import dev.headrace.spi.Site;
import dev.headrace.spi.Spill;
import dev.headrace.spi.State;
import dev.headrace.spi.Traits;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Gives the elements in random order, each drawn from a buffer of {@code buffer} elements: exactly
 * tf.data's order for the same seed.
 *
 * <p>What of the buffer does not fit the heap account goes to disk, if that is allowed and elements
 * can be written; else the pipeline ends with the size needed.
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

  /** Whether every pipeline over it has another order, because it has no seed. */
  public boolean drawsItsOwnSeed() {
    return seed == null && buffer > 1;
  }

  @Override
  public long cardinality() {
    return input.cardinality();
  }

  @Override
  public Traits traits() {
    return Traits.PLAIN
        .asKeepingPlace()
        .with(Checkpointing.REPLAY)
        .asNeverFailing()
        .with(Deferring.CARRIES)
        .with(Passing.REORDERED)
        .with(reshuffle && buffer > 1 ? Recurring.VARIES : Recurring.FOLLOWS);
  }

  @Override
  public Cursor open(Context context) {
    return new ShuffleCursor(context, this, context.shared(ToldSeed::new));
  }

  /** The draws of one pass, from the first. */
  private Philox generator(Seed drawn, long iteration) {
    if (!reshuffle) {
      return new Philox(drawn);
    }
    Philox seeds = new Philox(drawn);
    seeds.skip(2 * iteration);
    long first = Integer.toUnsignedLong(seeds.nextInt());
    return new Philox(first, Integer.toUnsignedLong(seeds.nextInt()));
  }

  /** The seed that a position told, for all passes of a pipeline; null if none did. */
  private static final class ToldSeed {
    private volatile @Nullable Seed seed;
  }

  /**
   * A place in the input: one from which it can be read again, or one where an element had failed.
   * Places form a list that only grows at its end, so that a position can be worked out later,
   * while the cursor runs on.
   */
  private static final class Place {
    /** Elements of the input before this place, and how many of them were no failures. */
    final long inputs;

    final long good;

    /** The input's position, or null for a failed element. */
    final @Nullable State state;

    volatile @Nullable Place next;

    Place(long inputs, long good, @Nullable State state) {
      this.inputs = inputs;
      this.good = good;
      this.state = state;
    }
  }

  private static final class ShuffleCursor extends Cursor {
    /*
     * Buffer: a ring of slots over the running numbers [given, good): element number j of the input
     * enters slot j mod capacity. Output t draws one of the numbers [t, good), emits what is there
     * and moves what is at t in its place. So where an element is depends on the draws alone, and
     * the buffer need not be saved: the draws are made again on numbers (BufferReplay), and the
     * elements that turn out to be buffered are read again.
     *
     * To know where to read from, the cursor keeps the input's positions, one about every
     * capacity / 8 elements. An element survives t draws with probability exp(-t / capacity), so
     * positions further back than capacity * (ln(capacity) + 40) draws are let go: that one of them
     * is still needed has a probability below 1e-17.
     */
    private static final long[] NONE = {};

    private final ShuffleOp op;
    private final ToldSeed told;
    private Seed seed;
    private final Cursor source;
    private final int capacity;
    private final long stride;
    private final long memory;
    private final ShuffleRing ring;
    private final Chunk pulled = new Chunk();
    private Philox philox;

    private Place oldest;
    private Place newest;
    private long lastMark;

    private long inputs;
    private long good;
    private long given;
    private int givenSlot;
    private int goodSlot;
    private boolean ended;
    private boolean broken;
    private final Holding holding;
    private final Spill spill;
    private long ringBytes;

    ShuffleCursor(Context context, ShuffleOp op, ToldSeed told) {
      super(context);
      this.op = op;
      this.told = told;
      Seed known = told.seed == null ? op.seed : told.seed;
      this.seed = known == null ? context.drawnSeed() : known;
      this.capacity = (int) Math.min(op.buffer, Integer.MAX_VALUE - 16);
      this.stride = Math.max(64, capacity / 8);
      this.memory = (long) (capacity * (Math.log(capacity) + 40));
      this.ring = new ShuffleRing(capacity);
      this.holding = new Holding(context.heap());
      this.spill = context.spill();
      this.source = context.open(op.input);
      this.philox = generator();
      this.oldest = new Place(0, 0, source.save());
      this.newest = oldest;
    }

    private Philox generator() {
      return op.generator(seed, context.iteration());
    }

    @Override
    protected void produce(Chunk out, int max) {
      int most = spill.atOnce(max);
      while (out.isOpen(most) && !broken) {
        if (!ended) {
          pull(most - out.size()); // each element that enters sends at most one out
          if (pulled.isEmpty()) {
            ended = true;
            continue;
          }
          takeIn(out);
          most = spill.atOnce(max);
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
      if (inputs - lastMark >= stride) {
        mark(source.save());
      }
      source.fill(pulled, count);
    }

    /** Notes a position to read from, and lets go of those that cannot be needed any more. */
    private void mark(State state) {
      append(state);
      lastMark = inputs;
      for (Place at = oldest.next; at != null && at.good < given - memory; at = at.next) {
        oldest = at.state == null ? oldest : at;
      }
    }

    private void append(@Nullable State state) {
      Place place = new Place(inputs, good, state);
      newest.next = place;
      newest = place;
    }

    private void takeIn(Chunk out) {
      broken = !growRing((int) Math.min(capacity, good + pulled.size()));
      int size = pulled.size();
      for (int i = 0; i < size && !broken; i++) {
        if (pulled.isFailure(i)) {
          append(null);
          inputs++;
          out.append(pulled, i);
          continue;
        }
        if (!hold(goodSlot, i)) {
          broken = true;
          break;
        }
        inputs++;
        good++;
        goodSlot = next(goodSlot);
        if (good - given == capacity) {
          draw(out);
        }
      }
      if (broken) {
        out.add(tooLarge(), context.prefix(), 0);
      }
    }

    /** Puts a pulled element into a slot; false where it fits neither the memory nor the disk. */
    private boolean hold(int slot, int index) {
      long bytes = ring.charge(pulled, index);
      if (bytes > 0 && !spill.keepsInMemory(holding, bytes)) {
        long address = spill.write(pulled.item(index));
        if (address != Spill.REFUSED) {
          ring.putOnDisk(slot, pulled, index, address);
          return true;
        }
        if (!holding.take(bytes)) {
          return false;
        }
      }
      ring.put(slot, pulled, index, bytes);
      return true;
    }

    private void draw(Chunk out) {
      int window = (int) (good - given);
      int slot = givenSlot + Integer.remainderUnsigned(philox.nextInt(), window);
      if (slot >= capacity || slot < 0) {
        slot -= capacity;
      }
      holding.letGo(ring.bytesOf(slot));
      ring.give(slot, out, spill);
      ring.move(givenSlot, slot);
      given++;
      givenSlot = next(givenSlot);
    }

    private int next(int slot) {
      return slot + 1 == capacity ? 0 : slot + 1;
    }

    /**
     * Makes the ring hold slots up to {@code end}, of the lane that was pulled; false if it cannot.
     */
    private boolean growRing(int end) {
      long after = ring.bytesToHold(end, pulled.inLongs());
      if (after == 0) {
        long more = ring.bytes() - ringBytes; // ids that came to differ
        if (more > 0 && holding.take(more)) {
          ringBytes += more;
        }
        return true;
      }
      if (!holding.take(after) && !(moveToDisk(after) && holding.take(after))) {
        return false;
      }
      ring.prepare(end, pulled.inLongs());
      holding.letGo(ringBytes); // the old arrays, from which the new ones were filled
      ringBytes = after;
      return true;
    }

    /** Moves so many bytes of elements to disk, so that the ring can grow; false if it cannot. */
    private boolean moveToDisk(long bytes) {
      long left = bytes;
      int slot = givenSlot;
      for (long i = given; i < good && left > 0; i++, slot = next(slot)) {
        Object item = ring.itemToMove(slot);
        long address = item == null ? Spill.REFUSED : spill.write(item);
        if (address != Spill.REFUSED) {
          left -= ring.bytesOf(slot);
          holding.letGo(ring.bytesOf(slot));
          ring.moveToDisk(slot, address);
        }
      }
      return left < bytes;
    }

    private Failure tooLarge() {
      long all = op.input.cardinality();
      long wanted = all < 0 ? op.buffer : Math.min(op.buffer, all);
      long each = (holding.bytes() - ringBytes + spill.bytes()) / Math.max(1, good - given);
      long needed = ShuffleRing.SLOT_BYTES + each;
      return new Failure(
          context.path(),
          null,
          new IllegalStateException(
              ("shuffle: expected a buffer of %s to fit the memory budget, but after %s"
                      + " of about %s %s; the buffer needs about %,d MB: lower it,"
                      + " raise %s, or shuffle before elements grow%s")
                  .formatted(
                      Plural.of(wanted, "element"),
                      Plural.of(good, "element"),
                      Plural.of(needed, "byte"),
                      holding.isFull(),
                      Math.max(1, Math.round((double) needed * wanted / (1 << 20))),
                      holding.option(),
                      spill.whyNotOnDisk())),
          true);
    }

    @Override
    protected State position() {
      long nowGiven = given;
      long nowGood = good;
      long nowInputs = inputs;
      boolean nowEnded = ended;
      Place from = oldest;
      Seed itsSeed = seed;
      long iteration = context.iteration();
      ShuffleOp itsOp = op; // not the cursor, which a position must not keep alive
      int slots = capacity;
      return State.lazy(
          () ->
              describe(
                  () -> itsOp.generator(itsSeed, iteration),
                  itsSeed,
                  slots,
                  nowGiven,
                  nowGood,
                  nowInputs,
                  nowEnded,
                  from),
          Objects.requireNonNull(from.state));
    }

    /** Works out where to read from. Runs later and elsewhere. */
    private static State describe(
        Supplier<Philox> generator,
        Seed seed,
        int capacity,
        long itsGiven,
        long itsGood,
        long itsInputs,
        boolean wasEnded,
        Place from) {
      long[] live = BufferReplay.liveBySlot(generator, capacity, itsGiven, itsGood);
      long first = itsGood;
      for (long number : live) {
        first = number >= 0 ? Math.min(first, number) : first;
      }
      Place mark = from;
      for (Place at = from; at != null && at.inputs <= itsInputs; at = at.next) {
        if (at.state != null && at.good <= first) {
          mark = at;
        }
      }
      long[] failed = new long[0];
      int count = 0;
      for (Place at = mark; at != null && at.inputs < itsInputs; at = at.next) {
        if (at.state == null) {
          failed = count == failed.length ? Arrays.copyOf(failed, 2 * count + 4) : failed;
          failed[count++] = at.inputs;
        }
      }
      return State.ofPairs(
          "given",
          itsGiven,
          "good",
          itsGood,
          "inputs",
          itsInputs,
          "ended",
          wasEnded,
          "seed",
          new long[] {seed.first(), seed.second()},
          "markInputs",
          mark.inputs,
          "markGood",
          mark.good,
          "failed",
          count == 0 ? NONE : Arrays.copyOf(failed, count),
          "mark",
          Objects.requireNonNull(mark.state));
    }

    @Override
    protected void moveTo(State state) {
      long[] numbers = state.numbers("seed");
      if (numbers.length != 2) {
        throw new State.InvalidState("checkpoint: expected two seeds of shuffle");
      }
      seed = new Seed(numbers[0], numbers[1]);
      told.seed = seed;
      philox = generator();
      given = state.number("given");
      good = state.number("good");
      // The element that fills the buffer sends one out, before a position can be told.
      if (given < 0 || good < given || good - given >= capacity) {
        throw new State.InvalidState(
            "checkpoint: expected at most %d %s in the buffer of shuffle, but got %d"
                .formatted(capacity - 1, Plural.word(capacity - 1, "element"), good - given));
      }
      givenSlot = (int) (given % capacity);
      goodSlot = (int) (good % capacity);
      boolean wasEnded = state.flag("ended");
      checkHostile(state);
      long[] live = BufferReplay.liveBySlot(this::generator, capacity, given, good);
      philox.skip(given);
      readAgain(state, live);
      if (wasEnded) {
        source.fill(pulled, 1); // those before it must have seen the end, too
        ended = pulled.isEmpty();
      }
    }

    private void checkHostile(State state) {
      long all = op.input.cardinality();
      long itsInputs = state.number("inputs");
      long markInputs = state.number("markInputs");
      long markGood = state.number("markGood");
      boolean possible =
          good <= itsInputs
              && (all < 0 || good <= all)
              && markGood >= 0
              && markGood <= markInputs
              && markInputs <= itsInputs
              && markGood <= good
              && itsInputs <= Long.MAX_VALUE / 4;
      long[] failures = state.numbers("failed");
      possible &= good - markGood == itsInputs - markInputs - failures.length;
      long before = markInputs - 1;
      for (long failed : failures) {
        possible &= failed > before && failed < itsInputs;
        before = failed;
      }
      if (!possible) {
        throw new State.InvalidState(
            "checkpoint: expected a possible position of shuffle, but got " + state);
      }
    }

    /** Reads the input from a mark on and puts the elements that are live in their slots. */
    private void readAgain(State state, long[] live) {
      long target = state.number("inputs");
      long[] failed = state.numbers("failed");
      long all = good;
      inputs = state.number("markInputs");
      good = state.number("markGood");
      source.restore(state.state("mark"));
      oldest = new Place(inputs, good, source.save());
      newest = oldest;
      lastMark = inputs;
      long[] wanted = BufferReplay.sortedByNumber(live);
      int nextWanted = 0;
      int nextFailed = 0;
      while (inputs < target) {
        if (inputs - lastMark >= stride) {
          append(source.save());
          lastMark = inputs;
        }
        long failure = nextFailed < failed.length ? failed[nextFailed] : target;
        if (failure == inputs) {
          append(null);
          source.skip(1);
          inputs++;
          nextFailed++;
          continue;
        }
        long number = nextWanted < wanted.length ? live[(int) wanted[nextWanted]] : all;
        if (number > good) {
          long run = Math.min(Math.min(number - good, failure - inputs), stride);
          source.skip(run);
          inputs += run;
          good += run;
          continue;
        }
        nextWanted = readRun(live, wanted, nextWanted, failure - inputs);
      }
      good = all;
    }

    /** Reads the wanted elements that follow each other; returns the next one wanted. */
    private int readRun(long[] live, long[] wanted, int first, long most) {
      int run = 1;
      while (first + run < wanted.length
          && run < Math.min(1024, most)
          && live[(int) wanted[first + run]] == good + run) {
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
      boolean fits = growRing(live.length);
      for (int i = 0; fits && i < pulled.size(); i++) {
        fits = hold((int) wanted[first + i], i);
      }
      if (!fits) {
        throw new IllegalStateException(tooLarge().cause().getMessage());
      }
      inputs += pulled.size();
      good += pulled.size();
      return first + pulled.size();
    }

    @Override
    public void close() {
      spill.close(); // first: closing the input may fail
      holding.close();
      ringBytes = 0;
      ring.clear();
      source.close();
    }
  }
}
