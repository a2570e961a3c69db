package dev.headrace.runtime;

import dev.headrace.data.Account;
import dev.headrace.data.Plural;
import dev.headrace.spi.Cancelled;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Failure;
import dev.headrace.spi.Leases;
import dev.headrace.spi.OpCounters;
import dev.headrace.spi.OpCounters.Spent;
import dev.headrace.spi.State;
import dev.headrace.spi.ThreadClock;
import dev.headrace.spi.Weigher;
import dev.headrace.spi.Work;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;

/**
 * A cursor whose input is pulled, and whose work is done, by the workers of a crew behind a buffer.
 *
 * <p>Prefetching is a stage without work; a parallel map is a stage with work and many workers; the
 * inputs of a parallel interleave are many stages that share a crew.
 *
 * <p><b>Threading:</b> workers call {@link #begin}, {@link #pull} and {@link #finish}; one consumer
 * pulls. All fields are guarded by the crew's lock, except the input, which belongs to the worker
 * whose slot is being pulled. Lock order: a stage's lock before the locks of its inputs' stages.
 *
 * <p><b>Ownership:</b> elements in the buffer are the stage's until they are handed over.
 */
final class Stage extends Cursor {
  /*
   * Checkpoints. A slot remembers the input's position from before it was pulled. The stage's own
   * position is then: the position of the oldest slot that is not wholly handed over, and how many
   * of its results were ("skip k from there"). Nothing of what is buffered needs to be saved.
   *
   * Where order is not kept, slots overtake each other: see Overtaking.
   *
   * Memory. A slot is charged for what its results are expected to take before it is pulled, and
   * for what they do take once they are there. The charge goes with them to the thread that pulls
   * them, in its chunk, and ends when that thread is done with the chunk. So what a worker or the
   * consumer has in hand is charged as well as what is buffered.
   *
   * Whatever is thrown in any step, an OutOfMemoryError too, must reach the consumer. So breaking
   * down only sets fields: the consumer makes the failure when it comes to the slot.
   */
  /** The chunk of slots whose elements are gone. */
  private static final Chunk NOTHING = new Chunk();

  private static final long SHORT_CHUNK_NS = 1_000_000;
  private static final long LOOK_AGAIN_NS = 2_000_000;
  private static final int CHUNKS_PER_WAKE = 4;

  /** Work on a chunk does not stop for fewer bytes than this. */
  private static final long LEAST_FULL_BYTES = 64 << 10;

  /** The size of an element is estimated by the largest recent one, so that budgets hold. */
  private static final double LARGEST_FADES = 0.995;

  /** A dormant crew is worth a look once the thread that pulls has done this much of its work. */
  private static final long WORTH_WATCHING_NS = 20_000_000;

  private final Engine engine;
  private final Pass pass;
  private final WorkerCrew crew;
  private final Condition filled;
  private final Cursor input;
  private final @Nullable Work work;
  private final boolean oneToOne;
  private final boolean isPure;
  private final long demand;
  private final String path;

  /** Whether the consumer may be stopped here and go on later: all above keep their place. */
  private final boolean placeIsKept;

  private final ChunkPacer pacer = new ChunkPacer();
  private final ReadAhead ahead;

  /** What slots are charged for here, and chunks that were handed over until they are let go. */
  private final Account inFlight;

  private final ArrayDeque<Chunk> spares = new ArrayDeque<>();

  /** Slots in the order of pulling, from the oldest that is not wholly handed over. */
  private ArrayDeque<Slot> window = new ArrayDeque<>();

  /** Slots that wait for their work: of a restored position, and what was split off. */
  private final ArrayDeque<Slot> pulledBefore = new ArrayDeque<>();

  /** Who comes next where order is not kept; null where it is. */
  private final @Nullable Overtaking overtaking;

  private boolean started;
  private boolean pulling;
  private boolean ended;
  private boolean closed;
  private int busy;

  /** What ended the stage outside of any slot, until it is handed over. */
  private @Nullable Throwable brokenBy;

  /** Slots in the window that are not wholly handed over. */
  private int open;

