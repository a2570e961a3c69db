package dev.headrace.runtime;

import dev.headrace.data.Log;
import dev.headrace.data.SlabPool;
import dev.headrace.profile.KnobChange;
import dev.headrace.profile.Measurements;
import dev.headrace.profile.OpNode;
import dev.headrace.profile.OpStats;
import dev.headrace.profile.SpilledFindings;
import dev.headrace.spi.Causes;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Draws;
import dev.headrace.spi.FunctionIdentity;
import dev.headrace.spi.Id;
import dev.headrace.spi.Op;
import dev.headrace.spi.OpCounters;
import dev.headrace.spi.Origins;
import dev.headrace.spi.PlanIdentity;
import dev.headrace.tune.Decisions;
import dev.headrace.tune.Tuned;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Everything of an open pipeline that outlives one pass: memory, objects operators share between
 * passes, counters, the governor.
 *
 * <p><b>Threading:</b> safe for all threads of the pipeline.
 *
 * <p><b>Ownership:</b> owned by the pipeline; closing it after its cursors gives everything back
 * and fails if an operator did not.
 */
public final class Engine implements AutoCloseable, Decisions {
  private static final System.Logger LOG = Log.named("headrace.engine");
  private static final AtomicLong NUMBERS = new AtomicLong();
  private static final int MOST_KNOB_CHANGES = 1000;
  private static final int MOST_WARNINGS = 100;

  private final long number = NUMBERS.incrementAndGet();
  private final Op plan;
  private final Origins origins;
  private final Map<String, Tuned> found;
  private final Draws draws = Draws.random();
  private final Supplier<Map<Object, FunctionIdentity>> functionsAtStart;

  /** What they were when the first pass was opened; later they may have changed themselves. */
  private volatile @Nullable Map<Object, FunctionIdentity> functions;

  private final Settings settings;
  private final MemoryBudget memory;
  private final Governor governor = new Governor(this);
  private final Map<String, Object> shared = new LinkedHashMap<>();

  /** Held while something shared is made, which may look at files and take long. */
  private final ReentrantLock sharing = new ReentrantLock();

  private final Map<String, Place> places = new LinkedHashMap<>();
  private final AtomicInteger warnings = new AtomicInteger();
  private final AtomicLong progress = new AtomicLong();
  private final Interruption.Stops stops = new Interruption.Stops();
  private final Messages messages = new Messages();

  /** Crews that are not closed; an array, because walking it must not allocate. */
  private volatile WorkerCrew[] crews = {};

  private final List<WatchBelow> watches = new CopyOnWriteArrayList<>();
  private final List<KnobChange> knobChanges = new ArrayList<>();
  private final Recorder recorder;
  private final OtherPrograms programs = new OtherPrograms();
  private final long openedNs = System.nanoTime();
  private volatile long consumerWaitingSince;
  private volatile boolean closed;

  public Engine(Op plan, Settings settings) {
    this(plan, Origins.AS_WRITTEN, settings);
  }

  /**
   * Makes what runs a plan.
   *
   * @param origins what its operators were before they were rewritten
   */
  public Engine(Op plan, Origins origins, Settings settings) {
    this(plan, origins, settings, Map.of(), Map::of);
  }

  /**
   * Makes what runs a plan.
   *
   * @param found what an earlier run found good for the places of this plan
   * @param functionsAtStart the user's functions that were read already, by identity; asked when
   *     the first pass is opened
   */
  public Engine(
      Op plan,
      Origins origins,
      Settings settings,
      Map<String, Tuned> found,
      Supplier<Map<Object, FunctionIdentity>> functionsAtStart) {
    this.plan = plan;
    this.functionsAtStart = functionsAtStart;
    this.origins = origins;
    this.found = Map.copyOf(found);
    this.settings = settings;
    this.memory = new MemoryBudget(settings, memoryFor(plan));
    try {
      this.recorder = new Recorder(this);
      removeLeftovers();
      Events.opened(name(), () -> PlanShape.of(plan).explain());
    } catch (Throwable e) {
      memory.close(); // else the process would think that a pipeline is open
      throw e;
    }
  }

  /** What processes that died have left on disk. */
  private void removeLeftovers() {
    for (Path folder : settings.spill().removeLeftovers()) {
      LOG.log(
          System.Logger.Level.INFO,
          "removed {0}, temporary files of a process that ended without deleting them",
          folder);
    }
  }

