package dev.headrace.runtime;

/** How many workers a function deserves: the cores divided by the share of time it computes. */
final class WorkerRule {
  private WorkerRule() {}

  /**
   * The share of its own time that a function computes: waiting for a core is nobody's time.
   *
   * @param busyNs inside the function
   * @param cpuNs of it computing
   * @param queuedNs of it ready to compute, but without a core
   */
  static double cpuShare(double busyNs, double cpuNs, double queuedNs) {
    double waiting = Math.max(0, busyNs - cpuNs - queuedNs);
    double own = cpuNs + waiting;
    return own <= 0 ? 1 : cpuNs / own;
  }

  static int workers(double cpuShare, int cores, int limit) {
    if (cpuShare >= 0.9) {
      return cores;
    }
    double wished = Math.ceil(cores / Math.max(cpuShare, 1e-6) * 1.15);
    return (int) Math.max(cores, Math.min(limit, wished));
  }
}