  private int buffered;
  private int doneSlots;
  private boolean consumerWaits;
  private boolean shortOfMemory;
  private boolean saidShort;
  private long wanted;
  private double heapBytesEach;
  private double slabBytesEach;
  private long waitNs;
  private long waits;
  private long workNs;
  private long workElements;
  private long handedOverElements;
  private int highestBuffered;
  private long inlineNs;

  Stage(OpenContext context, WorkerCrew crew, Cursor input, StagePlan plan) {
    super(context);
    this.engine = context.engine();
    this.pass = context.pass();
    this.crew = crew;
    this.filled = crew.lock.newCondition();
    this.input = input;
    this.work = plan.work();
    this.oneToOne = plan.oneToOne();
    this.isPure = context.callsPureFunctionsOnly();
    this.overtaking = plan.ordered() ? null : new Overtaking();
    this.demand = plan.demand();
    this.path = context.path();
    this.placeIsKept = context.placeIsKeptAbove() && context.keepsPlace();
    this.inFlight = new Account("stage", Long.MAX_VALUE, engine.memory().heap());
    this.ahead = new ReadAhead(context, crew, pacer, work != null, plan.capacity());
    crew.add(this);
    pass.add(this);
  }

  /** Wakes the threads that wait here, so that they see that the pass was closed. */
  void wakeAll() {
    crew.lock.lock();
    try {
      filled.signalAll();
      crew.idle.signalAll();
    } finally {
      crew.lock.unlock();
    }
  }

  // ---- what workers do --------------------------------------------------------------------------

  /** Whether a worker could begin something. Under the lock. */
  boolean hasWork() {
    if (closed || !started) {
      return false;
    }
    return nextPulled() != null || (!pulling && !ended && hasRoom());
  }

  /**
   * The slot that was pulled before and may be worked on now: the oldest of all always, others
   * while there is memory for what becomes of them.
   */
  private @Nullable Slot nextPulled() {
    Slot first = pulledBefore.peekFirst();
    if (first == null || first.isRestored) {
      return first;
    }
    Slot head = window.peekFirst();
    Slot next = overtaking == null && pulledBefore.contains(head) ? head : first;
    shortOfMemory = !isAdmitted() && !(isOldest(next) && mayPass());
    return shortOfMemory ? null : next;
  }

  /** Whether a slot that was pulled before is what the consumer needs next. */
  private boolean isOldest(Slot slot) {
    return slot == window.peekFirst() || (buffered == 0 && busy == 0);
  }

  private boolean isAdmitted() {
    return engine.memory().admits((long) Math.ceil(heapBytesEach), (long) Math.ceil(slabBytesEach));
  }

  /** Whether the next element may pass a full account, because it is waited for. */
  private boolean mayPass() {
    return crew.isInline()
        || (consumerWaits && engine.memory().overdraft().admits((long) heapBytesEach));
  }

  /** Takes memory that the account does not have, if the next element {@link #mayPass}. */
  private boolean tryPass(long bytes) {
    if (crew.isInline()) {
      inFlight.buffer(bytes);
      return true;
    }
    return consumerWaits && engine.memory().overdraft().tryBuffer(inFlight, bytes);
  }

  private boolean hasRoom() {
    if (wanted >= demand && !(consumerWaits && buffered == 0 && busy == 0)) {
      return false;
    }
    if (window.isEmpty() || (buffered == 0 && busy == 0)) {
      // The oldest element always passes, once it is waited for: not one of every stage at once.
      shortOfMemory = !isAdmitted() && !mayPass();
      return !shortOfMemory;
    }
    if (ahead.standsStill(buffered, open, window.size())) {
      return false;
    }
    // What the user did not ask for must leave room for what the user did ask for.
    boolean leavesRoom =
        !crew.isOptional()
            || engine.memory().heap().usedBytes() <= engine.memory().heap().limitBytes() / 2;
    shortOfMemory = !leavesRoom || !isAdmitted();
    if (shortOfMemory && work == null && !ahead.isCapacityTuned() && !saidShort) {
      saidShort = true;
      engine.warn(
          ("%s: asked to hold %s, holds %,d, because one takes about %,d bytes and the"
                  + " memory budget is %,d MB; a larger buffer would not be faster")
              .formatted(
                  path,
                  Plural.of(ahead.elements(), "element"),
                  buffered,
                  (long) (heapBytesEach + slabBytesEach),
                  (slabBytesEach > heapBytesEach
                          ? engine.memory().nativeAccount().limitBytes()
                          : engine.memory().heap().limitBytes())
                      >> 20));
    }
    return !shortOfMemory;
  }

