package dev.headrace.runtime;

import java.util.List;

/**
 * Finds the number of workers for one AUTOTUNE crew from how its workers spend their time.
 *
 * <p>CPU time is measured; the share of time spent waiting is found by looking, again and again,
 * whether a worker that is inside its function waits. Time without a core is neither, so a loaded
 * machine does not make a computing function look like a waiting one.
 */
final class CrewWatch {
  private static final int LOOKS_PER_VISIT = 4;

  /** So many looks are enough where most saw waiting, so many where fewer did. */
  private static final double LEAST_LOOKS = 8;

  private static final double LEAST_LOOKS_IF_MIXED = 18;
  private static final double MOSTLY = 0.5;

  private static final double QUEUED = 0.4;

  /** Less waiting than this is what collectors and compilers do to any function. */
  private static final double TOO_LITTLE = 0.15;

  /** How fast old observations lose weight. */
  private static final double DECAY = 0.92;

  private final WorkerCrew crew;
  private final Engine engine;
  private double busyNs;
  private double cpuNs;
  private double looks;
  private double blocked;
  private double parked;
  private int turn;
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
    if (crew.isVirtual()) {
      visitVirtual();
      return;
    }
    look(now);
    double waiting = looks == 0 ? 0 : blocked / looks;
    if (looks < (waiting > MOSTLY ? LEAST_LOOKS : LEAST_LOOKS_IF_MIXED) || busyNs < 2e6) {
      return; // too little seen to judge
    }
    Settings settings = engine.settings();
    int before = crew.target();
    boolean tooLittle = waiting < TOO_LITTLE && before <= settings.cpuBudget();
    double share = tooLittle ? 1 : WorkerRule.cpuShare(cpuNs, busyNs * waiting);
    int wished = WorkerRule.workers(share, settings.cpuBudget(), settings.virtualLimit());
    boolean wouldUnmount = blocked > 0 && parked >= 0.75 * blocked;
    boolean goVirtual = wouldUnmount && wished > settings.threadLimit() && before >= 16;
    int after = Math.min(wished, goVirtual ? settings.virtualLimit() : settings.threadLimit());
    if (after > before * 1.2) {
      lowVisits = 0;
      // Where most of the time is spent ready, but without a core, more workers cannot help.
      boolean hasCores = busyNs * (1 - waiting) - cpuNs < QUEUED * busyNs;
      if (crew.isWaitedFor() && hasCores) {
        change(before, Math.min(after, Math.max(before * 4, before + 2)), goVirtual, share);
      }
    } else if (after < before * 0.7 || (after < before && share >= WorkerRule.COMPUTING)) {
      if (++lowVisits >= 5) {
        change(before, Math.max(after, before * 3 / 4), false, share);
      }
    } else {
      lowVisits = 0;
    }
  }

  /** Visits a few of the workers, others each time. */
  private void look(long now) {
    List<Worker> workers = crew.snapshot();
    busyNs *= DECAY;
    cpuNs *= DECAY;
    looks *= DECAY;
    blocked *= DECAY;
    parked *= DECAY;
    for (int i = 0; i < Math.min(LOOKS_PER_VISIT, workers.size()); i++) {
      turn = turn + 1 >= workers.size() ? 0 : turn + 1;
      Worker.Visit visit = workers.get(turn).visit(now);
      busyNs += visit.busyNs();
      cpuNs +=
          CpuClock.isAvailable()
              ? Math.min(visit.cpuNs(), visit.busyNs())
              : visit.blocked() ? 0 : visit.busyNs();
      if (visit.working()) {
        looks++;
        blocked += visit.blocked() ? 1 : 0;
        parked += visit.blocked() && visit.parked() ? 1 : 0;
      }
    }
  }

  private void visitVirtual() {
    Settings settings = engine.settings();
    int before = crew.target();
    // Pinned virtual threads hold their carriers: all mounted, others queued, nobody computing.
    VirtualThreads.Load load = VirtualThreads.load();
    boolean stuck = load.mounted() >= load.carriers() && load.queued() > 0 && !load.isComputing();
    stuckVisits = stuck ? stuckVisits + 1 : 0;
    if (stuckVisits >= 3) {
      stuckVisits = 0;
      change(before, settings.threadLimit(), false, crew.cpuShare());
    } else if (before < settings.virtualLimit() && crew.isWaitedFor()) {
      change(before, Math.min(settings.virtualLimit(), before * 4), true, crew.cpuShare());
    }
  }

  private void change(int before, int after, boolean virtual, double share) {
    crew.resize(after, virtual, share);
    engine.knobTurned(
        crew.operator(),
        "workers",
        before,
        after,
        "CPU share %.0f %%%s".formatted(100 * share, virtual ? ", on virtual threads" : ""));
  }
}
