package dev.headrace.cli;

import java.io.PrintStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A user's program, run in this JVM as {@code java} would run it: on a thread of its own called
 * "main", and over when all threads that it started are.
 *
 * <p><b>Threading:</b> used by the command's thread.
 */
final class ProgramRun {
  private static final long TICK_MS = 100;
  private static final long PATIENCE_MS = 3_000;
  private static volatile boolean hasExited;

  /** How a program ended. */
  enum End {
    /** By itself. */
    DONE,
    /** With an exception. */
    FAILED,
    /** It called {@code System.exit}: the JVM is ending. */
    EXITED,
    /** The time it was given is over. */
    OUT_OF_TIME,
    /** By Ctrl-C. */
    STOPPED
  }

  /** How a program ended, and why where it failed. */
  record Outcome(End end, @Nullable Throwable failure) {}

  private final UserProgram.MainTarget program;
  private final ThreadGroup threads = new ThreadGroup("program");
  private volatile @Nullable Throwable failure;

  private ProgramRun(UserProgram.MainTarget program) {
    this.program = program;
  }

  /**
   * Runs a program to its end.
   *
   * @param seconds after which it is interrupted; 0 for never
   * @param isQuiet whether what it prints goes to standard error, because standard output is ours
   * @param tick called now and then
   */
  static Outcome run(
      UserProgram.MainTarget program,
      double seconds,
      boolean isQuiet,
      Progress progress,
      Runnable tick) {
    PrintStream out = System.out;
    PrintStream err = System.err;
    System.setOut(progress.beside(isQuiet ? err : out));
    System.setErr(progress.beside(err));
    try {
      return new ProgramRun(program).run(seconds, tick);
    } finally {
      System.out.flush();
      System.err.flush();
      System.setOut(out);
      System.setErr(err);
    }
  }

  /** Whether a program has called {@code System.exit}. */
  static boolean hasExited() {
    return hasExited;
  }

  private Outcome run(double seconds, Runnable tick) {
    Thread main = new Thread(threads, this::runMain, "main");
    main.setContextClassLoader(program.loader());
    long end = System.nanoTime() + (long) (seconds * 1e9);
    main.start();
    try {
      for (Thread next = main; next != null; next = isOver(main) ? null : unfinished()) {
        while (next.isAlive()) {
          next.join(TICK_MS);
          tick.run();
          if (seconds > 0 && System.nanoTime() > end) {
            stop();
            return new Outcome(End.OUT_OF_TIME, null);
          }
        }
      }
    } catch (InterruptedException e) {
      if (isExiting()) {
        hasExited = true;
        return new Outcome(End.EXITED, null);
      }
      stop();
      return new Outcome(End.STOPPED, null);
    }
    Throwable thrown = failure;
    return new Outcome(thrown == null ? End.DONE : End.FAILED, thrown);
  }

  private void runMain() {
    try {
      program.main().run(program.arguments());
    } catch (Throwable e) {
      failure = e;
    }
  }

  /** A failed program is over although threads of its may still wait for work. */
  private boolean isOver(Thread main) {
    return !main.isAlive() && failure != null;
  }

  /** A thread for which {@code java} would wait. */
  private @Nullable Thread unfinished() {
    Thread[] alive = new Thread[threads.activeCount() + 8];
    int count = threads.enumerate(alive);
    return Arrays.stream(alive, 0, count)
        .filter(thread -> !thread.isDaemon())
        .findFirst()
        .orElse(null);
  }

  /** Interrupts the program's threads, and gives them time to close what they have opened. */
  private void stop() {
    long end = System.nanoTime() + PATIENCE_MS * 1_000_000;
    try {
      for (Thread next = unfinished(); next != null; next = unfinished()) {
        next.interrupt();
        next.join(TICK_MS);
        if (System.nanoTime() > end) {
          return;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // a second Ctrl-C: no more patience
    }
  }

  private static boolean isExiting() {
    return Thread.getAllStackTraces().values().stream()
        .flatMap(Arrays::stream)
        .anyMatch(
            frame ->
                frame.getClassName().equals("java.lang.Runtime")
                    && frame.getMethodName().equals("exit"));
  }
}
