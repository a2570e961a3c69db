package dev.headrace.runtime;

import java.util.List;

/**
 * How the workers of a crew spend their time, found by looking at a few of them again and again:
 * how much of it they compute, which is measured, and in how many looks they waited. Old looks
 * fade.
 *
 * <p><b>Threading:</b> one thread, the governor's.
 */
final class Looks {
  private static final int LOOKS_PER_VISIT = 4;

  /** So many looks are enough where most saw waiting, so many where fewer did. */
  private static final double LEAST_LOOKS = 8;

  private static final double LEAST_LOOKS_IF_MIXED = 18;
  private static final double MOSTLY = 0.5;
  private static final double LEAST_BUSY_NS = 2e6;

  private static final double QUEUED = 0.4;

  /** How fast old observations lose weight. */
  private static final double DECAY = 0.92;

  private final WorkerCrew crew;
  private double busyNs;
  private double cpuNs;
  private double looks;
  private double blocked;
  private double parked;
  private double locked;
  private int turn;

  Looks(WorkerCrew crew) {
    this.crew = crew;
  }

  /** Visits a few of the workers, others each time. */
  void look(long now) {
    List<Worker> workers = crew.snapshot();
    busyNs *= DECAY;
    cpuNs *= DECAY;
    looks *= DECAY;
    blocked *= DECAY;
    parked *= DECAY;
    locked *= DECAY;
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
        locked += visit.locked() ? 1 : 0;
      }
    }
  }

  /** Whether enough was seen to judge; of few workers there is never much, because looks fade. */
  boolean suffice() {
    double ever = Math.min(LOOKS_PER_VISIT, crew.target()) / (1 - DECAY);
    double least = Math.min(waiting() > MOSTLY ? LEAST_LOOKS : LEAST_LOOKS_IF_MIXED, 0.8 * ever);
    return looks >= least && busyNs >= LEAST_BUSY_NS;
  }

  /** In which share of the looks a worker that is inside its function waited. */
  double waiting() {
    return looks == 0 ? 0 : blocked / looks;
  }

  /** In which share of the looks a worker that is inside its function waited for a lock. */
  double locked() {
    return looks == 0 ? 0 : locked / looks;
  }

  /** Which share of the time computing and waiting was computing. */
  double cpuShare() {
    return WorkerRule.cpuShare(cpuNs, busyNs * waiting());
  }

  /** Which share of all the time inside functions was computing. */
  double computing() {
    return busyNs == 0 ? 0 : cpuNs / busyNs;
  }

  /**
   * Whether those who could compute do. Where most of the time is spent ready, but without a core,
   * more workers cannot help; nor can it be seen well how much of it they wait.
   */
  boolean haveCores() {
    return busyNs * (1 - waiting() - locked()) - cpuNs < QUEUED * busyNs;
  }

  /** Whether virtual threads would let go of their carriers where these workers wait. */
  boolean wouldUnmount() {
    return blocked > 0 && parked >= 0.75 * blocked;
  }

  /** Starts again. */
  void forget() {
    looks = 0;
    blocked = 0;
    parked = 0;
    locked = 0;
    busyNs = 0;
    cpuNs = 0;
  }
}
