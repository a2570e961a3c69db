package dev.headrace.spi;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import org.jspecify.annotations.Nullable;

/**
 * Reads how long the calling thread has computed, which costs about half a microsecond, and how
 * long it has waited for other threads of its pipeline, which costs some nanoseconds.
 */
public final class ThreadClock {
  private static final @Nullable ThreadMXBean THREADS = find();
  private static final ThreadLocal<long[]> WAITED = ThreadLocal.withInitial(() -> new long[1]);

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

  /** How long the calling thread has waited for other threads of its pipeline so far. */
  public static long waitedNs() {
    return WAITED.get()[0];
  }

  /** The calling thread has waited so long for another one. */
  public static void waited(long ns) {
    WAITED.get()[0] += ns;
  }
}
