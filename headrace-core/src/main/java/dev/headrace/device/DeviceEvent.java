package dev.headrace.device;

/**
 * A mark in a stream, which is done when everything queued before it is.
 *
 * <p><b>Threading:</b> safe for any number of threads. What was copied before an event is seen by
 * whoever saw it done.
 *
 * <p><b>Ownership:</b> whoever recorded it closes it, once nobody waits for it.
 */
public interface DeviceEvent extends AutoCloseable {

  /** Whether nothing before it is under way any more, so that {@link #await} would not wait. */
  boolean isDone();

  /**
   * Waits until the event is done.
   *
   * @return false if it was not within the time given
   * @throws DeviceException if something before it failed, or its stream was closed before
   */
  boolean await(long timeoutNs) throws InterruptedException;

  /**
   * How long the stream took from {@code start}, an earlier event of the same stream, to this one;
   * both must be done.
   */
  long nanosSince(DeviceEvent start);

  /** Lets go of the mark; the copies go on. */
  @Override
  void close();
}
