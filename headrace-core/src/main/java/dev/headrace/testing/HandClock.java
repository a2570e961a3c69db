package dev.headrace.testing;

import dev.headrace.spi.NanoClock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A clock that stands still until it is turned: {@code options.clock(clock)} makes waits and stalls
 * of a pipeline happen in its time.
 */
public final class HandClock implements NanoClock {
  private final AtomicLong now = new AtomicLong(1);

  @Override
  public long nanoTime() {
    return now.get();
  }

  /** Lets time pass. */
  public void advance(Duration duration) {
    now.addAndGet(duration.toNanos());
  }
}
