package dev.headrace.profile;

import dev.headrace.profile.OpProfile.Crew;
import dev.headrace.profile.OpProfile.Later;
import dev.headrace.spi.Duty;
import dev.headrace.spi.Op;
import dev.headrace.spi.OpShape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * How long a pipeline takes for one element, and what limits it, as a function of who does what.
 *
 * <p>A pipeline is a set of <i>tasks</i> on <i>threads</i>. A thread is the consumer's own, or the
 * workers of one operator. Some of a thread's tasks are done by one worker at a time (pulling what
 * lies upstream), the others by all of them at once. While every buffer has something in it, the
 * slowest thread sets the pace, or the cores do when together they are asked for more than there
 * is, or a lock that workers take. Where times vary and buffers are small, threads also wait for
 * each other in turn: how much, is found by playing the pipeline through as a {@link Line}.
 *
 * <p>Changes make a new model: what it says of the whole is the prediction.
 */
final class Model {
  /** The thread of the consumer. */
  static final int CONSUMER = -1;

  /** The thread of a prefetch that is not there yet. */
  static final int NEW_PREFETCH = -2;

  private static final int NO_THREAD = -3;
  private static final double[] NO_TIMES = {};

  /** So many workers wait for each other at a lock. */
  private static final double SEVERAL = 1.5;

  /** How often the range of what is done inside a lock is halved; twice, if there are several. */
  private static final int LOCK_TRIES = 8;

  private static final int LOCK_PASSES = 2;

  /** So many workers an operator gets at most that mostly waits. */
  private static final int MOST_WORKERS = 256;

  private static final double CLEARLY = 1.08;

  /** What takes less than this share of the time is not worth a look. */
  private static final double LEAST_SHARE = 0.02;

  /** Fewer single times than this say nothing about how they vary. */
  private static final int FEWEST_TIMES = 16;

  /** What a buffer that the engine enlarges by itself is taken for at least. */
  private static final int TUNED_BUFFER = 32;

  private static final int LARGE = 512;

  /** Elements that take so much less than the model says cannot be told by it. */
  private static final double TOO_SLOW = 0.75;

  /** Elements that take so much longer are held up by something that it does not know. */
  private static final double TOO_FAST = 1.5;

  /** What it takes to give an element that is in memory. */
  private static final double READ_BACK_NS = 200;

  /** Elements that take longer are handed over one by one. */
  private static final double LONG_ELEMENT_NS = 250_000;

  /** Workers that the engine chooses get about so many elements ahead, if that helps. */
  private static final double FURTHEST_AHEAD = 512;

  private static final double WORTH_SAYING = 1.12;

  /** Where a buffer is empty less than this share of the time, its workers were enough so far. */
  private static final double HARDLY_EMPTY = 0.1;

  /** Workers that need less than this share of the time have spare time. */
  private static final double SPARE = 0.9;

  /** Who does less than this share of a thread's work is not why it is slow. */
  private static final double SOME_OF_IT = 0.1;

  /** What is tried of each cost, to see how much the pipeline depends on it. */
  private static final double HALF = 0.5;

  /** Until a thread that sleeps goes on after it was woken. */
  private static final double WAKE_NS = 10_000;

  /** So long a chunk of short elements takes that is handed over at once. */
  private static final double CHUNK_NS = 500_000;

  private static final double LONGEST_CHUNK = 1_024;

  /** A piece of work, charged to an operator and done by a thread. */
  record Task(int operator, Load load, int thread, boolean isParallel) {}

  /**
   * Who does tasks.
   *
   * @param workers how many, or 0 to let the engine choose
   * @param buffer how many elements may lie behind it
   * @param cycle how many datasets take turns there, or 0; {@code skew} how much slower the slowest
   *     of them is than the mean
   * @param heldNs what of their work is done inside one lock
   * @param mayGrow whether the engine gives it more workers if they are needed
   */
  record Workers(
      int operator,
      double workers,
      int buffer,
      double perDelivered,
      int cycle,
      double skew,
      double heldNs,
      boolean mayGrow) {

    Workers(int operator, double workers, int buffer, double perDelivered) {
      this(operator, workers, buffer, perDelivered, 0, 1, 0, false);
    }

    Workers with(double newWorkers, int newBuffer) {
      return new Workers(
          operator, newWorkers, newBuffer, perDelivered, cycle, skew, heldNs, mayGrow);
    }

    Workers evened() {
      return new Workers(operator, workers, buffer, perDelivered, cycle, 1, heldNs, mayGrow);
    }

    Workers withHeld(double newHeldNs) {
      return new Workers(operator, workers, buffer, perDelivered, cycle, skew, newHeldNs, mayGrow);
    }

    /** After a change elsewhere: as many as the engine finds right then. */
    Workers grown() {
      return mayGrow ? with(0, buffer) : this;
    }
  }

