package dev.headrace.profile;

import java.util.List;

/**
 * How much of the time the threads of a pipeline were ready to compute without a core.
 *
 * @param cpuNs computing by operators, for one element that the consumer gets
 * @param corelessNs ready without a core
 * @param ns all that operators took
 * @param threads how many may compute at once, and {@code computing} how many are ready on average
 */
record Ready(double cpuNs, double corelessNs, double ns, int threads, double computing) {
  /** Time without a core matters from this share of the operators' time on. */
  private static final double MATTERS = 0.15;

  static Ready of(List<OpProfile> operators, Profile.Consumer consumer) {
    double cpu = 0;
    double coreless = 0;
    double all = 0;
    int threads = 1;
    for (OpProfile op : operators) {
      cpu += op.cpuNsPerDelivered();
      coreless += Math.max(0, op.ns() - op.cpuNs() - op.waitNs()) * op.perDelivered();
      all += op.nsPerDelivered();
      OpProfile.Crew crew = op.crew();
      threads += crew == null ? 0 : (int) Math.ceil(crew.workers());
    }
    double cycle = consumer.stepNs() + consumer.insideNs();
    double computing = cycle <= 0 ? 0 : (cpu + coreless + consumer.stepCpuNs()) / cycle;
    return new Ready(cpu, coreless, all, Math.max(threads, (int) Math.ceil(computing)), computing);
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
   * The cores with which these threads would lack them as much as they did; at most {@code all}.
   */
  double coresBehind(double all) {
    int beside = threads - 1;
    return Contention.coresBehind(
        1 + corelessNs / Math.max(1, cpuNs), beside, computing * beside / threads, all);
  }
}
