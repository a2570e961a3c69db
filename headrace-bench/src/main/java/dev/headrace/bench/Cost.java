package dev.headrace.bench;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * How many microseconds something takes for each element: a table that is gone through again and
 * again, so that every run meets the same costs, and any whole number of rounds has the same mean.
 */
record Cost(int... micros) {
  /** So many random numbers stand for one place of a table. */
  private static final int DRAWS = 64;

  static final Cost NONE = new Cost(0);

  /** What it takes for this element. */
  int of(long element) {
    return micros[(int) Math.floorMod(element, (long) micros.length)];
  }

  double mean() {
    return IntStream.of(micros).average().orElse(0);
  }

  boolean isNothing() {
    return Arrays.stream(micros).allMatch(one -> one == 0);
  }

  /** As many as there are places, evenly over a lognormal distribution, in random order. */
  static Cost lognormal(double mean, double variation, int length, SplittableRandom random) {
    double sigma = Math.sqrt(Math.log1p(variation * variation));
    double[] normal = new double[length * DRAWS];
    Arrays.setAll(normal, i -> random.nextGaussian());
    Arrays.sort(normal);
    double[] costs = new double[length];
    Arrays.setAll(costs, i -> Math.exp(sigma * normal[i * DRAWS + DRAWS / 2]));
    return shuffled(costs, mean, random);
  }

  /** As many as there are places, from a few slow ones to many fast ones, in random order. */
  static Cost pareto(double mean, double shape, double most, int length, SplittableRandom random) {
    double[] costs = new double[length];
    Arrays.setAll(costs, i -> Math.min(most, Math.pow(1 - (i + 0.5) / length, -1 / shape)));
    return shuffled(costs, mean, random);
  }

  /** Evenly between two costs, in random order. */
  static Cost between(double low, double high, int length, SplittableRandom random) {
    double[] costs = new double[length];
    Arrays.setAll(costs, i -> low + (high - low) * (i + 0.5) / length);
    return shuffled(costs, (low + high) / 2, random);
  }

  private static Cost shuffled(double[] costs, double mean, SplittableRandom random) {
    double scale = mean / Arrays.stream(costs).average().orElse(1);
    int[] micros = new int[costs.length];
    for (int i = 0; i < micros.length; i++) {
      int other = random.nextInt(i + 1);
      micros[i] = micros[other];
      micros[other] = (int) Math.round(costs[i] * scale);
    }
    return new Cost(micros);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Cost cost && Arrays.equals(micros, cost.micros);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(micros);
  }

  @Override
  public String toString() {
    return micros.length == 1 ? micros[0] + " us" : Math.round(mean()) + " us on average";
  }
}
