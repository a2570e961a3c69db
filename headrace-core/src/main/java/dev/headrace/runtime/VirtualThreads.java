package dev.headrace.runtime;

import java.lang.management.ManagementFactory;
import jdk.management.VirtualThreadSchedulerMXBean;
import org.jspecify.annotations.Nullable;

/** Looks at the scheduler of virtual threads, where the runtime lets us. */
final class VirtualThreads {
  private static final @Nullable VirtualThreadSchedulerMXBean SCHEDULER = find();

  private static final int CARRIERS = SCHEDULER == null ? 0 : SCHEDULER.getParallelism();

  private VirtualThreads() {}

  /** How loaded the carriers are. */
  record Load(int carriers, int mounted, long queued, boolean isComputing) {
    /** Whether all carriers are held by threads that do nothing, while others wait for one. */
    boolean isStuck() {
      return mounted >= carriers && queued > 0 && !isComputing;
    }
  }

  /** How many threads carry virtual ones; 0 where that is not told. */
  static int carriers() {
    return CARRIERS;
  }

  private static @Nullable VirtualThreadSchedulerMXBean find() {
    try {
      return ManagementFactory.getPlatformMXBean(VirtualThreadSchedulerMXBean.class);
    } catch (LinkageError | IllegalArgumentException e) {
      return null;
    }
  }

  static Load load() {
    if (SCHEDULER == null) {
      return new Load(Integer.MAX_VALUE, 0, 0, false);
    }
    return new Load(
        SCHEDULER.getParallelism(),
        SCHEDULER.getMountedVirtualThreadCount(),
        SCHEDULER.getQueuedVirtualThreadCount(),
        ManagementFactory.getOperatingSystemMXBean()
                instanceof com.sun.management.OperatingSystemMXBean os
            && os.getProcessCpuLoad() * os.getAvailableProcessors()
                > 0.5 * SCHEDULER.getParallelism());
  }
}