  /** What an operator of the plan wants batches to be assembled in; else plain memory. */
  private static SlabPool.Source memoryFor(Op op) {
    SlabPool.Source wanted = op.traits().inputMemory();
    for (int i = 0; wanted == null && i < op.inputs().size(); i++) {
      SlabPool.Source below = memoryFor(op.inputs().get(i));
      wanted = below == SlabPool.PLAIN ? null : below;
    }
    return wanted == null ? SlabPool.PLAIN : wanted;
  }

  /** What its operators without a seed draw theirs from. */
  public Draws draws() {
    return draws;
  }

  /** Opens the plan for one pass. */
  public OpenPass open(long epoch, long demand) {
    if (closed) {
      throw new IllegalStateException("the pipeline is closed");
    }
    if (functions == null) {
      functions = functionsAtStart.get();
    }
    Pass pass = new Pass(this);
    OpenContext context = OpenContext.root(this, pass, plan, epoch, demand);
    return new OpenPass(this, pass, plan.open(context));
  }

  /** The operator of the user's plan that an operator stands for. */
  Op written(Op op) {
    return origins.of(op);
  }

  /** What a plan of the user's is, by content, as it was when the first pass was opened. */
  PlanIdentity identityOf(Op last) {
    return PlanIdentity.of(
        last, settings.deterministic(), Objects.requireNonNull(functions, "a pass was opened"));
  }

  /** Which pipeline of this process it runs. */
  public long number() {
    return number;
  }

  /** How long closing waits for functions that ignore interruption. */
  public Duration closeGrace() {
    return settings.closeGrace();
  }

  /** Whether the calling thread is one of its workers, and so inside a function of its plan. */
  public boolean isOnWorker() {
    WorkerCrew crew = WorkerCrew.ofCurrentThread();
    return crew != null && crew.engine() == this;
  }

  String name() {
    return "pipeline-" + number;
  }

  Settings settings() {
    return settings;
  }

  /** The time by the pipeline's clock. */
  public long nanoTime() {
    return settings.clock().nanoTime();
  }

  /** What the pipeline may take of the heap and off it. */
  public MemoryBudget memory() {
    return memory;
  }

  /** How often functions have stopped the pipeline, in all its passes. */
  Interruption.Stops stops() {
    return stops;
  }

  Governor governor() {
    return governor;
  }

  @SuppressWarnings("unchecked") // one maker per place
  <S> S shared(String place, Supplier<S> maker) {
    sharing.lock();
    try {
      return (S) shared.computeIfAbsent(place, key -> maker.get());
    } finally {
      sharing.unlock();
    }
  }

  Place place(String key, Op op, String path, int depth) {
    synchronized (places) {
      return places.computeIfAbsent(
          key,
          k -> {
            Place place = new Place(key, op, path, depth);
            place.tuned = found.getOrDefault(key, Tuned.UNKNOWN);
            return place;
          });
    }
  }

  synchronized void add(WorkerCrew crew) {
    WorkerCrew[] all = Arrays.copyOf(crews, crews.length + 1);
    all[all.length - 1] = crew;
    crews = all;
  }

  synchronized void remove(WorkerCrew crew) {
    crews = Stream.of(crews).filter(other -> other != crew).toArray(WorkerCrew[]::new);
  }

  void warn(String message) {
    try {
      boolean isNew = Log.isNew(Log.withoutNumbers(message));
      if (isNew && warnings.incrementAndGet() <= MOST_WARNINGS) {
        say(System.Logger.Level.WARNING, message);
      }
    } catch (OutOfMemoryError e) {
      // A warning for which there is no memory is not worth more than what it warns of.
    }
  }

  /** Logs a line: at once, unless that would be on a worker or under a lock. */
  private void say(System.Logger.Level level, String text) {
    messages.later(() -> LOG.log(level, text));
    if (WorkerCrew.ofCurrentThread() != null || holdsLock()) {
      governor.wake();
    } else {
      messages.sayAll();
    }
  }

  /** Has a line of a worker logged by the governor. */
  void sayForWorker(Runnable line) {
    messages.later(line);
    governor.wake();
  }

  private boolean holdsLock() {
    if (sharing.isHeldByCurrentThread() || Thread.holdsLock(places)) {
      return true;
    }
    for (WorkerCrew crew : crews) {
      if (crew.lock.isHeldByCurrentThread()) {
        return true;
      }
    }
    return false;
  }

