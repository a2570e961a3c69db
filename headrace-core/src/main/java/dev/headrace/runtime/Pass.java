package dev.headrace.runtime;

import dev.headrace.spi.Cancelled;
import org.jspecify.annotations.Nullable;

/** One pass over the whole plan: what all its cursors share, first of all whether it goes on. */
final class Pass {
  private volatile boolean closed;
  private volatile @Nullable Thread consumer;

  /** Says which thread pulls the last cursor; its interruption stops what it runs itself. */
  void consumedBy(Thread thread) {
    if (consumer != thread) {
      consumer = thread;
    }
  }

  boolean isConsumer(Thread thread) {
    return consumer == thread;
  }

  void close() {
    closed = true;
  }

  boolean isClosed() {
    return closed;
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
