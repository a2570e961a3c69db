package dev.headrace;

import dev.headrace.data.Log;
import dev.headrace.runtime.Engine;
import dev.headrace.runtime.OpenPass;
import dev.headrace.spi.Causes;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Leases;
import dev.headrace.spi.Site;
import java.lang.System.Logger.Level;
import java.lang.ref.Cleaner;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What an open pipeline holds, and how it is given back.
 *
 * <p>Threads reach these parts, and the parts do not reach the pipeline. So a pipeline that the
 * program no longer holds is garbage even while its threads run, and its parts are then closed.
 *
 * <p><b>Threading:</b> the consumer writes; the thread that closes holds {@link #running}.
 *
 * <p><b>Ownership:</b> of the pipeline; closing gives everything back.
 */
final class OpenParts {
  private static final System.Logger LOG = Log.named("headrace.pipeline");
  private static final Duration CLOSE_PATIENCE = Duration.ofMillis(500);

  final Engine engine;

  /** Elements that were pulled, and the one that was delivered last. */
  final Chunk chunk = new Chunk();

  @Nullable Object delivered;

  /** Bears the charge for what was delivered once the chunk it came in has been replaced. */
  final Chunk charged = new Chunk();

  volatile @Nullable OpenPass pass;
  volatile @Nullable OpenPass nextPass;
  volatile boolean closed;
  private volatile @Nullable Thread elsewhere;

  /** Held by the consumer while it runs cursors; the thread that closes them must hold it, too. */
  final ReentrantLock running = new ReentrantLock();

  private final AtomicBoolean cleanedUp = new AtomicBoolean();
  private final Site openedAt;

  OpenParts(Engine engine, Site openedAt) {
    this.engine = engine;
    this.openedAt = openedAt;
  }

  /** Has these parts closed when their pipeline is garbage and was not closed. */
  Cleaner.Cleanable closeWithout(Pipeline<?> pipeline) {
    return Forgotten.CLEANER.register(pipeline, this::closeForgotten);
  }

  /** Started with the first pipeline, and kept: there is one for the process. */
  private static final class Forgotten {
    static final Cleaner CLEANER =
        Cleaner.create(
            work -> {
              Thread thread = new Thread(work, "headrace cleaner");
              thread.setDaemon(true);
              return thread;
            });
  }

  private void closeForgotten() {
    if (closed) {
      return;
    }
    cancel();
    // Its functions may take their time; others that were forgotten should not wait for that.
    elsewhere(
        () -> {
          String at = openedAt.toString();
          LOG.log(
              Level.WARNING,
              "pipeline: expected the pipeline opened at {0} to be closed, but it was forgotten;"
                  + " its threads and memory are given back now; open it in a"
                  + " try-with-resources statement",
              at.isEmpty() ? "an unknown line" : at);
          close(() -> {});
        });
  }

  /** Runs something on a thread of its own, which ends with it. */
  void elsewhere(Runnable work) {
    elsewhere =
        Thread.ofPlatform().daemon().name("headrace-closing-" + engine.number()).start(work);
  }

  /** Waits for the thread that closes because a function asked for it, so that none is left. */
  private void awaitElsewhere() {
    Thread closing = elsewhere;
    if (closing != null && closing != Thread.currentThread()) {
      boolean _ = within(engine.closeGrace(), closing::join);
    }
  }

  /** Makes everyone who runs or waits stop, without waiting for them. */
  void cancel() {
    closed = true;
    OpenPass current = pass;
    OpenPass warm = nextPass;
    if (current != null) {
      current.cancel();
    }
    if (warm != null) {
      warm.cancel();
    }
  }

  /**
   * Gives everything back once the consumer is out of the cursors; if it does not come out soon, it
   * will do that itself.
   *
   * @param first what is done before
   */
  void close(Runnable first) {
    if (awaitConsumer()) {
      try {
        cleanUp(first);
      } finally {
        running.unlock();
      }
    }
    awaitElsewhere();
  }

  private boolean awaitConsumer() {
    Wait forConsumer = left -> running.tryLock(left.toNanos(), TimeUnit.NANOSECONDS);
    return running.tryLock()
        || within(CLOSE_PATIENCE, forConsumer)
        || (cleanedUp.get() // by another thread, which has not finished
            && within(engine.closeGrace(), forConsumer));
  }

  /** Something to wait for: false if it did not come in time. */
  private interface Wait {
    boolean upTo(Duration left) throws InterruptedException;
  }

  /** Waits whatever happens; an interruption is kept for the caller. */
  private static boolean within(Duration most, Wait wait) {
    long deadlineNs = System.nanoTime() + most.toNanos();
    boolean interrupted = false;
    try {
      for (; ; ) {
        try {
          return wait.upTo(Duration.ofNanos(Math.max(0, deadlineNs - System.nanoTime())));
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Gives everything back, once. Called by the thread that holds {@link #running}. */
  void cleanUp(Runnable first) {
    if (cleanedUp.getAndSet(true)) {
      return;
    }
    OpenPass current = pass;
    OpenPass warm = nextPass;
    Throwable failure = attempt(first, null);
    if (current != null) {
      failure = attempt(current::close, failure);
    }
    if (warm != null) {
      failure = attempt(warm::close, failure);
    }
    failure =
        attempt(
            () -> {
              Leases.giveBack(chunk, "the pipeline was closed");
              Object element = delivered;
              if (element != null) {
                Leases.giveBack(element, "the pipeline was closed");
              }
            },
            failure);
    failure = attempt(engine::close, failure);
    switch (failure) {
      case null -> {}
      case RuntimeException e -> throw e;
      // Not as it is: the JVM may throw the very same one that the caller is just handling.
      default -> throw new IllegalStateException("close: " + Causes.textOf(failure), failure);
    }
  }

  /** Does one step of closing, whatever became of those before; gives what was thrown first. */
  private static @Nullable Throwable attempt(Runnable step, @Nullable Throwable before) {
    try {
      step.run();
    } catch (Throwable e) {
      if (before != null) {
        Causes.suppress(before, e);
        return before;
      }
      return e;
    }
    return before;
  }
}
