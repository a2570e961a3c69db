package dev.headrace.profile;

import dev.headrace.profile.OpProfile.Crew;
import dev.headrace.profile.OpProfile.Later;
import dev.headrace.spi.Deferral;
import dev.headrace.spi.Op;
import dev.headrace.spi.OpCounters;
import dev.headrace.spi.OpCounters.Calls;
import dev.headrace.spi.OpShape;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Makes a profile of what lies between two snapshots: who runs whom, and how much of each time is
 * an operator's own.
 */
final class Profiler {
  private final List<OpNode> nodes;
  private final Snapshot from;
  private final Snapshot to;
  private final List<OpCounters> since = new ArrayList<>();
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
      OpCounters now = now(i);
      since.add(i < from.operators().size() ? now.minus(from.operators().get(i)) : now);
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
    OpCounters.Threads threads = now(index).crew().threads();
    return threads != null && threads.pullsInput();
  }

  private OpCounters now(int index) {
    return to.operators().get(index);
  }

  private OpCounters since(int index) {
    return since.get(index);
  }

  private void measure() {
    for (int i = 0; i < count; i++) {
      Calls now = now(i).calls();
      Calls since = since(i).calls();
      OpCounters.Timed timed = since.timed().elements() > 0 ? since.timed() : now.timed();
      double calls = Math.max(1, timed.elements());
      double each = timed.ns() / calls;
      inclusive[i] = Math.max(0, each - timed.waitNs() / calls) * since.elements() / delivered;
      inclusiveCpu[i] =
          Math.min(
              inclusive[i],
              each * since.elements() / delivered * since.cpu().share(now.cpu().share(1)));
      measureCrew(i);
      OpCounters.Transfer copied = now(i).transfer();
      if (copied != null && copied.steps().ns() == 0) { // else its stream waits, not the consumer
        blocked[i] += Objects.requireNonNull(since(i).transfer()).times().waitNs() / delivered;
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

  private void measureCrew(int index) {
    OpCounters.Crew crew = since(index).crew();
    OpCounters.Threads threads = crew.threads();
    if (threads == null) {
      return;
    }
    blocked[index] = crew.pulls().waits().ns() / delivered;
    if (!crew.onlyPulls()) {
      double otherwise = now(index).crew().presence().cpu().share(threads.cpuShare());
      work[index] = crew.work().ns() / delivered;
      workCpu[index] = work[index] * crew.presence().cpu().share(otherwise);
      workQueued[index] = crew.presence().queuedNs() / delivered;
    }
  }

  /** Gives the time that an operator spent on deferred tensors to the one that left them. */
  private void chargeDeferred() {
    for (int i = 0; i < count; i++) {
      double inline = since(i).calls().later().ns() / delivered;
      double inlineCpu = inline * now(i).calls().later().cpu().share(1);
      boolean places = pullsInput(i) && !now(i).crew().onlyPulls() && hasMaker(i);
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
    double queued;
    double cpu;
    if (thread < 0) {
      Snapshot.Consumer since = to.consumer().minus(from.consumer());
      queued = since.queuedNs();
      cpu =
          since.insideNs() * since.insideCpu().share(to.consumer().insideCpu().share(0))
              + since.stepNs() * since.stepCpu().share(to.consumer().stepCpu().share(0));
    } else if (now(thread).crew().threads() == null) {
      return 0;
    } else {
      queued = since(thread).crew().presence().queuedNs() / delivered;
      cpu = workCpu[thread] + pulledCpu(thread);
    }
    return cpu <= 0 ? 0 : Math.max(0, queued / cpu);
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
    Calls since = since(i).calls();
    OpCounters.Sizes sizes = now(i).calls().sizes();
    OpCounters.Threads threads = now(i).crew().threads();
    double perDelivered = since.elements() / delivered;
    Later deferred = later[i];
    boolean works = threads != null && !now(i).crew().onlyPulls() && !isLent(i);
    double wall = own[i] + (works ? work[i] : 0) + (deferred == null ? 0 : deferred.ns());
    double cpu = ownCpu[i] + (works ? workCpu[i] : 0) + (deferred == null ? 0 : deferred.cpuNs());
    double queued =
        ownCpu[i] * queuedPerCpu(runBy[i])
            + (works ? workCpu[i] * queuedPerCpu(i) : 0)
            + (deferred == null ? 0 : deferred.ns() - deferred.cpuNs() - deferred.waitNs());
    double scale = perDelivered == 0 ? 0 : 1 / perDelivered;
    return new OpProfile(
        new OpProfile.Place(
            node.key(),
            pulledBy[i],
            runBy[i],
            node.op().word(),
            node.op().title(),
            OpShape.of(node.op().getClass()).describe(node.op()),
            node.op().inputs().isEmpty()),
        new OpProfile.Output(since.elements(), since.failures(), perDelivered),
        new OpProfile.Times(wall * scale, cpu * scale, Math.max(0, wall - cpu - queued) * scale),
        new OpProfile.Sizes(
            sizes.elements() == 0 ? 0 : (double) sizes.bytes() / sizes.elements(),
            sizes.bytesP99()),
        deferred,
        threads == null ? null : crew(i, threads),
        transfer(i));
  }

  private OpProfile.@Nullable Transfer transfer(int i) {
    OpCounters.Transfer all = now(i).transfer();
    OpCounters.Transfer since = since(i).transfer();
    if (all == null || since == null) {
      return null;
    }
    // Several devices work side by side; a consumer on the host waits for one after the other.
    OpCounters.Device device = since.device();
    double each = delivered * Math.max(1, device.count());
    double eachWait = all.steps().count() == 0 ? delivered : each;
    return new OpProfile.Transfer(
        device.name(),
        since.isPinned(),
        new OpProfile.TransferTimes(
            since.copies().ns() / each,
            since.times().computeNs() / each,
            since.times().stagedNs() / delivered,
            since.times().waitNs() / eachWait,
            // Of those whose end is known: a device may be several steps behind.
            since.steps().each() / Math.max(1, device.count())),
        since.copies().bytes() / delivered,
        new OpProfile.Room(device.usedBytes(), device.limitBytes(), device.isShortOfRoom()));
  }

  /** How long streams of devices worked on an element; 0 where the host itself does. */
  double deviceStepNs() {
    double ns = 0;
    for (int i = 0; i < count; i++) {
      OpProfile.Transfer transfer = transfer(i);
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

  private Crew crew(int i, OpCounters.Threads threads) {
    OpCounters.Crew since = since(i).crew();
    OpCounters.Stage stage = now(i).stage();
    OpCounters.Presence presence = since.presence();
    OpCounters.Pulls pulls = since.pulls();
    double ns = (double) to.atNs() - from.atNs();
    double manned = presence.workerNs() / ns;
    double workers = manned > 0 ? manned : threads.workers();
    double pull = threads.pullsInput() ? pulled(i) : 0;
    double busyNs = (pull + work[i]) * delivered;
    double queued = workCpu[i] * queuedPerCpu(i);
    double waitNs = Math.max(0, work[i] - workCpu[i] - queued);
    double locked = presence.looks() == 0 ? 0 : (double) presence.locked() / presence.looks();
    return new Crew(
        new OpProfile.Size(
            workers,
            threads.isTuned(),
            ns <= 0 || workers <= 0 ? 0 : Math.min(1, busyNs / (workers * ns))),
        new OpProfile.Buffer(
            stage == null ? 0 : stage.buffer().capacity(),
            stage != null && stage.buffer().isTuned(),
            pulls.count() == 0 ? 0 : pulls.fillSum() / pulls.count(),
            pulls.count() == 0 ? 0 : Math.min(1, (double) pulls.waits().count() / pulls.count())),
        new OpProfile.Pull(pull, threads.pullsInput() ? pulledCpu(i) : 0),
        new OpProfile.Work(
            work[i],
            workCpu[i],
            waitNs,
            since.chunks().variation(),
            since.skew(),
            since.chunks().latest(),
            Math.min(waitNs, work[i] * locked)),
        since.chunks().latestPulls());
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
