package dev.headrace.profile;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * A pipeline played through, event by event: stations with workers, buffers and locks, from the
 * sources to the consumer, which is the last, on cores that they share.
 *
 * <p>As in the engine, one worker of a station at a time pulls: it takes elements from the stations
 * before, waiting where there are none, and runs what lies between. Then it works on its element
 * while the next one pulls. Results leave in the order of pulling, at most {@link Station#slots}
 * elements are pulled and not taken, and workers that found no room sleep until half of it is free,
 * or until they are waited for. A lock is taken in the order in which workers come to it. Threads
 * that compute share the cores evenly.
 *
 * <p><b>Threading:</b> one thread; a line is played once.
 */
final class Line {
  /** So many elements of a station for one that is delivered are played one by one. */
  private static final double MOST_UNITS = 32;

  /** So many elements of all stations together are played: each play takes some milliseconds. */
  private static final double MOST_STEPS = 12_000;

  private static final int FEWEST_ROUNDS = 60;
  private static final int MOST_ROUNDS = 1_024;

  /** So many are enough where no times vary. */
  private static final int EVEN_ROUNDS = 50;

  /** Who is further ahead than this, in such elements, is as good as never held up. */
  private static final double MOST_AHEAD = 8_192;

  private static final double WHOLE = 1 - 1e-9;

  /**
   * What something takes for one element that is delivered.
   *
   * @param pattern times of single elements as they were measured, one after another; only how they
   *     vary counts. Empty where they do not
   */
  record Times(double cpuNs, double waitNs, double[] pattern) {
    static final Times NONE = new Times(0, 0, new double[0]);

    double ns() {
      return cpuNs + waitNs;
    }
  }

  /**
   * One of the stations.
   *
   * @param inputs the stations it pulls from, by their place in the line
   * @param perDelivered how many of its elements go into one that is delivered
   * @param serial what one worker at a time does, and {@code work} what all do at once
   * @param heldNs what of the work is done inside a lock
   * @param slots how many elements may be pulled and not taken
   * @param wakeNs until one that sleeps goes on after it was woken: a worker of the station, or who
   *     waits for it
   */
  record Station(
      List<Integer> inputs,
      double perDelivered,
      Times serial,
      Times work,
      double heldNs,
      int workers,
      int slots,
      double wakeNs) {}

  /**
   * How a line went, for one element that is delivered.
   *
   * @param cycleNs the time between two of them
   * @param lockedNs how long the workers of each station waited for its lock
   */
  record Played(double cycleNs, double[] lockedNs) {}

  private final Running[] line;
  private final Ready.Left left;
  private final PriorityQueue<Worker> timers = new PriorityQueue<>();
  private final PriorityQueue<Worker> computing = new PriorityQueue<>();
  private final ArrayDeque<Worker> ready = new ArrayDeque<>();
  private double now;

  /** What each of those that compute has had since the beginning: they all get the same. */
  private double shared;

  private long turns;
  private long delivered;

  private Line(List<Station> stations, Ready.Left left) {
    this.left = left;
    line = new Running[stations.size()];
    for (int i = 0; i < line.length; i++) {
      line[i] = new Running(stations.get(i), i, line);
    }
    for (Running station : line) {
      for (int i = 0; i < station.workers; i++) {
        ready.add(new Worker(station));
      }
    }
  }

  /** Plays stations through on the cores that are left to them. */
  static Played play(List<Station> stations, Ready.Left left) {
    Line line = new Line(stations, left);
    double steps = 0;
    double ahead = 10;
    boolean varies = false;
    for (Running station : line.line) {
      steps += station.unitsPerDelivered;
      ahead += station.slots / station.unitsPerDelivered;
      varies |= station.varies();
    }
    int most = (int) Math.clamp(MOST_STEPS / steps, FEWEST_ROUNDS, MOST_ROUNDS);
    int rounds = varies ? most : EVEN_ROUNDS;
    // Who fills a buffer takes cores from those who need them when it is full.
    int warm = (int) Math.clamp(2 * ahead, rounds / 5, most);
    line.playUntil(warm);
    double begin = line.now;
    for (Running station : line.line) {
      station.lockedNs = 0;
    }
    line.playUntil(warm + rounds);
    double[] locked = new double[line.line.length];
    for (int i = 0; i < locked.length; i++) {
      locked[i] = line.line[i].lockedNs / rounds;
    }
    return new Played((line.now - begin) / rounds, locked);
  }

  /** Standard deviation over mean. */
  static double variation(double[] times) {
    double mean = Arrays.stream(times).average().orElse(0);
    double squares = Arrays.stream(times).map(time -> (time - mean) * (time - mean)).sum();
    return mean <= 0 ? 0 : Math.sqrt(squares / times.length) / mean;
  }

  // ---- events -----------------------------------------------------------------------------------

  private void playUntil(long target) {
    while (delivered < target) {
      Worker worker = ready.pollFirst();
      advance(worker == null ? nextEvent() : worker);
    }
  }

  /** Lets time pass until a timer rings or a computation is done. */
  private Worker nextEvent() {
    Worker timer = timers.peek();
    Worker computer = computing.peek();
    double rate = left.speed(computing.size());
    double timerAt = timer == null ? Double.POSITIVE_INFINITY : timer.due;
    double computedAt =
        computer == null ? Double.POSITIVE_INFINITY : now + (computer.due - shared) / rate;
    double at = Math.min(timerAt, computedAt);
    if (at == Double.POSITIVE_INFINITY) {
      throw new IllegalStateException("all threads wait after %d elements".formatted(delivered));
    }
    shared += (at - now) * rate;
    now = at;
    return timerAt <= computedAt ? timers.remove() : computing.remove();
  }

  /** Goes on with a worker until it has to wait for something. */
  private void advance(Worker worker) {
    boolean goesOn = true;
    while (goesOn) {
      Running station = worker.station;
      switch (worker.phase) {
        case IDLE -> goesOn = begin(worker);
        case PULLING -> goesOn = pull(worker);
        case SERIAL_WAITING ->
            goesOn = spend(worker, computing, worker.serial * station.serialCpu, Phase.SERIAL);
        case SERIAL -> {
          station.isPulled = false;
          wakeOne(station);
          goesOn =
              spend(
                  worker,
                  timers,
                  worker.work * (1 - station.held) * (1 - station.workCpu),
                  Phase.WORK_WAITING);
        }
        case WORK_WAITING ->
            goesOn =
                spend(
                    worker,
                    computing,
                    worker.work * (1 - station.held) * station.workCpu,
                    Phase.WORK);
        case WORK -> goesOn = lock(worker);
        case LOCK_QUEUED -> {
          station.lockedNs += now - worker.queuedAt;
          goesOn =
              spend(
                  worker,
                  timers,
                  worker.work * station.held * (1 - station.workCpu),
                  Phase.LOCK_WAITING);
        }
        case LOCK_WAITING ->
            goesOn =
                spend(worker, computing, worker.work * station.held * station.workCpu, Phase.LOCK);
        case LOCK -> {
          Worker next = station.queue.pollFirst();
          station.isLocked = next != null;
          if (next != null) {
            ready.add(next);
          }
          goesOn = finish(worker);
        }
      }
    }
  }

  /** Begins a part of an element; true if it takes no time. */
  private boolean spend(Worker worker, PriorityQueue<Worker> queue, double ns, Phase phase) {
    worker.phase = phase;
    if (ns <= 0) {
      return true;
    }
    worker.due = ns + (queue == timers ? now : shared);
    worker.turn = turns++;
    queue.add(worker);
    return false;
  }

  private boolean begin(Worker worker) {
    Running station = worker.station;
    if (station.isPulled || !station.hasRoom()) {
      station.sleeping.addLast(worker);
      return false;
    }
    start(worker);
    return true;
  }

  private static void start(Worker worker) {
    Running station = worker.station;
    station.isPulled = true;
    for (int i = 0; i < station.inputs.length; i++) {
      station.owed[i] += station.inputs[i].unitsPerDelivered / station.unitsPerDelivered;
    }
    worker.element = station.pulled++;
    worker.serial = station.time(station.serialNs, station.serialPattern, worker.element);
    worker.work = station.time(station.workNs, station.workPattern, worker.element);
    station.isDone[(int) (worker.element % station.slots)] = false;
    worker.phase = Phase.PULLING;
  }

  /** Lets one that sleeps pull, if it is its turn and there is room. */
  private void wakeOne(Running station) {
    if (!station.isPulled && station.hasRoom() && !station.sleeping.isEmpty()) {
      Worker worker = station.sleeping.removeFirst();
      start(worker);
      resume(worker, station.wakeNs);
    }
  }

  private void resume(Worker worker, double afterNs) {
    if (spend(worker, timers, afterNs, worker.phase)) {
      ready.add(worker);
    }
  }

  /** Takes what is owed from the stations before; false if it has to be waited for. */
  private boolean pull(Worker worker) {
    Running station = worker.station;
    for (int i = 0; i < station.inputs.length; i++) {
      Running input = station.inputs[i];
      while (station.owed[i] > WHOLE) {
        if (!input.hasOldest()) {
          input.taker = worker;
          wakeOne(input);
          return false;
        }
        input.taken++;
        station.owed[i]--;
        if (input.pulled - input.taken <= input.slots / 2) {
          wakeOne(input);
        }
      }
    }
    return spend(worker, timers, worker.serial * (1 - station.serialCpu), Phase.SERIAL_WAITING);
  }

  /** Takes the lock, or queues for it; true if the worker goes on. */
  private boolean lock(Worker worker) {
    Running station = worker.station;
    if (station.held <= 0) {
      return finish(worker);
    }
    worker.phase = Phase.LOCK_QUEUED;
    worker.queuedAt = now;
    if (station.isLocked) {
      station.queue.addLast(worker);
      return false;
    }
    station.isLocked = true;
    return true;
  }

  /** Hands an element over; false where it was delivered, so that somebody counts. */
  private boolean finish(Worker worker) {
    Running station = worker.station;
    worker.phase = Phase.IDLE;
    if (station == line[line.length - 1]) {
      station.taken++;
      delivered++;
      ready.add(worker);
      return false;
    }
    station.isDone[(int) (worker.element % station.slots)] = true;
    Worker taker = station.taker;
    if (taker != null && worker.element == station.taken) {
      station.taker = null;
      resume(taker, station.wakeNs);
    }
    return true;
  }

  private enum Phase {
    IDLE,
    PULLING,
    SERIAL_WAITING,
    SERIAL,
    WORK_WAITING,
    WORK,
    LOCK_QUEUED,
    LOCK_WAITING,
    LOCK
  }

  private static final class Worker implements Comparable<Worker> {
    final Running station;
    Phase phase = Phase.IDLE;
    long element;
    double serial;
    double work;
    double queuedAt;

    /** When its timer rings, or at which amount of shared computing it is done. */
    double due;

    /** Of those that are due at the same time, the one that began first comes first. */
    long turn;

    Worker(Running station) {
      this.station = station;
    }

    @Override
    public int compareTo(Worker other) {
      int byDue = Double.compare(due, other.due);
      return byDue != 0 ? byDue : Long.compare(turn, other.turn);
    }
  }

  /** A station while it is played. */
  private static final class Running {
    final Running[] inputs;
    final double[] owed;
    final double unitsPerDelivered;
    final double serialNs;
    final double serialCpu;
    final double[] serialPattern;
    final double workNs;
    final double workCpu;
    final double[] workPattern;
    final double held;
    final double wakeNs;
    final int workers;
    final int slots;
    final boolean[] isDone;
    final ArrayDeque<Worker> sleeping = new ArrayDeque<>();
    final ArrayDeque<Worker> queue = new ArrayDeque<>();
    private final double spread;
    private final int offset;
    @Nullable Worker taker;
    boolean isPulled;
    boolean isLocked;
    long pulled;
    long taken;
    double lockedNs;

    Running(Station station, int number, Running[] line) {
      inputs = station.inputs().stream().map(input -> line[input]).toArray(Running[]::new);
      owed = new double[inputs.length];
      double elements = Math.max(1e-3, station.perDelivered());
      double group = Math.max(1, elements / MOST_UNITS);
      unitsPerDelivered = elements / group;
      spread = 1 / Math.sqrt(group);
      serialNs = station.serial().ns() / unitsPerDelivered;
      serialCpu = serialNs == 0 ? 0 : station.serial().cpuNs() / station.serial().ns();
      serialPattern = relative(station.serial().pattern());
      workNs = station.work().ns() / unitsPerDelivered;
      workCpu = workNs == 0 ? 0 : station.work().cpuNs() / station.work().ns();
      workPattern = relative(station.work().pattern());
      held = workNs == 0 ? 0 : Math.min(1, station.heldNs() / station.work().ns());
      wakeNs = station.wakeNs() * group;
      workers = Math.max(1, station.workers());
      slots = (int) Math.clamp(Math.ceil(station.slots() / group), 1, MOST_AHEAD);
      isDone = new boolean[slots];
      offset = 31 * number;
    }

    boolean varies() {
      return serialPattern.length + workPattern.length > 0;
    }

    boolean hasRoom() {
      return pulled - taken < slots;
    }

    /** Whether the element that comes next is there. */
    boolean hasOldest() {
      return taken < pulled && isDone[(int) (taken % slots)];
    }

    private static double[] relative(double[] pattern) {
      double sum = 0;
      for (double each : pattern) {
        sum += each;
      }
      if (sum <= 0) {
        return new double[0];
      }
      double[] relative = new double[pattern.length];
      for (int i = 0; i < relative.length; i++) {
        relative[i] = pattern[i] * pattern.length / sum;
      }
      return relative;
    }

    double time(double ns, double[] relative, long element) {
      return relative.length == 0
          ? ns
          : ns * (1 + spread * (relative[(int) ((element + offset) % relative.length)] - 1));
    }
  }
}
