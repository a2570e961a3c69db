package dev.headrace.bench;

import java.util.Locale;

/** A limit that a row is meant to keep. */
public record Bar(Of of, double limit) {

  /** What is limited. */
  public enum Of {
    /** Our value, from above. */
    OURS_AT_MOST("ours <= "),
    /** Our value, from below. */
    OURS_AT_LEAST("ours >= "),
    /** The ratio to the peer, from below. */
    RATIO_AT_LEAST("ratio >= ");

    private final String words;

    Of(String words) {
      this.words = words;
    }
  }

  /** Our value is to be at most {@code limit}. */
  public static Bar atMost(double limit) {
    return new Bar(Of.OURS_AT_MOST, limit);
  }

  /** Our value is to be at least {@code limit}. */
  public static Bar atLeast(double limit) {
    return new Bar(Of.OURS_AT_LEAST, limit);
  }

  /** The ratio to the peer is to be at least {@code limit}. */
  public static Bar ratioAtLeast(double limit) {
    return new Bar(Of.RATIO_AT_LEAST, limit);
  }

  boolean onRatio() {
    return of == Of.RATIO_AT_LEAST;
  }

  /** Whether the unfavourable end of the interval keeps the limit. */
  boolean holds(Interval limited) {
    return of == Of.OURS_AT_MOST ? limited.high() <= limit : limited.low() >= limit;
  }

  @Override
  public String toString() {
    String number =
        limit == Math.rint(limit)
            ? String.format(Locale.ROOT, "%.0f", limit)
            : String.format(Locale.ROOT, "%s", limit);
    return of.words + number;
  }
}
