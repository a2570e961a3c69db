package dev.headrace.profile;

import dev.headrace.profile.Profile.Consumer;
import dev.headrace.profile.Profile.Moment;
import dev.headrace.spi.Duty;
import dev.headrace.spi.OpCounters;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everything that was written down of a run, from which profiles are made.
 *
 * @param nodes the operators, in the order of the snapshots' counters
 * @param snapshots at least one, oldest first
 */
public record Measurements(
    List<OpNode> nodes,
    List<Snapshot> snapshots,
    Pace pace,
    Computer computer,
    Profile.Memory memory) {

  /**
   * How the consumer went.
   *
   * @param startSeconds from beginning the first epoch to the first element, and {@code
   *     firstWaitSeconds} of it asking for that
   * @param steps the latest steps, and {@code waits} what was waited before each
   */
  public record Pace(
      double startSeconds, double firstWaitSeconds, double[] steps, double[] waits) {}

  /**
   * The computer that it ran on.
   *
   * @param cores that it may use
   * @param heapBytes how large the heap may become
   * @param programs others that used cores meanwhile, the busiest first, where they are known
   */
  public record Computer(double cores, long heapBytes, List<Profile.Program> programs) {
    public Computer {
      programs = List.copyOf(programs);
    }
  }

  /** What is looked at begins after this share of the run: before, code is being compiled. */
  private static final double WARM_UP = 0.35;

  private static final int FEWEST_DELIVERED = 4;

  /** The pace has changed if it differs by so many times, over enough elements and time. */
  private static final double CHANGED = 1.4;

  private static final long ENOUGH_DELIVERED = 16;
  private static final long ENOUGH_NS = 300_000_000;
  private static final int MOST_MOMENTS = 200;

  public Measurements {
    nodes = List.copyOf(nodes);
    snapshots = List.copyOf(snapshots);
  }

  /** The steady part of the run: where the pace has changed, what came after that. */
  public Profile profile() {
    Change change = paceChange();
    return between(change == null ? steadyFrom() : change.since(), snapshots.getLast());
  }

  /**
   * A change of the pace in the middle of a run.
   *
   * @param before elements a second before it, and {@code after} since then
   * @param isOver whether the pace has not changed again since
   */
  record Change(Snapshot since, double before, double after, boolean isOver) {}

  /** How the pace has changed since the steady part began; null where it has not. */
  @Nullable Change paceChange() {
    Snapshot from = steadyFrom();
    Snapshot last = snapshots.getLast();
    Snapshot middle = nearest(from, last);
    if (!isEnough(from, middle) || !isEnough(middle, last)) {
      return null;
    }
    double before = rate(from, middle);
    double after = rate(middle, last);
    if (!differ(before, after)) {
      return null;
    }
    Snapshot late = nearest(middle, last);
    double then = rate(middle, late);
    double now = rate(late, last);
    boolean isOver = !isEnough(middle, late) || !isEnough(late, last) || !differ(then, now);
    boolean comesAndGoes = !isOver && now > then != after > before; // as bursts do
    return comesAndGoes ? null : new Change(middle, before, after, isOver);
  }

  private static boolean differ(double a, double b) {
    return Math.max(a, b) > CHANGED * Math.min(a, b);
  }

  private static double rate(Snapshot from, Snapshot to) {
    return 1e9 * (to.delivered() - from.delivered()) / Math.max(1, to.atNs() - from.atNs());
  }

  private static boolean isEnough(Snapshot from, Snapshot to) {
    return to.delivered() - from.delivered() >= ENOUGH_DELIVERED
        && to.atNs() - from.atNs() >= ENOUGH_NS;
  }

  /** The snapshot nearest to the middle between two. */
  private Snapshot nearest(Snapshot from, Snapshot to) {
    long middle = from.atNs() + (to.atNs() - from.atNs()) / 2;
    Snapshot nearest = from;
    for (Snapshot each : snapshots) {
      if (Math.abs(each.atNs() - middle) < Math.abs(nearest.atNs() - middle)) {
        nearest = each;
      }
    }
    return nearest;
  }

  /** The first part of a run whose cache was being filled, or the whole run. */
  Profile coldProfile() {
    Snapshot first = snapshots.getFirst();
    Snapshot end = first;
    for (Snapshot snapshot : snapshots) {
      if (snapshot.epoch() == first.epoch()) {
        end = snapshot;
      }
    }
    return end == first || end.delivered() == first.delivered()
        ? between(first, snapshots.getLast())
        : between(first, end);
  }

  /** How many elements an operator gives in an epoch; 0 before one was over. */
  long elementsPerEpoch(int operator) {
    Snapshot last = snapshots.getLast();
    long over = last.epoch() - snapshots.getFirst().epoch();
    return over <= 0 || last.operators().size() <= operator
        ? 0
        : last.operators().get(operator).calls().elements() / over;
  }

  private Snapshot steadyFrom() {
    Snapshot first = snapshots.getFirst();
    Snapshot last = snapshots.getLast();
    boolean caches = nodes.stream().anyMatch(node -> node.op().traits().duty() == Duty.KEEPS);
    long earliest = first.atNs() + (long) (WARM_UP * (last.atNs() - first.atNs()));
    for (Snapshot snapshot : snapshots) {
      boolean warm = snapshot.atNs() >= earliest && snapshot.delivered() > first.delivered();
      boolean filled = !caches || last.epoch() == first.epoch() || snapshot.epoch() > first.epoch();
      if (warm && filled) {
        return last.delivered() - snapshot.delivered() >= FEWEST_DELIVERED ? snapshot : first;
      }
    }
    return first;
  }

  private Profile between(Snapshot from, Snapshot to) {
    double ns = Math.max(1, (double) to.atNs() - from.atNs());
    double delivered = Math.max(1, to.delivered() - from.delivered());
    Profiler profiler = new Profiler(nodes, from, to);
    Snapshot.Consumer since = to.consumer().minus(from.consumer());
    double hostStep = since.stepNs() / delivered;
    double cycle = hostStep + since.insideNs() / delivered;
    // A consumer that only queues its work is as slow as the device that does it.
    double step = Math.clamp(profiler.deviceStepNs(), hostStep, cycle);
    double inside = cycle - step;
    Consumer consumer =
        new Consumer(
            step,
            hostStep * since.stepCpu().share(to.consumer().stepCpu().share(0)),
            inside,
            inside * since.insideCpu().share(to.consumer().insideCpu().share(0)),
            Math.min(inside, profiler.blockedNs()),
            pace.steps(),
            pace.waits());
    List<OpProfile> operators = profiler.operators();
    return new Profile(
        ns / 1e9,
        to.delivered() - from.delivered(),
        pace.startSeconds(),
        Math.max(
            0,
            (snapshots.getLast().atNs() - snapshots.getFirst().atNs()) / 1e9
                - pace.firstWaitSeconds()),
        snapshots.getLast().epoch() - snapshots.getFirst().epoch() + 1,
        consumer,
        machine(from, to, ns, Ready.of(operators, consumer)),
        memory,
        operators,
        timeline());
  }

  private Profile.Machine machine(Snapshot from, Snapshot to, double ns, Ready ready) {
    Snapshot.Machine now = to.machine();
    Snapshot.Machine then = from.machine();
    double process = (now.processNs() - then.processNs()) / ns;
    boolean told = now.busyNs() >= 0 && then.busyNs() >= 0;
    // Where the machine does not tell, who lacks cores lacks them because others have them.
    double untold = ready.lackedCores() ? computer.cores() - process : 0;
    double others = told ? (now.busyNs() - then.busyNs()) / ns - process : untold;
    return new Profile.Machine(
        computer.cores(),
        Math.clamp(others, 0, computer.cores()),
        process,
        Math.min(1, (now.gcNs() - then.gcNs()) / ns),
        now.collections() - then.collections(),
        computer.heapBytes(),
        now.liveBytes(),
        computer.programs());
  }

  private List<Moment> timeline() {
    List<Moment> moments = new ArrayList<>();
    Snapshot first = snapshots.getFirst();
    int stride = 1 + snapshots.size() / MOST_MOMENTS;
    for (int i = stride; i < snapshots.size(); i += stride) {
      Snapshot from = snapshots.get(i - stride);
      Snapshot to = snapshots.get(i);
      double ns = (double) to.atNs() - from.atNs();
      if (ns <= 0) {
        continue;
      }
      Snapshot.Consumer since = to.consumer().minus(from.consumer());
      double inside = since.insideNs();
      double step = since.stepNs();
      moments.add(
          new Moment(
              (to.atNs() - first.atNs()) / 1e9,
              ns / 1e9,
              to.epoch(),
              to.delivered() - from.delivered(),
              inside + step <= 0 ? 0 : inside / (inside + step),
              new Profiler(nodes, from, to).busy(),
              fills(to),
              to.memory().heapBytes(),
              to.memory().nativeBytes(),
              Math.min(1, (to.machine().gcNs() - from.machine().gcNs()) / ns)));
    }
    return moments;
  }

  private static int[] fills(Snapshot at) {
    return at.operators().stream().mapToInt(Measurements::buffered).toArray();
  }

  private static int buffered(OpCounters op) {
    OpCounters.Stage stage = op.crew().threads() == null ? null : op.stage();
    return stage == null ? 0 : stage.buffer().elements();
  }
}
