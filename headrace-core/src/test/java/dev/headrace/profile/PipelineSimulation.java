package dev.headrace.profile;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A discrete-event simulation of a pipeline: what the engine's threads would do, by a clock that
 * costs nothing. An oracle for models of throughput.
 *
 * <p>A pipeline is a chain of {@link Segment}s from the source to the consumer, which is the last
 * of them. As in the engine, one worker of a segment at a time pulls: it takes elements from the
 * segment before, waiting where there is none, and runs what lies between inline. Then it lets the
 * next one pull and does the work on its own element. Results leave in the order of pulling, and
 * elements that were pulled but not taken, finished or not, are at most {@link Segment#slots}. A
 * worker that found no room sleeps until half of them are gone, or until it is waited for.
 *
 * <p>Cores are shared evenly: all that compute, and threads of other programs that always do, run
 * at the rate min(1, cores / how many they are). A part of a segment's work may be inside a lock,
 * which its workers take in the order in which they come. Times are in seconds. The same seed gives
 * the same run.
 */
final class PipelineSimulation {
  /**
   * What runs on the threads of one stage, or on the consumer's.
   *
   * @param inputs elements taken from the segment before for one of its own: 32 for a batch of 32,
   *     0.1 for a tenth of what a file gives
   * @param serial what the pulling thread runs inline for one element
   * @param work what is done to it afterwards, by all workers at the same time
   * @param slots how many elements may have been pulled and not taken
   * @param wakeAt sleeping workers are woken when so many are left
   * @param locked what is done inside the lock of the segment, after the work
   */
  record Segment(
      double inputs,
      SimulatedCost serial,
      SimulatedCost work,
      int workers,
      int slots,
      int wakeAt,
      SimulatedCost locked) {
    Segment(
        double inputs,
        SimulatedCost serial,
        SimulatedCost work,
        int workers,
        int slots,
        int wakeAt) {
      this(inputs, serial, work, workers, slots, wakeAt, SimulatedCost.NONE);
    }

    /** The same with a part of the work inside a lock. */
    Segment locking(SimulatedCost cost) {
      return new Segment(inputs, serial, work, workers, slots, wakeAt, cost);
    }

    /** A stage without work: {@code capacity} elements are read ahead by one thread. */
    static Segment prefetch(SimulatedCost serial, int capacity) {
      return new Segment(1, serial, SimulatedCost.NONE, 1, capacity, capacity / 2);
    }

    /**
     * A stage with work for several threads, with the engine's bound for elements that take long.
     */
    static Segment parallel(SimulatedCost serial, SimulatedCost work, int workers) {
      return new Segment(1, serial, work, workers, 2 * workers + 2, workers + 1);
    }

    /** Who takes the elements: what it runs itself inside {@code next()}, and its own step. */
    static Segment consumer(SimulatedCost inline, SimulatedCost step) {
      return new Segment(1, inline, step, 1, 1, 0);
    }

    Segment taking(double inputsEach) {
      return new Segment(inputsEach, serial, work, workers, slots, wakeAt, locked);
    }

    Segment withSlots(int count) {
      return new Segment(inputs, serial, work, workers, count, count / 2, locked);
    }

    /** Workers go on as soon as there is room. */
    Segment withoutSleep() {
      return new Segment(inputs, serial, work, workers, slots, slots - 1, locked);
    }
  }

  /**
   * How a run went.
   *
   * @param waitShare of its time the consumer was inside {@code next()}
   * @param cores how many were busy on average, and {@code ready} how many threads could have used
   *     one
   */
  record Result(
      double perSecond, double waitShare, double cores, double ready, List<Use> segments) {}

  /**
   * What the workers of a segment did.
   *
   * @param serial the share of time in which one of them ran the inline part
   * @param work how many were at work on average, by the number of workers
   * @param starved the share of time in which one waited for the segment before
   * @param buffered finished elements that were not yet taken, on average
   * @param locked how many waited for the lock on average, by the number of workers
   */
  record Use(double serial, double work, double starved, double buffered, double locked) {}

  /** Runs until the consumer has had so many elements after the first tenth, which is left out. */
  static Result run(List<Segment> segments, int cores, int elements, long seed) {
    return run(segments, cores, 0, elements, seed);
  }

  /** The same beside threads of other programs that always compute. */
  static Result run(List<Segment> segments, int cores, int others, int elements, long seed) {
    return new PipelineSimulation(segments, cores, others, seed).run(elements);
  }

  private enum Phase {
    IDLE,
    PULLING,
    SERIAL_WAITING,
    SERIAL_COMPUTING,
    WORK_WAITING,
    WORK_COMPUTING,
    LOCK_QUEUED,
    LOCK_WAITING,
    LOCK_COMPUTING
  }

  /** An element on its way through a segment. */
  private static final class Slot {
    boolean done;
  }

  private static final class Worker {
    final Station station;
    final int number;
    Phase phase = Phase.IDLE;
    Slot slot = new Slot();

    /** When its timer rings, or at which amount of shared computing it is done. */
    double due;

    Worker(Station station, int number) {
      this.station = station;
      this.number = number;
    }
  }

  /** A running segment, with sums over time of what its workers do. */
  private final class Station {
    final Segment segment;
    final @Nullable Station before;
    final boolean last;
    final ArrayDeque<Slot> window = new ArrayDeque<>();
    final ArrayDeque<Worker> sleeping = new ArrayDeque<>();
    final ArrayDeque<Worker> queue = new ArrayDeque<>();
    boolean isLocked;
    double lockedSum;
    @Nullable Worker taker;
    boolean pulling;
    double owed;
    int done;
    int inSerial;
    int inWork;
    int starving;
    double changedAt;
    double serialSum;
    double workSum;
    double starvedSum;
    double bufferedSum;

    Station(Segment segment, @Nullable Station before, boolean last) {
      this.segment = segment;
      this.before = before;
      this.last = last;
    }

    /** To be called before a count changes. */
    void sumUp() {
      double seconds = now - changedAt;
      serialSum += inSerial * seconds;
      workSum += inWork * seconds;
      starvedSum += starving * seconds;
      bufferedSum += done * seconds;
      lockedSum += queue.size() * seconds;
      changedAt = now;
    }

    void forget() {
      sumUp();
      serialSum = 0;
      workSum = 0;
      starvedSum = 0;
      bufferedSum = 0;
      lockedSum = 0;
    }

    Use use(double seconds) {
      sumUp();
      return new Use(
          serialSum / seconds,
          workSum / seconds / segment.workers(),
          starvedSum / seconds,
          bufferedSum / seconds,
          lockedSum / seconds / segment.workers());
    }

    void wakeOne() {
      Worker worker = sleeping.pollFirst();
      if (worker != null) {
        ready.add(worker);
      }
    }
  }

  private static final Comparator<Worker> BY_DUE =
      Comparator.<Worker>comparingDouble(worker -> worker.due).thenComparingInt(w -> w.number);

  private final int cores;
  private final int others;
  private final SplittableRandom random;
  private final List<Station> stations = new ArrayList<>();
  private final ArrayDeque<Worker> ready = new ArrayDeque<>();
  private final PriorityQueue<Worker> timers = new PriorityQueue<>(BY_DUE);
  private final PriorityQueue<Worker> computing = new PriorityQueue<>(BY_DUE);
  private double now;

  /** What each of those that compute has had since the beginning: they all get the same. */
  private double shared;

  private double coreSeconds;
  private double readySeconds;
  private long delivered;

  private PipelineSimulation(List<Segment> segments, int cores, int others, long seed) {
    this.cores = cores;
    this.others = others;
    this.random = new SplittableRandom(seed);
    Station before = null;
    int number = 0;
    for (Segment segment : segments) {
      Station station = new Station(segment, before, stations.size() == segments.size() - 1);
      stations.add(station);
      for (int i = 0; i < segment.workers(); i++) {
        ready.add(new Worker(station, number++));
      }
      before = station;
    }
  }

  private Result run(int elements) {
    runUntil(elements / 10);
    double start = now;
    long first = delivered;
    coreSeconds = 0;
    readySeconds = 0;
    stations.forEach(Station::forget);
    runUntil(first + elements);
    double seconds = now - start;
    List<Use> uses = stations.stream().map(station -> station.use(seconds)).toList();
    return new Result(
        (delivered - first) / seconds,
        1 - uses.getLast().work(),
        coreSeconds / seconds,
        readySeconds / seconds,
        uses);
  }

  private void runUntil(long target) {
    while (delivered < target) {
      Worker worker = ready.pollFirst();
      advance(worker == null ? nextEvent() : worker);
    }
  }

  /** Lets time pass until a timer rings or a computation is done. */
  private Worker nextEvent() {
    double rate = Math.min(1, (double) cores / Math.max(1, computing.size() + others));
    Worker timer = timers.peek();
    Worker computer = computing.peek();
    double timerAt = timer == null ? Double.POSITIVE_INFINITY : timer.due;
    double computedAt =
        computer == null ? Double.POSITIVE_INFINITY : now + (computer.due - shared) / rate;
    double at = Math.min(timerAt, computedAt);
    if (at == Double.POSITIVE_INFINITY) {
      throw new IllegalStateException("everybody waits after %d elements".formatted(delivered));
    }
    coreSeconds += (at - now) * rate * computing.size();
    readySeconds += (at - now) * computing.size();
    shared += (at - now) * rate;
    now = at;
    return timerAt <= computedAt ? timers.remove() : computing.remove();
  }

  /** Goes on with a worker until it has to wait for something. */
  private void advance(Worker worker) {
    Station station = worker.station;
    Segment segment = station.segment;
    boolean goesOn = true;
    while (goesOn) {
      switch (worker.phase) {
        case IDLE -> goesOn = begin(worker);
        case PULLING -> goesOn = pull(worker);
        case SERIAL_WAITING ->
            goesOn = spend(worker, segment.serial().cpu(), computing, Phase.SERIAL_COMPUTING);
        case SERIAL_COMPUTING -> {
          station.sumUp();
          station.inSerial--;
          station.inWork++;
          station.pulling = false;
          station.wakeOne();
          goesOn = spend(worker, segment.work().waiting(), timers, Phase.WORK_WAITING);
        }
        case WORK_WAITING ->
            goesOn = spend(worker, segment.work().cpu(), computing, Phase.WORK_COMPUTING);
        case WORK_COMPUTING -> goesOn = lock(worker);
        case LOCK_QUEUED ->
            goesOn = spend(worker, segment.locked().waiting(), timers, Phase.LOCK_WAITING);
        case LOCK_WAITING ->
            goesOn = spend(worker, segment.locked().cpu(), computing, Phase.LOCK_COMPUTING);
        case LOCK_COMPUTING -> {
          station.sumUp();
          Worker next = station.queue.pollFirst();
          station.isLocked = next != null;
          if (next != null) {
            ready.add(next);
          }
          finish(worker);
        }
      }
    }
  }

  /** Begins a part of an element; true if it takes no time. */
  private boolean spend(
      Worker worker, SimulatedTime time, PriorityQueue<Worker> queue, Phase phase) {
    worker.phase = phase;
    double seconds = time.draw(random);
    if (seconds <= 0) {
      return true;
    }
    worker.due = seconds + (queue == timers ? now : shared);
    queue.add(worker);
    return false;
  }

  private boolean begin(Worker worker) {
    Station station = worker.station;
    if (station.pulling || station.window.size() >= station.segment.slots()) {
      station.sleeping.addLast(worker);
      return false;
    }
    station.pulling = true;
    station.owed += station.before == null ? 0 : station.segment.inputs();
    worker.slot = new Slot();
    station.window.addLast(worker.slot);
    worker.phase = Phase.PULLING;
    return true;
  }

  /** Takes what is owed from the segment before; false if it has to be waited for. */
  private boolean pull(Worker worker) {
    Station station = worker.station;
    Station before = station.before;
    station.sumUp();
    station.starving = 0;
    while (before != null && station.owed > 1 - 1e-9) {
      Slot oldest = before.window.peekFirst();
      if (oldest == null || !oldest.done) {
        station.starving = 1;
        before.taker = worker;
        before.wakeOne();
        return false;
      }
      before.sumUp();
      before.window.removeFirst();
      before.done--;
      station.owed--;
      if (before.window.size() <= before.segment.wakeAt()) {
        before.wakeOne();
      }
    }
    station.inSerial++;
    return spend(worker, station.segment.serial().waiting(), timers, Phase.SERIAL_WAITING);
  }

  /** Takes the lock, or queues for it; true if the worker goes on. */
  private boolean lock(Worker worker) {
    Station station = worker.station;
    if (station.segment.locked() == SimulatedCost.NONE) {
      finish(worker);
      return true;
    }
    worker.phase = Phase.LOCK_QUEUED;
    if (station.isLocked) {
      station.sumUp();
      station.queue.addLast(worker);
      return false;
    }
    station.isLocked = true;
    return true;
  }

  private void finish(Worker worker) {
    Station station = worker.station;
    station.sumUp();
    station.inWork--;
    worker.phase = Phase.IDLE;
    worker.slot.done = true;
    if (station.last) {
      station.window.removeFirst();
      delivered++;
      return;
    }
    station.done++;
    Worker taker = station.taker;
    if (taker != null && worker.slot == station.window.peekFirst()) {
      station.taker = null;
      ready.add(taker);
    }
  }
}