  /**
   * Something without which a pipeline would be faster.
   *
   * @param operator the one whose cost it is, or whose buffer; {@link #CONSUMER} for the step
   * @param gain how many times as fast it would be at half the cost, or with an endless buffer
   * @param gainWithout how many times as fast without the cost
   */
  record Suspect(int operator, boolean isBuffer, double gain, double gainWithout) {
    /** Half of a cost tells how much is to be had now, all of it how far that goes. */
    private double weight() {
      return gain * gainWithout;
    }
  }

  /** What sets the pace. */
  enum LimitKind {
    STEP,
    OWN_THREAD,
    ONE_WORKER,
    ALL_WORKERS,
    CORES,
    LOCK,
    SKEW,
    BUS
  }

  /** What sets the pace: a thread, or the cores; and the time for one element. */
  record Limit(LimitKind kind, int thread, double ns) {
    private double sure() {
      return kind == LimitKind.CORES ? ns / CLEARLY : ns;
    }
  }

  /**
   * What no change changes.
   *
   * @param cycles how many datasets take turns at each operator; 0 where none do
   * @param handsOn whether an operator calls no function that could wait: what it waits, it waits
   *     for others
   * @param gcNs what collections take that stop everything, for one element
   */
  private record Given(
      Profile profile, int[] cycles, boolean[] handsOn, Ready.Left left, double gcNs) {}

  private final Given given;
  private final Profile profile;
  private final List<Task> tasks;
  private final Map<Integer, Workers> threads;
  private final Load step;
  private final Ready.Left left;

  /** What each operator takes of the bus to a device, for one element. */
  private final double[] busNs;

  private final Map<Integer, Load> serial = new HashMap<>();
  private final Map<Integer, Load> parallel = new HashMap<>();
  private final Load[] charged;

  private @Nullable List<Limit> limits;
  private @Nullable List<Suspect> suspects;

  /** What playing it through gave; NaN before. */
  private double playedNs = Double.NaN;

  private Model(
      Given given, List<Task> tasks, Map<Integer, Workers> threads, Load step, double[] busNs) {
    this.given = given;
    this.profile = given.profile;
    this.left = given.left;
    this.tasks = tasks;
    this.threads = threads;
    this.step = step;
    this.busNs = busNs;
    this.charged = new Load[profile.operators().size()];
    Arrays.fill(charged, Load.NONE);
    for (Task task : tasks) {
      (task.isParallel() ? parallel : serial).merge(task.thread(), task.load(), Load::plus);
      charged[task.operator()] = charged[task.operator()].plus(task.load());
    }
  }

  /** The same pipeline after a change. */
  private Model changed(
      List<Task> newTasks, Map<Integer, Workers> crews, Load newStep, double[] newBusNs) {
    Map<Integer, Workers> grown = new HashMap<>();
    crews.forEach((thread, crew) -> grown.put(thread, crew.grown()));
    return new Model(given, newTasks, grown, newStep, newBusNs);
  }

  private Model changed(List<Task> newTasks, Map<Integer, Workers> crews) {
    return changed(newTasks, crews, step, busNs);
  }

  /** The pipeline as it was measured. */
  static Model of(Profile profile, List<OpNode> nodes) {
    List<Task> tasks = new ArrayList<>();
    Map<Integer, Workers> threads = new HashMap<>();
    List<OpProfile> operators = profile.operators();
    int[] cycles = new int[operators.size()];
    int[] rings = new int[operators.size()];
    boolean[] handsOn = new boolean[operators.size()];
    double[] busNs = new double[operators.size()];
    for (int i = 0; i < operators.size(); i++) {
      Op op = nodes.get(i).op();
      handsOn[i] = handsOn(op) && operators.get(i).transfer() == null; // a device is waited for
      cycles[i] = OpShape.of(op.getClass()).number(op, "cycle");
      rings[i] = OpShape.of(op.getClass()).number(op, "buffer");
    }
    Profile.Consumer consumer = profile.consumer();
    double cycleNs = consumer.stepNs() + consumer.insideNs();
    double running = 1 - profile.machine().gcShare();
    for (int i = 0; i < operators.size(); i++) {
      OpProfile op = operators.get(i);
      Crew crew = op.crew();
      Later later = op.later();
      if (crew != null) {
        threads.put(i, workers(i, op, crew, cycles[i], running, cycleNs));
      }
      Load all =
          new Load(
              op.cpuNsPerDelivered(),
              whileRunning(op.waitNsPerDelivered(), op.nsPerDelivered(), running));
      Load deferred = later == null ? Load.NONE : new Load(later.cpuNs(), later.waitNs());
      boolean lent = isLent(operators, i);
      Load work = crew == null || lent ? Load.NONE : workOf(crew, running);
      Load own =
          new Load(
              Math.max(0, all.cpuNs() - deferred.cpuNs() - work.cpuNs()),
              Math.max(
                  0,
                  all.waitNs()
                      - deferred.waitNs()
                      - work.waitNs()
                      - (crew == null || lent ? 0 : crew.lockedNs())));
      tasks.add(new Task(i, own, op.runBy(), false));
      if (work.ns() > 0) {
        tasks.add(new Task(i, work, i, true));
      }
      OpProfile.Transfer transfer = op.transfer();
      busNs[i] = transfer == null ? 0 : transfer.busNs();
      if (transfer != null && transfer.stagedNs() > 0) {
        tasks.add(
            new Task(i, new Load(0, transfer.stagedNs()), crew == null ? op.runBy() : i, false));
      }
      boolean takesTurns = rings[i] == 1 || (transfer != null && transfer.isShortOfRoom());
      if (transfer != null && takesTurns) {
        tasks.add(new Task(i, new Load(0, transfer.busNs()), CONSUMER, false));
      }
      if (later != null) {
        boolean onWorkers = operators.get(later.at()).crew() != null;
        tasks.add(
            new Task(
                i,
                deferred,
                onWorkers ? later.at() : operators.get(later.at()).runBy(),
                onWorkers));
      }
    }
    double stepCpu = Math.min(consumer.stepCpuNs(), consumer.stepNs());
    double stepWait = whileRunning(consumer.stepNs() - stepCpu, consumer.stepNs(), running);
    Given given =
        new Given(
            profile,
            cycles,
            handsOn,
            Ready.of(operators, consumer).on(profile.machine()),
            (1 - running) * cycleNs);
    return new Model(given, tasks, threads, new Load(stepCpu, stepWait), busNs).withLocks();
  }

