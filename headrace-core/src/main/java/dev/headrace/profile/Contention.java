package dev.headrace.profile;

/** What it costs that workers share a lock. */
final class Contention {
  private Contention() {}

  /**
   * How much of their work workers do inside a lock, from how long they wait for it: the time that
   * makes so many workers, which work and then take the lock, wait so long.
   *
   * @param ownNs what an element takes, inside the lock or not, and {@code lockedNs} waiting for it
   * @param variation of the times: standard deviation over mean
   */
  static double heldNs(double workers, double ownNs, double lockedNs, double variation) {
    if (lockedNs <= 0 || ownNs <= 0 || workers < 1.5) {
      return 0;
    }
    double low = 0;
    double high = ownNs;
    for (int i = 0; i < 40; i++) {
      double middle = (low + high) / 2;
      if (waitNs(workers, ownNs - middle, middle, variation) < lockedNs) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return Math.min(high, (ownNs + lockedNs) / workers); // one at a time is inside
  }

  /**
   * How long a worker waits for the lock on average: mean value analysis of a closed queue. The one
   * inside is half done when another comes, if times do not vary; the more they do, the more is
   * left.
   */
  private static double waitNs(
      double workers, double outsideNs, double insideNs, double variation) {
    double done = 1 - (1 + variation * variation) / 2;
    double queued = 0;
    double used = 0;
    double stay = insideNs;
    int whole = (int) Math.max(2, Math.round(workers));
    for (int n = 1; n <= whole; n++) {
      stay = insideNs * Math.max(1, 1 + queued - done * used);
      double rate = n / (outsideNs + stay);
      queued = rate * stay;
      used = Math.min(1, rate * insideNs);
    }
    return stay - insideNs;
  }
}
