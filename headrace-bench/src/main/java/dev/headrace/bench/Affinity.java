package dev.headrace.bench;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** On which cores this process may run: what a container's limit does, by the system's taskset. */
final class Affinity {
  private Affinity() {}

  /** Lets all threads of this process run on the first {@code cores} only; whether that worked. */
  static boolean use(int cores) throws IOException {
    try {
      Process taskset =
          new ProcessBuilder(
                  "taskset",
                  "--all-tasks",
                  "--cpu-list",
                  "--pid",
                  "0-" + (cores - 1),
                  Long.toString(ProcessHandle.current().pid()))
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      return taskset.waitFor(5, TimeUnit.SECONDS) && taskset.exitValue() == 0;
    } catch (IOException e) {
      return false; // there is no taskset
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }
}
