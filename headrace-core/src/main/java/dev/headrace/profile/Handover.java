package dev.headrace.profile;

import java.util.Arrays;

/** What a bounded buffer between a producer and a consumer costs where their times vary. */
final class Handover {
  private static final int FEWEST_ROUNDS = 2_000;

  private Handover() {}

  /**
   * The mean time between two elements, played through: workers take turns, results leave in order,
   * and nobody begins while the buffer is full.
   *
   * @param work times of one element, used again and again
   * @param slowestNs what the means say, to bring the work to its real pace where the workers are
   *     slowed by something else
   */
  static double cycleNs(double[] work, int workers, int buffer, double[] steps, double slowestNs) {
    int rounds = Math.max(FEWEST_ROUNDS, 2 * Math.max(work.length, steps.length));
    int slots = Math.max(buffer, workers);
    double[] free = new double[workers];
    double[] taken = new double[slots];
    double delivered = 0;
    double consumerFree = 0;
    double warm = 0;
    for (int i = 0; i < rounds; i++) {
      int worker = i % workers;
      double begin = Math.max(free[worker], taken[i % slots]);
      double end = begin + work[i % work.length];
      free[worker] = end;
      delivered = Math.max(delivered, end);
      double start = Math.max(delivered, consumerFree);
      taken[i % slots] = start;
      consumerFree = start + steps[i % steps.length];
      if (i == rounds / 5) {
        warm = consumerFree;
      }
    }
    return Math.max(slowestNs, (consumerFree - warm) / (rounds - 1 - rounds / 5));
  }

  /** Standard deviation over mean. */
  static double variation(double[] times) {
    double mean = Arrays.stream(times).average().orElse(0);
    double squares = Arrays.stream(times).map(time -> (time - mean) * (time - mean)).sum();
    return mean <= 0 ? 0 : Math.sqrt(squares / times.length) / mean;
  }
}
