package dev.headrace.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Runs a program of this module in a Java process of its own, with the same class path. */
final class OwnProcess {
  private OwnProcess() {}

  /**
   * How a program ended.
   *
   * @param code its exit code; 137 where it had to be ended
   */
  record Ended(int code, List<String> lines) {}

  /**
   * Runs a program to its end.
   *
   * @param options for the virtual machine, beside native access and our own properties
   * @param seconds after which it is ended
   * @param lines told of each line as it is printed
   */
  static Ended run(
      Class<?> program,
      List<String> options,
      List<String> arguments,
      long seconds,
      Consumer<String> lines)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--enable-native-access=ALL-UNNAMED");
    System.getProperties()
        .forEach(
            (name, value) -> {
              if (name.toString().startsWith("headrace.")) {
                command.add("-D" + name + "=" + value);
              }
            });
    command.addAll(options);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
    command.addAll(arguments);
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    List<String> printed = new ArrayList<>();
    Thread reading =
        Thread.ofPlatform()
            .daemon()
            .start(
                () -> {
                  try (var out = process.inputReader(StandardCharsets.UTF_8)) {
                    for (String line = out.readLine(); line != null; line = out.readLine()) {
                      synchronized (printed) {
                        printed.add(line);
                      }
                      lines.accept(line);
                    }
                  } catch (IOException e) {
                    process.destroy();
                  }
                });
    try {
      boolean isOver = process.waitFor(seconds, TimeUnit.SECONDS);
      if (!isOver) {
        process.destroyForcibly();
      }
      reading.join(TimeUnit.SECONDS.toMillis(5));
      synchronized (printed) {
        return new Ended(isOver ? process.exitValue() : 137, List.copyOf(printed));
      }
    } finally {
      process.destroyForcibly();
    }
  }
}
