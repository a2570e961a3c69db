package dev.headrace.runtime;

/**
 * How many workers a function deserves: the cores divided by the share of time it computes, and
 * more, because functions do not take turns evenly: while some compute, enough others must have
 * waited already.
 */
final class WorkerRule {
  /** From this share on a function counts as computing, which more workers cannot speed up. */
  static final double COMPUTING = 0.9;

  /** How many more wait than would be needed if they took turns evenly. */
  private static final double SLACK = 8;

  private WorkerRule() {}

  /** The share of a function's own time that it computes; waiting for a core is nobody's time. */
  static double cpuShare(double cpuNs, double waitingNs) {
    double own = cpuNs + waitingNs;
    return own <= 0 ? 1 : cpuNs / own;
  }

  static int workers(double cpuShare, int cores, int limit) {
    if (cpuShare >= COMPUTING) {
      return cores;
    }
    double share = Math.max(cpuShare, 1e-6);
    double wished = Math.ceil(cores * (1 + SLACK * (1 - share) / share));
    return (int) Math.max(cores, Math.min(limit, wished));
  }
}
