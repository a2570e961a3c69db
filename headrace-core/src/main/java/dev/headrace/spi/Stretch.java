package dev.headrace.spi;

/**
 * A run of calls of which one, drawn at random before the run begins, is looked at and stands for
 * all of them.
 *
 * <p>How long a run is follows from what calls took on average so far, so that looking costs
 * little.
 *
 * <p><b>Threading:</b> one thread.
 */
final class Stretch {
  /** Calls that are averaged over; then older ones count half. */
  private static final double MEMORY = 2_048;

  private final long alwaysNs;
  private final int longest;
  private int length = 1;
  private int place;
  private double recentNs;
  private double recentCalls;
  private int random = 0x9E3779B9;

  /**
   * A first stretch of one call.
   *
   * @param alwaysNs calls that take at least this on average are all looked at
   */
  Stretch(long alwaysNs, int longest) {
    this.alwaysNs = alwaysNs;
    this.longest = longest;
  }

  /** How many calls the one that is looked at stands for. */
  int length() {
    return length;
  }

  /** Some calls took so long each. */
  void saw(long ns, int calls) {
    recentNs += (double) calls * ns;
    recentCalls += calls;
    if (recentCalls > MEMORY) {
      recentNs /= 2;
      recentCalls /= 2;
    }
  }

  /** Begins the next stretch after a look; how many calls pass before the next one. */
  int next() {
    int left = length - 1 - place;
    double each = recentCalls == 0 ? alwaysNs : recentNs / recentCalls;
    length = (int) Math.clamp(Math.ceil(alwaysNs / (each + 1)), 1, longest);
    place = length == 1 ? 0 : draw(length);
    return left + place;
  }

  /** A number below the bound, by Marsaglia's xorshift. */
  private int draw(int bound) {
    random ^= random << 13;
    random ^= random >>> 17;
    random ^= random << 5;
    return (int) (((random & 0xFFFF_FFFFL) * bound) >>> 32);
  }
}
