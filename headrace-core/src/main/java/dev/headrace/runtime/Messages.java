package dev.headrace.runtime;

import java.lang.System.Logger.Level;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * What a pipeline writes to the log. A log handler is foreign code: it may throw, wait for the
 * consumer, or call the pipeline. So it never runs under a lock and never on a worker; what is said
 * there waits until the governor, the consumer or closing comes by.
 *
 * <p><b>Threading:</b> safe; lines keep their order as far as one thread says them.
 */
final class Messages {
  private record Line(Level level, String text) {}

  private final System.Logger log;
  private final Queue<Line> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean handlerFailed = new AtomicBoolean();

  Messages(System.Logger log) {
    this.log = log;
  }

  /** Keeps a line until {@link #sayAll}. */
  void later(Level level, String text) {
    waiting.add(new Line(level, text));
  }

  boolean areWaiting() {
    return !waiting.isEmpty();
  }

  /** Logs what waits; by a thread that holds no lock and for which no worker or consumer waits. */
  void sayAll() {
    for (Line line = waiting.poll(); line != null; line = waiting.poll()) {
      say(line);
    }
  }

  private void say(Line line) {
    try {
      log.log(line.level, line.text);
    } catch (Throwable e) {
      // A line that cannot be logged costs that line, not the training.
      if (!handlerFailed.getAndSet(true)) {
        System.err.println(
            "headrace: a log handler failed with "
                + e.getClass().getName()
                + "; it lost: "
                + line.text);
      }
    }
  }
}