  /** Logs what had to wait; by a thread that holds no lock. */
  void sayWhatWaits() {
    messages.sayAll();
  }

  /** Lets the consumer log what had to wait, where there is no governor to do it. */
  void sayIfNobodyElseDoes() {
    if (messages.areWaiting() && !governor.isRunning() && !holdsLock()) {
      messages.sayAll();
    }
  }

  void progressed() {
    progress.lazySet(progress.get() + 1); // lost counts do no harm: any change is progress
  }

  long progress() {
    return progress.get();
  }

  void consumerWaits(boolean waits) {
    consumerWaitingSince = waits ? settings.clock().nanoTime() : 0;
    memory.overdraft().consumerWaits(waits);
  }

  long consumerWaitingSince() {
    return consumerWaitingSince;
  }

  /**
   * Gives up all crews' locks that this thread still holds after an error that ended a stage. The
   * JVM drops a compiled frame, with its finally blocks, if it finds no memory to leave compiled
   * code; a lock that such a thread keeps would stop everyone else.
   */
  public void leaveLocks() {
    for (WorkerCrew crew : crews) {
      crew.leaveLock();
    }
  }

  void stalled(String report) {
    Events.stalled(name(), report);
    say(System.Logger.Level.WARNING, name() + ": " + report);
  }

  void knobTurned(String operator, String knob, int before, int after, String why) {
    int _ = turned(operator, knob, before, after, why, 0);
  }

  @Override
  public int turned(
      String operator, String knob, int before, int after, String why, double predicted) {
    Events.turned(name(), operator, knob, before, after, why);
    if (LOG.isLoggable(System.Logger.Level.DEBUG)) {
      say(
          System.Logger.Level.DEBUG,
          "%s: %s %d -> %d (%s)".formatted(operator, knob, before, after, why));
    }
    synchronized (knobChanges) {
      if (knobChanges.size() < MOST_KNOB_CHANGES) {
        knobChanges.add(
            new KnobChange(
                System.nanoTime() - openedNs,
                operator,
                knob,
                before,
                after,
                why,
                predicted,
                0,
                true));
        return knobChanges.size() - 1;
      }
      return -1;
    }
  }

  @Override
  public void measured(int decision, double gain, boolean kept) {
    synchronized (knobChanges) {
      if (decision >= 0) {
        KnobChange done = knobChanges.get(decision).measured(gain, kept);
        knobChanges.set(decision, done);
        Events.measured(name(), done);
      }
    }
  }

  int decisionCount() {
    synchronized (knobChanges) {
      return knobChanges.size();
    }
  }

  public List<KnobChange> knobChanges() {
    synchronized (knobChanges) {
      return List.copyOf(knobChanges);
    }
  }

  /** Everything that was measured so far. */
  public Measurements measurements(long epoch, long delivered) {
    return new Measurements(
        nodes(),
        recorder.snapshotsUpTo(epoch, delivered),
        recorder.pace(),
        new Measurements.Computer(
            settings.cpuBudget(), MachineMeter.heapBytes(), programs.busiest()),
        memory.use());
  }

  /** Which other programs use the cores. */
  OtherPrograms programs() {
    return programs;
  }

  /** Who watches the consumer. */
  public Recorder recorder() {
    return recorder;
  }

  /** The operators that are counted, from the last to the sources. */
  public List<OpNode> nodes() {
    synchronized (places) {
      return places.values().stream().map(place -> new OpNode(place.key, place.op)).toList();
    }
  }

  /**
   * Everything that is counted at each operator, in the order of {@link #nodes}.
   *
   * @param withLatest whether single times belong to it, which are many
   */
  List<OpCounters> counters(boolean withLatest) {
    synchronized (places) {
      return places.values().stream().map(place -> place.counters(withLatest)).toList();
    }
  }

  /** What is counted at an operator and at those below it. */
  Map<String, OpCounters> countersFrom(String key) {
    synchronized (places) {
      Map<String, OpCounters> counters = new LinkedHashMap<>();
      for (Place place : places.values()) {
        if (place.key.equals(key) || place.key.startsWith(key + ".")) {
          counters.put(place.key, place.counters(false));
        }
      }
      return counters;
    }
  }

