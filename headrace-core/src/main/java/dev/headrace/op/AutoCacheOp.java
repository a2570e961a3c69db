package dev.headrace.op;

import dev.headrace.data.Tensor;
import dev.headrace.spi.Access;
import dev.headrace.spi.Cancelled;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Deferral;
import dev.headrace.spi.Deferring;
import dev.headrace.spi.Duty;
import dev.headrace.spi.Hurry;
import dev.headrace.spi.Knob;
import dev.headrace.spi.Leases;
import dev.headrace.spi.Op;
import dev.headrace.spi.RecordValues;
import dev.headrace.spi.Recurring;
import dev.headrace.spi.Site;
import dev.headrace.spi.State;
import dev.headrace.spi.Traits;
import dev.headrace.spi.Watch;
import dev.headrace.spi.Weigher;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the elements of a whole pass in memory and gives later passes from there, if they fit and
 * making them costs more than keeping them. Only the optimizer adds it, where every pass gives the
 * same elements.
 *
 * <p>It is not to be noticed. Its position is its input's, failures are met in every pass, and
 * memory that it holds is given back when somebody else needs it.
 *
 * @param passes how many passes over it are known to come; -1 for no end
 * @param isDelivered whether the consumer gets its elements as they are, and could change them
 * @param always whether elements are kept whatever it costs to make them
 */
