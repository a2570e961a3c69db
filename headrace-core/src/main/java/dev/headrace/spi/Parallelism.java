package dev.headrace.spi;

/** How many calls of a function may be in flight. */
public final class Parallelism {
  /** The function must not be called concurrently. */
  public static final int SEQUENTIAL = 0;

  /**
   * One call at a time, on the thread that pulls, until the engine has measured that more threads
   * would help; then as many as it finds good. What the optimizer writes where a function is pure,
   * but the user did not ask for threads.
   */
  public static final int IF_IT_HELPS = -2;

  private Parallelism() {}

  /** Whether the number of calls in flight is the engine's to choose. */
  public static boolean isTuned(int parallelism) {
    return parallelism < 0;
  }

  /** How many calls it allows at most; what is left to the engine comes after every number. */
  static int most(int parallelism) {
    return switch (parallelism) {
      case Knob.AUTOTUNE -> Integer.MAX_VALUE;
      case IF_IT_HELPS -> Integer.MAX_VALUE - 1;
      default -> parallelism;
    };
  }

  /** Accepts {@link #SEQUENTIAL}, AUTOTUNE, {@link #IF_IT_HELPS} and positive numbers. */
  public static void check(String word, int parallelism) {
    if (parallelism < IF_IT_HELPS) {
      throw new IllegalArgumentException(
          word
              + ": expected a parallelism of at least 1 or AUTOTUNE, but got "
              + parallelism
              + "; leave it out to call the function from one thread at a time");
    }
  }
}
