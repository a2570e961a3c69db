package dev.headrace;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ctrl-C and other ends of the program, made polite: the training is asked to end between two
 * steps, and has a while to write its checkpoint before the JVM is gone. A wait for data is
 * interrupted, a step never is.
 *
 * <p><b>Threading:</b> made and closed by the thread that trains; the JVM's shutdown calls from
 * another.
 */
final class ShutdownWatch implements AutoCloseable {
  private static final int GRACE_SECONDS = 30;

  private final Thread trainer = Thread.currentThread();
  private final CountDownLatch ended = new CountDownLatch(1);
  private final Thread hook = new Thread(this::shutDown, "headrace-training-shutdown");
  private final boolean isInstalled;
  private volatile boolean asked;
  private boolean waits;

  ShutdownWatch(boolean installed) {
    isInstalled = installed && install();
  }

  private boolean install() {
    try {
      Runtime.getRuntime().addShutdownHook(hook);
      return true;
    } catch (IllegalStateException e) {
      return false; // the JVM is ending already
    }
  }

  private void shutDown() {
    synchronized (this) {
      asked = true;
      if (waits) {
        trainer.interrupt();
      }
    }
    try {
      var unused = ended.await(GRACE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Whether the training is to end before its next step. */
  boolean isAsked() {
    return asked || Thread.currentThread().isInterrupted();
  }

  /** Says that the training waits for data from now on, or no longer does. */
  synchronized void waits(boolean now) {
    waits = now;
  }

  @Override
  public void close() {
    ended.countDown();
    if (isInstalled) {
      try {
        Runtime.getRuntime().removeShutdownHook(hook);
      } catch (IllegalStateException e) {
        // the JVM is ending, and the hook runs
      }
    }
  }
}
