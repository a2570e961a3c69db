package dev.headrace.testing;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds threads of pipelines that should have ended. */
public final class LeftoverThreads {
  private static final String PREFIX = "headrace-";

  private LeftoverThreads() {}

  /** The names of running platform threads that belong to a pipeline. */
  public static List<String> names() {
    List<String> names = new ArrayList<>();
    for (int attempt = 0; attempt < 50; attempt++) {
      names.clear();
      for (Thread thread : running()) {
        if (thread != null && thread.getName().startsWith(PREFIX) && thread.isAlive()) {
          names.add(thread.getName());
        }
      }
      if (names.isEmpty()) {
        break;
      }
      Thread.yield(); // a thread that has left its work may need a moment to be gone
    }
    return names;
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