  /**
   * With what workers do inside locks: as much as makes them wait as long as they did, when the
   * pipeline is played through.
   */
  private Model withLocks() {
    List<Integer> locking = new ArrayList<>();
    for (int thread : threads.keySet()) {
      if (lockedNs(thread) > 0) {
        locking.add(thread);
      }
    }
    Model model = this;
    for (int pass = 0; pass < Math.min(locking.size(), LOCK_PASSES); pass++) {
      for (int thread : locking) {
        double locked = lockedNs(thread);
        double low = 0;
        double high = Math.min(cycleNs(), parallel(thread).ns());
        for (int i = 0; i < LOCK_TRIES; i++) {
          double middle = (low + high) / 2;
          model = model.withHeld(thread, middle);
          if (model.played(NO_THREAD, false).lockedNs()[order().indexOf(thread)] < locked) {
            low = middle;
          } else {
            high = middle;
          }
        }
      }
    }
    return model;
  }

  /** How long several workers waited for a lock, for one element; 0 where there is one worker. */
  private double lockedNs(int thread) {
    Crew crew = profile.operators().get(thread).crew();
    return crew == null || crew.workers() < SEVERAL ? 0 : crew.lockedNs();
  }

  private Model withHeld(int thread, double heldNs) {
    Map<Integer, Workers> crews = new HashMap<>(threads);
    crews.computeIfPresent(thread, (each, crew) -> crew.withHeld(heldNs));
    return new Model(given, tasks, crews, step, busNs);
  }

  /** Whether an operator passes elements on, or puts them together, without a user's function. */
  private static boolean handsOn(Op op) {
    return switch (op.traits().passing()) {
      case ALL, REORDERED, REPEATED, GROUPED -> op.traits().duty() != Duty.KEEPS;
      case UNKNOWN, SOME, FIRST, EXPANDED -> false;
    };
  }

  /**
   * What of the waiting was not standing still for the collector, which is charged to no operator.
   */
  private static double whileRunning(double waitNs, double ns, double running) {
    return Math.max(0, waitNs - (1 - running) * ns);
  }

  /** What workers do on elements, waiting for each other's locks apart. */
  private static Load workOf(Crew crew, double running) {
    return new Load(
        crew.workCpuNs(),
        Math.max(0, whileRunning(crew.workWaitNs(), crew.workNs(), running) - crew.lockedNs()));
  }

  private static Workers workers(
      int i, OpProfile op, Crew crew, int cycle, double running, double cycleNs) {
    double workers = Math.max(1, crew.workers());
    double work = workOf(crew, running).ns();
    return new Workers(
        i,
        workers,
        crew.isBufferTuned() ? Math.max(TUNED_BUFFER, crew.capacity()) : crew.capacity(),
        op.perDelivered(),
        cycle,
        crew.skew(),
        0,
        crew.isTuned()
            && (crew.empty() < HARDLY_EMPTY || (crew.pullNs() + work) / workers < SPARE * cycleNs));
  }

  private static boolean isLent(List<OpProfile> operators, int index) {
    return operators.stream().anyMatch(op -> op.later() != null && op.later().at() == index);
  }

  // ---- what it says -----------------------------------------------------------------------------

  /** What sets the pace if every buffer has something in it. */
  Limit limit() {
    return limits().getFirst();
  }

  /** The time for one element. */
  double ns() {
    return Math.max(boundNs(), playedNs()) + given.gcNs;
  }

  /** Whether threads wait for each other in turn, which takes longer than any of them alone. */
  boolean isHeldUpInTurn() {
    return playedNs() > WORTH_SAYING * boundNs();
  }

