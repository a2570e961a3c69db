package dev.headrace.spi;

/**
 * How many elements of a pass may fail before it is given up.
 *
 * @param count so many in any case
 * @param share this share of all elements so far, if that is more
 */
public record ErrorBudget(long count, double share) {
  private static final long LEAST_OF_SHARE = 10;

  public ErrorBudget {
    if (count < 0) {
      throw new IllegalArgumentException(
          "error budget: expected a count of 0 or more, but got " + count);
    }
    if (!(share >= 0 && share <= 1)) {
      throw new IllegalArgumentException(
          "error budget: expected a share from 0 to 1, as 0.01 for one in a hundred, but got "
              + share);
    }
  }

  /** Any number of failures. */
  public static ErrorBudget unlimited() {
    return new ErrorBudget(Long.MAX_VALUE, 0);
  }

  /** At most {@code count} failures a pass. */
  public static ErrorBudget of(long count) {
    return new ErrorBudget(count, 0);
  }

  /**
   * At most this share of the elements so far, failed ones included; the first 10 failures always
   * pass, because a share of few elements says little.
   */
  public static ErrorBudget share(double share) {
    return share(share, LEAST_OF_SHARE);
  }

  /** At most this share of the elements so far; the first {@code least} failures always pass. */
  public static ErrorBudget share(double share, long least) {
    return new ErrorBudget(least, share);
  }

  /** Whether so many failures among so many elements are too many. */
  public boolean isExceeded(long failures, long elements) {
    return failures > count && failures > share * elements;
  }

  /** {@code at most 10 failures}, {@code at most 10 failures or 1.0 %}. */
  @Override
  public String toString() {
    if (count == Long.MAX_VALUE) {
      return "any number of failures";
    }
    return "at most " + count + " failures" + (share > 0 ? " or " + 100 * share + " %" : "");
  }
}
