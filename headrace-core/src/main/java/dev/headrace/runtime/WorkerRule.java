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

  /** Less waiting for locks than this happens by chance. */
  private static final double HARDLY_LOCKED = 0.1;

  private WorkerRule() {}

  /**
   * How many workers a function can use of which some wait for locks: little more than those that
   * do not wait, because those that are added only queue behind the others.
   *
   * @param locked the share of workers inside the function that wait for a lock
   */
  static int besideLocks(int workers, double locked, int cores) {
    return locked < HARDLY_LOCKED
        ? Integer.MAX_VALUE
        : Math.max(cores, 1 + (int) Math.ceil(1.25 * workers * (1 - locked)));
  }

  /** The share of a function's own time that it computes; waiting for a core does not count. */
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
