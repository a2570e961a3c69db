package dev.headrace.bench;

import java.util.Arrays;

/**
 * The median of repeated measurements with a 95 % interval from order statistics, which assumes
 * nothing about how they are distributed.
 *
 * <p>Nine measurements give ranks 2 and 8. With fewer than six no such interval exists; the ends
 * are then the least and the greatest measurement.
 */
public record Interval(double median, double low, double high) {
  private static final double OUTSIDE_ONE_END = 0.025;

  /** The interval of some measurements. */
  public static Interval of(double... values) {
    if (values.length == 0) {
      throw new IllegalArgumentException(
          "interval: expected at least one measurement, but got none");
    }
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int rank = lowRank(sorted.length);
    return new Interval(percentile(sorted, 0.5), sorted[rank], sorted[sorted.length - 1 - rank]);
  }

  /** The value below which a share of the sorted values lies, between neighbours in proportion. */
  static double percentile(double[] sorted, double share) {
    double place = share * (sorted.length - 1);
    int below = (int) place;
    if (below + 1 >= sorted.length) {
      return sorted[sorted.length - 1];
    }
    return sorted[below] + (place - below) * (sorted[below + 1] - sorted[below]);
  }

  /**
   * The highest index, counted from 0, that lies above the true median in at most 2.5 % of all
   * cases: each measurement is below the median with probability one half.
   */
  private static int lowRank(int count) {
    double exactly = Math.pow(0.5, count);
    double atMost = 0;
    int rank = 0;
    for (int below = 0; below < count / 2; below++) {
      atMost += exactly;
      if (atMost > OUTSIDE_ONE_END) {
        break;
      }
      rank = below;
      exactly = exactly * (count - below) / (below + 1);
    }
    return rank;
  }
}
