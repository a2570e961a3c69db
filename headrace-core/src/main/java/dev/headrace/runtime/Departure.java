package dev.headrace.runtime;

import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Waits for the workers of crews that were told to leave: for all of them together, until one
 * deadline, and names those who do not in one warning.
 *
 * <p>A function may swallow an interruption, so those who are left are interrupted again and again.
 * A thread that has died is not waited for, nor is the calling one.
 */
final class Departure {
  private static final long LOOK_AGAIN_NS = TimeUnit.MILLISECONDS.toNanos(20);

  private Departure() {}

  static void await(Engine engine, Collection<WorkerCrew> crews, long deadlineNs) {
    boolean interrupted = false;
    try {
      for (; ; ) {
        Thread running = interruptAll(crews);
        if (running == null) {
          return;
        }
        long leftNs = deadlineNs - System.nanoTime();
        if (leftNs <= 0) {
          nameStuck(engine, crews);
          return;
        }
        try {
          boolean _ = running.join(Duration.ofNanos(Math.min(leftNs, LOOK_AGAIN_NS)));
        } catch (InterruptedException e) {
          interrupted = true; // closing goes on; the caller learns of it afterwards
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static @Nullable Thread interruptAll(Collection<WorkerCrew> crews) {
    Thread running = null;
    for (WorkerCrew crew : crews) {
      Thread one = crew.interruptRunning();
      running = one == null ? running : one;
    }
    return running;
  }

  private static void nameStuck(Engine engine, Collection<WorkerCrew> crews) {
    StringBuilder text = new StringBuilder();
    for (WorkerCrew crew : crews) {
      for (Thread thread : crew.newlyStuck()) {
        text.append(text.isEmpty() ? "close: " : "\n  ")
            .append(thread.getName())
            .append(" does not react to interruption and is left behind; it is at ")
            .append(StallReport.stackOf(thread));
      }
    }
    if (!text.isEmpty()) {
      engine.warn(text.toString());
    }
  }
}
