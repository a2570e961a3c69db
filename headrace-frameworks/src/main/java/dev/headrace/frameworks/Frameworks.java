package dev.headrace.frameworks;

import dev.headrace.bench.Interval;
import dev.headrace.bench.Row;
import dev.headrace.bench.Scenario;
import dev.headrace.bench.Setup;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What it takes to hand one batch of 32 images, 19 MB of floats, to a framework, each in a JVM of
 * its own: two of them bring their own PyTorch.
 */
public final class Frameworks implements Scenario {
  @Override
  public String name() {
    return "frameworks";
  }

  @Override
  public String summary() {
    return "handing batches to DJL, PyTorch, TensorFlow and plain arrays; about a minute";
  }

  @Override
  public List<Row> run(Setup setup) throws IOException, InterruptedException {
    List<Row> rows = new ArrayList<>();
    for (String framework : Transfers.FRAMEWORKS) {
      setup.progress().accept(framework);
      rows.addAll(measure(framework, setup.pairs()));
    }
    return rows;
  }

  private static List<Row> measure(String framework, int rounds)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Transfers.class.getName(),
                framework,
                Integer.toString(rounds))
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    List<Row> rows = new ArrayList<>();
    try (BufferedReader out = process.inputReader()) {
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        String[] cells = line.split("\t", -1);
        if (cells.length == 3) {
          double[] values =
              Arrays.stream(cells[2].split(" ", -1)).mapToDouble(Double::parseDouble).toArray();
          rows.add(Row.alone(cells[0], cells[1], Interval.of(values), null));
        }
      }
    } finally {
      process.destroy();
    }
    int code = process.waitFor();
    if (rows.isEmpty()) {
      throw new IOException(
          "frameworks: expected figures of %s, but it ended with code %d; run its main class, %s"
              .formatted(framework, code, Transfers.class.getName()));
    }
    return rows;
  }
}
