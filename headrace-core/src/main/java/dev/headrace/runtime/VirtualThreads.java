package dev.headrace.runtime;

import java.lang.management.ManagementFactory;
import java.util.function.Supplier;
import jdk.management.VirtualThreadSchedulerMXBean;
import org.jspecify.annotations.Nullable;

/** Looks at the scheduler of virtual threads, where the runtime lets us. */
final class VirtualThreads {
  private static final @Nullable VirtualThreadSchedulerMXBean SCHEDULER = find();

  /** How many threads carry virtual ones; 0 where that is not told. */
  private static final int CARRIERS = SCHEDULER == null ? 0 : SCHEDULER.getParallelism();

  private VirtualThreads() {}

  /** How loaded the carriers are. */
  record Load(int carriers, int mounted, long queued, boolean isComputing) {
    /** Whether all carriers are held by threads that do nothing, while others wait for one. */
    boolean isStuck() {
      return mounted >= carriers && queued > 0 && !isComputing;
    }
  }

  /** Virtual threads that hold their carriers make no more calls at once than this each. */
  private static final int MANY_A_CARRIER = 4;

  /**
   * Whether virtual threads hold their carriers while they wait, so that others cannot go on: all
   * are mounted, others are queued, and none computes. Many that wake together look the same for a
   * moment; but then many calls are under way at once, which threads that hold carriers cannot do.
   *
   * @param callsAtOnce how many calls were under way at once, in the mean
   */
  static boolean holdCarriers(double callsAtOnce) {
    return holdCarriers(callsAtOnce, CARRIERS, VirtualThreads::load);
  }

  /** The same, where the scheduler is asked only if it matters: asking is expensive. */
  static boolean holdCarriers(double callsAtOnce, int carriers, Supplier<Load> load) {
    return callsAtOnce < MANY_A_CARRIER * carriers && load.get().isStuck();
  }

  private static @Nullable VirtualThreadSchedulerMXBean find() {
    try {
      return ManagementFactory.getPlatformMXBean(VirtualThreadSchedulerMXBean.class);
    } catch (LinkageError | IllegalArgumentException e) {
      return null;
    }
  }

  private static Load load() {
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
