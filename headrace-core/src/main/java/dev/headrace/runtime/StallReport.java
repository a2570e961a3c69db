package dev.headrace.runtime;

import dev.headrace.data.Plural;
import java.util.List;

/** Says who waits for whom, with the stacks of those who are inside functions of the user. */
final class StallReport {
  private static final int FRAMES = 12;

  private StallReport() {}

  static String of(List<WorkerCrew> crews, long waitedNs) {
    long now = System.nanoTime();
    StringBuilder text = new StringBuilder();
    text.append("the consumer has waited ")
        .append(waitedNs / 1_000_000)
        .append(" ms for an element, and nothing has moved since. Who waits for whom:");
    for (WorkerCrew crew : crews) {
      List<Worker> workers = crew.snapshot();
      text.append("\n  ").append(crew.name());
      text.append(crew.isWaitedFor() ? " is waited for; " : " is not waited for; ");
      int working = 0;
      Worker longest = null;
      for (Worker worker : workers) {
        if (worker.isWorking()) {
          working++;
          if (longest == null || worker.workingForNs(now) > longest.workingForNs(now)) {
            longest = worker;
          }
        }
      }
      text.append(working)
          .append(" of ")
          .append(workers.size())
          .append(' ')
          .append(Plural.word(workers.size(), "worker"))
          .append(working == 1 ? " is" : " are")
          .append(" inside a function");
      Worker shown = longest != null || workers.isEmpty() ? longest : workers.getFirst();
      if (shown != null) {
        text.append("; ")
            .append(shown.thread().getName())
            .append(" for ")
            .append(shown.workingForNs(now) / 1_000_000)
            .append(" ms, at ")
            .append(stackOf(shown.thread()));
      }
    }
    return text.toString();
  }

  static String stackOf(Thread thread) {
    StringBuilder text = new StringBuilder();
    StackTraceElement[] stack = thread.getStackTrace();
    for (int i = 0; i < Math.min(FRAMES, stack.length); i++) {
      text.append("\n      ").append(stack[i]);
    }
    return text.isEmpty() ? "(no stack: it is not running)" : text.toString();
  }
}
