package dev.headrace.spi;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import org.jspecify.annotations.Nullable;

/** Reads how long the calling thread has computed. A reading costs about half a microsecond. */
public final class ThreadClock {
  private static final @Nullable ThreadMXBean THREADS = find();

  private ThreadClock() {}

  private static @Nullable ThreadMXBean find() {
    try {
      ThreadMXBean threads = ManagementFactory.getThreadMXBean();
      return threads.isCurrentThreadCpuTimeSupported() ? threads : null;
    } catch (LinkageError | UnsupportedOperationException e) {
      return null; // a runtime image without java.management
    }
  }

  /**
   * Nanoseconds of computing so far; −1 on virtual threads and where the platform does not tell.
   */
  public static long cpuNs() {
    return THREADS == null || Thread.currentThread().isVirtual()
        ? -1
        : THREADS.getCurrentThreadCpuTime();
  }
}
