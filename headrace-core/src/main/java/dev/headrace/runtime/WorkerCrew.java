package dev.headrace.runtime;

import dev.headrace.data.Log;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.OpCounters;
import dev.headrace.spi.Parallelism;
import dev.headrace.tune.Tuned;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A group of workers that serve one or several stages.
 *
 * <p>Workers hold nothing between two chunks, so their number and kind (platform or virtual) can be
 * changed at any time: those that are too many, or of an older generation, leave after their chunk.
 *
 * <p><b>Threading:</b> everything is guarded by {@link #lock}, which the stages share.
 */
final class WorkerCrew implements Context.Crew {
  private static final long LOOK_AGAIN_NS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long MEMORY_NAP_NS = TimeUnit.MILLISECONDS.toNanos(2);
  private static final long FIRST_NAP_NS = TimeUnit.MICROSECONDS.toNanos(200);
  private static final long LONGEST_NAP_NS = TimeUnit.MILLISECONDS.toNanos(10);

  /** Asking the system about a thread takes ten microseconds: no more than so many at a time. */
  private static final int MOST_OBSERVED = 8;

  private static final ThreadLocal<@Nullable WorkerCrew> CURRENT = new ThreadLocal<>();

  final ReentrantLock lock = new ReentrantLock();

  /** Workers without work wait here. */
  final Condition idle = lock.newCondition();

  private final Engine engine;
  private final OpenContext context;
  private final String name;
  private final String operator;
  private final boolean tuned;
  private final boolean inline;
  private final boolean optional;

  /**
   * Whether the thread that pulls does its work, until a measurement says that threads would help.
   */
  private volatile boolean dormant;

  private boolean watched;
  private final boolean ownedByStage;
  private final CrewMeter meter;
  private final List<Stage> stages = new ArrayList<>();

  /** Those who work here, and those who have left but whose thread may not have ended yet. */
  private final List<Worker> workers = new ArrayList<>();

  /** How many of them have not left. */
  private int present;

  private volatile int target;
  private int generation;
  private boolean virtual;
  private boolean started;
  private volatile boolean closed;
  private int waiting;
  private boolean someoneNaps;
  private int turn;
  private int named;
  private volatile double cpuShare = 1;

  /**
   * Makes a crew.
   *
   * @param parallelism the number of workers, or negative to let the engine choose
   * @param ownedByStage whether it serves one stage and ends with it
   */
  WorkerCrew(OpenContext context, int parallelism, boolean ownedByStage) {
    this(context, parallelism, ownedByStage, parallelism == Parallelism.IF_IT_HELPS);
  }

  /**
   * Makes a crew.
   *
   * @param onlyIfItHelps whether it stays dormant until somebody engages it
   */
  WorkerCrew(OpenContext context, int parallelism, boolean ownedByStage, boolean onlyIfItHelps) {
    this.engine = context.engine();
    this.context = context;
    this.name = context.threadName();
    this.operator = context.shortPath();
    this.tuned = parallelism < 0;
    Tuned found = context.tuned();
    this.target =
        !tuned
            ? parallelism
            : found.workers() > 0 ? found.workers() : engine.settings().cpuBudget();
    this.virtual = tuned && found.onVirtualThreads();
    this.optional = onlyIfItHelps;
    this.dormant = onlyIfItHelps && !found.isEngaged();
    this.inline = context.debug();
    this.ownedByStage = ownedByStage;
    this.meter = context.crewMeter(this);
    engine.add(this);
    context.pass().add(this);
  }

  /** Whether it serves one stage, whose input its workers pull. */
  boolean isOwnedByStage() {
    return ownedByStage;
  }

  CrewMeter meter() {
    return meter;
  }

  /** How much slower the slowest of the datasets being read is than the mean of them; 1 for one. */
  double skew() {
    lock.lock();
    try {
      double sum = 0;
      double most = 0;
      int seen = 0;
      for (Stage stage : stages) {
        double each = stage.workNsEach();
        if (each > 0) {
          sum += each;
          most = Math.max(most, each);
          seen++;
        }
      }
      return seen < 2 ? 1 : most * seen / sum;
    } finally {
      lock.unlock();
    }
  }

  /** Takes note of who is there and who had no core, for the time since this was last done. */
  void observe(long sinceNs) {
    List<Worker> present = snapshot();
    meter.manned(present.isEmpty() ? target : present.size(), sinceNs);
    meter.skewed(ownedByStage ? 1 : skew());
    long queued = 0;
    for (int i = 0; i < Math.min(MOST_OBSERVED, present.size()); i++) {
      queued += present.get(i).queuedNs();
    }
    meter.queued(queued * present.size() / Math.max(1, Math.min(MOST_OBSERVED, present.size())));
  }

  /** Looks which of those that are inside their function wait for a lock. */
  void lookForLocks() {
    int working = 0;
    int locked = 0;
    for (Worker worker : snapshot()) {
      working += worker.isWorking() ? 1 : 0;
      locked += worker.waitsForLock() ? 1 : 0;
    }
    meter.looked(working, Math.min(working, locked));
  }

  @Override
  public Cursor background(Supplier<Cursor> input) {
    OpenContext own = context.forBackground();
    return new Stage(
        own,
        this,
        new LazyCursor(own.forBackground(), input),
        new StagePlan(null, true, true, -1, Long.MAX_VALUE));
  }

  /** Whether the thread that pulls does the work. */
  boolean isInline() {
    return inline || dormant;
  }

  /** Whether it has no workers because it is not yet known that they would help. */
  boolean isDormant() {
    return dormant && !inline;
  }

  /** Whether it may be without workers, because the user did not ask for them. */
  boolean isOptional() {
    return optional && !inline;
  }

  /** Lets workers do what the thread that pulls did until now, or the other way round. */
  void engage(boolean withWorkers) {
    lock.lock();
    try {
      dormant = !withWorkers;
      context.tuned(context.tuned().engaged(withWorkers));
      idle.signalAll(); // some may have to leave
      stages.forEach(Stage::crewChanged);
      wakeOne();
    } finally {
      lock.unlock();
    }
  }

  /** Tells the governor of a dormant crew, once there is enough to do for it. Under the lock. */
  void watchDormant() {
    if (!watched && !inline && !closed) {
      watched = true;
      engine.governor().watch(this);
    }
  }

  boolean isTuned() {
    return tuned;
  }

  int target() {
    return target;
  }

  double cpuShare() {
    return cpuShare;
  }

  String name() {
    return name;
  }

  /** The operator it works for. */
  String operator() {
    return operator;
  }

  void add(Stage stage) {
    lock.lock();
    try {
      stages.add(stage);
    } finally {
      lock.unlock();
    }
  }

  /** Starts workers, if that has not been done. Under the lock. */
  void start() {
    if (inline || closed) {
      return;
    }
    started = true;
    if (!dormant) {
      watchDormant();
      wakeOne();
    }
  }

  private void hire() {
    Worker worker = null;
    try {
      Step.HIRE.reached();
      workers.removeIf(Worker::isGone);
      worker = new Worker(this, generation, virtual, name + "-" + ++named);
      workers.add(worker); // it cannot get past the lock before this is done
      present++;
      worker.start();
    } catch (Throwable e) {
      if (worker != null && workers.remove(worker)) {
        present--;
      }
      if (present == 0) {
        throw e;
      }
      target = present;
      engine.warn(operator + ": the machine gives no more threads; going on with " + target);
    }
  }

  /** Changes the number and the kind of workers. */
  void resize(int newTarget, boolean onVirtualThreads, double share) {
    lock.lock();
    try {
      cpuShare = share;
      context.tuned(context.tuned().withWorkers(newTarget, onVirtualThreads));
      if (onVirtualThreads != virtual) {
        virtual = onVirtualThreads;
        generation++;
      }
      target = newTarget;
      idle.signalAll(); // some may have to leave
      wakeOne();
    } finally {
      lock.unlock();
    }
  }

  boolean isVirtual() {
    lock.lock();
    try {
      return virtual;
    } finally {
      lock.unlock();
    }
  }

  /** The life of one worker; whatever ends it is told to those who wait for its work. */
  void work(Worker worker) {
    try {
      CURRENT.set(this);
      Log.handOver(engine::sayForWorker);
      worker.begins();
      serve(worker);
    } catch (Throwable e) {
      lock.lock();
      try {
        leave(worker);
        Stage stage = worker.stage;
        Slot slot = worker.slot;
        if (stage != null && slot != null) {
          stage.breakDown(slot, e);
        }
        for (int i = 0; i < stages.size(); i++) {
          stages.get(i).breakDown(e);
        }
      } finally {
        lock.unlock();
        engine.leaveLocks();
      }
    }
  }

  /** Gives up the lock, should this thread still hold it. */
  void leaveLock() {
    while (lock.isHeldByCurrentThread()) {
      lock.unlock();
    }
  }

  private void serve(Worker worker) {
    long napNs = FIRST_NAP_NS;
    for (; ; ) {
      Stage stage;
      Slot slot;
      lock.lock();
      try {
        if (mustLeave(worker)) {
          leaveNow(worker);
          return;
        }
        stage = stageWithWork();
        if (stage == null) {
          Step.NAP.reached();
          napNs = nap(napNs);
          continue;
        }
        napNs = FIRST_NAP_NS;
        slot = stage.begin();
        worker.takes(stage, slot);
      } finally {
        lock.unlock();
      }
      leaveLock(); // see Engine.leaveLocks
      if (slot != null) {
        boolean _ = Thread.interrupted(); // left by a function; closing is seen by a flag
        stage.run(slot, worker);
        worker.takes(null, null);
      }
    }
  }

  private boolean mustLeave(Worker worker) {
    return closed
        || dormant
        || present > target
        || worker.generation != generation
        || (ownedByStage && isFinished());
  }

  /**
   * Takes a worker off the list as soon as it decides to leave, so that no other worker leaves for
   * the same reason. Another takes its place if there is work. Under the lock.
   */
  private void leaveNow(Worker worker) {
    leave(worker);
    Step.LEAVE.reached();
    wakeOne();
  }

  /** Counts a worker out; allocates nothing. Under the lock. */
  private void leave(Worker worker) {
    if (!worker.hasLeft) {
      worker.hasLeft = true;
      present--;
    }
  }

  /** The crew whose worker the calling thread is, if any. */
  static @Nullable WorkerCrew ofCurrentThread() {
    return CURRENT.get();
  }

  Engine engine() {
    return engine;
  }

  boolean isClosed() {
    return closed;
  }

  private boolean isFinished() {
    if (!ownedByStage) {
      return false;
    }
    for (Stage stage : stages) {
      if (!stage.isFinished()) {
        return false;
      }
    }
    return true;
  }

  private @Nullable Stage stageWithWork() {
    int count = stages.size();
    for (int i = 0; i < count; i++) {
      turn = turn + 1 >= count ? 0 : turn + 1;
      if (stages.get(turn).hasWork()) {
        return stages.get(turn);
      }
    }
    return null;
  }

  /**
   * Waits for work: until woken, or for a moment where no other thread may wake it. Returns the
   * next nap.
   */
  private long nap(long napNs) {
    boolean shortOfMemory = false;
    boolean draining = false;
    for (Stage stage : stages) {
      shortOfMemory |= stage.isShortOfMemory();
      draining |= stage.isDraining();
    }
    waiting++;
    try {
      if ((shortOfMemory || draining) && !someoneNaps) {
        someoneNaps = true; // one looks again after a moment, and wakes the others
        try {
          idle.awaitNanos(shortOfMemory ? MEMORY_NAP_NS : napNs);
        } finally {
          someoneNaps = false;
        }
      } else {
        idle.await();
        return FIRST_NAP_NS;
      }
    } catch (InterruptedException e) {
      return FIRST_NAP_NS; // closing: the next look sees it
    } finally {
      waiting--;
    }
    return Math.min(LONGEST_NAP_NS, napNs * 2);
  }

  /**
   * Wakes a waiting worker, or hires one more where all are busy and there is work. Under the lock.
   * Where there would be work if there was memory, one worker is kept to look for that.
   *
   * <p>Each worker that has pulled a chunk calls this before it goes to work, so a crew grows as
   * fast as chunks can be pulled, and no larger than it needs to be.
   */
  void wakeOne() {
    if (waiting > 0) {
      idle.signal();
    } else if (started
        && !closed
        && !inline
        && !dormant
        && present < target
        && (stageWithWork() != null || (present == 0 && anyShortOfMemory()))) {
      hire();
    }
  }

  private boolean anyShortOfMemory() {
    for (int i = 0; i < stages.size(); i++) {
      if (stages.get(i).isShortOfMemory()) {
        return true;
      }
    }
    return false;
  }

  /** Runs one piece of work on the caller's thread. Under the lock. */
  void runInline(Stage stage) {
    Slot slot = stage.begin();
    if (slot == null) {
      return; // the stage broke, and says so to the thread that pulls
    }
    Worker self = Worker.inline(this);
    lock.unlock();
    try {
      stage.run(slot, self);
    } finally {
      lock.lock();
    }
  }

  int workers() {
    return present;
  }

  /** The workers that are there; under no lock, so it may be a moment old. */
  OpCounters.Threads threads() {
    int present = snapshot().size();
    return new OpCounters.Threads(
        present == 0 ? target : present, // they leave when there is nothing left to do
        tuned,
        ownedByStage,
        cpuShare);
  }

  /** A copy of the workers. */
  List<Worker> snapshot() {
    lock.lock();
    try {
      List<Worker> all = new ArrayList<>(workers);
      all.removeIf(worker -> worker.hasLeft);
      return all;
    } finally {
      lock.unlock();
    }
  }

  /** Lets go of buffers that were never empty since the last time. */
  void shrinkUnusedBuffers() {
    List<Stage> all;
    lock.lock();
    try {
      all = List.copyOf(stages);
    } finally {
      lock.unlock();
    }
    all.forEach(Stage::shrinkUnusedBuffer);
  }

  /** Whether someone waits for what this crew makes. */
  boolean isWaitedFor() {
    lock.lock();
    try {
      for (Stage stage : stages) {
        if (stage.isWaitedFor()) {
          return true;
        }
      }
      return false;
    } finally {
      lock.unlock();
    }
  }

  /** Takes a closed stage out; whether its input may be closed, because no thread is inside. */
  boolean leave(Stage stage) {
    if (ownedByStage) {
      close();
    }
    long deadlineNs = context.pass().deadlineNs();
    boolean interrupted = false;
    lock.lock();
    try {
      stages.remove(stage);
      while (stage.isBusy() && anyoneRuns() && deadlineNs - System.nanoTime() > 0) {
        try {
          stage.awaitLetGo(LOOK_AGAIN_NS);
        } catch (InterruptedException e) {
          interrupted = true; // closing goes on; the caller learns of it afterwards
        }
      }
      return !stage.isBusy();
    } finally {
      lock.unlock();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Tells all workers to leave, without waiting for them. */
  void dismiss() {
    lock.lock();
    try {
      if (!closed) {
        closed = true;
        engine.governor().forget(this);
      }
      idle.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    dismiss();
    context.pass().awaitWorkers(this);
    engine.remove(this);
  }

  /** Interrupts those who have not left; gives a thread that still runs, or null. */
  @Nullable Thread interruptRunning() {
    lock.lock();
    try {
      Thread running = null;
      for (int i = 0; i < workers.size(); i++) {
        Worker worker = workers.get(i);
        Thread thread = worker.thread();
        if (thread.isAlive() && thread != Thread.currentThread()) {
          if (!worker.hasLeft) {
            thread.interrupt();
          }
          running = thread;
        }
      }
      return running;
    } finally {
      lock.unlock();
    }
  }

  private boolean anyoneRuns() {
    for (int i = 0; i < workers.size(); i++) {
      Thread thread = workers.get(i).thread();
      if (thread.isAlive() && thread != Thread.currentThread()) {
        return true;
      }
    }
    return false;
  }

  /** Those who did not leave though they were told to, each given once. */
  List<Thread> newlyStuck() {
    lock.lock();
    try {
      List<Thread> stuck = new ArrayList<>();
      for (Worker worker : workers) {
        if (!worker.hasLeft && !worker.isNamedAsStuck && worker.thread().isAlive()) {
          worker.isNamedAsStuck = true;
          stuck.add(worker.thread());
        }
      }
      return stuck;
    } finally {
      lock.unlock();
    }
  }
}
