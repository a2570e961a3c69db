package dev.headrace.tune;

/**
 * How long workers stood still because they were as far ahead as they may be: whether to let them
 * go further is worth its memory.
 *
 * <p>Workers that others wait for have stood still at some time or other. More room can win no more
 * than the time that they stood still, and no more than the time that others waited.
 */
public final class Standstill {
  /** Less of either is not worth twice the memory. */
  private static final double WORTH_IT = 0.02;

  private long lookedNs;
  private long waitedBefore;
  private long standingSince;
  private boolean isStanding;
  private long stoodNs;

  /** Begins at this time. */
  public Standstill(long nowNs) {
    lookedNs = nowNs;
  }

  /** Somebody could go on, but may not. */
  public void begins(long nowNs) {
    if (!isStanding) {
      isStanding = true;
      standingSince = nowNs;
    }
  }

  /** Somebody goes on. */
  public void ends(long nowNs) {
    if (isStanding) {
      isStanding = false;
      stoodNs += nowNs - standingSince;
    }
  }

  /** Whether somebody could go on, but may not. */
  public boolean isStanding() {
    return isStanding;
  }

  /** Whether there was any, since the room was last turned: most often there was none. */
  public boolean wasSeen() {
    return isStanding || stoodNs > 0;
  }

  /**
   * Whether more room could have won something, since it was last turned.
   *
   * @param waitedNs how long somebody waited, in all
   */
  public boolean isWorthMore(long nowNs, long waitedNs) {
    double looked = Math.max(1, nowNs - lookedNs);
    long stood = stoodNs + (isStanding ? nowNs - standingSince : 0);
    return stood >= WORTH_IT * looked && waitedNs - waitedBefore >= WORTH_IT * looked;
  }

  /** Makes what was seen so far count half: what happens now matters. */
  public void fade(long nowNs, long waitedNs) {
    lookedNs += (nowNs - lookedNs) / 2;
    waitedBefore += (waitedNs - waitedBefore) / 2;
    stoodNs /= 2;
  }

  /** There is another room from now on. */
  public void turned(long nowNs, long waitedNs) {
    lookedNs = nowNs;
    waitedBefore = waitedNs;
    stoodNs = 0;
    isStanding = false;
  }
}