  /** What the slowest takes if every buffer has something in it. */
  double boundNs() {
    double bound = 0;
    for (Limit limit : limits()) {
      bound = Math.max(bound, limit.ns());
    }
    return bound;
  }

  private double playedNs() {
    if (Double.isNaN(playedNs)) {
      playedNs = played(NO_THREAD, false).cycleNs();
      if (threads.values().stream().anyMatch(crew -> crew.workers() == 0)) {
        playedNs = Math.min(playedNs, played(NO_THREAD, true).cycleNs());
      }
    }
    return playedNs;
  }

  /** Everything that could set the pace if every buffer had something in it, the slowest first. */
  List<Limit> limits() {
    List<Limit> found = limits;
    if (found == null) {
      found = bounds();
      // What is told by a thread is surer than what is told by a sum over all of them.
      found.sort((a, b) -> Double.compare(b.sure(), a.sure()));
      limits = found;
    }
    return found;
  }

  /** What an element takes at least, before it is known how threads wait for each other. */
  double leastNs() {
    return boundNs() + given.gcNs;
  }

  /**
   * What the pace depends on, most first: each cost is halved and left out in turn, and each buffer
   * is taken to have no end. Costs that cannot come before those found are left out.
   */
  List<Suspect> suspects() {
    List<Suspect> found = suspects;
    if (found == null) {
      found = new ArrayList<>();
      double now = ns();
      double best = 0;
      for (int i : byMostGain()) {
        Model without = relieved(i, 0);
        double most = now / Math.max(1, without.leastNs());
        if (most * most >= best) {
          double half = now / Math.max(1, relieved(i, HALF).ns());
          Suspect suspect = new Suspect(i, false, half, now / Math.max(1, without.ns()));
          found.add(suspect);
          best = i == CONSUMER ? best : Math.max(best, suspect.weight());
        }
      }
      found.sort(Comparator.comparingDouble(Suspect::weight).reversed());
      double least = found.isEmpty() ? 1 : found.getFirst().gain;
      Suspect buffer = isHeldUpInTurn() ? smallestBuffer(Math.max(WORTH_SAYING, least)) : null;
      if (buffer != null) {
        found.addFirst(buffer);
      }
      suspects = found;
    }
    return found;
  }

  /** The consumer and operators whose cost matters, those first that could gain most. */
  private List<Integer> byMostGain() {
    Map<Integer, Double> least = new TreeMap<>();
    for (int i = CONSUMER; i < profile.operators().size(); i++) {
      Load cost = i == CONSUMER ? step : charged[i];
      // Without a cost the pipeline is faster by as much at most.
      if (cost.ns() + (i < 0 ? 0 : busNs[i]) > LEAST_SHARE * ns()) {
        least.put(i, relieved(i, 0).leastNs());
      }
    }
    List<Integer> order = new ArrayList<>(least.keySet());
    order.sort(Comparator.comparingDouble(least::get));
    return order;
  }

  /** The buffer that would bring most if it had no end; null where none brings enough. */
  private @Nullable Suspect smallestBuffer(double leastGain) {
    Suspect smallest = null;
    double now = Math.min(ns(), cycleNs()); // no more was lost by waiting in turn
    if (now / leastNs() <= leastGain) {
      return null;
    }
    for (int thread : threads.keySet()) {
      // How far workers get ahead cannot be set: it is one of the things that make them slow.
      if (thread >= 0 && parallel(thread).ns() <= 0) {
        double gain = now / endlessNs(thread);
        if (gain > (smallest == null ? leastGain : smallest.gain)) {
          smallest = new Suspect(thread, true, gain, gain);
        }
      }
    }
    return smallest;
  }

  /** The time for one element if a buffer had no end. */
  private double endlessNs(int thread) {
    return Math.max(boundNs(), played(thread, false).cycleNs()) + given.gcNs;
  }

  /** Whether workers would make clearly more if they might get further ahead. */
  boolean isNotFarEnoughAhead(int thread) {
    return isHeldUpInTurn() && ns() > WORTH_SAYING * endlessNs(thread);
  }

  /** What an element took. */
  private double cycleNs() {
    return profile.consumer().stepNs() + profile.consumer().insideNs();
  }

  /** With a part of what an operator costs, or the step for {@link #CONSUMER}. */
  Model relieved(int operator, double factor) {
    if (operator == CONSUMER) {
      return changed(tasks, threads, step.times(factor), busNs);
    }
    Map<Integer, Workers> crews = new HashMap<>(threads);
    Workers own = crews.get(operator);
    if (own != null) {
      crews.put(operator, own.withHeld(factor * own.heldNs()));
    }
    double[] bus = busNs.clone();
    bus[operator] *= factor;
    List<Task> less = new ArrayList<>();
    for (Task task : tasks) {
      boolean isOwn = task.operator() == operator;
      boolean handsOn = given.handsOn[task.operator()] && !task.isParallel();
      double cpu = isOwn ? factor : 1;
      double wait = handsOn ? (waitsFor(task.operator(), operator) ? factor : 1) : cpu;
      Load load = new Load(cpu * task.load().cpuNs(), wait * task.load().waitNs());
      less.add(new Task(task.operator(), load, task.thread(), task.isParallel()));
    }
    return changed(less, crews, step, bus);
  }

