package dev.headrace.tune;

import java.util.concurrent.TimeUnit;

/**
 * Whether more workers have helped so far, so that still more may be tried.
 *
 * <p>How much of its time a function waits is seen less and less clearly the more threads queue for
 * the cores; what more workers bring is seen clearly.
 */
public final class Growth {
  private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long HOLD_NS = TimeUnit.SECONDS.toNanos(10);

  /** More workers have helped if they did so much more. */
  private static final double HELPED = 1.1;

  /** A function that takes so many times as long is another one. */
  private static final double CHANGED = 1.5;

  /**
   * While no call is over, more are tried after so long, and then after twice as long each time:
   * calls may be long, or wait for code that is still being loaded.
   */
  private static final long FIRST_GAP_NS = TimeUnit.MILLISECONDS.toNanos(100);

  private boolean hasGrown;
  private long gapNs = FIRST_GAP_NS;
  private long grownNs;
  private long grownElements;
  private long grownWorkNs;
  private boolean isSettled;
  private long settledNs;
  private long settledElements;
  private long settledWorkNs;
  private double rate;
  private double rateBefore;
  private long heldUntilNs;
  private double eachWhenHeld;

  /**
   * Whether more workers may be tried now.
   *
   * @param elements done so far by all workers, in {@code workNs} of theirs
   */
  public boolean mayGrow(long nowNs, long elements, long workNs) {
    if (!hasGrown) {
      return true; // nothing to compare
    }
    long done = elements - grownElements;
    if (done == 0) {
      return nowNs - grownNs >= gapNs;
    }
    double each = (double) (workNs - grownWorkNs) / done;
    if (!isSettled) {
      if (nowNs - grownNs >= each + LOOK_NS) {
        isSettled = true;
        settledNs = nowNs;
        settledElements = elements;
        settledWorkNs = workNs;
      }
      return false;
    }
    if (nowNs - settledNs < Math.max(each, LOOK_NS) || elements == settledElements) {
      return false;
    }
    rate = (double) (elements - settledElements) / (nowNs - settledNs);
    double eachNow = (double) (workNs - settledWorkNs) / (elements - settledElements);
    if (rate >= HELPED * rateBefore) {
      return true;
    }
    if (eachWhenHeld == 0) {
      eachWhenHeld = eachNow;
      heldUntilNs = nowNs + HOLD_NS;
      return false;
    }
    if (nowNs - settledNs > HOLD_NS / 20) { // judged by what happens now
      isSettled = false;
      grownNs = nowNs;
      grownElements = elements;
      grownWorkNs = workNs;
    }
    return nowNs >= heldUntilNs || eachNow > CHANGED * eachWhenHeld;
  }

  /** Takes note that there are more workers from now on. */
  public void grew(long nowNs, long elements, long workNs) {
    gapNs = hasGrown && elements == grownElements ? 2 * gapNs : FIRST_GAP_NS;
    rateBefore = rate;
    rate = 0;
    hasGrown = true;
    grownNs = nowNs;
    grownElements = elements;
    grownWorkNs = workNs;
    isSettled = false;
    eachWhenHeld = 0;
  }

  /** Takes note that there are fewer, so that what was is no measure. */
  public void shrank() {
    hasGrown = false;
    rate = 0;
    rateBefore = 0;
    eachWhenHeld = 0;
  }
}