  /** Whether only memory keeps the workers from going on. Under the lock. */
  boolean isShortOfMemory() {
    return shortOfMemory && !closed && (!ended || !pulledBefore.isEmpty());
  }

  /** Whether workers wait until the buffer has drained. Under the lock. */
  boolean isDraining() {
    return ahead.isDraining();
  }

  /**
   * Reserves the next slot for the calling thread; null if the stage broke over it. Under the lock.
   */
  @Nullable Slot begin() {
    Slot slot = null;
    long kept = 0;
    try {
      Step.BEGIN.reached();
      ahead.goesOn();
      slot = nextPulled();
      if (slot != null) {
        if (!topUp(slot)) {
          return null;
        }
        pulledBefore.remove(slot);
      } else if (pulling || ended) {
        return null; // there was room for a slot that was pulled before, and there is none now
      } else {
        int most = measureOut();
        if (most == 0) {
          return null; // another stage has taken the room since this one was asked
        }
        kept = (long) (most * heapBytesEach);
        Step.SAVE.reached();
        State before = input.save();
        Chunk spare = spares.pollFirst();
        slot = append(before, spare == null ? new Chunk() : spare);
        slot.length = -most;
        slot.heapBytes = kept; // made exact when the results are there
        kept = 0;
        slot.promisedBytes = engine.memory().promise((long) (most * slabBytesEach));
        pulling = true;
      }
      slot.inHand = true;
      busy++;
      return slot;
    } catch (Throwable e) {
      inFlight.unbuffer(kept);
      if (slot == null) {
        breakDown(e);
      } else {
        breakDown(slot, e);
      }
      return null;
    }
  }

  /** Keeps memory for what the next element of a slot that was pulled before gives. */
  private boolean topUp(Slot slot) {
    long missing = Math.max(0, (long) heapBytesEach - slot.heapBytes);
    boolean fits = inFlight.tryBuffer(missing);
    if (!fits && slot.isRestored) {
      inFlight.buffer(missing);
    } else if (!fits && !((isOldest(slot) || crew.isInline()) && tryPass(missing))) {
      shortOfMemory = true;
      return false;
    }
    slot.heapBytes += missing;
    return true;
  }

  /** How many elements the next slot may pull, with memory kept for them; 0 if there is none. */
  private int measureOut() {
    int most = ahead.chunkLength(pacer.length(), buffered);
    if (demand != Long.MAX_VALUE) {
      most = (int) Math.max(1, Math.min(most, demand - wanted));
    }
    if (heapBytesEach > 1) {
      most = (int) Math.clamp((long) (Chunk.FULL_BYTES / heapBytesEach), 1, most);
    }
    int fitting = engine.memory().tryBuffer(inFlight, most, heapBytesEach, slabBytesEach);
    boolean isOldest = window.isEmpty() || (buffered == 0 && busy == 0);
    if (fitting == 0 && (isOldest || crew.isInline()) && tryPass((long) heapBytesEach)) {
      return 1;
    }
    shortOfMemory = fitting == 0;
    return fitting;
  }

  private Slot append(State before, Chunk chunk) {
    Slot slot = new Slot(before, chunk);
    Step.APPEND.reached();
    window.addLast(slot);
    open++;
    if (overtaking != null) {
      overtaking.appended(slot);
    }
    return slot;
  }

  /** Takes back the slot that was appended last, for which there were no elements. */
  private void takeBack(Slot slot) {
    window.removeLast();
    open--;
    if (overtaking != null) {
      overtaking.takenBack();
    }
    recycle(slot.chunk);
  }

