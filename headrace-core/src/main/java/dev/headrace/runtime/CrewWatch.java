package dev.headrace.runtime;

import java.util.List;

/** Finds the number of workers for one AUTOTUNE crew from how its workers spend their time. */
final class CrewWatch {
  private static final int SAMPLED = 16;

  /** How fast old observations lose weight. */
  private static final double DECAY = 0.85;

  private final WorkerCrew crew;
  private final Engine engine;
  private double busyNs;
  private double cpuNs;
  private double queuedNs;
  private int lowVisits;
  private int stuckVisits;

  CrewWatch(WorkerCrew crew, Engine engine) {
    this.crew = crew;
    this.engine = engine;
  }

  WorkerCrew crew() {
    return crew;
  }

  void visit(long now) {
    Settings settings = engine.settings();
    int before = crew.target();
    if (crew.isVirtual()) {
      visitVirtual(before, settings);
      return;
    }
    List<Worker> workers = crew.snapshot();
    int working = 0;
    int parked = 0;
    busyNs *= DECAY;
    cpuNs *= DECAY;
    queuedNs *= DECAY;
    int step = Math.max(1, workers.size() / SAMPLED);
    for (int i = 0; i < workers.size(); i += step) {
      Worker worker = workers.get(i);
      boolean isWorking = worker.isWorking();
      Worker.ThreadTimes spent = worker.visit(now);
      // A worker that waits for room is not computing, but neither does its function wait.
      busyNs += spent.busyNs();
      cpuNs += Math.min(spent.cpuNs(), spent.busyNs());
      queuedNs += Math.min(spent.queuedNs(), spent.busyNs());
      if (isWorking) {
        working++;
        Thread.State state = worker.thread().getState();
        if (state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING) {
          parked++;
        }
      }
    }
    if (busyNs < 2e6) {
      return; // too little seen to judge
    }
    double share = WorkerRule.cpuShare(busyNs, cpuNs, queuedNs);
    int wished = WorkerRule.workers(share, settings.cpuBudget(), settings.virtualLimit());
    boolean wouldUnmount = working > 0 && parked * 4 >= working * 3;
    boolean goVirtual = wouldUnmount && wished > settings.threadLimit() && before >= 16;
    int limit = goVirtual ? settings.virtualLimit() : settings.threadLimit();
    int after = Math.min(wished, limit);
    if (after > before) {
      if (!crew.isWaitedFor() && !goVirtual) {
        return; // fast enough as it is
      }
      after = Math.min(after, Math.max(before * 4, before + 2));
      lowVisits = 0;
    } else if (after < before && ++lowVisits < 5) {
      return;
    }
    if (after != before || goVirtual) {
      change(before, after, goVirtual, share);
    }
  }

  private void visitVirtual(int before, Settings settings) {
    // Pinned virtual threads hold their carriers: all mounted, others queued, nobody computing.
    VirtualThreads.Load load = VirtualThreads.load();
    boolean stuck = load.mounted() >= load.carriers() && load.queued() > 0 && !load.isComputing();
    stuckVisits = stuck ? stuckVisits + 1 : 0;
    if (stuckVisits >= 3) {
      change(before, settings.threadLimit(), false, crew.cpuShare());
      stuckVisits = 0;
    } else if (before < settings.virtualLimit() && crew.isWaitedFor()) {
      change(before, Math.min(settings.virtualLimit(), before * 4), true, crew.cpuShare());
    }
  }

  private void change(int before, int after, boolean virtual, double share) {
    crew.resize(after, virtual, share);
    engine.knobTurned(
        crew.name(),
        "workers",
        before,
        after,
        "CPU share %.0f %%%s".formatted(100 * share, virtual ? ", on virtual threads" : ""));
  }
}
