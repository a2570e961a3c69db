package dev.headrace.runtime;

import dev.headrace.spi.Cancelled;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** One pass over the whole plan: what all its cursors share, first of all whether it goes on. */
final class Pass {
  private volatile boolean closed;
  private volatile @Nullable Thread consumer;
  private final Set<Stage> stages = ConcurrentHashMap.newKeySet();

  void add(Stage stage) {
    stages.add(stage);
  }

  void remove(Stage stage) {
    stages.remove(stage);
  }

  /** Says which thread pulls the last cursor; its interruption stops what it runs itself. */
  void consumedBy(Thread thread) {
    if (consumer != thread) {
      consumer = thread;
    }
  }

  boolean isConsumer(Thread thread) {
    return consumer == thread;
  }

  /** Makes everyone who runs or waits in this pass stop. */
  void close() {
    closed = true;
    stages.forEach(Stage::wakeAll);
  }

  boolean isClosed() {
    return closed;
  }

  /** Takes note that a function was interrupted: by closing, or because the consumer was. */
  void interrupted() {
    Thread thread = Thread.currentThread();
    if (closed || thread == consumer) {
      thread.interrupt();
      throw new Cancelled("interrupted inside a function");
    }
  }

  void checkGoing() {
    if (closed) {
      throw new Cancelled("the pipeline was closed");
    }
    Thread thread = Thread.currentThread();
    if (thread == consumer && thread.isInterrupted()) {
      throw new Cancelled("interrupted while running the pipeline");
    }
  }
}