  /** Pulls the slot's chunk and does the work; by the worker that began it, without the lock. */
  void run(Slot slot, Worker worker) {
    // Reading is the work of a stage that has no other.
    long begin = System.nanoTime();
    long start = begin;
    long waited = ThreadClock.waitedNs();
    long pullNs = 0;
    try {
      if (work == null) {
        worker.workBegins(start);
      }
      if (slot.length < 0 && !pull(slot)) {
        long _ = worker.workEnds(System.nanoTime());
        return;
      }
      int elements = slot.length;
      if (work != null) {
        long pulled = System.nanoTime();
        pullNs = pulled - start - (ThreadClock.waitedNs() - waited);
        start = pulled;
        worker.workBegins(start);
        Step.WORK.reached();
        slot.chunk.fullAt(Math.max(LEAST_FULL_BYTES, 2 * slot.heapBytes));
        int done = work.run(slot.chunk, oneToOne && !slot.isRestored);
        if (done < elements) {
          splitOff(slot, done);
          elements = done;
        }
      }
      long end = System.nanoTime();
      long cpuNs = worker.workEnds(end);
      if (!worker.isInline) {
        long ns = end - start;
        long times = cpuNs < 0 ? 0 : worker.cpuWeight();
        if (work == null) {
          pullNs = ns - (ThreadClock.waitedNs() - waited);
        }
        crew.meter().worked(elements, pullNs, ns, work == null, times * ns, times * cpuNs);
      }
      finish(slot, elements, end - start, end - begin);
    } catch (Cancelled e) {
      if (!(worker.isInline && e.isPlaceKept() && putBack(slot))) {
        abandon(slot);
      }
      if (worker.isInline) {
        throw e;
      }
    } catch (Throwable e) {
      crew.lock.lock();
      try {
        breakDown(slot, e);
      } finally {
        crew.lock.unlock();
        engine.leaveLocks();
      }
    }
  }

  /** Ends the stage after an error that belongs to no slot. Under the lock; allocates nothing. */
  void breakDown(Throwable cause) {
    if (isFinished()) {
      return;
    }
    ended = true;
    brokenBy = cause;
    filled.signalAll();
    crew.idle.signalAll();
  }

  /** Ends the stage at a slot that was in hand. Under the lock; allocates nothing. */
  void breakDown(Slot slot, Throwable cause) {
    ended = true;
    letGo(slot);
    if (!slot.done) {
      slot.brokenBy = cause;
      slot.length = Math.max(1, slot.length);
      slot.taken = slot.takenBefore;
      slot.done = true;
      doneSlots++;
      buffered++;
      releaseHeap(slot);
    } else {
      brokenBy = cause;
    }
    filled.signalAll();
    crew.idle.signalAll();
    if (overtaking != null && slot.brokenBy != null) {
      try {
        overtaking.finished(slot);
      } catch (Throwable e) { // no room even for that: it is told when all others are
        brokenBy = cause;
      }
    }
  }

  /** Takes note that no thread works on a slot any more. Under the lock. */
  private void letGo(Slot slot) {
    if (slot.inHand) {
      slot.inHand = false;
      busy--;
      if (slot.length < 0) {
        pulling = false;
      }
      if (closed) {
        filled.signalAll(); // closing waits for it
      }
    }
  }

  /** Makes what was not worked on, because it takes long or is heavy, the slot that follows. */
  private void splitOff(Slot slot, int done) {
    Step.SPLIT.reached();
    int left = slot.chunk.size() - done;
    Slot tail = new Slot(State.skipping(done, slot.before), new Chunk());
    tail.chunk.append(slot.chunk, done, left);
    tail.length = left;
    slot.chunk.chargeShare(tail.chunk, left);
    slot.chunk.truncate(done);
    crew.lock.lock();
    try {
      ArrayDeque<Slot> all = new ArrayDeque<>(window.size() + 2);
      for (Slot one : window) {
        all.addLast(one);
        if (one == slot) {
          all.addLast(tail);
        }
      }
      pulledBefore.addFirst(tail);
      window = all;
      open++;
      if (overtaking != null) {
        overtaking.splitOff(slot, tail);
      }
      slot.length = done;
      tail.heapBytes = slot.heapBytes * left / (done + left); // reserved for all of them
      slot.heapBytes -= tail.heapBytes;
      crew.wakeOne();
    } finally {
      crew.lock.unlock();
    }
  }