  /** Whether an operator that only hands on gets its elements from another one. */
  private boolean waitsFor(int operator, int maker) {
    int at = given.handsOn[maker] ? NO_THREAD : profile.operators().get(maker).pulledBy();
    while (at >= 0 && given.handsOn[at] && at != operator) {
      at = profile.operators().get(at).pulledBy();
    }
    return at == operator;
  }

  /** What could set the pace if every buffer had something in it. */
  private List<Limit> bounds() {
    List<Limit> limits = new ArrayList<>();
    double inline = alone(serial(CONSUMER));
    double own = alone(step);
    limits.add(
        new Limit(inline > own ? LimitKind.OWN_THREAD : LimitKind.STEP, CONSUMER, own + inline));
    for (int thread : threads.keySet()) {
      limits.add(oneWorker(thread));
      if (parallel(thread).ns() > 0) {
        limits.add(allWorkers(thread));
      }
    }
    for (Workers crew : threads.values()) {
      // Those who take turns give one element each: the slowest of them sets the pace of a round.
      if (crew.cycle() > 1 && crew.skew() > 1) {
        double round = crew.skew() * parallel(crew.operator()).ns() / crew.cycle();
        limits.add(new Limit(LimitKind.SKEW, crew.operator(), round));
      }
      if (crew.heldNs() > 0) {
        limits.add(new Limit(LimitKind.LOCK, crew.operator(), crew.heldNs()));
      }
    }
    for (int i = 0; i < busNs.length; i++) {
      if (busNs[i] > 0) {
        limits.add(new Limit(LimitKind.BUS, i, busNs[i]));
      }
    }
    limits.add(new Limit(LimitKind.CORES, busiest(), cpuNs() / left.cores()));
    return limits;
  }

  // ---- played through ---------------------------------------------------------------------------

  /** Its threads, sources first. */
  private List<Integer> order() {
    List<Integer> order = new ArrayList<>();
    // Operators come before what they pull from, so that the last of them are the sources.
    for (int i = profile.operators().size() - 1; i >= 0; i--) {
      if (threads.containsKey(i)) {
        order.add(i);
      }
    }
    if (threads.containsKey(NEW_PREFETCH)) {
      order.add(NEW_PREFETCH);
    }
    order.add(CONSUMER);
    return order;
  }

  /**
   * Plays the pipeline through.
   *
   * @param unbounded the thread whose buffer has no end, or {@link #NO_THREAD}
   * @param isFar whether workers that the engine chooses get as far ahead as it lets them
   */
  private Line.Played played(int unbounded, boolean isFar) {
    List<Integer> order = order();
    Map<Integer, List<Integer>> inputs = new HashMap<>();
    for (int i = 0; i < order.size() - 1; i++) {
      inputs.computeIfAbsent(pullerOf(order.get(i)), each -> new ArrayList<>()).add(i);
    }
    List<Line.Station> stations = new ArrayList<>();
    for (int thread : order) {
      List<Integer> from = inputs.getOrDefault(thread, List.of());
      stations.add(
          thread == CONSUMER
              ? new Line.Station(
                  from,
                  1,
                  times(serial(CONSUMER), NO_TIMES),
                  times(step, profile.consumer().steps()),
                  0,
                  1,
                  1,
                  0)
              : station(thread, from, thread == unbounded, isFar));
    }
    return Line.play(stations, left);
  }

  private Line.Station station(int thread, List<Integer> from, boolean isUnbounded, boolean isFar) {
    Workers crew = threads.get(thread);
    double elements = thread < 0 ? 1 : elementsOf(thread);
    Crew measured = thread < 0 ? null : profile.operators().get(thread).crew();
    double workers = workers(thread);
    return new Line.Station(
        from,
        elements,
        times(serial(thread), measured == null ? NO_TIMES : measured.latestPulls()),
        times(parallel(thread), measured == null ? NO_TIMES : measured.latest()),
        crew == null ? 0 : crew.heldNs(),
        (int) Math.max(1, Math.round(workers)),
        isUnbounded
            ? (int) Math.max(LARGE, LARGE * elements)
            : (int) Math.min(Integer.MAX_VALUE, window(thread, elements, isFar)),
        wakeNs(thread, elements));
  }

  /** What waking a thread costs each element of those that are handed over at once. */
  private double wakeNs(int thread, double elements) {
    double each = (serial(thread).ns() + parallel(thread).ns()) / Math.max(1e-3, elements);
    return WAKE_NS / Math.clamp(CHUNK_NS / Math.max(1, each), 1, LONGEST_CHUNK);
  }

