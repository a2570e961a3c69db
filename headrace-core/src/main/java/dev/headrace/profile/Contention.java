package dev.headrace.profile;

/** What sharing costs: cores among threads that compute, a lock among workers. */
final class Contention {
  private Contention() {}

  /**
   * How many times as long a thread computes that shares cores evenly with others.
   *
   * @param others threads beside it that compute now and then, and {@code computing} how many of
   *     them do on average
   */
  static double slowdown(int others, double computing, double cores) {
    double share = others == 0 ? 0 : Math.clamp(computing / others, 0, 1);
    if (share >= 1) {
      return Math.max(1, (others + 1) / cores);
    }
    // It sees the others as they are at any time, each for itself.
    double probability = Math.pow(1 - share, others);
    double sum = 0;
    double seen = 0;
    for (int n = 0; n <= others && seen < 1 - 1e-9; n++) {
      sum += probability * Math.max(1, (n + 1) / cores);
      seen += probability;
      probability *= (double) (others - n) / (n + 1) * share / (1 - share);
    }
    return sum / Math.max(seen, 1e-12);
  }

  /** The cores with which a thread computes so many times as long; at most {@code most}. */
  static double coresBehind(double slowdown, int others, double computing, double most) {
    if (slowdown(others, computing, most) >= slowdown) {
      return most;
    }
    double low = 0.02;
    double high = most;
    for (int i = 0; i < 30; i++) {
      double middle = (low + high) / 2;
      if (slowdown(others, computing, middle) > slowdown) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return high;
  }

  /**
   * How much of their work workers do inside a lock, from how long they wait for it: the time that
   * makes so many workers, which work and then take the lock, wait so long.
   *
   * @param ownNs what an element takes, inside the lock or not, and {@code lockedNs} waiting for it
   */
  static double heldNs(double workers, double ownNs, double lockedNs) {
    if (lockedNs <= 0 || ownNs <= 0 || workers < 1.5) {
      return 0;
    }
    double low = 0;
    double high = ownNs;
    for (int i = 0; i < 40; i++) {
      double middle = (low + high) / 2;
      if (waitNs(workers, ownNs - middle, middle) < lockedNs) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return Math.min(high, (ownNs + lockedNs) / workers); // one at a time is inside
  }

  /**
   * How long a worker waits for the lock on average: mean value analysis of a closed queue, whose
   * times inside vary a little, so that the one inside is nearly half done when another comes.
   */
  private static double waitNs(double workers, double outsideNs, double insideNs) {
    double queued = 0;
    double used = 0;
    double stay = insideNs;
    int whole = (int) Math.max(2, Math.round(workers));
    for (int n = 1; n <= whole; n++) {
      stay = insideNs * Math.max(1, 1 + queued - 0.44 * used);
      double rate = n / (outsideNs + stay);
      queued = rate * stay;
      used = Math.min(1, rate * insideNs);
    }
    return stay - insideNs;
  }
}