  private boolean pull(Slot slot) {
    Step.PULL.reached();
    input.fill(slot.chunk, -slot.length);
    int size = slot.chunk.size();
    crew.lock.lock();
    try {
      Step.PULLED.reached();
      if (size == 0) {
        ended = true;
        letGo(slot);
        releaseHeap(slot);
        takeBack(slot);
        filled.signalAll();
        crew.idle.signalAll();
        return false;
      }
      pulling = false;
      slot.length = size;
      keepPromise(slot);
      wanted += size;
      if (work != null) {
        crew.wakeOne();
      }
      return true;
    } finally {
      crew.lock.unlock();
    }
  }

  /**
   * Puts a chunk among those that can be taken.
   *
   * @param ns what the work took, and {@code sinceBegunNs} with pulling, which those who wait for
   *     the chunk wait for as well
   */
  private void finish(Slot slot, int elements, long ns, long sinceBegunNs) {
    if (slot.takenBefore > 0) {
      slot.chunk.dropFirst(Math.min(slot.takenBefore, slot.chunk.size()));
    }
    Step.WEIGH.reached();
    long heapBytes = Weigher.bytesOf(slot.chunk);
    long slabBytes = engine.memory().slabBytesOf(slot.chunk);
    slot.chunk.letGo(); // of what its results were made from
    crew.lock.lock();
    try {
      Step.FINISH.reached();
      letGo(slot);
      pacer.observe(elements, sinceBegunNs);
      workNs += ns;
      workElements += elements;
      int results = slot.chunk.size();
      if (results > 0) {
        heapBytesEach = Math.max((double) heapBytes / results, heapBytesEach * LARGEST_FADES);
        slabBytesEach = Math.max((double) slabBytes / results, slabBytesEach * LARGEST_FADES);
      }
      if (oneToOne) {
        wanted -= slot.chunk.failures(); // failures do not count for those who take so many
      }
      if (closed) {
        releaseHeap(slot);
        Leases.giveBack(slot.chunk, "the pipeline was closed");
        return;
      }
      if (overtaking != null) {
        overtaking.finished(slot);
      }
      recharge(slot, heapBytes);
      slot.done = true;
      engine.progressed();
      buffered += results;
      highestBuffered = Math.max(highestBuffered, buffered);
      doneSlots++;
      // Where workers were sent away meanwhile, the consumer has to do what is left, and is told.
      if (consumerWaits && (crew.isInline() || isWorthWaking(slot, ns))) {
        filled.signal();
      }
    } finally {
      crew.lock.unlock();
    }
  }

  /**
   * Waking costs as much as a short chunk: while others are about to finish short ones, too, the
   * consumer is woken for a few at a time. It looks by itself after two milliseconds.
   */
  private boolean isWorthWaking(Slot slot, long ns) {
    Slot oldest = window.peekFirst();
    boolean deliverable = overtaking != null || (oldest != null && oldest.done);
    boolean moreToCome = busy > 0 && ns < SHORT_CHUNK_NS && doneSlots < CHUNKS_PER_WAKE;
    return deliverable && !(moreToCome && work != null && slot.chunk.size() > 1);
  }

  private void releaseHeap(Slot slot) {
    recharge(slot, 0);
  }

  /** Charges a slot for what it holds now, without letting others have what it keeps. */
  private void recharge(Slot slot, long heapBytes) {
    long more = heapBytes - slot.heapBytes;
    slot.heapBytes = heapBytes;
    if (more > 0) {
      inFlight.buffer(more);
    } else {
      inFlight.unbuffer(-more);
    }
    keepPromise(slot);
  }

  /** What was read holds its batches now, or there will be none. */
  private void keepPromise(Slot slot) {
    engine.memory().keptPromise(slot.promisedBytes);
    slot.promisedBytes = 0;
  }

  /** Takes back a slot whose pull was stopped and can be repeated; false if that cannot be. */
  private boolean putBack(Slot slot) {
    crew.lock.lock();
    try {
      if (closed || slot.length >= 0 || window.peekLast() != slot) {
        return false;
      }
      letGo(slot);
      releaseHeap(slot);
      slot.chunk.letGo();
      takeBack(slot);
      return true;
    } finally {
      crew.lock.unlock();
    }
  }

  private void abandon(Slot slot) {
    crew.lock.lock();
    try {
      letGo(slot);
      ended = true; // a cancelled input is not asked again
      releaseHeap(slot);
      slot.chunk.letGo();
      filled.signalAll();
      Leases.giveBack(slot.chunk, "the pipeline was closed");
    } finally {
      crew.lock.unlock();
    }
  }

