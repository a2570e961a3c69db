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
  private final Set<WorkerCrew> crews = ConcurrentHashMap.newKeySet();
  private final Engine engine;
  private volatile long closedUntilNs;

  Pass(Engine engine) {
    this.engine = engine;
  }

  void add(WorkerCrew crew) {
    crews.add(crew);
  }

  void remove(WorkerCrew crew) {
    crews.remove(crew);
  }

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

  /** Makes everyone who runs or waits in this pass stop; does not wait for them. */
  void close() {
    synchronized (this) {
      if (!closed) {
        closedUntilNs = System.nanoTime() + engine.settings().closeGrace().toNanos();
        closed = true;
      }
    }
    stages.forEach(Stage::wakeAll);
    crews.forEach(WorkerCrew::dismiss);
    crews.forEach(WorkerCrew::interruptRunning);
  }

  /** Waits for all workers of a closed pass, until its one deadline. */
  void awaitWorkers() {
    Departure.await(engine, crews, closedUntilNs);
  }

  /** Until when closing waits: for all of a closed pass the same moment. */
  long deadlineNs() {
    return closed ? closedUntilNs : System.nanoTime() + engine.settings().closeGrace().toNanos();
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
