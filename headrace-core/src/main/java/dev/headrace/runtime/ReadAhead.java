package dev.headrace.runtime;

import dev.headrace.tune.Standstill;

/**
 * How far the workers of a stage may be ahead of its consumer: a buffer of so many elements where
 * they only read, so many chunks for each worker where they do work. Under AUTOTUNE it grows when
 * the consumer finds nothing after workers had to stop, and shrinks when it was never empty.
 *
 * <p><b>Threading:</b> guarded by the crew's lock.
 */
final class ReadAhead {
  private static final int SLOTS_PER_WORKER = 2;

  /** Short chunks: so many that workers need not sleep before the consumer has found a core. */
  private static final int SHORT_SLOTS_PER_WORKER = 5;

  /** How far slots may overtake the oldest one where order is not kept. */
  private static final int LONGEST_WINDOW = 16_384;

  /** What is tuned grows to this many elements at most. */
  private static final int MOST_AUTOTUNED = 1024;

  private static final int LEAST_AUTOTUNED = 2;
  private static final int MOST_REACH = 256;

  private final OpenContext context;
  private final WorkerCrew crew;
  private final ChunkPacer pacer;
  private final boolean doesWork;
  private final boolean capacityIsTuned;
  private final Standstill standstill = new Standstill(System.nanoTime());

  /** How many elements the buffer may hold, where there is no work. */
  private int capacity;

  /** How many times further than usual workers may be ahead, where there is work. */
  private int reach;

  private boolean draining;
  private long waitsSeen;
  private long handedOverSeen;

  /**
   * The read-ahead of a stage.
   *
   * @param doesWork whether workers do more than read
   * @param capacity how many elements may be held where they do not; negative: to be tuned
   */
  ReadAhead(
      OpenContext context, WorkerCrew crew, ChunkPacer pacer, boolean doesWork, int capacity) {
    this.context = context;
    this.crew = crew;
    this.pacer = pacer;
    this.doesWork = doesWork;
    this.capacityIsTuned = capacity < 0;
    int found = context.tuned().buffer();
    this.capacity = capacityIsTuned ? Math.max(LEAST_AUTOTUNED, found) : capacity;
    this.reach = doesWork ? Math.clamp(found, 1, MOST_REACH) : 1;
  }

  boolean isCapacityTuned() {
    return capacityIsTuned;
  }

  /** Whether workers wait until the buffer has drained. */
  boolean isDraining() {
    return draining;
  }

  /** How many elements may be held. */
  int elements() {
    return doesWork ? mostOpen() * pacer.length() : capacity;
  }

  private int mostOpen() {
    int each = pacer.length() > 1 ? SHORT_SLOTS_PER_WORKER : SLOTS_PER_WORKER;
    return reach * (each * crew.target() + 2);
  }

  /** Whether so many spare chunks are worth keeping. */
  boolean keepsSpare(int spares) {
    return spares < mostOpen();
  }

  /** Whether the consumer has nearly caught up, so that somebody should be woken. */
  boolean isLow(int buffered, int open) {
    return doesWork ? open <= mostOpen() / 2 : buffered <= Math.max(1, capacity / 8);
  }

  /** How many elements a chunk may have, of the {@code most} that are wished for. */
  int chunkLength(int most, int buffered) {
    return doesWork
        ? most
        : Math.min(most, Math.max(1, Math.min(capacity - capacity / 2, capacity - buffered)));
  }

  /** Lets workers stand still from now on, if they are far enough ahead; whether they do. */
  boolean standsStill(int buffered, int open, int window) {
    if (doesWork) {
      if (open < mostOpen() && window < LONGEST_WINDOW) {
        return false;
      }
    } else {
      if (draining && buffered > capacity / 2) {
        return true;
      }
      draining = false;
      if (buffered < capacity) {
        return false;
      }
      draining = true;
    }
    standstill.begins(System.nanoTime());
    return true;
  }

  /** A worker begins something. */
  void goesOn() {
    if (standstill.isStanding()) {
      standstill.ends(System.nanoTime());
    }
  }

  /** The consumer finds nothing, after having waited so long in all. */
  void ranEmpty(long waitNs) {
    if (!standstill.wasSeen() || !standstill.isWorthMore(System.nanoTime(), waitNs)) {
      return;
    }
    if (doesWork) {
      if (crew.isTuned()
          && !crew.isInline()
          && context.engine().settings().tunes()
          && 2 * mostOpen() * pacer.length() <= MOST_AUTOTUNED) {
        turnReach(
            2 * reach, waitNs, "workers were far enough ahead, then the consumer had to wait");
      }
    } else if (mayTurnCapacity() && capacity < MOST_AUTOTUNED) {
      turnCapacity(
          Math.min(MOST_AUTOTUNED, capacity * 2), waitNs, "it was full, and then it ran empty");
    }
  }

  private boolean mayTurnCapacity() {
    return capacityIsTuned && context.engine().settings().tunes();
  }

  private void turnReach(int times, long waitNs, String why) {
    standstill.turned(System.nanoTime(), waitNs);
    int before = elements();
    reach = times;
    context.engine().knobTurned(context.path(), "read-ahead", before, elements(), why);
    context.tuned(context.tuned().withBuffer(reach));
  }

  private void turnCapacity(int elements, long waitNs, String why) {
    standstill.turned(System.nanoTime(), waitNs);
    context.engine().knobTurned(context.path(), "buffer", capacity, elements, why);
    capacity = elements;
    context.tuned(context.tuned().withBuffer(elements));
  }

  /** Lets go of a part that was not needed since this was last asked. */
  void shrinkUnused(int buffered, int doneSlots, long handedOver, long waits, long waitNs) {
    if (handedOver == handedOverSeen) {
      return; // a pause: what will be needed after it is not known
    }
    handedOverSeen = handedOver;
    standstill.fade(System.nanoTime(), waitNs);
    if (waits == waitsSeen) {
      if (doesWork && reach > 1 && doneSlots > mostOpen() / 2) {
        turnReach(reach / 2, waitNs, "it was never empty");
      }
      if (capacityIsTuned && capacity > 2 && buffered > capacity / 2) {
        turnCapacity(Math.max(2, capacity - capacity / 4), waitNs, "it was never empty");
      }
    }
    waitsSeen = waits;
  }
}
