package dev.headrace.tune;

import java.util.concurrent.TimeUnit;

/**
 * When to measure again, with no more workers than cores, how much of its time a function waits.
 *
 * <p>While code is loaded and compiled, threads wait for each other in functions that later only
 * compute; and where there are more workers than cores, what more of them bring cannot be told from
 * what compiled code brings. So workers that came by such a look do not stay unseen: they go once,
 * and if the function does wait they are back in a moment.
 */
public final class SecondLook {
  private static final long FIRST_NS = TimeUnit.MILLISECONDS.toNanos(1_500);
  private static final long LONGEST_NS = TimeUnit.MINUTES.toNanos(10);

  /** The next one comes after so many times as long. */
  private static final int RARER = 20;

  /** If workers compute on so few of the cores, their function waits, without any doubt. */
  private static final double SURELY_WAITING = 0.6;

  /** Calls that compute longer do so because of what they do, not because of how it is compiled. */
  private static final double LONG_CALL_NS = TimeUnit.MILLISECONDS.toNanos(20);

  private long intervalNs = FIRST_NS;
  private long dueNs;
  private boolean hasBegun;

  /**
   * Whether it is time.
   *
   * @param computing how many of the workers compute, as far as was seen
   * @param computeNs how long a call computes
   */
  public boolean isDue(long nowNs, int workers, int cores, double computing, double computeNs) {
    if (!hasBegun) {
      hasBegun = true;
      dueNs = nowNs + intervalNs;
    }
    if (nowNs < dueNs
        || workers <= cores
        || computing < SURELY_WAITING * cores
        || computeNs > LONG_CALL_NS) {
      return false;
    }
    intervalNs = Math.min(LONGEST_NS, RARER * intervalNs);
    dueNs = nowNs + intervalNs;
    return true;
  }

  /**
   * Takes note that there are more workers than before, which shall have time to prove themselves.
   */
  public void grew(long nowNs) {
    dueNs = Math.max(dueNs, nowNs + FIRST_NS);
  }
}