  /**
   * What something takes on a thread that takes turns with other programs only. What the threads of
   * the pipeline cost each other is in the limit of the cores: they come in each other's way less
   * than by chance, and both together are within a few percent of the simulation.
   */
  private double alone(Load load) {
    return load.cpuNs() * left.slowdown() + load.waitNs();
  }

  private static Line.Times times(Load load, double[] measured) {
    return new Line.Times(
        load.cpuNs(), load.waitNs(), measured.length < FEWEST_TIMES ? NO_TIMES : measured);
  }

  /** The thread that empties another's buffer. */
  private int pullerOf(int thread) {
    if (thread >= 0) {
      for (int at = profile.operators().get(thread).pulledBy();
          at >= 0;
          at = profile.operators().get(at).pulledBy()) {
        if (threads.containsKey(at)) {
          return at;
        }
      }
    }
    return thread != NEW_PREFETCH && threads.containsKey(NEW_PREFETCH) ? NEW_PREFETCH : CONSUMER;
  }

  private Limit oneWorker(int thread) {
    return new Limit(LimitKind.ONE_WORKER, thread, alone(serial(thread)));
  }

  private Limit allWorkers(int thread) {
    double all = alone(serial(thread)) + alone(parallel(thread));
    return new Limit(LimitKind.ALL_WORKERS, thread, all / workers(thread));
  }

  /** How many elements pass a thread for one that is delivered: those that its workers pull. */
  private double elementsOf(int thread) {
    double most = profile.operators().get(thread).perDelivered();
    for (OpProfile op : profile.operators()) {
      boolean isInput = op.pulledBy() == thread;
      most = isInput ? Math.max(most, op.perDelivered()) : most;
    }
    return most;
  }

  /**
   * How many elements a thread may be ahead of who pulls from it. Workers that the engine chooses
   * get further ahead where that helps.
   */
  private double window(int thread, double elements, boolean isFar) {
    Workers crew = threads.get(thread);
    double workers = workers(thread);
    double each = (serial(thread).ns() + parallel(thread).ns()) / Math.max(1, elements);
    return crew != null && crew.workers() > 0 && crew.buffer() > 0
        ? crew.buffer()
        : Math.max(
            isFar ? FURTHEST_AHEAD : 2 * workers + 2,
            (5 * workers + 2) * 2 * LONG_ELEMENT_NS / Math.max(1, each));
  }

  /** The time for one element of what lies upstream of an operator, by what threads take for it. */
  double upstreamNs(int operator) {
    double slowest =
        sum(task -> task.thread() == operator && isUpstream(task.operator(), operator)).ns();
    for (int thread : threads.keySet()) {
      if (thread >= 0 && isUpstream(thread, operator)) {
        slowest = Math.max(slowest, Math.max(oneWorker(thread).ns(), allWorkers(thread).ns()));
      }
    }
    return slowest;
  }

  /**
   * The operator that a limit is about: of what one thread does, the one that takes most of it; −1
   * where it is none.
   */
  int culprit(Limit limit) {
    return switch (limit.kind()) {
      case STEP -> CONSUMER;
      case OWN_THREAD, ONE_WORKER -> {
        int largest = largestOn(limit.thread());
        yield largest < 0 ? Math.max(CONSUMER, limit.thread()) : largest;
      }
      case ALL_WORKERS -> {
        int maker = makerFor(limit.thread());
        yield maker < 0 ? Math.max(CONSUMER, limit.thread()) : maker;
      }
      case CORES, LOCK, SKEW, BUS -> Math.max(CONSUMER, limit.thread());
    };
  }

  /** Whether a limit would be another one if an operator cost less. */
  boolean isPartOf(int operator, Limit limit) {
    return switch (limit.kind()) {
      case STEP, OWN_THREAD, ONE_WORKER ->
          serialOf(operator, limit.thread()).ns() > SOME_OF_IT * serial(limit.thread()).ns();
      case ALL_WORKERS ->
          tasks.stream()
              .anyMatch(
                  task ->
                      task.operator() == operator
                          && task.thread() == limit.thread()
                          && task.isParallel());
      case LOCK, SKEW, BUS -> limit.thread() == operator;
      case CORES -> false;
    };
  }

  /** The operator that takes most of what one worker at a time does on a thread; −1 if none. */
  int largestOn(int thread) {
    int largest = CONSUMER;
    double most = 0;
    for (int i = 0; i < profile.operators().size(); i++) {
      double ns = serialOf(i, thread).ns();
      if (ns > most) {
        most = ns;
        largest = i;
      }
    }
    return largest;
  }

  /** The operator whose deferred tensors the workers of another one compute; −1 if none. */
  int makerFor(int thread) {
    for (int i = 0; i < profile.operators().size(); i++) {
      Later later = profile.operators().get(i).later();
      if (later != null && later.at() == thread && i != thread) {
        return i;
      }
    }
    return CONSUMER;
  }

