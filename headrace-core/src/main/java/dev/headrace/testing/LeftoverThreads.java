package dev.headrace.testing;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds threads of pipelines that should have ended. */
public final class LeftoverThreads {
  private static final String PREFIX = "headrace-";
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private LeftoverThreads() {}

  /** The names of running platform threads that belong to a pipeline, as it is now. */
  public static List<String> names() {
    return all().stream().map(Thread::getName).toList();
  }

  /**
   * The names of those that stay and are not among some that were there before. A thread that has
   * done its work ends when it next gets a core, which on a busy machine takes a while: it is
   * waited for.
   */
  static List<String> namesBeside(Set<Thread> before) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    Set<Thread> left = all();
    left.removeAll(before);
    for (Thread thread : left) {
      if (!hasEnded(thread, deadline)) {
        break;
      }
    }
    left.removeIf(thread -> !thread.isAlive());
    return left.stream().map(Thread::getName).toList();
  }

  private static boolean hasEnded(Thread thread, long deadline) {
    try {
      return thread == Thread.currentThread()
          || thread.join(Duration.ofNanos(Math.max(1, deadline - System.nanoTime())));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** The running platform threads that belong to a pipeline. */
  static Set<Thread> all() {
    Set<Thread> all = new LinkedHashSet<>();
    for (Thread thread : running()) {
      if (thread != null && thread.getName().startsWith(PREFIX) && thread.isAlive()) {
        all.add(thread);
      }
    }
    return all;
  }

  private static @Nullable Thread[] running() {
    ThreadGroup all = Thread.currentThread().getThreadGroup();
    while (all != null && all.getParent() != null) {
      all = all.getParent();
    }
    if (all == null) {
      return new Thread[0];
    }
    @Nullable Thread[] threads = new Thread[2 * all.activeCount() + 16];
    all.enumerate(threads, true);
    return threads;
  }
}