  // ---- what the consumer does -------------------------------------------------------------------

  @Override
  public void start() {
    crew.lock.lock();
    try {
      startCrew();
    } finally {
      crew.lock.unlock();
    }
  }

  /** Under the lock. */
  private void startCrew() {
    if (!started) {
      started = true;
      crew.start();
    }
  }

  /** Whether all of the input has been read, so that the workers have nothing left to do. */
  boolean hasReadAll() {
    crew.lock.lock();
    try {
      return ended && !crew.isDormant();
    } finally {
      crew.lock.unlock();
    }
  }

  @Override
  public boolean isReady() {
    crew.lock.lock();
    try {
      if (deliverable() != null || isOver()) {
        return true;
      }
      if (!crew.isDormant() || !isUntouched()) {
        return false;
      }
      lendInput();
    } finally {
      crew.lock.unlock();
    }
    try {
      return input.isReady();
    } finally {
      takeInputBack(0, -1);
    }
  }

  @Override
  protected void produce(Chunk out, int max) {
    crew.lock.lock();
    try {
      startCrew();
      if (!crew.isDormant() || work != null || !isUntouched() || ended) {
        crew.meter().pulled(buffered);
        Slot slot = await();
        if (slot != null) {
          hand(slot, out, max);
        } else if (brokenBy != null) {
          out.add(new Failure(path, null, brokenBy, true), null, 0);
          brokenBy = null;
          pulledBefore.clear();
          abandonWindow("its stage failed");
        }
        return;
      }
      lendInput();
    } finally {
      crew.lock.unlock();
    }
    // Nothing to do but read ahead, and no thread does: as if the stage were not there.
    long start = System.nanoTime();
    int given = -1;
    try {
      input.fill(out, max);
      given = out.size();
    } finally {
      takeInputBack(System.nanoTime() - start, given);
    }
  }

  /** Whether nothing was pulled that is still here, and no thread pulls. Under the lock. */
  private boolean isUntouched() {
    return window.isEmpty() && busy == 0;
  }

  /** Lets the consumer's own thread have the input for a while. Under the lock. */
  private void lendInput() {
    busy++;
    pulling = true;
  }

  /** Takes note of what the consumer's thread did with the input; negative: it pulled nothing. */
  private void takeInputBack(long ns, int given) {
    crew.lock.lock();
    try {
      busy--;
      pulling = false;
      if (given >= 0) {
        wanted += given;
        handedOverElements += given;
        ended = given == 0;
      }
      doneInline(ns);
      crew.wakeOne(); // if it was engaged meanwhile
    } finally {
      crew.lock.unlock();
    }
  }

  private void doneInline(long ns) {
    inlineNs += ns;
    if (inlineNs > WORTH_WATCHING_NS) {
      crew.watchDormant();
    }
  }

  /** The slot to hand over next, waited for; null at the end. */
  private @Nullable Slot await() {
    Slot slot = deliverable();
    if (slot != null || isOver()) {
      return slot;
    }
    ahead.ranEmpty(waitNs);
    long waitingSince = 0;
    try {
      while (slot == null && !isOver()) {
        if (crew.isInline() && busy == 0) {
          long began = System.nanoTime();
          crew.runInline(this);
          doneInline(System.nanoTime() - began);
        } else {
          if (!consumerWaits) {
            waitingSince = System.nanoTime();
            consumerWaits = true;
            crew.wakeOne();
          }
          if (closed || pass.isClosed()) {
            throw new Cancelled(path + ": the pipeline was closed");
          }
          waitFilled();
        }
        slot = deliverable();
      }
    } finally {
      if (consumerWaits) {
        consumerWaits = false;
        long waited = System.nanoTime() - waitingSince;
        waitNs += waited;
        waits++;
        ThreadClock.waited(waited);
        crew.meter().waited(waited);
      }
    }
    return slot;
  }

  /** Lets the consumer look who has to do the work now. Under the lock. */
  void crewChanged() {
    filled.signalAll();
  }