  /**
   * How many times as long an element took as the model says. Where that is far from 1, the model
   * has left something out, and what it says of changes is worth nothing.
   */
  double fit() {
    return cycleNs() <= 0 || ns() <= 0 ? 1 : cycleNs() / ns();
  }

  /** Whether an element took about as long as the model says. */
  boolean fits() {
    double off = fit();
    return off > TOO_SLOW && off < TOO_FAST;
  }

  /** Computing for one element, by everybody. */
  double cpuNs() {
    return tasks.stream().mapToDouble(task -> task.load().cpuNs()).sum() + step.cpuNs();
  }

  Load step() {
    return step;
  }

  /** The cores that are left to it. */
  double cores() {
    return left.cores();
  }

  Load serial(int thread) {
    return serial.getOrDefault(thread, Load.NONE);
  }

  Load parallel(int thread) {
    return parallel.getOrDefault(thread, Load.NONE);
  }

  /** Everything that is charged to an operator. */
  Load of(int operator) {
    return charged[operator];
  }

  /** What an operator costs on one thread, done by one worker at a time. */
  Load serialOf(int operator, int thread) {
    return sum(
        task -> task.operator() == operator && task.thread() == thread && !task.isParallel());
  }

  private Load sum(Predicate<Task> which) {
    Load sum = Load.NONE;
    for (Task task : tasks) {
      if (which.test(task)) {
        sum = sum.plus(task.load());
      }
    }
    return sum;
  }

  boolean hasThread(int thread) {
    return threads.containsKey(thread);
  }

  /** How many workers a thread has, or would be given by the engine. */
  double workers(int thread) {
    Workers crew = threads.get(thread);
    if (crew == null) {
      return 1;
    }
    if (crew.workers() > 0) {
      return crew.workers();
    }
    Load all = serial(thread).plus(parallel(thread));
    double share = all.ns() == 0 ? 1 : all.cpuNs() / all.ns();
    double most = crew.cycle() > 0 ? crew.cycle() : MOST_WORKERS; // no more than there is to read
    if (crew.heldNs() > 0) {
      most = Math.min(most, 1 + Math.ceil(1.25 * all.ns() / crew.heldNs()));
    }
    return Math.min(most, Math.ceil(Math.max(left.cores(), left.cores() / Math.max(share, 1e-3))));
  }

  /** The operator that computes most, over all threads. */
  private int busiest() {
    int busiest = CONSUMER;
    double most = step.cpuNs();
    for (int i = 0; i < profile.operators().size(); i++) {
      if (of(i).cpuNs() > most) {
        most = of(i).cpuNs();
        busiest = i;
      }
    }
    return busiest;
  }

  // ---- what if ----------------------------------------------------------------------------------

  /** An operator's function on several elements at once, as many as the engine finds right. */
  Model parallelised(int operator) {
    Map<Integer, Workers> crews = new HashMap<>(threads);
    crews.put(operator, tuned(operator));
    int oldThread = profile.operators().get(operator).runBy();
    Later later = profile.operators().get(operator).later();
    int placing = later == null ? CONSUMER : later.at();
    boolean placesAnew = later != null && !threads.containsKey(placing);
    if (placesAnew) {
      crews.put(placing, tuned(placing));
    }
    return mapped(
        crews,
        task -> {
          if (task.operator() == operator) {
            boolean deferred = placesAnew && isDeferredPart(task);
            return new Task(operator, task.load(), deferred ? placing : operator, true);
          }
          if (isUpstream(task.operator(), operator) && task.thread() == oldThread) {
            return new Task(task.operator(), task.load(), operator, task.isParallel());
          }
          if (placesAnew
              && isUpstream(task.operator(), placing)
              && task.thread() == profile.operators().get(placing).runBy()) {
            return new Task(task.operator(), task.load(), placing, task.isParallel());
          }
          return task;
        });
  }

  /** Whether a task of an operator with deferred tensors is computing them: it costs most. */
  private boolean isDeferredPart(Task task) {
    Later later = profile.operators().get(task.operator()).later();
    return later != null
        && Math.abs(task.load().ns() - later.cpuNs() - later.waitNs()) < 1e-6 * (1 + later.ns());
  }

  private Workers tuned(int operator) {
    OpProfile op = profile.operators().get(operator);
    return new Workers(operator, 0, 64, op.perDelivered(), given.cycles[operator], 1, 0, false);
  }

  /** More workers for an operator that has some. */
  Model withWorkers(int operator, double workers) {
    Map<Integer, Workers> crews = new HashMap<>(threads);
    Workers old = crews.get(operator);
    crews.put(
        operator, old == null ? new Workers(operator, workers, 64, 1) : old.with(workers, 64));
    return changed(tasks, crews);
  }

  /** A buffer and a thread at the end of the pipeline. */
  Model prefetched(int buffer) {
    Map<Integer, Workers> crews = new HashMap<>(threads);
    crews.put(NEW_PREFETCH, new Workers(NEW_PREFETCH, 1, buffer, 1));
    return mapped(
        crews,
        task ->
            task.thread() == CONSUMER
                ? new Task(task.operator(), task.load(), NEW_PREFETCH, task.isParallel())
                : task);
  }