public record AutoCacheOp(
    Op input, @Knob long passes, @Knob boolean isDelivered, @Knob boolean always, Site site)
    implements Op {

  @Override
  public String word() {
    return "cacheIfItHelps";
  }

  @Override
  public long cardinality() {
    return input.cardinality();
  }

  @Override
  public Traits traits() {
    return Traits.PLAIN
        .asKeepingPlace()
        .asOneToOne()
        .asKeepingElements()
        .asShapingNothing()
        .asNeverFailing()
        .with(Deferring.CARRIES)
        .with(Duty.KEEPS);
  }

  @Override
  public Access access() {
    return input.access();
  }

  @Override
  public Cursor open(Context context) {
    Cursor source = context.open(input);
    KeepingPlaces places = context.shared("kept elements", () -> new KeepingPlaces(context.heap()));
    KeepingPlaces.Place place = context.shared(() -> places.add(input));
    return context.debug()
            || place.isOut()
            || !Recurring.isTheSameInEveryPass(input, context::ordered)
        ? source
        : new AutoCacheCursor(context, this, place, source);
  }

  /** Whether there is a pass after this one, as far as is known. */
  private boolean comesAgain(long iteration) {
    return passes == INFINITE || iteration != passes - 1;
  }

  private static final class AutoCacheCursor extends Cursor {
    private static final int FIRST_LOOK = 32;

    private enum Mode {
      NOT_BEGUN,
      /** Hands on what its input gives. */
      PASSING,
      /** The same, and adds it to what is kept. */
      ADDING,
      /** Gives what is kept; the input stands at its start. */
      GIVING
    }

    private final AutoCacheOp op;
    private final KeepingPlaces.Place place;
    private Cursor source;
    private volatile Mode mode = Mode.NOT_BEGUN;

    /** What is added to, or given from, or was added to to the end. */
    private @Nullable KeptElements kept;

    /** Elements given so far, and whether they are all since the start. */
    private long position;

    private boolean isFromTheStart = true;

    /** Where the input of a pass that gives what is kept would have begun. */
    private State start = State.START;

    /** Whether the input's positions are the same in every pass, and can be held. */
    private boolean hasLastingPositions;

    private @Nullable Watch watch;
    private long pullingNs;
    private long nextLook = FIRST_LOOK;

    /** Whether workers compute what the input's elements hold deferred. */
    private boolean isComputedAhead;

    private volatile boolean isComputingImpossible;

    AutoCacheCursor(Context context, AutoCacheOp op, KeepingPlaces.Place place, Cursor source) {
      super(context);
      this.op = op;
      this.place = place;
      this.source = source;
    }

    private void begin() {
      KeptElements whole = place.whole();
      if (whole != null) {
        kept = whole;
        start = source.save();
        mode = Mode.GIVING;
        return;
      }
      KeptElements growing = isWholePass() ? place.begin(context) : null;
      if (growing == null) {
        mode = Mode.PASSING;
        return;
      }
      kept = growing;
      hasLastingPositions = !Recurring.isHeldIn(op.input);
      watch = context.watchBelow();
      mode = Mode.ADDING;
    }

    /** Whether this pass can be kept for a later one. */
    private boolean isWholePass() {
      long all = op.input.cardinality();
      boolean isAskedForAll =
          context.demand() == Long.MAX_VALUE || (all >= 0 && context.demand() >= all);
      // What a cache below takes while it fills tells nothing of what it takes later.
      return isAskedForAll
          && op.comesAgain(context.iteration())
          && (place.hasSeenPass() || !Recurring.isHeldIn(op.input));
    }

    @Override
    protected void produce(Chunk out, int max) {
      if (mode == Mode.NOT_BEGUN) {
        begin();
      }
      KeptElements elements = kept;
      if (mode == Mode.GIVING && elements != null) {
        if (place.give(elements, out, position, max, context.prefix())) {
          position += out.size();
          return;
        }
        goOnWithInput(elements);
      }
      if (mode == Mode.ADDING && elements != null) {
        pullAndAdd(elements, out, max);
        return;
      }
      source.fill(out, max);
      position += out.size();
      if (isComputedAhead) {
        accountFor(out); // what was computed before there was no use for it any more
      }
      if (out.isEmpty() && isFromTheStart) {
        place.cameToItsEnd(position, elements);
      }
    }

    /** Puts the input where it would stand, had it given everything so far. */
    private void goOnWithInput(KeptElements gone) {
      source.restore(place.position(gone, position, State.START));
      kept = null;
      mode = Mode.PASSING;
    }

    // ---- keeping --------------------------------------------------------------------------------

    private void pullAndAdd(KeptElements to, Chunk out, int max) {
      State before = lastingPosition(to);
      long begun = System.nanoTime();
      source.fill(out, max);
      pullingNs += System.nanoTime() - begun;
      if (out.isEmpty()) {
        finish(to, true);
        return;
      }
      position += out.size();
      if (!add(to, out, before)) {
        stopAdding();
      } else if (position == op.input.cardinality()) {
        finish(to, false); // zip, take and others need not ask for the end
      }
    }

    private @Nullable State lastingPosition(KeptElements to) {
      if (!hasLastingPositions || !place.wantsPosition(to)) {
        return null;
      }
      State now = source.save();
      hasLastingPositions = now.isWorkedOut();
      return hasLastingPositions ? now : null;
    }

    /** Adds what was pulled; false if nothing more is to be added. */
    private boolean add(KeptElements to, Chunk out, @Nullable State before) {
      boolean isDeferred = Deferral.isSeenIn(out);
      if (isDeferred) {
        compute(out);
      }
      String obstacle = obstacle(out);
      if (obstacle != null) {
        place.giveUp("not kept in memory: " + obstacle);
        return false;
      }
      if (!place.add(to, out, Weigher.bytesOf(out), before)) {
        return false;
      }
      if (isComputedAhead || isDeferred) {
        accountFor(out);
      }
      if (position < nextLook) {
        return true;
      }
      nextLook = 2 * position;
      return place.judge(to, makingNs());
    }

    /** Why these elements cannot be kept, or null. */
    private @Nullable String obstacle(Chunk out) {
      if (out.failures() > 0) {
        return "an element failed, and has to fail in every epoch";
      }
      if (isComputingImpossible) {
        return "a tensor could not be computed, which has to be told in every epoch";
      }
      if (Leases.bytesOf(out) > 0) {
        return "its elements are lent, and have to be given back";
      }
      for (int i = 0; op.isDelivered && !out.inLongs() && i < out.size(); i++) {
        if (!isUnchangeable(out.item(i))) {
          return "whoever gets its elements could change them (%s)"
              .formatted(out.item(i).getClass().getSimpleName());
        }
      }
      return differingPasses();
    }

    private @Nullable String differingPasses() {
      return watch != null && watch.hasSeenPassesDiffer()
          ? "a function returns datasets that give other elements in every epoch"
          : null;
    }

    private static boolean isUnchangeable(@Nullable Object value) {
      return switch (value) {
        case null -> true;
        case Tensor _, Long _, Integer _, Short _, Byte _, Double _, Float _ -> true;
        case Boolean _, Character _, String _, Enum<?> _ -> true;
        case Record record -> areUnchangeable(record);
        case Map<?, ?> map ->
            isOfTheJdk(map) && areUnchangeable(map.keySet()) && areUnchangeable(map.values());
        case List<?> list -> isOfTheJdk(list) && areUnchangeable(list);
        default -> false;
      };
    }

    private static boolean areUnchangeable(Record record) {
      List<@Nullable Object> values;
      try {
        values = RecordValues.of(record);
      } catch (IllegalStateException e) {
        return false; // an accessor throws: what is behind it is not known
      }
      return values.size() == record.getClass().getRecordComponents().length
          && values.stream().allMatch(AutoCacheCursor::isUnchangeable);
    }

    private static boolean areUnchangeable(Collection<?> values) {
      return values.stream().allMatch(AutoCacheCursor::isUnchangeable);
    }

    /** Whether it is what {@code List.of}, {@code Map.of} and their like return. */
    private static boolean isOfTheJdk(Object collection) {
      return collection.getClass().getName().startsWith("java.util.ImmutableCollections");
    }

    /** What it takes to make an element. */
    private double makingNs() {
      return op.always || watch == null
          ? Double.POSITIVE_INFINITY
          : watch.nsPerElement(position, pullingNs);
    }

    private void finish(KeptElements all, boolean sawEnd) {
      String obstacle = differingPasses();
      if (obstacle != null) {
        place.giveUp("not kept in memory: " + obstacle);
        stopAdding();
        return;
      }
      place.finish(all, sawEnd, makingNs());
      endWatch();
      mode = Mode.PASSING;
    }

    private void stopAdding() {
      KeptElements broken = kept;
      if (broken != null) {
        place.abandon(broken);
      }
      kept = null;
      endWatch();
      mode = Mode.PASSING;
    }

    private void endWatch() {
      if (watch != null) {
        watch.close();
        watch = null;
      }
    }

    // ---- tensors that are not computed yet ------------------------------------------------------

    /*
     * What the functions below leave deferred is computed before it is kept; later passes would do
     * it again otherwise. Where it fails it stays deferred, and fails where it would have without
     * this operator. Those after it may hold what they thought to be small: so it stays small for
     * them, being on the account of the operator that keeps it.
     */
    private void compute(Chunk chunk) {
      if (!isComputedAhead) {
        isComputedAhead = true;
        long demand = context.demand();
        source =
            context.prepare(
                source,
                pulled -> {},
                this::computeAhead,
                Deferral.parallelismOf(op.input),
                demand == Long.MAX_VALUE ? demand : Math.max(0, demand - position));
      }
      long begun = meter().beginLater();
      for (int i = 0; i < chunk.size(); i++) {
        compute(chunk.item(i));
      }
      meter().endLater(begun);
    }

    private int computeAhead(Chunk chunk, boolean mayStop) {
      long deadline = Hurry.deadline();
      for (int i = 0; i < chunk.size() && mode == Mode.ADDING; i++) {
        if (mayStop && i > 0 && Hurry.isOver(deadline)) {
          return i;
        }
        compute(chunk.item(i));
      }
      return chunk.size();
    }

    private void compute(Object element) {
      try {
        for (Tensor tensor : Deferral.tensorsOf(element)) {
          Tensor _ = tensor.compute();
        }
      } catch (Cancelled e) {
        throw e;
      } catch (Throwable e) {
        isComputingImpossible = true;
      }
    }

    private static void accountFor(Chunk chunk) {
      for (int i = 0; i < chunk.size(); i++) {
        for (Tensor tensor : Deferral.tensorsOf(chunk.item(i))) {
          if (!tensor.isDeferred()) {
            tensor.computedOnAnothersAccount();
          }
        }
      }
    }

    // ---- the rest -------------------------------------------------------------------------------

    @Override
    public boolean isReady() {
      return mode == Mode.GIVING
          || (mode == Mode.NOT_BEGUN && place.whole() != null)
          || source.isReady();
    }

    @Override
    public void start() {
      if (mode == Mode.NOT_BEGUN) {
        begin();
      }
      if (mode != Mode.GIVING) {
        source.start();
      }
    }

    @Override
    public Cursor readingAhead() {
      return place.isOut() ? source.readingAhead() : this;
    }

    @Override
    public void skip(long count) {
      if (mode == Mode.NOT_BEGUN && place.whole() != null) {
        begin();
      }
      if (mode == Mode.ADDING) {
        super.skip(count);
        return;
      }
      if (mode != Mode.GIVING) {
        handOnOnly();
        source.skip(count);
      }
      position += count;
    }

    @Override
    protected State position() {
      KeptElements elements = kept;
      return mode == Mode.GIVING && elements != null
          ? place.position(elements, position, start)
          : source.save();
    }

    @Override
    protected void moveTo(State state) {
      handOnOnly();
      source.restore(state);
    }

    private void handOnOnly() {
      mode = Mode.PASSING;
      isFromTheStart = false;
    }

    @Override
    public void close() {
      if (mode == Mode.ADDING) {
        stopAdding();
      }
      source.close();
    }
  }
}
