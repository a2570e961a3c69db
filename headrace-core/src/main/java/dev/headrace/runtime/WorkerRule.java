package dev.headrace.runtime;

/** How many workers a function deserves: the cores divided by the share of time it computes. */
final class WorkerRule {
  /** From this share on a function counts as computing, which more workers cannot speed up. */
  static final double COMPUTING = 0.9;

  /** A little more than the rule asks for, because functions do not take turns evenly. */
  private static final double SLACK = 1.15;

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
    double wished = Math.ceil(cores / Math.max(cpuShare, 1e-6) * SLACK);
    return (int) Math.max(cores, Math.min(limit, wished));
  }
}
