package dev.headrace.spi;

/**
 * Looks at the operators below one, on whatever threads they run.
 *
 * <p><b>Threading:</b> asked by one thread at a time.
 */
public interface Watch extends AutoCloseable {
  /**
   * How long all of them work to make one of this operator's elements: what each thread took lately
   * for what it does, times how often it does it.
   *
   * @param elements how many this operator has pulled since the watch began
   * @param pullingNs how long that took on the thread that pulls
   */
  double nsPerElement(long elements, long pullingNs);

  /** Whether one of their functions has returned a plan whose passes differ from each other. */
  boolean hasSeenPassesDiffer();

  @Override
  void close();
}
