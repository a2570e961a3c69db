package dev.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Programs that end the JVM, or are ended with it: in a JVM of their own. */
@Timeout(120)
class StoppedProgramTest {
  @TempDir private Path folder;

  private static final String PROGRAM =
      """
      import dev.headrace.Dataset;
      void main(String[] arguments) {
        for (long x : Dataset.range(1_000_000).map(x -> slow(x)).open()) {
          if (x == 30) {
            IO.println("going");
            if (arguments.length > 0) {
              System.exit(7);
            }
          }
        }
      }
      long slow(long x) throws InterruptedException {
        Thread.sleep(2);
        return x;
      }
      """;

  @Test
  void aProgramThatExitsIsReportedAndKeepsItsCode() throws Exception {
    String file = new CommandRun(folder).source("Exits.java", PROGRAM);
    List<String> lines = new ArrayList<>();
    assertThat(started(lines, false, "run", file, "--", "exit")).isEqualTo(7);
    assertThat(lines).contains("going").anyMatch(line -> line.startsWith("31 elements in "));
  }

  @Test
  void theGateIsStrongerThanTheProgramsOwnCode() throws Exception {
    String file = new CommandRun(folder).source("Exits.java", PROGRAM);
    List<String> lines = new ArrayList<>();
    assertThat(started(lines, false, "doctor", file, "--max-wait", "0", "--", "exit"))
        .isEqualTo(Main.FAILED);
    assertThat(lines).anyMatch(line -> line.startsWith("FAILED by --max-wait 0"));
  }

  @Test
  void aStoppedProgramIsReported() throws Exception {
    String file = new CommandRun(folder).source("Stopped.java", PROGRAM);
    List<String> lines = new ArrayList<>();
    started(lines, true, "run", file);
    assertThat(lines).contains("stopped").anyMatch(line -> line.contains(" elements in "));
  }

  private static int started(List<String> lines, boolean isStopped, String... args)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-cp"));
    command.add(System.getProperty("java.class.path"));
    command.add(Main.class.getName());
    command.addAll(List.of(args));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try (BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        lines.add(line);
        if (isStopped && line.equals("going")) {
          process.toHandle().destroy(); // to the JVM the same as Ctrl-C
        }
      }
      return process.waitFor();
    } finally {
      process.destroyForcibly();
    }
  }
}
