package dev.headrace.spi;

/**
 * Looks at the operators below one, on whatever threads they run.
 *
 * <p><b>Threading:</b> asked by one thread at a time.
 */
public interface Watch extends AutoCloseable {
  /**
   * How long they work, all together, to make one of this operator's elements: what each of them
   * took lately, times how many of its elements it takes.
   *
   * @param elements how many this operator has given since the watch began
   */
  double nsPerElement(long elements);

  /** Whether one of their functions has returned a plan whose passes differ from each other. */
  boolean hasSeenPassesDiffer();

  @Override
  void close();
}
