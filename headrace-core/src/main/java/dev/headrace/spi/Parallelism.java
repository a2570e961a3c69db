package dev.headrace.spi;

/** How many calls of a function may be in flight. */
public final class Parallelism {
  /** The function must not be called concurrently. */
  public static final int SEQUENTIAL = 0;

  private Parallelism() {}

  /** Accepts {@link #SEQUENTIAL}, AUTOTUNE and positive numbers. */
  public static void check(String word, int parallelism) {
    if (parallelism < Knob.AUTOTUNE) {
      throw new IllegalArgumentException(
          word
              + ": expected a parallelism of at least 1 or AUTOTUNE, but got "
              + parallelism
              + "; leave it out to call the function from one thread at a time");
    }
  }
}
