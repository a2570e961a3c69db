package dev.headrace.runtime;

import dev.headrace.profile.Measurements;
import dev.headrace.profile.Snapshot;
import dev.headrace.spi.CpuSample;
import java.util.ArrayList;
import java.util.List;

/**
 * Watches the consumer of a pipeline, and now and then writes down what everybody has done so far.
 *
 * <p>Snapshots are few: when there are too many, every other one is dropped and they are taken half
 * as often, so that a long run is known as evenly as a short one.
 *
 * <p><b>Threading:</b> told by the consumer's thread; read by any.
 */
public final class Recorder {
  private static final int MOST_SNAPSHOTS = 400;
  private static final int LATEST = 1_025;
  private static final long FIRST_PERIOD_NS = 25_000_000;
  private static final long MACHINE_PERIOD_NS = 100_000_000;

  /** Others that use so much of a core make a machine busy. */
  private static final double BUSY = 0.2;

  private final Engine engine;
  private final CpuSample stepCpu = new CpuSample();
  private final CpuSample insideCpu = new CpuSample();
  private final List<Snapshot> snapshots = new ArrayList<>();
  private final double[] steps = new double[LATEST];
  private final double[] waits = new double[LATEST];
  private volatile boolean isMachineBusy;
  private volatile boolean hasStarted;
  private volatile long startedNs;
  private volatile long firstNs;
  private volatile long firstWaitNs;
  private volatile long deliveredAtPull;
  private volatile long epochAtPull;
  private volatile long stepNs;
  private volatile long insideNs;
  private volatile long beganNs;
  private volatile long endedNs;
  private int held;
  private volatile long pulls;
  private long nextNs;
  private long periodNs = FIRST_PERIOD_NS;
  private long queuedNs;
  private Snapshot.Machine machine = new Snapshot.Machine(-1, 0, 0, 0, 0);
  private long machineNs;
  private long crewsNs;

  Recorder(Engine engine) {
    this.engine = engine;
  }

  /** The consumer asks for a chunk. */
  public void pullBegins(long epoch, long delivered) {
    long now = engine.nanoTime();
    beganNs = now;
    deliveredAtPull = delivered;
    epochAtPull = epoch;
    if (pulls > 0) {
      long step = now - endedNs;
      long _ = stepCpu.end(step);
      stepNs = stepNs + step; // one writer
      steps[(int) ((pulls - 1) % LATEST)] = (double) step / Math.max(1, held);
    } else {
      machine = MachineMeter.read();
      queuedNs = Tasks.ownQueuedNs();
      machineNs = now;
      crewsNs = now;
      keep(snapshot(now, epoch, delivered, false));
      nextNs = now + periodNs;
    }
    if (now >= nextNs) {
      look(now);
      keep(snapshot(now, epoch, delivered, false));
      nextNs = now + periodNs;
    }
    insideCpu.begin();
  }

  /** It has got {@code elements}, or none at the end. */
  public void pullEnds(int elements) {
    long now = engine.nanoTime();
    long ns = now - beganNs;
    long _ = insideCpu.end(ns);
    insideNs = insideNs + ns; // one writer
    if (pulls == 0) {
      firstNs = now;
      firstWaitNs = ns;
    }
    if (elements == 0) {
      look(now); // an epoch has ended, and the program may do something else now
    }
    waits[(int) (pulls % LATEST)] = (double) ns / Math.max(1, elements);
    pulls = pulls + 1; // one writer
    held = elements;
    endedNs = now;
    stepCpu.begin();
  }

  /** Whether others use cores, or the consumer lacked one, as of the latest look at the machine. */
  boolean isMachineBusy() {
    return isMachineBusy;
  }

  /** Looks at the machine and at all crews; by the consumer's thread. */
  private void look(long now) {
    if (now - machineNs >= MACHINE_PERIOD_NS) {
      Snapshot.Machine before = machine;
      long queuedBefore = queuedNs;
      double ns = (double) now - machineNs;
      machineNs = now;
      machine = MachineMeter.read();
      queuedNs = Tasks.ownQueuedNs();
      boolean told = before.busyNs() >= 0 && machine.busyNs() >= 0;
      double others =
          told
              ? machine.busyNs() - before.busyNs() - (machine.processNs() - before.processNs())
              : 0;
      isMachineBusy = others > BUSY * ns || queuedNs - queuedBefore > BUSY * ns;
      engine.observeCrews(now - crewsNs);
      crewsNs = now;
    }
  }

  private synchronized void keep(Snapshot snapshot) {
    snapshots.add(snapshot);
    if (snapshots.size() > MOST_SNAPSHOTS) {
      List<Snapshot> half = new ArrayList<>();
      for (int i = 0; i < snapshots.size(); i += 2) {
        half.add(snapshots.get(i));
      }
      snapshots.clear();
      snapshots.addAll(half);
      periodNs *= 2;
    }
  }

  private Snapshot snapshot(long now, long epoch, long delivered, boolean withLatest) {
    return new Snapshot(
        now,
        epoch,
        delivered,
        new Snapshot.Consumer(stepNs, stepCpu.read(), insideNs, insideCpu.read(), queuedNs),
        new Snapshot.Memory(
            engine.memory().heap().usedBytes(), engine.memory().nativeAccount().usedBytes()),
        machine,
        engine.counters(withLatest));
  }

  /**
   * How it is at this moment, or was when the consumer last began or ended a pull; without single
   * times.
   */
  Snapshot now() {
    long now = Math.max(beganNs, endedNs);
    return snapshot(now, epochAtPull, deliveredAtPull, false);
  }

  /** Everything written down so far, and how it is at this moment; at least one. */
  synchronized List<Snapshot> snapshotsUpTo(long epoch, long delivered) {
    List<Snapshot> all = new ArrayList<>(snapshots);
    long now = pulls == 0 ? beganNs : Math.max(beganNs, endedNs);
    if (!all.isEmpty() && now <= all.getLast().atNs()) {
      all.removeLast();
    }
    // What was delivered since the last pull has no times yet.
    all.add(snapshot(now, epoch, Math.min(delivered, deliveredAtPull), true));
    return all;
  }

  /** Looks a last time, before all threads leave. Called by the thread that closes. */
  public void finish() {
    long last = Math.max(beganNs, endedNs);
    if (engine.nanoTime() - last < MACHINE_PERIOD_NS) { // else it was busy with something else
      machine = MachineMeter.read();
    }
    engine.observeCrews(Math.max(0, last - crewsNs));
  }

  /** The consumer begins an epoch. */
  public void starts() {
    if (!hasStarted) {
      hasStarted = true;
      startedNs = engine.nanoTime();
    }
  }

  /** How the consumer went so far. */
  Measurements.Pace pace() {
    long count = Math.max(0, pulls - 1);
    return new Measurements.Pace(
        pulls == 0 ? 0 : (firstNs - startedNs) / 1e9,
        firstWaitNs / 1e9,
        latest(steps, count),
        latest(waits, count));
  }

  private static double[] latest(double[] ring, long count) {
    int kept = (int) Math.min(count, LATEST - 1);
    double[] inOrder = new double[kept];
    for (int i = 0; i < kept; i++) {
      inOrder[i] = ring[(int) ((count - kept + i) % LATEST)];
    }
    return inOrder;
  }
}
