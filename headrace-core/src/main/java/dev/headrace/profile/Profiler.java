package dev.headrace.profile;

import dev.headrace.profile.OpProfile.Crew;
import dev.headrace.profile.OpProfile.Later;
import dev.headrace.profile.Snapshot.Sampled;
import dev.headrace.spi.Deferral;
import dev.headrace.spi.Op;
import dev.headrace.spi.OpShape;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes a profile of what lies between two snapshots: who runs whom, and how much of each time is
 * an operator's own.
 */
final class Profiler {
  private final List<OpNode> nodes;
  private final Snapshot from;
  private final Snapshot to;
  private final double delivered;
  private final int count;
  private final Map<String, Integer> byKey = new HashMap<>();
  private final int[] pulledBy;
  private final int[] runBy;

  /**
   * For one delivered element, on the thread that pulls the operator; without what that waited for
   * other threads, which the same calls tell, so that no two kinds of figures are subtracted.
   */
  private final double[] inclusive;

  private final double[] inclusiveCpu;
  private final double[] own;
  private final double[] ownCpu;
  private final double[] blocked;
  private final double[] work;
  private final double[] workCpu;
  private final double[] workQueued;

  /** Of what was deferred: index of the operator that left it. */
  private final @Nullable Later[] later;

  Profiler(List<OpNode> nodes, Snapshot from, Snapshot to) {
    this.nodes = nodes;
    this.from = from;
    this.to = to;
    this.delivered = Math.max(1, to.delivered() - from.delivered());
    this.count = Math.min(nodes.size(), to.operators().size());
    this.pulledBy = new int[count];
    this.runBy = new int[count];
    this.inclusive = new double[count];
    this.inclusiveCpu = new double[count];
    this.own = new double[count];
    this.ownCpu = new double[count];
    this.blocked = new double[count];
    this.work = new double[count];
    this.workCpu = new double[count];
    this.workQueued = new double[count];
    this.later = new Later[count];
    for (int i = 0; i < count; i++) {
      byKey.put(nodes.get(i).key(), i);
    }
    findThreads();
    measure();
    chargeDeferred();
  }

  private void findThreads() {
    for (int i = 0; i < count; i++) {
      String key = nodes.get(i).key();
      int dot = key.lastIndexOf('.');
      Integer above = dot < 0 ? null : byKey.get(key.substring(0, dot));
      pulledBy[i] = above == null ? -1 : above;
      int at = pulledBy[i];
      while (at >= 0 && !pullsInput(at)) {
        at = pulledBy[at];
      }
      runBy[i] = at;
    }
  }

  private boolean pullsInput(int index) {
    Snapshot.Crew crew = to.operators().get(index).crew();
    return crew != null && crew.pullsInput();
  }

  private Snapshot.@Nullable Op before(int index) {
    return index < from.operators().size() ? from.operators().get(index) : null;
  }

  private void measure() {
    for (int i = 0; i < count; i++) {
      Snapshot.Op now = to.operators().get(i);
      Snapshot.Op then = before(i);
      long elements = now.elements() - (then == null ? 0 : then.elements());
      long timed = now.timedElements() - (then == null ? 0 : then.timedElements());
      long timedNs = timed > 0 && then != null ? now.timedNs() - then.timedNs() : now.timedNs();
      long waitNs =
          timed > 0 && then != null ? now.timedWaitNs() - then.timedWaitNs() : now.timedWaitNs();
      double calls = Math.max(1, timed > 0 ? timed : now.timedElements());
      double each = timedNs / calls;
      inclusive[i] = Math.max(0, each - waitNs / calls) * elements / delivered;
      Sampled cpu = then == null ? now.cpu() : now.cpu().minus(then.cpu());
      inclusiveCpu[i] =
          Math.min(inclusive[i], each * elements / delivered * cpu.share(now.cpu().share(1)));
      measureCrew(i, now.crew(), then == null ? null : then.crew());
      Snapshot.Transfer copied = now.transfer();
      if (copied != null && copied.stepNs() == 0) { // else its stream waits, not the consumer
        Snapshot.Transfer before = then == null ? null : then.transfer();
        blocked[i] += (copied.waitNs() - (before == null ? 0 : before.waitNs())) / delivered;
      }
    }
    for (int i = 0; i < count; i++) {
      own[i] += inclusive[i];
      ownCpu[i] += inclusiveCpu[i];
      if (pulledBy[i] >= 0 && !pullsInput(pulledBy[i])) {
        own[pulledBy[i]] -= inclusive[i];
        ownCpu[pulledBy[i]] -= inclusiveCpu[i];
      }
    }
    for (int i = 0; i < count; i++) {
      own[i] = Math.max(0, own[i]);
      ownCpu[i] = Math.clamp(ownCpu[i], 0, own[i]);
    }
  }

