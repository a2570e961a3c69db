package dev.headrace.bench;

/** Computing that takes a known time on a core of its own: a count of steps, not a clock. */
final class Burn {
  private final double stepsPerMicro;

  private Burn(double stepsPerMicro) {
    this.stepsPerMicro = stepsPerMicro;
  }

  /** Finds how many steps a microsecond has, from the fastest of many tries. */
  static Burn calibrated() {
    return calibrated(0);
  }

  /**
   * The same over so many seconds: a shared core is slow for a while, and that must not make the
   * work less.
   */
  static Burn calibrated(double seconds) {
    long steps = 1_000_000;
    double fastest = Double.MAX_VALUE;
    long seed = 1;
    long begunNs = System.nanoTime();
    for (int i = 0; i < 60 || System.nanoTime() - begunNs < seconds * 1e9; i++) {
      long start = System.nanoTime();
      seed += steps(steps, seed);
      fastest = Math.min(fastest, System.nanoTime() - start);
    }
    if (seed == 0) {
      throw new IllegalStateException("burn: the steps were not made");
    }
    return new Burn(steps / (fastest / 1e3));
  }

  /** Computes for so many microseconds; returns a number that depends on all of it. */
  long micros(int micros, long seed) {
    return steps((long) (micros * stepsPerMicro), seed);
  }

  private static long steps(long steps, long seed) {
    long x = seed | 1;
    for (long i = 0; i < steps; i++) {
      x ^= x << 13;
      x ^= x >>> 7;
      x ^= x << 17;
    }
    return x;
  }
}
