package dev.headrace.testing;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds threads of pipelines that should have ended. */
public final class LeftoverThreads {
  private static final String PREFIX = "headrace-";

  private LeftoverThreads() {}

  /** The names of running platform threads that belong to a pipeline. */
  public static List<String> names() {
    return namesBeside(Set.of());
  }

  /** The names of those that are not among some that were there before. */
  static List<String> namesBeside(Set<Thread> before) {
    Set<Thread> left = all();
    left.removeAll(before);
    for (int attempt = 0; attempt < 50 && !left.isEmpty(); attempt++) {
      Thread.yield(); // a thread that has left its work may need a moment to be gone
      left = all();
      left.removeAll(before);
    }
    return left.stream().map(Thread::getName).toList();
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
