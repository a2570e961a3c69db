package dev.headrace.spi;

/**
 * What one running operator has done so far.
 *
 * <p>Counts are exact; times are those of the calls that were timed, scaled up. Tiny calls are
 * timed rarely, so that measuring costs at most about half a percent.
 *
 * <p><b>Threading:</b> written by the thread that runs the cursor; others may read values that are
 * a moment old.
 */
public final class Meter {
  /*
   * Two reads of the clock cost about 50 ns. A call that took t ns is followed by enough untimed
   * calls that the clock stays under half a percent of the time, but never more than 255, so that a
   * change of pace is seen.
   */
  private static final long TIMED_ALWAYS_NS = 10_000;
  private static final int MAX_UNTIMED = 255;

  /** Set to make every cursor run without timing, to measure what timing costs. */
  public static final boolean OFF = Boolean.getBoolean("headrace.meters.off");

  private long elements;
  private long failures;
  private long calls;
  private long timedCalls;
  private long timedElements;
  private long timedNs;
  private int untimed;

  boolean wantsTime() {
    return !OFF && --untimed < 0;
  }

  void count(int added, int failed) {
    calls++;
    elements += added;
    failures += failed;
  }

  void time(long ns, int added) {
    timedCalls++;
    timedElements += added;
    timedNs += ns;
    untimed = ns >= TIMED_ALWAYS_NS ? 0 : (int) Math.min(MAX_UNTIMED, TIMED_ALWAYS_NS / (ns + 1));
  }

  public long elements() {
    return elements;
  }

  public long failures() {
    return failures;
  }

  public long calls() {
    return calls;
  }

  /** Time spent in this operator and in those it pulled from, on the thread that called it. */
  public long totalNs() {
    if (timedElements > 0) {
      return Math.round((double) timedNs * Math.max(elements, timedElements) / timedElements);
    }
    return timedCalls == 0 ? 0 : Math.round((double) timedNs * calls / timedCalls);
  }
}