  private void measureCrew(int index, Snapshot.@Nullable Crew now, Snapshot.@Nullable Crew then) {
    if (now == null) {
      return;
    }
    blocked[index] = (now.waitNs() - (then == null ? 0 : then.waitNs())) / delivered;
    if (!now.onlyPulls()) {
      work[index] = (now.workNs() - (then == null ? 0 : then.workNs())) / delivered;
      Sampled all = new Sampled(now.sampledNs(), now.sampledCpuNs());
      Sampled since =
          then == null ? all : all.minus(new Sampled(then.sampledNs(), then.sampledCpuNs()));
      workCpu[index] = work[index] * since.share(all.share(now.cpuShare()));
      workQueued[index] = (now.queuedNs() - (then == null ? 0 : then.queuedNs())) / delivered;
    }
  }

  /** Gives the time that an operator spent on deferred tensors to the one that left them. */
  private void chargeDeferred() {
    for (int i = 0; i < count; i++) {
      Snapshot.Op now = to.operators().get(i);
      Snapshot.Op then = before(i);
      double inline = (now.laterNs() - (then == null ? 0 : then.laterNs())) / delivered;
      double inlineCpu = inline * now.laterCpu().share(1);
      Snapshot.Crew crew = now.crew();
      boolean places = crew != null && crew.pullsInput() && !crew.onlyPulls() && hasMaker(i);
      if (inline <= 0 && !places) {
        continue;
      }
      int maker = makerOf(i);
      if (maker < 0) {
        continue;
      }
      own[i] = Math.max(0, own[i] - inline);
      ownCpu[i] = Math.clamp(ownCpu[i] - inlineCpu, 0, own[i]);
      if (places && work[i] > inline) {
        double wait = Math.max(0, work[i] - workCpu[i] - workQueued[i]);
        later[maker] = new Later(work[i], workCpu[i], wait, i);
      } else {
        later[maker] = new Later(inline, inlineCpu, 0, i);
      }
    }
  }

  /** Whether the operator's workers, if it has some, compute what others left deferred. */
  private boolean hasMaker(int index) {
    return switch (nodes.get(index).op().traits().deferring()) {
      case PLACES, CARRIES -> true;
      case NEEDS, COMPOSES, COMPUTES, CASTS -> false; // a device casts
    };
  }

  private int makerOf(int index) {
    List<Op> inputs = nodes.get(index).op().inputs();
    List<Op> makers = inputs.isEmpty() ? List.of() : Deferral.makersOf(inputs.getFirst());
    if (makers.isEmpty()) {
      return -1;
    }
    for (int i = index + 1; i < count; i++) {
      if (nodes.get(i).op() == makers.getFirst()) {
        return i;
      }
    }
    return -1;
  }

