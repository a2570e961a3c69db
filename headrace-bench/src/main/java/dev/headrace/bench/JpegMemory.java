package dev.headrace.bench;

import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The memory that the JPEG pipeline adds to an idle runtime at its peak, each side in fresh
 * processes.
 */
public final class JpegMemory {
  private static final String HEAP = "-Xmx512m";
  private static final int RUNS = 5;

  private JpegMemory() {}

  /** Runs the pipeline over the folder once and prints how many bytes that added at the peak. */
  public static void main(String[] arguments) throws IOException {
    Dataset.range(10).map(x -> x + 1, 2).forEach(x -> {});
    long idle = statusBytes("VmRSS");
    try (Pipeline<?> pipeline = JpegTraining.train(Path.of(arguments[0])).open()) {
      Chains.read(pipeline);
    }
    System.out.println(statusBytes("VmHWM") - idle);
  }

  private static long statusBytes(String name) throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
      if (line.startsWith(name + ":")) {
        return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
      }
    }
    throw new IOException("/proc/self/status: expected a line " + name + ", but there is none");
  }

  static Row row(Path folder, Setup setup) throws IOException, InterruptedException {
    TfData tfData = setup.peer();
    double[] mine = new double[RUNS];
    double[] theirs = new double[RUNS];
    for (int run = 0; run < RUNS; run++) {
      setup.progress().accept("memory: run %d of %d".formatted(run + 1, RUNS));
      mine[run] = inFreshProcess(folder) / 1e6;
      if (tfData != null) {
        try (TfData fresh = tfData.another()) {
          theirs[run] =
              fresh.addedBytes("jpeg:train", folder, TfData.Mode.AUTOTUNE, JpegTraining.PHOTOS)
                  / 1e6;
        } catch (PeerUnavailable e) {
          throw new UncheckedIOException(new IOException(e.getMessage(), e));
        }
      }
    }
    String name = "memory added, peak (ours " + HEAP + ")";
    return tfData == null
        ? Row.alone(name, "MB", Interval.of(mine), null)
        : Row.ofPairs(
            name, "MB", mine, theirs, tfData.name(TfData.Mode.AUTOTUNE), Bar.ratioAtLeast(2), 1e-6);
  }

  private static double inFreshProcess(Path folder) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    HEAP,
                    "--enable-native-access=ALL-UNNAMED",
                    "-cp",
                    System.getProperty("java.class.path"),
                    JpegMemory.class.getName(),
                    folder.toString()))
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    String answer;
    try (var out = process.getInputStream()) {
      answer = new String(out.readAllBytes(), StandardCharsets.UTF_8).strip();
    }
    if (process.waitFor() != 0 || answer.isEmpty()) {
      throw new IOException("memory: expected a number from a fresh process, but it failed");
    }
    return Double.parseDouble(answer);
  }
}