  /** A buffer and a thread at an operator, which only pulls what lies upstream. */
  Model readingAhead(int operator, int buffer) {
    int puller = profile.operators().get(operator).runBy();
    double perDelivered = profile.operators().get(operator).perDelivered();
    Map<Integer, Workers> crews = new HashMap<>(threads);
    crews.put(operator, new Workers(operator, 1, buffer, perDelivered));
    return mapped(
        crews,
        task ->
            task.thread() == puller && isUpTo(task.operator(), operator)
                ? new Task(task.operator(), task.load(), operator, task.isParallel())
                : task);
  }

  /** What the thread that pulls an operator does itself for it, and for what lies upstream. */
  Load pulledBy(int operator) {
    int puller = profile.operators().get(operator).runBy();
    return sum(
        task -> task.thread() == puller && !task.isParallel() && isUpTo(task.operator(), operator));
  }

  /** Another size of an operator's buffer. */
  Model withBuffer(int operator, int buffer) {
    Map<Integer, Workers> crews = new HashMap<>(threads);
    Workers old = crews.get(operator);
    if (old != null) {
      crews.put(operator, old.with(old.workers(), buffer));
    }
    return changed(tasks, crews);
  }

  /** The elements of an operator are there already: nothing up to it has to be done. */
  Model cachedAfter(int operator) {
    Map<Integer, Workers> crews = new HashMap<>(threads);
    crews.keySet().removeIf(thread -> thread >= 0 && isUpTo(thread, operator));
    OpProfile op = profile.operators().get(operator);
    List<Task> left = new ArrayList<>();
    for (Task task : tasks) {
      if (!isUpTo(task.operator(), operator)) {
        left.add(task);
      }
    }
    left.add(new Task(operator, new Load(READ_BACK_NS * op.perDelivered(), 0), op.runBy(), false));
    return changed(left, crews);
  }

  /**
   * Without a cache: its elements are made again, which took what {@code cold} says, when it was
   * being filled.
   */
  Model uncached(int operator, Model cold) {
    List<Task> changed = new ArrayList<>();
    for (Task task : tasks) {
      if (task.operator() != operator && !isUpstream(task.operator(), operator)) {
        changed.add(task);
      }
    }
    for (Task task : cold.tasks) {
      if (isUpstream(task.operator(), operator)) {
        changed.add(task);
      }
    }
    Map<Integer, Workers> crews = new HashMap<>(threads);
    cold.threads.forEach(crews::putIfAbsent);
    return changed(changed, crews);
  }

  /** Without an operator's own thread: the thread that pulls it does that work. */
  Model withoutThread(int operator) {
    Map<Integer, Workers> crews = new HashMap<>(threads);
    crews.remove(operator);
    int puller = profile.operators().get(operator).runBy();
    return mapped(
        crews,
        task ->
            task.thread() == operator
                ? new Task(task.operator(), task.load(), puller, task.isParallel())
                : task);
  }

  /** Whether copies to the device go on during steps, where there are any. */
  boolean isOverlapped(int operator) {
    OpProfile.Transfer transfer = profile.operators().get(operator).transfer();
    return transfer == null || serialOf(operator, CONSUMER).waitNs() < 0.9 * transfer.busNs();
  }

  /** With copies to the device that go on during steps. */
  Model overlapped(int operator) {
    return mapped(
        threads, task -> task.operator() == operator && task.thread() == CONSUMER ? null : task);
  }

  /** With datasets of the same speed, where they take turns. */
  Model evened(int operator) {
    Map<Integer, Workers> crews = new HashMap<>(threads);
    Workers old = crews.get(operator);
    if (old != null) {
      crews.put(operator, old.evened());
    }
    return changed(tasks, crews);
  }

  /** With other costs of one operator. */
  Model withLoad(int operator, Function<Load, Load> change) {
    return mapped(
        threads,
        task ->
            task.operator() == operator
                ? new Task(operator, change.apply(task.load()), task.thread(), task.isParallel())
                : task);
  }

  private Model mapped(Map<Integer, Workers> crews, Function<Task, @Nullable Task> change) {
    List<Task> changed = new ArrayList<>();
    for (Task task : tasks) {
      Task now = change.apply(task);
      if (now != null) {
        changed.add(now);
      }
    }
    return changed(changed, crews);
  }

  private boolean isUpTo(int operator, int last) {
    return operator == last || isUpstream(operator, last);
  }

  /** Whether an operator is pulled, directly or not, by another. */
  boolean isUpstream(int operator, int downstream) {
    for (int at = profile.operators().get(operator).pulledBy();
        at >= 0;
        at = profile.operators().get(at).pulledBy()) {
      if (at == downstream) {
        return true;
      }
    }
    return false;
  }
}
