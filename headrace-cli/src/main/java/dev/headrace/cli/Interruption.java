package dev.headrace.cli;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ctrl-C, made polite: the command's thread is interrupted and has a few seconds to close what it
 * has opened before the JVM ends.
 *
 * <p><b>Threading:</b> made and finished by the command's thread; the JVM's shutdown calls from
 * another.
 */
final class Interruption {
  private static final int GRACE_SECONDS = 5;
  private static volatile boolean anywhere;

  private final CountDownLatch finished = new CountDownLatch(1);
  private volatile boolean underWay;

  private Interruption() {}

  /** Lets a shutdown interrupt the calling thread and wait for it. */
  static Interruption ofThisThread() {
    Interruption interruption = new Interruption();
    Thread command = Thread.currentThread();
    Thread hook =
        new Thread(
            () -> {
              if (interruption.finished.getCount() == 0) {
                return;
              }
              interruption.underWay = true;
              anywhere = true;
              command.interrupt();
              try {
                var unused = interruption.finished.await(GRACE_SECONDS, TimeUnit.SECONDS);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            },
            "headrace-interruption");
    Runtime.getRuntime().addShutdownHook(hook);
    return interruption;
  }

  /** Says that the command has closed everything. */
  void finished() {
    finished.countDown();
  }

  /** Whether the JVM is ending although the command was not done. */
  boolean isUnderWay() {
    return underWay;
  }

  /** The same for code that does not know the command. */
  static boolean isUnderWayAnywhere() {
    return anywhere;
  }
}