  private void waitFilled() {
    try {
      if (work != null && pacer.length() > 1) {
        long unused = filled.awaitNanos(LOOK_AGAIN_NS); // one chunk may not have woken us
      } else {
        filled.await();
      }
    } catch (InterruptedException e) {
      pass.interruption().waitWasInterrupted(placeIsKept, path);
    }
  }

  /** Whether nothing more comes, but for what broke the stage. */
  private boolean isOver() {
    return ended && (window.isEmpty() || (brokenBy != null && busy == 0));
  }

  private @Nullable Slot deliverable() {
    for (; ; ) {
      Slot slot = candidate();
      if (slot == null || slot.left() > 0) {
        return slot;
      }
      retire(slot); // nothing left of it: a filter kept none, or all had been handed over before
    }
  }

  private @Nullable Slot candidate() {
    if (overtaking != null) {
      return overtaking.next();
    }
    Slot head = window.peekFirst();
    return head != null && head.done ? head : null;
  }

  private void hand(Slot slot, Chunk out, int max) {
    Step.HAND_OVER.reached();
    Throwable cause = slot.brokenBy;
    if (cause != null) {
      out.add(new Failure(path, null, cause, true), null, 0);
      Leases.giveBack(slot.chunk, "its stage failed");
      slot.chunk.clear();
      slot.taken = slot.takenBefore + 1;
      buffered--;
      retire(slot);
      handedOverElements++;
      return;
    }
    int left = slot.left();
    int size = Math.min(left, max);
    long bytes = size == left ? slot.heapBytes : (long) ((double) slot.heapBytes * size / left);
    if (size == left && slot.taken == slot.takenBefore) {
      out.swap(slot.chunk);
      handCharge(slot, out, bytes);
      slot.taken += size;
      buffered -= size;
      retire(slot);
    } else {
      out.append(slot.chunk, slot.taken - slot.takenBefore, size);
      handCharge(slot, out, bytes);
      slot.taken += size;
      buffered -= size;
      if (slot.left() == 0) {
        retire(slot);
      }
    }
    handedOverElements += size;
    if (ahead.isLow(buffered, open)) {
      crew.wakeOne();
    }
  }

  /** Lets a part of what is charged for a slot go with the elements. */
  private void handCharge(Slot slot, Chunk out, long bytes) {
    slot.heapBytes -= bytes;
    out.charge(inFlight, bytes);
  }

  private void retire(Slot slot) {
    slot.handedOver = true;
    open--;
    doneSlots--;
    releaseHeap(slot);
    if (overtaking == null) {
      window.removeFirst();
    } else {
      overtaking.retired(slot);
      while (!window.isEmpty() && window.peekFirst().handedOver) {
        window.removeFirst();
      }
    }
    recycle(slot.chunk);
    slot.chunk = NOTHING;
    if (window.isEmpty()) {
      crew.wakeOne();
    }
  }

  private void recycle(Chunk chunk) {
    if (overtaking == null && ahead.keepsSpare(spares.size())) {
      chunk.clear();
      spares.addLast(chunk);
    }
  }

  // ---- positions --------------------------------------------------------------------------------

  @Override
  protected State position() {
    crew.lock.lock();
    try {
      Slot oldest = window.peekFirst();
      State from = oldest == null ? input.save() : oldest.before; // no slot: no thread pulls
      return overtaking == null
          ? State.skipping(oldest == null ? 0 : oldest.taken, wrapped(from))
          : overtaking.position(window, from, crew.lock);
    } finally {
      crew.lock.unlock();
    }
  }

  private State wrapped(State ofInput) {
    return oneToOne ? ofInput : State.of("input", ofInput);
  }

  @Override
  protected void moveTo(State state) {
    if (overtaking == null) {
      input.restore(oneToOne ? state : state.state("input"));
      return;
    }
    Overtaking.Saved saved = Overtaking.Saved.of(state, path);
    input.restore(saved.input());
    List<Slot> slots = new ArrayList<>();
    for (int i = 0; i < saved.lengths().length; i++) {
      Slot slot = append(input.save(), new Chunk());
      slots.add(slot);
      slot.length = (int) saved.lengths()[i];
      if (saved.taken()[i] < 0) {
        input.skip(slot.length);
        slot.handedOver = true;
        slot.done = true;
        open--;
      } else {
        pullAgain(slot);
        slot.taken = (int) saved.taken()[i];
        slot.takenBefore = slot.taken;
        slot.isRestored = true;
        pulledBefore.addLast(slot);
      }
    }
    while (!window.isEmpty() && window.peekFirst().handedOver) {
      window.removeFirst();
    }
    overtaking.follow(saved.order(), slots, path);
  }

