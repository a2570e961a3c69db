package dev.headrace.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What the engine's own measurements cost: the same chain with them on and off, each in a JVM of
 * its own, in turn.
 */
final class MeterRows {
  /** Range, five maps and a batch. */
  static final int OPERATORS = 7;

  private static final double MOST_NS = 0.5;

  private MeterRows() {}

  static List<Row> measure(Setup setup) throws IOException, InterruptedException {
    double[] on = new double[setup.pairs()];
    double[] off = new double[setup.pairs()];
    double[] each = new double[setup.pairs()];
    for (int i = 0; i < setup.pairs(); i++) {
      setup.progress().accept("measuring the meters: pair %d of %d".formatted(i + 1, on.length));
      // The second of two equal programs meets another machine than the first: take turns.
      if (i % 2 == 0) {
        on[i] = probe(false);
        off[i] = probe(true);
      } else {
        off[i] = probe(true);
        on[i] = probe(false);
      }
      each[i] = (on[i] - off[i]) / OPERATORS;
    }
    return List.of(
        Row.ofPairs("range-map^5-batch, meters on", "CPU ns/elem", on, off, "meters off", null, 0),
        Row.alone(
            "meters, for each element and operator",
            "CPU ns",
            Interval.of(each),
            Bar.atMost(MOST_NS)));
  }

  private static double probe(boolean metersOff) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--enable-native-access=ALL-UNNAMED");
    command.add("-Dheadrace.meters.off=" + metersOff);
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(MeterProbe.class.getName());
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    try (BufferedReader answers = process.inputReader(StandardCharsets.UTF_8)) {
      String line = answers.readLine();
      if (process.waitFor() != 0 || line == null) {
        throw new IOException(
            "meters: expected a figure from another JVM, but it ended with " + process.exitValue());
      }
      return Double.parseDouble(line);
    } finally {
      process.destroy();
    }
  }
}
