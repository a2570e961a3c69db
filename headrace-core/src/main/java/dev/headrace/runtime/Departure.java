package dev.headrace.runtime;

import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.TimeUnit;

/**
 * Waits for workers that were told to leave. Crews of one pass are closed one after the other, each
 * when its operator has let go of it, but all share one deadline, are interrupted together, and
 * those who are stuck are named in one warning.
 *
 * <p>A function may swallow an interruption, so those who are left are interrupted again and again.
 * A thread that has died is not waited for, nor is the calling one.
 */
final class Departure {
  private static final long LOOK_AGAIN_NS = TimeUnit.MILLISECONDS.toNanos(20);

  private Departure() {}

  /**
   * Waits for the workers of one crew.
   *
   * @param all the crews that were told to leave, and this one among them
   */
  static void await(Engine engine, WorkerCrew crew, Collection<WorkerCrew> all, long deadlineNs) {
    boolean interrupted = false;
    try {
      for (; ; ) {
        Thread running = crew.interruptRunning();
        if (running == null) {
          return;
        }
        all.forEach(WorkerCrew::interruptRunning);
        long leftNs = deadlineNs - System.nanoTime();
        if (leftNs <= 0) {
          nameStuck(engine, all);
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