  private void pullAgain(Slot slot) {
    int length = slot.length;
    input.fill(slot.chunk, length);
    Chunk more = scratch();
    while (slot.chunk.size() < length) {
      input.fill(more, length - slot.chunk.size());
      if (more.isEmpty()) {
        throw new IllegalStateException(
            path
                + ": expected to read elements again, but the input has ended; the input changed"
                + " since the checkpoint");
      }
      slot.chunk.append(more, 0, more.size());
    }
    more.clear();
  }

  @Override
  public void skip(long count) {
    crew.lock.lock();
    boolean direct;
    try {
      direct = oneToOne && (!started || crew.isDormant()) && isUntouched();
      if (direct) {
        lendInput();
      }
    } finally {
      crew.lock.unlock();
    }
    if (!direct) {
      super.skip(count);
      return;
    }
    try {
      input.skip(count);
    } finally {
      takeInputBack(0, -1);
    }
  }

  @Override
  public boolean leavesOutCalls() {
    return oneToOne && ((work != null && !isPure) || input.leavesOutCalls());
  }

  // ---- closing and telling ----------------------------------------------------------------------

  @Override
  public void close() {
    crew.lock.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      filled.signalAll();
      crew.idle.signalAll();
    } finally {
      crew.lock.unlock();
    }
    pass.remove(this);
    boolean idle = false;
    try {
      idle = crew.leave(this);
      crew.lock.lock();
      try {
        abandonWindow("the pipeline was closed");
      } finally {
        crew.lock.unlock();
      }
    } finally {
      inFlight.leaveWholes(); // what pullers hold that will not ask again
      if (idle) {
        input.close(); // even if something above failed
      }
    }
  }

  /** Lets go of everything that was not handed over. Under the lock. */
  private void abandonWindow(String why) {
    for (Slot slot : window) {
      releaseHeap(slot);
      if (slot.inHand) {
        continue; // the thread that has it lets go of it
      }
      slot.chunk.letGo();
      if (slot.done && !slot.handedOver) {
        for (int i = slot.taken - slot.takenBefore; i < slot.chunk.size(); i++) {
          Leases.giveBack(slot.chunk.item(i), why);
        }
      }
    }
    window.clear();
    if (overtaking != null) {
      overtaking.abandonFinished();
    }
  }

  /** Whether workers have nothing left to do here, ever. Under the lock. */
  boolean isFinished() {
    return closed || (ended && pulledBefore.isEmpty());
  }

  /** Whether a worker is inside this stage. Under the lock. */
  boolean isBusy() {
    return busy > 0;
  }

  /** Waits a moment for the threads inside a closed stage. Under the lock. */
  void awaitLetGo(long ns) throws InterruptedException {
    long _ = filled.awaitNanos(ns);
  }

  boolean isWaitedFor() {
    return consumerWaits;
  }

  String path() {
    return path;
  }

  /** What one element takes, so far; 0 before the first. Under the lock. */
  double workNsEach() {
    return workElements == 0 ? 0 : (double) workNs / workElements;
  }

  /** What was counted so far in this pass. */
  OpCounters.Stage counters() {
    crew.lock.lock();
    try {
      return new OpCounters.Stage(
          crew.workers(),
          crew.target(),
          crew.cpuShare(),
          new Spent(workElements, workNs),
          new OpCounters.Buffer(
              buffered, highestBuffered, ahead.elements(), ahead.isCapacityTuned()),
          new Spent(waits, waitNs));
    } finally {
      crew.lock.unlock();
    }
  }

  WorkerCrew crew() {
    return crew;
  }

  /** Lets go of a part of an autotuned buffer that was not needed. Under no lock. */
  void shrinkUnusedBuffer() {
    crew.lock.lock();
    try {
      ahead.shrinkUnused(buffered, doneSlots, handedOverElements, waits, waitNs);
    } finally {
      crew.lock.unlock();
    }
  }
}
