package dev.headrace.spi;

/** Whether a parallel operator delivers its results in the order of its input. */
public enum Order {
  /** As the pipeline's options say; ordered unless the user said {@code deterministic(false)}. */
  DEFAULT,
  /** In the order of the input, for any number of threads. */
  ORDERED,
  /** As results become ready. */
  UNORDERED;

  /** What pipelines do about the order of operators without a wish of their own. */
  public static Order of(boolean deterministic) {
    return deterministic ? ORDERED : UNORDERED;
  }
}
