package dev.headrace.bench;

import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What one call of a function of a held-out pipeline costs.
 *
 * @param micros the mean time of a call
 * @param lockShare of that time is spent inside a lock that all calls share
 * @param bytes allocated and written to in each call
 */
record HeldOutWork(Kind kind, Spread spread, int micros, double lockShare, int bytes, long seed) {
  /** How a call spends its time. */
  enum Kind {
    COMPUTES,
    SLEEPS,
    /** Half of each. */
    MIXED
  }

  /** How the times of calls differ. */
  enum Spread {
    CONSTANT,
    UNIFORM,
    LOGNORMAL,
    /** A few calls take many times as long as the others. */
    RARE,
    /** Some dozen slow calls in a row, then quick ones. */
    BURSTS,
    /** Slower and slower, then quicker again, over hundreds of calls. */
    DRIFTS
  }

  private static final int RARE_ONE_IN = 40;
  private static final double RARE_FACTOR = 20;
  private static final int BURST = 64;
  private static final int DRIFT = 400;

  static final HeldOutWork NONE = new HeldOutWork(Kind.COMPUTES, Spread.CONSTANT, 0, 0, 0, 0);

  boolean isNone() {
    return micros == 0;
  }

  HeldOutWork withTimes(double factor) {
    return new HeldOutWork(kind, spread, (int) (micros * factor), lockShare, bytes, seed);
  }

  boolean locks() {
    return lockShare > 0;
  }

  /** Spends the time of one call; the same number spends the same time in every run. */
  long spend(Burn burn, ReentrantLock lock, long number) {
    if (isNone()) {
      return number;
    }
    double time = micros * factor(number);
    int inside = (int) (time * lockShare);
    if (inside > 0) {
      lock.lock();
      try {
        pass(burn, inside, number);
      } finally {
        lock.unlock();
      }
    }
    pass(burn, (int) time - inside, number);
    if (bytes > 0) {
      byte[] garbage = new byte[bytes];
      for (int i = 0; i < bytes; i += 512) {
        garbage[i] = (byte) number;
      }
      return number + (garbage[bytes / 2 & -512] == (byte) number ? 0 : 1);
    }
    return number;
  }

  private void pass(Burn burn, int time, long number) {
    if (time <= 0) {
      return;
    }
    int computing =
        switch (kind) {
          case COMPUTES -> time;
          case SLEEPS -> 0;
          case MIXED -> time / 2;
        };
    if (computing > 0 && burn.micros(computing, number) == 0) {
      throw new IllegalStateException("burn: never 0");
    }
    if (time > computing) {
      Patients.nap(time - computing, number);
    }
  }

  /** How many times the mean this call takes; 1 in the mean. */
  double factor(long number) {
    SplittableRandom random = new SplittableRandom(seed ^ number * 0x9E3779B97F4A7C15L);
    return switch (spread) {
      case CONSTANT -> 1;
      case UNIFORM -> random.nextDouble(0.4, 1.6);
      case LOGNORMAL -> Math.min(12, Math.exp(0.8 * random.nextGaussian() - 0.32));
      case RARE -> (random.nextInt(RARE_ONE_IN) == 0 ? RARE_FACTOR : 1) / rareMean();
      case BURSTS -> Math.floorMod(number, BURST) < BURST / 4 ? 2.8 : 0.4;
      case DRIFTS -> 1 + 0.7 * Math.sin(2 * Math.PI * Math.floorMod(number, DRIFT) / DRIFT);
    };
  }

  private static double rareMean() {
    return 1 + (RARE_FACTOR - 1) / RARE_ONE_IN;
  }

  @Override
  public String toString() {
    return "%s %s %d us%s%s"
        .formatted(
            kind.name().toLowerCase(Locale.ROOT),
            spread.name().toLowerCase(Locale.ROOT),
            micros,
            locks() ? ", %.0f %% in a lock".formatted(100 * lockShare) : "",
            bytes > 0 ? ", allocates %d kB".formatted(bytes / 1000) : "");
  }
}
