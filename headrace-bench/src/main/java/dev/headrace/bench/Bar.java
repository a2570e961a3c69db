package dev.headrace.bench;

import java.util.Locale;

/**
 * A limit that a row is meant to keep.
 *
 * @param onRatio whether the ratio is limited, from below; otherwise our value is, from above
 */
public record Bar(boolean onRatio, double limit) {

  /** Our value is to be at most {@code limit}. */
  public static Bar atMost(double limit) {
    return new Bar(false, limit);
  }

  /** The ratio to the peer is to be at least {@code limit}. */
  public static Bar ratioAtLeast(double limit) {
    return new Bar(true, limit);
  }

  /** Whether the unfavourable end of the interval keeps the limit. */
  boolean holds(Interval limited) {
    return onRatio ? limited.low() >= limit : limited.high() <= limit;
  }

  @Override
  public String toString() {
    String number =
        limit == Math.rint(limit)
            ? String.format(Locale.ROOT, "%.0f", limit)
            : String.format(Locale.ROOT, "%s", limit);
    return onRatio ? "ratio >= " + number : "ours <= " + number;
  }
}
