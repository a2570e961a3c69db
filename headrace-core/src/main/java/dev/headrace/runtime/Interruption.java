package dev.headrace.runtime;

import dev.headrace.spi.Cancelled;
import dev.headrace.spi.Causes;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileLockInterruptionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Decides what an interrupt of a thread means in one pass. There is no other place that does.
 *
 * <ul>
 *   <li>The consumer's thread belongs to the user. An interrupt of it is the user's wish to stop
 *       waiting: the pull ends with {@link Cancelled}, {@code next()} throws, the thread stays
 *       interrupted, and the next call goes on where this one stopped. Where all cursors keep their
 *       place they are left as they are; else the pass goes back to what was delivered; where it
 *       cannot, the interrupt waits until the pull is over.
 *   <li>A function of the user that fails on the consumer's thread because of that interrupt has
 *       not failed: its element is made again.
 *   <li>Workers are the engine's, and it interrupts them only to close. Any other interrupt of a
 *       worker was left behind by a function: it is cleared, and a call that it made fail is
 *       repeated once.
 * </ul>
 *
 * <p><b>Threading:</b> asked by all threads of the pass; what waits is the consumer's alone.
 */
final class Interruption {
  /** A function that interrupts its own thread again and again fails after so many calls. */
  private static final int MOST_CALLS = 100;

  /**
   * Where the pipeline stops instead, it fails after so many stops without an element in between:
   * more than somebody makes who interrupts to stop it, because each ends a call of {@code next()}.
   */
  private static final int MOST_STOPS = 1000;

  private static final int DEEPEST_CAUSE = 20;

  private final Stops stops;
  private volatile @Nullable Thread consumer;

  /** Whether a source was opened that cannot be read again, so that there is no way back. */
  private volatile boolean isOneWay;

  /** Whether the consumer was interrupted and learns of it when its pull is over. */
  private boolean waits;

  /** How many things the consumer is inside of that cannot stop and be repeated. */
  private int wholes;

  /**
   * How often functions have stopped a pipeline since it gave an element.
   *
   * <p><b>Threading:</b> the consumer's.
   */
  static final class Stops {
    private int inFunctions;
  }

  Interruption(Stops stops) {
    this.stops = stops;
  }

  /** Takes note that the pull has given elements, or the end. */
  void pullSucceeded() {
    stops.inFunctions = 0;
  }

  /** Says which thread pulls the last cursor from now on. */
  void pullBegins(Thread thread) {
    if (consumer != thread) {
      consumer = thread;
    }
  }

  /** Lets the consumer's thread have the interrupt that had to wait. */
  void pullEnds() {
    if (waits) {
      waits = false;
      Thread.currentThread().interrupt();
    }
  }

  void openedOneWay() {
    isOneWay = true;
  }

  /** Runs what cannot stop in the middle and go on there later. */
  void asOne(Runnable work) {
    if (Thread.currentThread() != consumer) {
      work.run();
      return;
    }
    wholes++;
    try {
      work.run();
    } finally {
      wholes--;
    }
  }

  /**
   * Stops the consumer if it was interrupted, and may be stopped here.
   *
   * @param placeIsKept whether all cursors above keep their place
   */
  void check(boolean placeIsKept) {
    Thread thread = Thread.currentThread();
    if (thread == consumer && (waits || thread.isInterrupted())) {
      stop(placeIsKept, "interrupted while running the pipeline");
    }
  }

  /** A wait of the calling thread was interrupted, and its mark is cleared. */
  void waitWasInterrupted(boolean placeIsKept, String where) {
    if (Thread.currentThread() == consumer) {
      stop(placeIsKept, where + ": interrupted while waiting for an element");
    } // else a function left it behind: only closing stops a worker, and is seen by a flag
  }

  /** A function has returned and left the calling thread interrupted. */
  void functionReturned() {
    if (Thread.currentThread() != consumer) {
      boolean _ = Thread.interrupted();
    }
  }

  /**
   * Whether a function that failed must be called again at once; throws where the consumer can be
   * stopped instead.
   *
   * @param times how often it was called again for this element before
   */
  boolean functionFailed(Throwable cause, int times, boolean placeIsKept) {
    Thread thread = Thread.currentThread();
    if (thread != consumer) {
      boolean _ = Thread.interrupted();
      return times == 0 && isInterruption(cause); // an earlier call may have left it behind
    }
    if (!thread.isInterrupted() && !isInterruption(cause)) {
      return false;
    }
    if (canStop(placeIsKept) && ++stops.inFunctions > MOST_STOPS) {
      return false; // it is not the user who interrupts
    }
    stop(placeIsKept, "interrupted inside a function");
    return times < MOST_CALLS;
  }

  private boolean canStop(boolean placeIsKept) {
    return !isOneWay || (placeIsKept && wholes == 0);
  }

  private void stop(boolean placeIsKept, String message) {
    if (canStop(placeIsKept)) {
      waits = false;
      Thread.currentThread().interrupt();
      throw new Cancelled(message, placeIsKept && wholes == 0);
    }
    waits = true;
    boolean _ = Thread.interrupted(); // or it would hit functions, whose elements it is not for
  }

  private static boolean isInterruption(Throwable thrown) {
    Throwable cause = thrown;
    for (int i = 0; cause != null && i < DEEPEST_CAUSE; i++) {
      if (cause instanceof InterruptedException
          || cause instanceof ClosedByInterruptException
          || cause instanceof FileLockInterruptionException
          || (cause instanceof InterruptedIOException
              && !(cause instanceof SocketTimeoutException))) {
        return true;
      }
      // What another thread threw says nothing of this one.
      cause = cause instanceof ExecutionException ? null : Causes.causeOf(cause);
    }
    return false;
  }
}
