package dev.headrace.spi;

/**
 * Looks at the operators below one, on whatever threads they run.
 *
 * <p><b>Threading:</b> asked by one thread at a time.
 */
public interface Watch extends AutoCloseable {
  /** How long they have worked since this was asked last, or since the watch began. */
  long workedNs();

  /** Whether one of their functions has returned a plan whose passes differ from each other. */
  boolean hasSeenPassesDiffer();

  @Override
  void close();
}
