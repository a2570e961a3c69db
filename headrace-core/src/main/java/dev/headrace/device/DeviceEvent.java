package dev.headrace.device;

/**
 * A mark in a stream, which is done when everything queued before it is.
 *
 * <p><b>Threading:</b> safe for any number of threads. A thread that saw an event done sees what
 * was copied before it.
 *
 * <p><b>Ownership:</b> the code that recorded it closes it, once no thread waits for it.
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
   * How long after {@code start}, an event of a stream of the same device, this one was done; less
   * than 0 if it was done before. Both must be done.
   */
  long nanosSince(DeviceEvent start);

  /** Lets go of the mark; the copies go on. */
  @Override
  void close();
}
