package dev.headrace.runtime;

import dev.headrace.spi.Cancelled;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** One pass over the whole plan: what all its cursors share, first of all whether it goes on. */
final class Pass {
  private volatile boolean closed;
  private final Interruption interruption;
  private final Set<Stage> stages = ConcurrentHashMap.newKeySet();
  private final Set<WorkerCrew> crews = ConcurrentHashMap.newKeySet();
  private final Engine engine;
  private volatile long closedUntilNs;

  Pass(Engine engine) {
    this.engine = engine;
    this.interruption = new Interruption(engine.stops());
  }

  void add(WorkerCrew crew) {
    crews.add(crew);
  }

  void add(Stage stage) {
    stages.add(stage);
  }

  void remove(Stage stage) {
    stages.remove(stage);
  }

  Interruption interruption() {
    return interruption;
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

  /** Waits for the workers of a crew that were told to leave. */
  void awaitWorkers(WorkerCrew crew) {
    Departure.await(engine, crew, closed ? crews : List.of(crew), deadlineNs());
    crews.remove(crew);
  }

  /** Until when closing waits: for all of a closed pass the same moment. */
  long deadlineNs() {
    return closed ? closedUntilNs : System.nanoTime() + engine.settings().closeGrace().toNanos();
  }

  boolean isClosed() {
    return closed;
  }

  /**
   * Throws if the pass was closed, or the consumer interrupted and may be stopped here.
   *
   * @param placeIsKept whether all cursors above keep their place
   */
  void checkGoing(boolean placeIsKept) {
    if (closed) {
      throw new Cancelled("the pipeline was closed");
    }
    interruption.check(placeIsKept);
  }

  /** As {@link Interruption#functionReturned}; an interrupt that closes stays. */
  void functionReturned() {
    if (!closed) {
      interruption.functionReturned();
    }
  }

  /** As {@link Interruption#functionFailed}; throws if that happened because of closing. */
  boolean functionFailed(Throwable cause, int times, boolean placeIsKept) {
    if (closed) {
      throw new Cancelled("the pipeline was closed");
    }
    return interruption.functionFailed(cause, times, placeIsKept);
  }
}