  WatchBelow watchBelow(String key) {
    WatchBelow watch = new WatchBelow(this, key);
    watches.add(watch);
    return watch;
  }

  void endWatch(WatchBelow watch) {
    watches.remove(watch);
  }

  /** Tells the watches that the function of an operator has returned a plan. */
  void opensChild(String key, Op child) {
    for (WatchBelow watch : watches) {
      watch.opensChild(key, child);
    }
  }

  /** What was found good so far, at each place of the plan. */
  public Map<String, Tuned> tuned() {
    synchronized (places) {
      Map<String, Tuned> tuned = new LinkedHashMap<>();
      places.forEach((key, place) -> tuned.put(key, place.tuned));
      return tuned;
    }
  }

  /** The operators that may have threads, though the user did not ask for any. */
  List<CrewSwitch> switches() {
    synchronized (places) {
      List<CrewSwitch> switches = new ArrayList<>();
      for (Place place : places.values()) {
        WorkerCrew crew = place.crew;
        if (crew != null && crew.isOptional()) {
          switches.add(new CrewSwitch(place, crew));
        }
      }
      return switches;
    }
  }

  /** Takes note of the workers at each operator. */
  void observeCrews(long sinceNs) {
    synchronized (places) {
      for (Place place : places.values()) {
        WorkerCrew crew = place.crew;
        if (crew != null) {
          crew.observe(sinceNs);
        }
      }
    }
  }

  /** What each operator has done so far, from the last operator to the sources. */
  public List<OpStats> opStats() {
    synchronized (places) {
      return places.values().stream().map(Place::stats).toList();
    }
  }

  @Override
  public void close() {
    closed = true;
    try {
      dismissForgotten();
      governor.close();
      closeShared();
    } finally {
      messages.sayAll();
      memory.close(); // fails, naming owners, if a lease was lost
    }
  }

  private void closeShared() {
    if (!sharing.tryLock()) {
      // By now all threads have left but those that were named as stuck, and one of them holds it.
      warn("close: what operators share is not closed, because a thread that is stuck makes it");
      return;
    }
    List<Object> objects;
    try {
      objects = List.copyOf(shared.values());
      shared.clear();
    } finally {
      sharing.unlock();
    }
    for (Object object : objects) {
      if (object instanceof AutoCloseable closeable) {
        closeQuietly(closeable);
      }
    }
  }

  /** Ends crews that their operators could not close, because closing failed before. */
  private void dismissForgotten() {
    List<WorkerCrew> forgotten = List.of(crews);
    if (!forgotten.isEmpty()) {
      forgotten.forEach(WorkerCrew::dismiss);
      long deadlineNs = System.nanoTime() + settings.closeGrace().toNanos();
      forgotten.forEach(crew -> Departure.await(this, crew, forgotten, deadlineNs));
      forgotten.forEach(this::remove);
    }
  }

  private void closeQuietly(AutoCloseable closeable) {
    try {
      closeable.close();
    } catch (Throwable e) { // those after it are closed all the same
      warn("close: " + Causes.textOf(e));
    }
  }

  /** What operators found out while running, a line each. */
  public List<String> remarks() {
    List<String> remarks = new ArrayList<>();
    synchronized (places) {
      for (Place place : places.values()) {
        String remark = place.remark;
        if (remark != null) {
          remarks.add(place.path + ": " + remark);
        }
        OpCounters.Spill spill = place.spills.read();
        if (spill != null) {
          remarks.add(
              place.path + ": " + SpilledFindings.sentence(spill, memory.heap().limitBytes()));
        }
      }
    }
    return remarks;
  }

  /** A cursor that closes what its operators shared, when it is closed. */
  static final class Scope {
    private final Engine engine;
    private final Map<String, Object> objects = new ConcurrentHashMap<>();
    final Id id;

    Scope(Engine engine, Id id) {
      this.engine = engine;
      this.id = id;
    }

    @SuppressWarnings("unchecked") // one maker per place
    <S> S shared(String place, Supplier<S> maker) {
      return (S) objects.computeIfAbsent(place, key -> maker.get());
    }

    void close(Cursor cursor) {
      try {
        cursor.close();
      } finally {
        for (Object object : objects.values()) {
          if (object instanceof AutoCloseable closeable) {
            engine.closeQuietly(closeable);
          }
        }
      }
    }
  }
}
