package dev.headrace.cli;

import java.io.PrintWriter;
import java.util.Arrays;

/** Says how a user's program ended. */
final class ProgramEnd {
  private ProgramEnd() {}

  /** Prints why it failed, as {@code java} would; gives the exit code for it. */
  static int code(UserProgram.MainTarget program, ProgramRun.Outcome outcome, PrintWriter err) {
    int code =
        switch (outcome.end()) {
          case DONE, OUT_OF_TIME, EXITED -> Main.OK;
          case STOPPED -> {
            err.println("stopped");
            yield Main.STOPPED;
          }
          case FAILED -> {
            err.println("headrace: %s: the program failed:".formatted(program.name()));
            Throwable failure = outcome.failure();
            if (failure != null) {
              onlyItsOwn(failure).printStackTrace(err);
            }
            yield Main.FAILED;
          }
        };
    err.flush();
    return code;
  }

  /** Without the frames by which we called it. */
  private static Throwable onlyItsOwn(Throwable failure) {
    StackTraceElement[] frames = failure.getStackTrace();
    int end = frames.length;
    while (end > 0 && isOurs(frames[end - 1].getClassName())) {
      end--;
    }
    failure.setStackTrace(Arrays.copyOf(frames, end == 0 ? frames.length : end));
    return failure;
  }

  private static boolean isOurs(String type) {
    return type.equals(ProgramRun.class.getName())
        || type.equals(MainMethod.class.getName())
        || type.equals(Thread.class.getName())
        || type.startsWith("java.lang.reflect.")
        || type.startsWith("jdk.internal.reflect.")
        || type.startsWith("java.lang.invoke.");
  }
}
