package dev.headrace.bench;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A program of its own that computes on as many threads as it is told to, as other people's
 * programs do.
 *
 * <p><b>Ownership:</b> the process ends when this is closed.
 */
public final class Spinner implements AutoCloseable {
  private final Process process;
  private final BufferedWriter commands;
  private final BufferedReader answers;

  private Spinner(Process process) {
    this.process = process;
    this.commands = process.outputWriter(StandardCharsets.UTF_8);
    this.answers = process.inputReader(StandardCharsets.UTF_8);
  }

  /** Starts the program, which is idle at first. */
  static Spinner start() throws IOException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx32m",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                Spinner.class.getName())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    Spinner spinner = new Spinner(process);
    spinner.spin(0); // returns once the program is there
    return spinner;
  }

  /** Has it compute on so many threads from now on. */
  void spin(int threads) throws IOException {
    commands.write(Integer.toString(threads));
    commands.newLine();
    commands.flush();
    if (answers.readLine() == null) {
      throw new IOException("spinner: expected an answer, but the program has ended");
    }
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(2, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }

  // ---- the program ------------------------------------------------------------------------------

  private static volatile int wanted;

  /** Reads a number of threads from each line; ends with its input. */
  public static void main(String[] arguments) throws IOException {
    List<Thread> threads = new ArrayList<>();
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        wanted = Integer.parseInt(line.strip());
        threads.removeIf(thread -> !thread.isAlive());
        for (int i = threads.size(); i < wanted; i++) {
          int number = i;
          threads.add(
              Thread.ofPlatform()
                  .daemon()
                  .start(
                      () -> {
                        while (number < wanted) {
                          Thread.onSpinWait();
                        }
                      }));
        }
        System.out.println(wanted);
      }
    }
  }
}
