package dev.headrace.runtime;

import dev.headrace.spi.Cancelled;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Failure;
import dev.headrace.spi.Leases;
import dev.headrace.spi.Sizer;
import dev.headrace.spi.State;
import dev.headrace.spi.Work;
import dev.headrace.tune.Standstill;
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
   * Where order is not kept, slots overtake each other. The position is then the oldest slot's, with
   * the lengths of the slots from there on and how much of each was handed over. A consumer behind
   * another stage may go back to a position that lies before what it has pulled since; it must then
   * meet the same elements in the same order. So slots form a list in the order they were handed
   * over, a position remembers its place in that list, and when it is written down (late) it carries
   * the order that followed.
   */
  private static final int SLOTS_PER_WORKER = 2;

  /** Short chunks: so many that workers need not sleep before the consumer has found a core. */
  private static final int SHORT_SLOTS_PER_WORKER = 5;

  /** How far slots may overtake the oldest one where order is not kept. */
  private static final int LONGEST_WINDOW = 16_384;

  /** The chunk of slots whose elements are gone. */
  private static final Chunk NOTHING = new Chunk();

  private static final long SHORT_CHUNK_NS = 1_000_000;
  private static final long LOOK_AGAIN_NS = 2_000_000;
  private static final int CHUNKS_PER_WAKE = 4;

  /** A prefetch buffer under AUTOTUNE grows to this many elements at most. */
  private static final int MOST_AUTOTUNED = 1024;

  /** What elements take is reckoned by the largest of late, so that budgets hold. */
  private static final double LARGEST_FADES = 0.995;

  private static final int LEAST_AUTOTUNED = 2;
  private static final int MOST_REACH = 256;

  /** A dormant crew is worth a look once so much was done in its stead. */
  private static final long WORTH_WATCHING_NS = 20_000_000;

  private final Engine engine;
  private final OpenContext context;
  private final Pass pass;
  private final WorkerCrew crew;
  private final Condition filled;
  private final Cursor input;
  private final @Nullable Work work;
  private final boolean oneToOne;
  private final boolean ordered;
  private final long demand;
  private final String path;

  private final ChunkPacer pacer = new ChunkPacer();
  private final ArrayDeque<Chunk> spares = new ArrayDeque<>();

  /** Slots in the order of pulling, from the oldest that is not wholly handed over. */
  private final ArrayDeque<Slot> window = new ArrayDeque<>();

  /** Slots of a restored position that wait for their work. */
  private final ArrayDeque<Slot> pulledBefore = new ArrayDeque<>();

  /** Unordered: finished slots as they finished; and slots that must come first, in this order. */
  private final ArrayDeque<Slot> finished = new ArrayDeque<>();

  private final ArrayDeque<Slot> comeFirst = new ArrayDeque<>();
  private @Nullable Slot current;
  private Slot lastHandedOver = new Slot(-1, State.START, new Chunk());
  private Slot newest = lastHandedOver;
  private Slot beforeNewest = lastHandedOver;
  private long nextNumber;

  private boolean started;
  private boolean pulling;
  private boolean ended;
  private boolean closed;
  private int busy;

  /** Slots in the window that are not wholly handed over. */
  private int open;

  private int buffered;
  private int doneSlots;
  private boolean consumerWaits;
  private long handedOverSeen;
  private final Standstill standstill = new Standstill(System.nanoTime());
  private boolean draining;
  private boolean shortOfMemory;
  private boolean saidShort;
  private long wanted;
  private int capacity;
  private final boolean capacityIsTuned;
  private double heapBytesEach;
  private double slabBytesEach;
  private long waitNs;
  private long waits;
  private long waitsSeen;
  private long workNs;
  private long workElements;
  private long handedOverElements;
  private int highestBuffered;
  private long inlineNs;

  /** How many times further than usual workers may be ahead. */
  private int reach = 1;

  Stage(OpenContext context, WorkerCrew crew, Cursor input, StagePlan plan) {
    super(context);
    this.engine = context.engine();
    this.pass = context.pass();
    this.crew = crew;
    this.filled = crew.lock.newCondition();
    this.input = input;
    this.work = plan.work();
    this.oneToOne = plan.oneToOne();
    this.ordered = plan.ordered();
    this.demand = plan.demand();
    this.path = context.path();
    this.capacityIsTuned = plan.capacity() < 0;
    this.context = context;
    this.capacity =
        capacityIsTuned ? Math.max(LEAST_AUTOTUNED, context.tuned().buffer()) : plan.capacity();
    this.reach = work == null ? 1 : Math.clamp(context.tuned().buffer(), 1, MOST_REACH);
    crew.add(this);
    pass.add(this);
  }

  /** Wakes whoever waits here, to see that the pass was closed. */
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
    return !pulledBefore.isEmpty() || (!pulling && !ended && hasRoom());
  }

  private boolean hasRoom() {
    if (wanted >= demand && !(consumerWaits && buffered == 0 && busy == 0)) {
      return false;
    }
    if (window.isEmpty() || (buffered == 0 && busy == 0)) {
      return true; // the oldest element always passes
    }
    if (work == null) {
      if (draining && buffered > capacity / 2) {
        return false;
      }
      draining = false;
      if (buffered >= capacity) {
        draining = true;
        standstill.begins(System.nanoTime());
        return false;
      }
    } else if (open >= mostOpen() || window.size() >= LONGEST_WINDOW) {
      standstill.begins(System.nanoTime());
      return false;
    }
    // What nobody asked for must leave room for what somebody did.
    boolean leavesRoom =
        !crew.isOptional() || engine.heap().usedBytes() <= engine.heap().limitBytes() / 2;
    shortOfMemory = !leavesRoom || !engine.admits((long) heapBytesEach, (long) slabBytesEach);
    if (shortOfMemory && work == null && !capacityIsTuned && !saidShort) {
      saidShort = true;
      engine.warn(
          ("%s: asked to hold %,d elements, holds %,d, because one takes about %,d bytes and the"
                  + " memory budget is %,d MB; a larger buffer would not be faster")
              .formatted(
                  path,
                  capacity,
                  buffered,
                  (long) (heapBytesEach + slabBytesEach),
                  (slabBytesEach > heapBytesEach
                          ? engine.nativeAccount().limitBytes()
                          : engine.heap().limitBytes())
                      >> 20));
    }
    return !shortOfMemory;
  }

  private int mostOpen() {
    int each = pacer.length() > 1 ? SHORT_SLOTS_PER_WORKER : SLOTS_PER_WORKER;
    return reach * (each * crew.target() + 2);
  }

  /** Whether only memory keeps the workers from going on. Under the lock. */
  boolean isShortOfMemory() {
    return shortOfMemory && !closed && !ended;
  }

  /** Whether workers wait until the buffer has drained. Under the lock. */
  boolean isDraining() {
    return draining;
  }

  /** Reserves the next slot for the calling worker. Under the lock. */
  Slot begin() {
    if (standstill.isStanding()) {
      standstill.ends(System.nanoTime());
    }
    Slot waiting = pulledBefore.pollFirst();
    if (waiting != null) {
      busy++;
      return waiting;
    }
    State before = input.save(); // first: it may fail
    busy++;
    pulling = true;
    Chunk spare = spares.pollFirst();
    Slot slot = append(before, spare == null ? new Chunk() : spare);
    int most = pacer.length();
    if (work == null) {
      most = Math.min(most, Math.max(1, Math.min((capacity + 1) / 2, capacity - buffered)));
    }
    if (demand != Long.MAX_VALUE) {
      most = (int) Math.max(1, Math.min(most, demand - wanted));
    }
    most = (int) Math.max(1, Math.min(most, engine.room(heapBytesEach, slabBytesEach)));
    slot.length = -most;
    slot.heapBytes = (long) (most * heapBytesEach); // made exact when the results are there
    engine.heap().buffer(slot.heapBytes);
    slot.promisedBytes = engine.promise((long) (most * slabBytesEach));
    return slot;
  }

  private Slot append(State before, Chunk chunk) {
    Slot slot = new Slot(nextNumber++, before, chunk);
    if (!ordered) { // only positions without order follow the list, and keep what they follow
      newest.next = slot;
      beforeNewest = newest;
      newest = slot;
    }
    window.addLast(slot);
    open++;
    return slot;
  }

  /** Takes back the slot that was appended last, for which there were no elements. */
  private void takeBack(Slot slot) {
    window.removeLast();
    open--;
    nextNumber--;
    if (!ordered) {
      newest = beforeNewest;
      newest.next = null;
    }
    recycle(slot.chunk);
  }

  /** Pulls the slot's chunk and does the work; by the worker that began it, without the lock. */
  void run(Slot slot, Worker worker) {
    // Reading is the work of a stage that has no other.
    long start = System.nanoTime();
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
        start = System.nanoTime();
        worker.workBegins(start);
        int done = work.run(slot.chunk, ordered && oneToOne);
        if (done < elements) {
          splitOff(slot, done);
          elements = done;
        }
      }
      long end = System.nanoTime();
      long cpuNs = worker.workEnds(end);
      if (!worker.isInline) {
        crew.meter().worked(elements, end - start, cpuNs < 0 ? 0 : end - start, Math.max(0, cpuNs));
      }
      finish(slot, elements, end - start);
    } catch (Cancelled e) {
      abandon(slot);
      if (worker.isInline) {
        throw e;
      }
    } catch (Throwable e) {
      crew.lock.lock();
      try {
        busy--;
        pulling = false;
        breakDown(slot, e);
      } finally {
        crew.lock.unlock();
      }
    }
  }

  /** Ends the stage because not even a chunk could be begun. Under the lock. */
  void breakDown(Throwable cause) {
    breakDown(append(State.START, new Chunk()), cause);
  }

  /** Makes what was not worked on, because it takes long, the slot that follows. */
  private void splitOff(Slot slot, int done) {
    int left = slot.chunk.size() - done;
    Slot tail = new Slot(-1, State.skipping(done, slot.before), new Chunk());
    tail.chunk.append(slot.chunk, done, left);
    tail.length = left;
    slot.chunk.truncate(done);
    crew.lock.lock();
    try {
      slot.length = done;
      tail.heapBytes = slot.heapBytes * left / (done + left); // reserved for all of them
      slot.heapBytes -= tail.heapBytes;
      open++;
      List<Slot> all = new ArrayList<>(window);
      all.add(all.indexOf(slot) + 1, tail);
      window.clear();
      window.addAll(all);
      pulledBefore.addFirst(tail);
      crew.wakeOne();
    } finally {
      crew.lock.unlock();
    }
  }

  private boolean pull(Slot slot) {
    input.fill(slot.chunk, -slot.length);
    int size = slot.chunk.size();
    crew.lock.lock();
    try {
      pulling = false;
      if (size == 0) {
        ended = true;
        busy--;
        releaseHeap(slot);
        takeBack(slot);
        filled.signalAll();
        crew.idle.signalAll();
        return false;
      }
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

  private void finish(Slot slot, int elements, long ns) {
    if (slot.takenBefore > 0) {
      slot.chunk.dropFirst(Math.min(slot.takenBefore, slot.chunk.size()));
    }
    long heapBytes = Sizer.bytesOf(slot.chunk);
    long slabBytes = engine.slabBytesOf(slot.chunk);
    crew.lock.lock();
    try {
      busy--;
      pacer.observe(elements, ns);
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
      releaseHeap(slot);
      if (closed) {
        Leases.giveBack(slot.chunk, "the pipeline was closed");
        return;
      }
      slot.heapBytes = heapBytes;
      engine.heap().buffer(heapBytes);
      slot.done = true;
      engine.progressed();
      buffered += results;
      highestBuffered = Math.max(highestBuffered, buffered);
      if (!ordered) {
        finished.addLast(slot);
      }
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
    boolean deliverable = !ordered || (oldest != null && oldest.done);
    boolean moreToCome = busy > 0 && ns < SHORT_CHUNK_NS && doneSlots < CHUNKS_PER_WAKE;
    return deliverable && !(moreToCome && work != null && slot.chunk.size() > 1);
  }

  private void releaseHeap(Slot slot) {
    engine.heap().unbuffer(slot.heapBytes);
    slot.heapBytes = 0;
    keepPromise(slot);
  }

  /** What was read holds its batches now, or there will be none. */
  private void keepPromise(Slot slot) {
    engine.keptPromise(slot.promisedBytes);
    slot.promisedBytes = 0;
  }

  private void abandon(Slot slot) {
    crew.lock.lock();
    try {
      busy--;
      pulling = false;
      ended = true; // whoever is cancelled will not be asked again
      releaseHeap(slot);
      Leases.giveBack(slot.chunk, "the pipeline was closed");
      filled.signalAll();
    } finally {
      crew.lock.unlock();
    }
  }

  /** Ends the stage after an error that no element can be blamed for. Under the lock. */
  private void breakDown(Slot slot, Throwable cause) {
    ended = true;
    releaseHeap(slot);
    Leases.giveBack(slot.chunk, "its stage failed");
    slot.chunk.clear();
    slot.chunk.add(new Failure(path, null, cause, true), null, 0);
    slot.length = 1;
    slot.takenBefore = 0;
    slot.taken = 0;
    slot.done = true;
    doneSlots++;
    buffered++;
    if (!ordered) {
      finished.addLast(slot);
    }
    filled.signalAll();
    crew.idle.signalAll();
  }

  // ---- what the consumer does -------------------------------------------------------------------

  /** Starts reading ahead without waiting for the first pull. */
  void start() {
    crew.lock.lock();
    try {
      if (!started) {
        started = true;
        crew.start();
      }
    } finally {
      crew.lock.unlock();
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
      if (!started) {
        started = true;
        crew.start();
      }
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
      if (!started) {
        started = true;
        crew.start();
      }
      if (!crew.isDormant() || work != null || !isUntouched() || ended) {
        crew.meter().pulled(buffered);
        Slot slot = await();
        if (slot != null) {
          hand(slot, out, max);
        }
        return;
      }
      lendInput();
    } finally {
      crew.lock.unlock();
    }
    // Nothing to do but to read ahead, and nobody does: as if the stage were not there.
    long start = System.nanoTime();
    int given = -1;
    try {
      input.fill(out, max);
      given = out.size();
    } finally {
      takeInputBack(System.nanoTime() - start, given);
    }
  }

  /** Whether nothing was pulled that is still here, and nobody pulls. Under the lock. */
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

  /** Workers had to stop because they were far enough ahead, and then the consumer had to wait. */
  private void reachFurther() {
    if (crew.isTuned()
        && !crew.isInline()
        && engine.settings().tunes()
        && 2 * mostOpen() * pacer.length() <= MOST_AUTOTUNED) {
      turnReach(2 * reach, "workers were far enough ahead, then the consumer had to wait");
    }
  }

  private void turnReach(int times, String why) {
    standstill.turned(System.nanoTime(), waitNs);
    int before = mostOpen() * pacer.length();
    reach = times;
    engine.knobTurned(path, "read-ahead", before, mostOpen() * pacer.length(), why);
    context.tuned(context.tuned().withBuffer(reach));
  }

  private boolean mayTurnCapacity() {
    return capacityIsTuned && engine.settings().tunes();
  }

  private void turnCapacity(int elements, String why) {
    standstill.turned(System.nanoTime(), waitNs);
    engine.knobTurned(path, "buffer", capacity, elements, why);
    capacity = elements;
    context.tuned(context.tuned().withBuffer(elements));
  }

  /** The slot to hand over next, waited for; null at the end. */
  private @Nullable Slot await() {
    Slot slot = deliverable();
    if (slot != null || isOver()) {
      return slot;
    }
    if (standstill.wasSeen() && standstill.isWorthMore(System.nanoTime(), waitNs)) {
      if (work != null) {
        reachFurther();
      } else if (mayTurnCapacity() && capacity < MOST_AUTOTUNED) {
        turnCapacity(Math.min(MOST_AUTOTUNED, capacity * 2), "it was full, and then it ran empty");
      }
    }
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
        long unused = filled.awaitNanos(LOOK_AGAIN_NS); // nobody may have woken us for one chunk
      } else {
        filled.await();
      }
    } catch (InterruptedException e) {
      // A worker may carry an interruption that a function of the user left behind; only closing
      // stops workers. The consumer's own interruption is the user's wish.
      WorkerCrew waiter = WorkerCrew.ofCurrentThread();
      if (waiter == null ? pass.isConsumer(Thread.currentThread()) : waiter.isClosed()) {
        Thread.currentThread().interrupt();
        throw new Cancelled(path + ": interrupted while waiting for an element");
      }
    }
  }

  private boolean isOver() {
    return ended && window.isEmpty();
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
    if (ordered) {
      Slot head = window.peekFirst();
      return head != null && head.done ? head : null;
    }
    if (current != null) {
      return current;
    }
    Slot first = comeFirst.peekFirst();
    if (first != null) {
      if (!first.done) {
        return null;
      }
      comeFirst.removeFirst();
      finished.remove(first);
      current = first;
    } else {
      current = finished.pollFirst();
    }
    if (current != null) {
      lastHandedOver.handedOverNext = current;
      lastHandedOver = current;
    }
    return current;
  }

  private void hand(Slot slot, Chunk out, int max) {
    int left = slot.left();
    int size = Math.min(left, max);
    if (size == left && slot.taken == slot.takenBefore) {
      out.swap(slot.chunk);
      slot.taken += size;
      buffered -= size;
      retire(slot);
    } else {
      out.append(slot.chunk, slot.taken - slot.takenBefore, size);
      slot.taken += size;
      buffered -= size;
      if (slot.left() == 0) {
        retire(slot);
      }
    }
    handedOverElements += size;
    boolean low = work == null ? buffered <= Math.max(1, capacity / 8) : open <= mostOpen() / 2;
    if (low) {
      crew.wakeOne();
    }
  }

  private void retire(Slot slot) {
    slot.handedOver = true;
    open--;
    doneSlots--;
    releaseHeap(slot);
    if (current == slot) {
      current = null;
    }
    if (ordered) {
      window.removeFirst();
    } else {
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
    if (ordered && spares.size() < mostOpen()) {
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
      if (!ordered) {
        return unorderedPosition(oldest);
      }
      return oldest == null
          ? wrapped(input.save()) // nobody is pulling, or there would be a slot
          : State.skipping(oldest.taken, wrapped(oldest.before));
    } finally {
      crew.lock.unlock();
    }
  }

  private State wrapped(State ofInput) {
    return oneToOne ? ofInput : State.of("input", ofInput);
  }

  private State unorderedPosition(@Nullable Slot oldest) {
    int[] taken = new int[window.size()];
    int i = 0;
    for (Slot slot : window) {
      taken[i++] = slot.handedOver ? -1 : slot.taken;
    }
    State from = oldest == null ? input.save() : oldest.before;
    Slot upTo = newest;
    Slot last = lastHandedOver;
    boolean inTheMiddle = current != null;
    return State.late(
        () -> describe(from, oldest == null ? upTo.next : oldest, taken, last, inTheMiddle));
  }

  private State describe(
      State from, @Nullable Slot oldest, int[] taken, Slot last, boolean inTheMiddle) {
    crew.lock.lock();
    try {
      List<Slot> slots = new ArrayList<>();
      for (Slot slot = oldest; slot != null && slot.length > 0; slot = slot.next) {
        slots.add(slot);
      }
      long[] lengths = new long[slots.size()];
      long[] takenOf = new long[slots.size()];
      for (int i = 0; i < lengths.length; i++) {
        lengths[i] = slots.get(i).length;
        takenOf[i] = i < taken.length ? taken[i] : 0;
      }
      List<Long> order = new ArrayList<>();
      if (oldest != null) {
        Slot next = inTheMiddle ? last : last.handedOverNext;
        for (Slot slot = next; slot != null; slot = slot.handedOverNext) {
          order.add(slot.number - oldest.number);
        }
        for (Slot slot : comeFirst) { // known from an earlier life, and not met again yet
          order.add(slot.number - oldest.number);
        }
      }
      return State.ofPairs(
          "lengths", lengths,
          "taken", takenOf,
          "order", order.stream().mapToLong(Long::longValue).toArray(),
          "input", from);
    } finally {
      crew.lock.unlock();
    }
  }

  @Override
  protected void moveTo(State state) {
    if (ordered) {
      input.restore(oneToOne ? state : state.state("input"));
      return;
    }
    long[] lengths = state.numbers("lengths");
    long[] taken = state.numbers("taken");
    long[] order = state.numbers("order");
    if (taken.length != lengths.length) {
      throw new State.InvalidState(
          "checkpoint: expected as many counts as lengths for "
              + path
              + ", but got "
              + taken.length
              + " and "
              + lengths.length);
    }
    for (int i = 0; i < lengths.length; i++) {
      if (lengths[i] < 1 || lengths[i] > ChunkPacer.LONGEST || taken[i] < -1) {
        throw new State.InvalidState(
            "checkpoint: expected chunks of 1 to %d elements for %s, but got %d of which %d were taken"
                .formatted(ChunkPacer.LONGEST, path, lengths[i], taken[i]));
      }
    }
    input.restore(state.state("input"));
    List<Slot> slots = new ArrayList<>();
    for (int i = 0; i < lengths.length; i++) {
      Slot slot = append(input.save(), new Chunk());
      slots.add(slot);
      slot.length = (int) lengths[i];
      if (taken[i] < 0) {
        input.skip(lengths[i]);
        slot.handedOver = true;
        slot.done = true;
        open--;
      } else {
        pullAgain(slot);
        slot.taken = (int) taken[i];
        slot.takenBefore = slot.taken;
        pulledBefore.addLast(slot);
      }
    }
    while (!window.isEmpty() && window.peekFirst().handedOver) {
      window.removeFirst();
    }
    for (long index : order) {
      if (index < 0 || index >= slots.size() || slots.get((int) index).handedOver) {
        throw new State.InvalidState(
            "checkpoint: expected the order of " + path + " to name open chunks, but got " + index);
      }
      if (comeFirst.contains(slots.get((int) index))) {
        throw new State.InvalidState(
            "checkpoint: expected the order of "
                + path
                + " to name a chunk once, but got "
                + index);
      }
      comeFirst.addLast(slots.get((int) index));
    }
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
    boolean idle = crew.leave(this);
    crew.lock.lock();
    try {
      for (Slot slot : window) {
        releaseHeap(slot);
        if (slot.done && !slot.handedOver) {
          for (int i = slot.taken - slot.takenBefore; i < slot.chunk.size(); i++) {
            Leases.giveBack(slot.chunk.item(i), "the pipeline was closed");
          }
        }
      }
      window.clear();
      finished.clear();
    } finally {
      crew.lock.unlock();
    }
    if (idle) {
      input.close();
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

  boolean isWaitedFor() {
    return consumerWaits;
  }

  String path() {
    return path;
  }

  boolean isCapacityTuned() {
    return capacityIsTuned;
  }

  /** What one element takes, so far; 0 before the first. Under the lock. */
  double workNsEach() {
    return workElements == 0 ? 0 : (double) workNs / workElements;
  }

  /** How many elements the buffer holds. */
  int buffered() {
    crew.lock.lock();
    try {
      return buffered;
    } finally {
      crew.lock.unlock();
    }
  }

  /** How many elements the buffer may hold. */
  int capacity() {
    crew.lock.lock();
    try {
      return work == null ? capacity : mostOpen() * pacer.length();
    } finally {
      crew.lock.unlock();
    }
  }

  /** A copy of the counters. */
  StageCounters counters() {
    crew.lock.lock();
    try {
      return new StageCounters(
          work == null ? "prefetch" : "parallel",
          buffered,
          highestBuffered,
          work == null ? capacity : mostOpen() * pacer.length(),
          crew.workers(),
          crew.target(),
          workElements,
          workNs,
          crew.cpuShare(),
          waits,
          waitNs,
          handedOverElements);
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
      if (handedOverElements == handedOverSeen) {
        return; // a pause: what will be needed after it is not known
      }
      handedOverSeen = handedOverElements;
      standstill.fade(System.nanoTime(), waitNs);
      if (work != null && reach > 1 && doneSlots > mostOpen() / 2 && waits == waitsSeen) {
        turnReach(reach / 2, "it was never empty");
      }
      if (capacityIsTuned && capacity > 2 && buffered > capacity / 2 && waits == waitsSeen) {
        turnCapacity(Math.max(2, capacity - capacity / 4), "it was never empty");
      }
      waitsSeen = waits;
    } finally {
      crew.lock.unlock();
    }
  }
}
