package dev.headrace.profile;

import dev.headrace.profile.OpProfile.Crew;
import dev.headrace.profile.OpProfile.Later;
import dev.headrace.spi.Op;
import dev.headrace.spi.OpShape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
 * is; where times vary and a buffer is small, the two sides of that buffer wait for each other.
 *
 * <p>Changes make a new model: what it says of the whole is the prediction.
 */
final class Model {
  /** The thread of the consumer. */
  static final int CONSUMER = -1;

  /** The thread of a prefetch that is not there yet. */
  static final int NEW_PREFETCH = -2;

  /** So many workers an operator gets at most that mostly waits. */
  private static final int MOST_WORKERS = 256;

  private static final double VARIES = 0.15;
  private static final double CLEARLY = 1.08;

  /** What it takes to give an element that is in memory. */
  private static final double READ_BACK_NS = 200;

  /** Elements that take longer are handed over one by one. */
  private static final double LONG_ELEMENT_NS = 250_000;

  /** Workers that the engine chooses get about so many elements ahead, if that helps. */
  private static final double FURTHEST_AHEAD = 512;

  private static final double WORTH_SAYING = 1.12;

  /** A piece of work, charged to an operator and done by a thread. */
  record Task(int operator, Load load, int thread, boolean isParallel) {}

  /**
   * Who does tasks.
   *
   * @param workers how many, or 0 to let the engine choose
   * @param buffer how many elements may lie behind it
   * @param each the latest times for one of its own elements
   * @param cycle how many datasets take turns there, or 0; {@code skew} how much slower the slowest
   *     of them is than the mean
   */
  record Workers(
      int operator,
      double workers,
      int buffer,
      double perDelivered,
      double[] each,
      int cycle,
      double skew) {

    Workers(int operator, double workers, int buffer, double perDelivered, double[] each) {
      this(operator, workers, buffer, perDelivered, each, 0, 1);
    }
  }

  /** What sets the pace. */
  enum LimitKind {
    STEP,
    OWN_THREAD,
    ONE_WORKER,
    ALL_WORKERS,
    CORES,
    BUFFER,
    READ_AHEAD,
    SKEW,
    BUS
  }

  /** What sets the pace: a thread, or the cores; and the time for one element. */
  record Limit(LimitKind kind, int thread, double ns) {
    private double sure() {
      return kind == LimitKind.CORES ? ns / CLEARLY : ns;
    }
  }

  private final Profile profile;

  /** How many datasets take turns at each operator; 0 where none do. */
  private final int[] cycles;

  private final List<Task> tasks;
  private final Map<Integer, Workers> threads;
  private final Load step;
  private final double cores;

  private Model(
      Profile profile,
      int[] cycles,
      List<Task> tasks,
      Map<Integer, Workers> threads,
      Load step,
      double cores) {
    this.profile = profile;
    this.cycles = cycles;
    this.tasks = tasks;
    this.threads = threads;
    this.step = step;
    this.cores = cores;
  }

