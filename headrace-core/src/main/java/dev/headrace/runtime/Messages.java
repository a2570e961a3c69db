package dev.headrace.runtime;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * What a pipeline is about to write to the log. A log handler is foreign code: it may wait for the
 * consumer, or call the pipeline. So it never runs under a lock and never on a worker; what is said
 * there waits until the governor, the consumer or closing comes by.
 *
 * <p><b>Threading:</b> safe; lines keep their order as far as one thread says them.
 */
final class Messages {
  private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();

  /** Keeps a line until {@link #sayAll}. */
  void later(Runnable line) {
    waiting.add(line);
  }

  boolean areWaiting() {
    return !waiting.isEmpty();
  }

  /** Logs what waits; by a thread that holds no lock and for which no worker or consumer waits. */
  void sayAll() {
    for (Runnable line = waiting.poll(); line != null; line = waiting.poll()) {
      line.run();
    }
  }
}
