package dev.headrace.tune;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Workers that take {@code eachNs} for an element, and together do no more than {@code most}. */
class GrowthTest {
  private static final long MS = 1_000_000;

  private final Growth growth = new Growth();
  private long nowNs = 1;
  private long elements;
  private long workNs;
  private int workers = 2;

  /** Goes on for a while in steps of 5 ms, growing fourfold whenever that is allowed. */
  private void run(long forNs, long eachNs, double mostPerMs) {
    double left = 0;
    for (long t = 0; t < forNs; t += 5 * MS) {
      nowNs += 5 * MS;
      double perMs = Math.min((double) workers * MS / eachNs, mostPerMs);
      left += 5 * perMs;
      elements += (long) left;
      workNs += (long) left * (long) (workers * MS / perMs);
      left -= (long) left;
      if (workers < 1000 && growth.mayGrow(nowNs, elements, workNs)) {
        growth.grew(nowNs, elements, workNs);
        workers *= 4;
      }
    }
  }

  @Test
  void growsWhileItHelps() {
    run(1000 * MS, 8 * MS, 1e9);
    assertThat(workers).isGreaterThanOrEqualTo(1000);
  }

  @Test
  void stopsWhereItDoesNotHelpAnyMore() {
    run(3000 * MS, 8 * MS, 2);
    assertThat(workers).isBetween(32, 128); // 16 do all that can be done
  }

  /** Calls may be long, or code may still be loading, for which many would wait in vain. */
  @Test
  void growsLaterAndLaterWhileNothingIsOver() {
    run(50 * MS, 10_000_000 * MS, 1e9);
    assertThat(workers).isEqualTo(8);
    run(300 * MS, 10_000_000 * MS, 1e9);
    assertThat(workers).isEqualTo(128);
    run(1500 * MS, 10_000_000 * MS, 1e9);
    assertThat(workers).isGreaterThanOrEqualTo(1000);
  }

  @Test
  void triesAgainWhenTheFunctionTakesLonger() {
    run(3000 * MS, 8 * MS, 2);
    int before = workers;
    run(3000 * MS, 800 * MS, 1e9);
    assertThat(workers).isGreaterThan(before);
  }
}