  /** The pipeline as it was measured. */
  static Model of(Profile profile, List<OpNode> nodes) {
    List<Task> tasks = new ArrayList<>();
    Map<Integer, Workers> threads = new HashMap<>();
    List<OpProfile> operators = profile.operators();
    int[] cycles = new int[operators.size()];
    int[] rings = new int[operators.size()];
    for (int i = 0; i < operators.size(); i++) {
      Op op = nodes.get(i).op();
      cycles[i] = OpShape.of(op.getClass()).number(op, "cycle");
      rings[i] = OpShape.of(op.getClass()).number(op, "buffer");
    }
    for (int i = 0; i < operators.size(); i++) {
      OpProfile op = operators.get(i);
      Crew crew = op.crew();
      Later later = op.later();
      if (crew != null) {
        threads.put(
            i,
            new Workers(
                i,
                Math.max(1, crew.workers()),
                crew.capacity(),
                op.perDelivered(),
                crew.latest(),
                cycles[i],
                crew.skew()));
      }
      Load all = new Load(op.cpuNsPerDelivered(), op.waitNsPerDelivered());
      Load deferred = later == null ? Load.NONE : new Load(later.cpuNs(), later.waitNs());
      boolean lent = isLent(operators, i);
      Load work = crew == null || lent ? Load.NONE : new Load(crew.workCpuNs(), crew.workWaitNs());
      Load own =
          new Load(
              Math.max(0, all.cpuNs() - deferred.cpuNs() - work.cpuNs()),
              Math.max(0, all.waitNs() - deferred.waitNs() - work.waitNs()));
      tasks.add(new Task(i, own, op.runBy(), false));
      if (work.ns() > 0) {
        tasks.add(new Task(i, work, i, true));
      }
      OpProfile.Transfer transfer = op.transfer();
      if (transfer != null && transfer.stagedNs() > 0) {
        tasks.add(
            new Task(i, new Load(0, transfer.stagedNs()), crew == null ? op.runBy() : i, false));
      }
      if (transfer != null && rings[i] == 1) {
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
    Profile.Consumer consumer = profile.consumer();
    double stepCpu = Math.min(consumer.stepCpuNs(), consumer.stepNs());
    Profile.Machine machine = profile.machine();
    // As many threads of ours as there are cores share them evenly with those of others.
    return new Model(
        profile,
        cycles,
        tasks,
        threads,
        new Load(stepCpu, consumer.stepNs() - stepCpu),
        machine.cores() * machine.cores() / (machine.cores() + machine.otherCores()));
  }

  private static boolean isLent(List<OpProfile> operators, int index) {
    return operators.stream().anyMatch(op -> op.later() != null && op.later().at() == index);
  }

  // ---- what it says -----------------------------------------------------------------------------

  /** What sets the pace, and the time for one element. */
  Limit limit() {
    return limits().getFirst();
  }

  /** The time for one element. */
  double ns() {
    return limits().stream().mapToDouble(Limit::ns).max().orElse(0);
  }

  /** Everything that could set the pace, the slowest first. */
  List<Limit> limits() {
    List<Limit> limits = new ArrayList<>();
    double inline = serial(CONSUMER).ns();
    limits.add(
        new Limit(
            inline > step.ns() ? LimitKind.OWN_THREAD : LimitKind.STEP,
            CONSUMER,
            step.ns() + inline));
    for (int thread : threads.keySet()) {
      limits.add(threadLimit(thread));
    }
    for (Workers crew : threads.values()) {
      // Those who take turns give one element each: the slowest of them sets the pace of a round.
      if (crew.cycle() > 1 && crew.skew() > 1) {
        double round = crew.skew() * parallel(crew.operator()).ns() / crew.cycle();
        limits.add(new Limit(LimitKind.SKEW, crew.operator(), round));
      }
    }
    for (int i = 0; i < profile.operators().size(); i++) {
      OpProfile.Transfer transfer = profile.operators().get(i).transfer();
      if (transfer != null) {
        limits.add(new Limit(LimitKind.BUS, i, transfer.busNs()));
      }
    }
    limits.add(new Limit(LimitKind.CORES, busiest(), cpuNs() / cores));
    addReadAhead(limits);
    double means = limits.stream().mapToDouble(Limit::ns).max().orElse(0);
    double handover = handover(means);
    if (handover > WORTH_SAYING * means) {
      limits.add(new Limit(LimitKind.BUFFER, lastThread(), handover));
    }
    // What is told by a thread is surer than what is told by a sum over all of them.
    limits.sort((a, b) -> Double.compare(b.sure(), a.sure()));
    return limits;
  }

  private Limit threadLimit(int thread) {
    double pull = serial(thread).ns();
    double all = (pull + parallel(thread).ns()) / workers(thread);
    return pull >= all
        ? new Limit(LimitKind.ONE_WORKER, thread, pull)
        : new Limit(LimitKind.ALL_WORKERS, thread, all);
  }

  /**
   * While the consumer trains, workers that it pulls directly get no further ahead than their
   * window. If one delivered element takes more of theirs, as a batch does, the rest is made while
   * it waits.
   */
  private void addReadAhead(List<Limit> limits) {
    int thread = lastThread();
    Workers last = threads.get(thread);
    if (thread < 0 || last == null || parallel(thread).ns() == 0 || last.cycle() > 0) {
      return;
    }
    double elements = elementsOf(thread);
    double window = window(thread, elements);
    if (elements > window) {
      double stage =
          limits.stream()
              .filter(l -> l.thread() != CONSUMER)
              .mapToDouble(Limit::ns)
              .max()
              .orElse(0);
      double left = (1 - window / elements) * stage;
      limits.add(new Limit(LimitKind.READ_AHEAD, thread, step.ns() + serial(CONSUMER).ns() + left));
    }
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

  private double window(int thread, double elements) {
    Workers crew = threads.get(thread);
    double workers = workers(thread);
    double each = (serial(thread).ns() + parallel(thread).ns()) / Math.max(1, elements);
    return crew != null && crew.workers() > 0 && crew.buffer() > 0
        ? crew.buffer()
        : Math.max(FURTHEST_AHEAD, (5 * workers + 2) * 2 * LONG_ELEMENT_NS / Math.max(1, each));
  }

  /** The time for one element of what lies upstream of an operator, by what threads take for it. */
  double upstreamNs(int operator) {
    double slowest =
        sum(task -> task.thread() == operator && isUpstream(task.operator(), operator)).ns();
    for (int thread : threads.keySet()) {
      if (thread >= 0 && isUpstream(thread, operator)) {
        slowest = Math.max(slowest, threadLimit(thread).ns());
      }
    }
    return slowest;
  }

  /** Computing for one element, by everybody. */
  double cpuNs() {
    return tasks.stream().mapToDouble(task -> task.load().cpuNs()).sum() + step.cpuNs();
  }

  Load step() {
    return step;
  }

  double cores() {
    return cores;
  }

  Load serial(int thread) {
    return sum(task -> task.thread() == thread && !task.isParallel());
  }

  Load parallel(int thread) {
    return sum(task -> task.thread() == thread && task.isParallel());
  }

  /** Everything that is charged to an operator. */
  Load of(int operator) {
    return sum(task -> task.operator() == operator);
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
    int most = crew.cycle() > 0 ? crew.cycle() : MOST_WORKERS; // no more than there is to read
    return Math.min(most, Math.max(cores, Math.ceil(cores / Math.max(share, 1e-3))));
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

  /** The thread whose buffer the consumer empties, or the consumer itself if there is none. */
  int lastThread() {
    if (threads.containsKey(NEW_PREFETCH)) {
      return NEW_PREFETCH;
    }
    int last = CONSUMER;
    for (int thread : threads.keySet()) {
      boolean first = last == CONSUMER || thread < last;
      if (first && pulledByConsumer(thread)) {
        last = thread;
      }
    }
    return last;
  }

  private boolean pulledByConsumer(int thread) {
    for (int at = profile.operators().get(thread).pulledBy();
        at >= 0;
        at = profile.operators().get(at).pulledBy()) {
      if (threads.containsKey(at)) {
        return false;
      }
    }
    return true;
  }

  /**
   * The time for one element where the times of the last thread and of the consumer vary: both are
   * played through, as they were measured, with the buffer between them.
   */
  private double handover(double meanNs) {
    int thread = lastThread();
    Workers last = threads.get(thread);
    double[] steps = profile.consumer().steps();
    if (last == null || last.each().length < 16 || steps.length < 16) {
      return 0;
    }
    if (Math.abs(last.perDelivered() - 1) > 0.01) {
      return 0; // what lies in the buffer is not what the consumer gets
    }
    Load load = serial(thread).plus(parallel(thread));
    double mean = Arrays.stream(last.each()).average().orElse(0);
    if (mean > 2 * load.ns()) {
      return 0; // it mostly waits for others, and their times are not known
    }
    double[] work = scaled(last.each(), load.ns());
    double[] step = scaled(steps, this.step.ns() + serial(CONSUMER).ns());
    if (Handover.variation(work) < VARIES && Handover.variation(step) < VARIES) {
      return 0;
    }
    int workers = (int) Math.max(1, Math.round(workers(thread)));
    boolean isParallel = parallel(thread).ns() > serial(thread).ns();
    return Handover.cycleNs(
        work, isParallel ? workers : 1, Math.max(1, last.buffer()), step, meanNs);
  }

  private static double[] scaled(double[] times, double meanNs) {
    double mean = Arrays.stream(times).average().orElse(0);
    return mean <= 0 ? times : Arrays.stream(times).map(time -> time * meanNs / mean).toArray();
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
            boolean deferred = placesAnew && isDeferredPart(task, oldThread);
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
  private boolean isDeferredPart(Task task, int oldThread) {
    Later later = profile.operators().get(task.operator()).later();
    return later != null
        && Math.abs(task.load().ns() - later.cpuNs() - later.waitNs()) < 1e-6 * (1 + later.ns());
  }

  private Workers tuned(int operator) {
    OpProfile op = profile.operators().get(operator);
    return new Workers(operator, 0, 64, op.perDelivered(), new double[0], cycles[operator], 1);
  }

  /** More workers for an operator that has some. */
  Model withWorkers(int operator, double workers) {
    Map<Integer, Workers> crews = new HashMap<>(threads);
    Workers old = crews.get(operator);
    crews.put(
        operator,
        old == null
            ? new Workers(operator, workers, 64, 1, new double[0])
            : new Workers(
                operator, workers, 64, old.perDelivered(), old.each(), old.cycle(), old.skew()));
    return new Model(profile, cycles, tasks, crews, step, cores);
  }

  /** A buffer and a thread at the end of the pipeline. */
  Model prefetched(int buffer) {
    Map<Integer, Workers> crews = new HashMap<>(threads);
    crews.put(NEW_PREFETCH, new Workers(NEW_PREFETCH, 1, buffer, 1, new double[0]));
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
    crews.put(operator, new Workers(operator, 1, buffer, perDelivered, new double[0]));
    return mapped(
        crews,
        task ->
            task.thread() == puller && isUpTo(task.operator(), operator)
                ? new Task(task.operator(), task.load(), operator, task.isParallel())
                : task);
  }

  /** What whoever pulls an operator does itself for it, and for what lies upstream. */
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
      crews.put(
          operator, new Workers(operator, old.workers(), buffer, old.perDelivered(), old.each()));
    }
    return new Model(profile, cycles, tasks, crews, step, cores);
  }

  /** The elements of an operator are there already: nothing up to it has to be done. */
  Model cachedAfter(int operator) {
    Map<Integer, Workers> crews = new HashMap<>(threads);
    crews.keySet().removeIf(thread -> thread >= 0 && isUpTo(thread, operator));
    OpProfile op = profile.operators().get(operator);
    Model cached = mapped(crews, task -> isUpTo(task.operator(), operator) ? null : task);
    cached.tasks.add(
        new Task(operator, new Load(READ_BACK_NS * op.perDelivered(), 0), op.runBy(), false));
    return cached;
  }

  /**
   * Without a cache: its elements are made anew, which took what {@code cold} says, when it was
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
    return new Model(profile, cycles, changed, crews, step, cores);
  }

  /** Without an operator's own thread: whoever pulls it does what that did. */
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
      crews.put(
          operator,
          new Workers(
              operator,
              old.workers(),
              old.buffer(),
              old.perDelivered(),
              old.each(),
              old.cycle(),
              1));
    }
    return new Model(profile, cycles, tasks, crews, step, cores);
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
    return new Model(profile, cycles, changed, crews, step, cores);
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
