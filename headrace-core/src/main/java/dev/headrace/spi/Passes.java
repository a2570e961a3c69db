package dev.headrace.spi;

/**
 * How passes over an operator are numbered: from 0 on, one number for each epoch and repetition.
 *
 * <p>Repetitions that end are counted on: epoch 1 of {@code repeat(3)} begins with pass 3, as in
 * tf.data. Where that is impossible (the epoch before has no end, or the number would be too
 * large), the number is a hash. Every number is less than {@link #LIMIT}, whatever is repeated.
 */
public final class Passes {
  /**
   * All pass numbers are less than this one, so that an operator that draws four random numbers for
   * each pass finds them in {@link dev.headrace.data.Philox}'s stream of 2⁶³.
   */
  public static final long LIMIT = 1L << 61;

  private static final long SPREAD = 0x9E3779B97F4A7C15L;

  private Passes() {}

  /**
   * The number of a repetition.
   *
   * @param pass the pass that repeats
   * @param count how often it repeats; −1 for no end
   * @param repetition which of its repetitions, from 0
   */
  public static long ofRepetition(long pass, long count, long repetition) {
    return within(firstOf(pass, count) + repetition);
  }

  private static long firstOf(long pass, long count) {
    if (count == -1) {
      return pass * SPREAD & LIMIT - 1;
    }
    long product = pass * Math.max(count, 1);
    boolean fits = Math.multiplyHigh(pass, Math.max(count, 1)) == 0 && product >= 0;
    return fits && product < LIMIT ? product : Id.mix(pass ^ Id.mix(count)) & LIMIT - 1;
  }

  /** The number itself if it may be one of a pass; else one that is made of it. */
  public static long within(long number) {
    return number >= 0 && number < LIMIT ? number : Id.mix(number) & LIMIT - 1;
  }
}
