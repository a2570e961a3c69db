package dev.headrace.op;

import dev.headrace.device.DeviceEvent;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An event that several hold, and which is closed with the last of them. An event costs the
 * consumer's stream a few microseconds, so one serves all who want to know of that moment.
 *
 * <p><b>Threading:</b> safe for any number of threads.
 *
 * <p><b>Ownership:</b> its maker holds it once.
 */
final class Mark implements AutoCloseable {
  private final DeviceEvent event;
  private final AtomicInteger holders = new AtomicInteger(1);

  Mark(DeviceEvent event) {
    this.event = event;
  }

  /** Holds it once more. */
  Mark held() {
    holders.incrementAndGet();
    return this;
  }

  /** The event, for as long as the mark is held. */
  DeviceEvent event() {
    return event;
  }

  @Override
  public void close() {
    if (holders.decrementAndGet() == 0) {
      event.close();
    }
  }
}
