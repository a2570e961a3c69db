package dev.headrace.profile;

import java.util.List;

/**
 * How much of the time the threads of a pipeline were ready to compute without a core.
 *
 * @param cpuNs computing by operators, for one element that the consumer gets
 * @param corelessNs ready without a core
 * @param ns all that operators took
 * @param threads how many were ready or computing on average, and {@code used} how many of them
 *     computed, the consumer's among them
 */
record Ready(double cpuNs, double corelessNs, double ns, double threads, double used) {
  /** Time without a core matters from this share of the operators' time on. */
  private static final double MATTERS = 0.15;

  /** The cores are all in use if no more than the rest of this share is idle. */
  private static final double FULL = 0.85;

  private static final double HARDLY_OTHERS = 0.1;

  static Ready of(List<OpProfile> operators, Profile.Consumer consumer) {
    double cpu = 0;
    double coreless = 0;
    double all = 0;
    for (OpProfile op : operators) {
      cpu += op.cpuNsPerDelivered();
      coreless += Math.max(0, op.ns() - op.cpuNs() - op.waitNs()) * op.perDelivered();
      all += op.nsPerDelivered();
    }
    double cycle = consumer.stepNs() + consumer.insideNs();
    double used = cycle <= 0 ? 0 : (cpu + consumer.stepCpuNs()) / cycle;
    return new Ready(cpu, coreless, all, used + (cycle <= 0 ? 0 : coreless / cycle), used);
  }

  /** The share of the operators' time. */
  double share() {
    return ns <= 0 ? 0 : Math.min(1, corelessNs / ns);
  }

  /** Whether lacking a core cost time that matters. */
  boolean lackedCores() {
    return cpuNs > 0 && share() >= MATTERS;
  }

  /**
   * What others leave to a pipeline.
   *
   * @param cores how many, for all of its threads together
   * @param slowdown how many times as long each of them computes, because it takes turns with
   *     others
   * @param all the cores of the machine, and {@code others} how many threads of others want one
   */
  record Left(double cores, double slowdown, double all, double others) {
    /** Cores that nothing else uses. */
    Left(double cores) {
      this(cores, 1, cores, 0);
    }

    /** How fast each of so many threads computes: they and others share the cores evenly. */
    double speed(int computing) {
      return Math.min(1, all / Math.max(1e-3, computing + others));
    }
  }

  /**
   * What others leave on this machine: other programs, and what else computes in this process, like
   * the compiler, the collector beside the program, and threads of the user. Schedulers share cores
   * evenly among threads, or among groups of them, which cannot be seen from here: what is left
   * lies between both.
   */
  Left on(Profile.Machine machine) {
    double all = machine.cores();
    double others = Math.min(machine.otherCores(), all);
    boolean isIdle = machine.processCores() + others < FULL * all;
    double otherThreads = others;
    double slowdown = 1;
    if (others >= HARDLY_OTHERS * all && !isIdle && lackedCores()) {
      otherThreads = Math.max(others, (1 + corelessNs / cpuNs) * all - threads);
      slowdown = Math.max(1, (Math.min(threads, all) + otherThreads) / all);
    }
    // What the collector's threads compute while everything stands still is in its pauses.
    double beside = machine.processCores() - used - machine.gcShare() * all;
    double taken = Math.clamp(beside, 0, all);
    double evenly = all * all / (all + otherThreads + taken);
    double cores = (Math.max(all - others - taken, evenly / 2) + evenly) / 2;
    return new Left(cores, slowdown, all, otherThreads + taken);
  }
}
