package dev.headrace.runtime;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import org.jspecify.annotations.Nullable;

/** Reads how long a platform thread has computed; −1 where the platform does not tell. */
final class CpuClock {
  private static final @Nullable ThreadMXBean THREADS = find();

  private CpuClock() {}

  private static @Nullable ThreadMXBean find() {
    try {
      ThreadMXBean threads = ManagementFactory.getThreadMXBean();
      return threads.isThreadCpuTimeSupported() ? threads : null;
    } catch (LinkageError | UnsupportedOperationException e) {
      return null; // a runtime image without java.management
    }
  }

  static boolean isAvailable() {
    return THREADS != null;
  }

  static long cpuNs(Thread thread) {
    return THREADS == null ? -1 : THREADS.getThreadCpuTime(thread.threadId());
  }
}
