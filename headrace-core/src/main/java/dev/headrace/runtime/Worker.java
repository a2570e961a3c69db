package dev.headrace.runtime;

import dev.headrace.spi.CpuSample;
import org.jspecify.annotations.Nullable;

/**
 * One thread of a crew, with what it knows of its own time.
 *
 * <p><b>Threading:</b> times are written by the worker and read by the governor, which can live
 * with values that are a moment old.
 */
final class Worker implements Runnable {
  private final WorkerCrew crew;
  final int generation;
  final boolean isVirtual;

  /** Whether it is the thread that pulls, not one of the crew's own. */
  final boolean isInline;

  private final Thread thread;

  /** Whether it has ended its work; and whether closing has named it as stuck. Under the lock. */
  boolean hasLeft;

  boolean isNamedAsStuck;

  /** What it has in hand, so that no other thread waits for it if its own thread dies. */
  @Nullable Stage stage;

  @Nullable Slot slot;

  private volatile long taskId = -1;

  /** When the work in hand began; 0 between works. */
  private volatile long workingSince;

  private volatile long busyNs;

  private final CpuSample cpu = new CpuSample();

  /** What the governor saw at its last visit. */
  private long seenBusyNs;

  private long seenCpuNs;

  private long seenQueuedNs;

  Worker(WorkerCrew crew, int generation, boolean isVirtual, String name) {
    this.crew = crew;
    this.generation = generation;
    this.isVirtual = isVirtual;
    this.isInline = false;
    this.thread =
        isVirtual
            ? Thread.ofVirtual().name(name).unstarted(this)
            : Thread.ofPlatform().name(name).daemon(true).unstarted(this);
  }

  /** Stands for the thread that pulls, where a crew lets that thread do its work. */
  static Worker inline(WorkerCrew crew) {
    return new Worker(crew, Thread.currentThread());
  }

  private Worker(WorkerCrew crew, Thread puller) {
    this.crew = crew;
    this.generation = 0;
    this.isVirtual = puller.isVirtual();
    this.thread = puller;
    this.isInline = true;
  }

  void takes(@Nullable Stage from, @Nullable Slot taken) {
    stage = from;
    slot = taken;
  }

  /** Whether it has left, and its thread has ended. Under the lock. */
  boolean isGone() {
    return hasLeft && !thread.isAlive();
  }

  void start() {
    thread.start();
  }

  Thread thread() {
    return thread;
  }

  @Override
  public void run() {
    crew.work(this);
  }

  /** Looks up what the system calls this thread; by that thread. */
  void begins() {
    if (!isVirtual) {
      taskId = Tasks.currentId();
    }
  }

  void workBegins(long now) {
    workingSince = now;
    cpu.begin();
  }

  /**
   * Takes note that the work is done; how much of it was computing, or −1 if it was not sampled.
   */
  long workEnds(long now) {
    long since = workingSince;
    if (since == 0) {
      return -1;
    }
    busyNs = busyNs + (now - since); // one writer
    workingSince = 0;
    return cpu.end(now - since);
  }

  /** How many works the one whose computing was read last stands for. */
  int cpuWeight() {
    return cpu.weight();
  }

  /** How long it was ready to compute but had no core, since it was last asked. */
  long queuedNs() {
    long queued = Math.max(seenQueuedNs, Tasks.queuedNs(taskId));
    long since = queued - seenQueuedNs;
    seenQueuedNs = queued;
    return since;
  }

  /** Whether it is inside its function, or its reading, and waits there for a lock. */
  boolean waitsForLock() {
    return isWorking() && Tasks.waitsForLock(thread);
  }

  boolean isWorking() {
    return workingSince != 0;
  }

  long workingForNs(long now) {
    long since = workingSince;
    return since == 0 ? 0 : now - since;
  }

  /**
   * What the governor saw of a worker.
   *
   * @param busyNs inside functions since the last visit, and {@code cpuNs} of it computing
   * @param working whether it was inside a function at the moment of the visit
   * @param blocked whether it then waited for something other than a core or a lock
   * @param parked whether it then waited inside Java, where a virtual thread would let go
   * @param locked whether it then waited for a lock, which more workers cannot make faster
   */
  record Visit(
      long busyNs, long cpuNs, boolean working, boolean blocked, boolean parked, boolean locked) {}

  Visit visit(long now) {
    long since = workingSince;
    long busy = busyNs + (since == 0 ? 0 : Math.max(0, now - since));
    long cpu = Math.max(seenCpuNs, CpuClock.cpuNs(thread));
    Thread.State state = thread.getState();
    boolean locked = since != 0 && Tasks.waitsForLock(thread);
    boolean blocked = since != 0 && !locked && Tasks.isBlocked(taskId, thread);
    boolean parked = state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING;
    boolean sameWork = since != 0 && since == workingSince;
    Visit visit =
        new Visit(
            Math.max(0, busy - seenBusyNs),
            cpu - seenCpuNs,
            sameWork,
            sameWork && blocked,
            sameWork && parked,
            sameWork && locked);
    seenBusyNs = busy;
    seenCpuNs = cpu;
    return visit;
  }
}
