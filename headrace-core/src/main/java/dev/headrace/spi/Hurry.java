package dev.headrace.spi;

/**
 * Tells a loop over a chunk when to look at the clock, and whether it has taken too long.
 *
 * <p>The clock is read four times a chunk, or every 128 elements of a long one. Lengths of chunks
 * follow the pace of the function, so one that turns slow is noticed after a part of what used to
 * be a short time, and a fast one pays a nanosecond an element at most.
 */
public final class Hurry {
  private static final long BUDGET_NS = 1_000_000;
  private static final int LONGEST_STEP = 128;

  private Hurry() {}

  /** The moment at which a loop that begins now should stop. */
  public static long deadline() {
    return System.nanoTime() + BUDGET_NS;
  }

  /** After how many elements of a chunk of {@code size} the clock is read, each time. */
  public static int step(int size) {
    return Math.clamp(size / 4, 1, LONGEST_STEP);
  }

  public static boolean isOver(long deadline) {
    return System.nanoTime() - deadline > 0;
  }
}
