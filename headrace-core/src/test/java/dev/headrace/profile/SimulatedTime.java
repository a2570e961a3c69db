package dev.headrace.profile;

import java.util.SplittableRandom;

/** How long a part of an element takes in a {@link PipelineSimulation}: seconds for each draw. */
@FunctionalInterface
interface SimulatedTime {
  SimulatedTime NONE = random -> 0;

  double draw(SplittableRandom random);

  static SimulatedTime fixed(double seconds) {
    return random -> seconds;
  }

  static SimulatedTime exponential(double mean) {
    return random -> -mean * Math.log(1 - random.nextDouble());
  }

  /** Any spread: {@code variation} is the standard deviation in means. */
  static SimulatedTime gamma(double mean, double variation) {
    double shape = 1 / (variation * variation);
    return random -> mean / shape * standardGamma(shape, random);
  }

  /** With rare long ones. */
  static SimulatedTime lognormal(double mean, double variation) {
    double variance = Math.log(1 + variation * variation);
    double location = Math.log(mean) - variance / 2;
    double deviation = Math.sqrt(variance);
    return random -> Math.exp(location + deviation * random.nextGaussian());
  }

  /** One of those that were measured. */
  static SimulatedTime empirical(double... seconds) {
    double[] all = seconds.clone();
    return random -> all[random.nextInt(all.length)];
  }

  /** Marsaglia and Tsang's method; shapes below one by way of the next larger one. */
  private static double standardGamma(double shape, SplittableRandom random) {
    if (shape < 1) {
      double power = Math.pow(1 - random.nextDouble(), 1 / shape);
      return standardGamma(shape + 1, random) * power;
    }
    double d = shape - 1.0 / 3;
    double c = 1 / Math.sqrt(9 * d);
    for (; ; ) {
      double x = random.nextGaussian();
      double v = Math.pow(1 + c * x, 3);
      double u = 1 - random.nextDouble();
      if (v > 0 && Math.log(u) < x * x / 2 + d - d * v + d * Math.log(v)) {
        return d * v;
      }
    }
  }
}