  List<OpProfile> operators() {
    List<OpProfile> profiles = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      profiles.add(profile(i));
    }
    return profiles;
  }

  /** How much longer than it computes a thread needs because others have the cores. */
  private double queuedPerCpu(int thread) {
    if (thread < 0) {
      long queued = to.consumerQueuedNs() - from.consumerQueuedNs();
      double cpu =
          cpuOf(to.insideCpu(), from.insideCpu(), to.insideNs() - from.insideNs())
              + cpuOf(to.stepCpu(), from.stepCpu(), to.stepNs() - from.stepNs());
      return cpu <= 0 ? 0 : Math.max(0, queued / cpu);
    }
    Snapshot.Crew now = to.operators().get(thread).crew();
    Snapshot.Op before = before(thread);
    Snapshot.Crew then = before == null ? null : before.crew();
    if (now == null) {
      return 0;
    }
    double queued = (now.queuedNs() - (then == null ? 0 : then.queuedNs())) / delivered;
    double cpu = workCpu[thread] + pulledCpu(thread);
    return cpu <= 0 ? 0 : Math.max(0, queued / cpu);
  }

  private static double cpuOf(Sampled to, Sampled from, double ns) {
    return ns * to.minus(from).share(to.share(0));
  }

  private double pulled(int thread) {
    double ns = 0;
    for (int i = 0; i < count; i++) {
      ns += runBy[i] == thread ? own[i] : 0;
    }
    return ns;
  }

  private double pulledCpu(int thread) {
    double ns = 0;
    for (int i = 0; i < count; i++) {
      ns += runBy[i] == thread ? ownCpu[i] : 0;
    }
    return ns;
  }

  private OpProfile profile(int i) {
    OpNode node = nodes.get(i);
    Snapshot.Op now = to.operators().get(i);
    Snapshot.Op then = before(i);
    long elements = now.elements() - (then == null ? 0 : then.elements());
    double perDelivered = elements / delivered;
    Later deferred = later[i];
    Snapshot.Crew crew = now.crew();
    boolean works = crew != null && !crew.onlyPulls() && !isLent(i);
    double wall = own[i] + (works ? work[i] : 0) + (deferred == null ? 0 : deferred.ns());
    double cpu = ownCpu[i] + (works ? workCpu[i] : 0) + (deferred == null ? 0 : deferred.cpuNs());
    double queued =
        ownCpu[i] * queuedPerCpu(runBy[i])
            + (works ? workCpu[i] * queuedPerCpu(i) : 0)
            + (deferred == null ? 0 : deferred.ns() - deferred.cpuNs() - deferred.waitNs());
    double scale = perDelivered == 0 ? 0 : 1 / perDelivered;
    return new OpProfile(
        node.key(),
        pulledBy[i],
        runBy[i],
        node.op().word(),
        node.op().title(),
        OpShape.of(node.op().getClass()).describe(node.op()),
        node.op().inputs().isEmpty(),
        elements,
        now.failures() - (then == null ? 0 : then.failures()),
        perDelivered,
        wall * scale,
        cpu * scale,
        Math.max(0, wall - cpu - queued) * scale,
        now.sizedElements() == 0 ? 0 : (double) now.sizedBytes() / now.sizedElements(),
        now.bytesP99(),
        deferred,
        crew == null ? null : crew(i, crew, then == null ? null : then.crew()),
        transfer(now.transfer(), then == null ? null : then.transfer()));
  }

  private OpProfile.@Nullable Transfer transfer(
      Snapshot.@Nullable Transfer now, Snapshot.@Nullable Transfer then) {
    if (now == null) {
      return null;
    }
    // Several devices work side by side; a consumer on the host waits for one after the other.
    double each = delivered * Math.max(1, now.devices());
    double eachWait = now.steps() == 0 ? delivered : each;
    return new OpProfile.Transfer(
        now.device(),
        now.isPinned(),
        (now.busNs() - (then == null ? 0 : then.busNs())) / each,
        (now.computeNs() - (then == null ? 0 : then.computeNs())) / each,
        (now.stagedNs() - (then == null ? 0 : then.stagedNs())) / delivered,
        (now.waitNs() - (then == null ? 0 : then.waitNs())) / eachWait,
        stepNs(now, then),
        (now.bytes() - (then == null ? 0 : then.bytes())) / delivered,
        now.deviceBytes(),
        now.deviceLimit(),
        now.isShortOfRoom());
  }

  /** What a step took, of those whose end is known: a device may be several steps behind. */
  private static double stepNs(Snapshot.Transfer now, Snapshot.@Nullable Transfer then) {
    long steps = now.steps() - (then == null ? 0 : then.steps());
    long ns = now.stepNs() - (then == null ? 0 : then.stepNs());
    return steps == 0 ? 0 : (double) ns / steps / Math.max(1, now.devices());
  }

  /** How long streams of devices worked on an element; 0 where the host itself does. */
  double deviceStepNs() {
    double ns = 0;
    for (int i = 0; i < count; i++) {
      Snapshot.Op then = before(i);
      OpProfile.Transfer transfer =
          transfer(to.operators().get(i).transfer(), then == null ? null : then.transfer());
      ns += transfer == null ? 0 : transfer.stepNs();
    }
    return ns;
  }

  /** Whether the work of the operator's threads was charged to another operator. */
  private boolean isLent(int index) {
    for (Later each : later) {
      if (each != null && each.at() == index) {
        return true;
      }
    }
    return false;
  }

  private Crew crew(int i, Snapshot.Crew now, Snapshot.@Nullable Crew then) {
    double ns = (double) to.atNs() - from.atNs();
    double manned = (now.workerNs() - (then == null ? 0 : then.workerNs())) / ns;
    double workers = manned > 0 ? manned : now.workers();
    long chunks = now.chunks() - (then == null ? 0 : then.chunks());
    double sum = now.eachSum() - (then == null ? 0 : then.eachSum());
    double squares = now.eachSquares() - (then == null ? 0 : then.eachSquares());
    double mean = chunks == 0 ? 0 : sum / chunks;
    double variance = chunks == 0 ? 0 : Math.max(0, squares / chunks - mean * mean);
    long pulls = now.pulls() - (then == null ? 0 : then.pulls());
    double fill = now.fillSum() - (then == null ? 0 : then.fillSum());
    long waits = now.waits() - (then == null ? 0 : then.waits());
    double pull = now.pullsInput() ? pulled(i) : 0;
    double busyNs = (pull + work[i]) * delivered;
    double queued = workCpu[i] * queuedPerCpu(i);
    double waitNs = Math.max(0, work[i] - workCpu[i] - queued);
    long looks = now.looks() - (then == null ? 0 : then.looks());
    long locked = now.locked() - (then == null ? 0 : then.locked());
    return new Crew(
        workers,
        now.isTuned(),
        ns <= 0 || workers <= 0 ? 0 : Math.min(1, busyNs / (workers * ns)),
        now.capacity(),
        now.isBufferTuned(),
        pulls == 0 ? 0 : fill / pulls,
        pulls == 0 ? 0 : Math.min(1, (double) waits / pulls),
        pull,
        now.pullsInput() ? pulledCpu(i) : 0,
        work[i],
        workCpu[i],
        waitNs,
        mean == 0 ? 0 : Math.sqrt(variance) / mean,
        now.skew(),
        now.latest(),
        Math.min(waitNs, work[i] * (looks == 0 ? 0 : (double) locked / looks)),
        now.latestPulls());
  }

  /** What the consumer spends blocked on threads of the pipeline, for one element. */
  double blockedNs() {
    double ns = 0;
    for (int i = 0; i < count; i++) {
      ns += runBy[i] < 0 ? blocked[i] : 0;
    }
    return ns;
  }

  /** How many threads were inside each operator, on average, beside the consumer's waiting. */
  double[] busy() {
    double ns = Math.max(1, (double) to.atNs() - from.atNs());
    double[] busy = new double[count];
    for (int i = 0; i < count; i++) {
      Later deferred = later[i];
      double own = this.own[i] + (isLent(i) ? 0 : work[i]) + (deferred == null ? 0 : deferred.ns());
      busy[i] = own * (to.delivered() - from.delivered()) / ns;
    }
    return busy;
  }
}
