package dev.headrace.bench;

import dev.headrace.Dataset;
import dev.headrace.Doctor;
import dev.headrace.data.Seed;
import dev.headrace.profile.Advice;
import dev.headrace.profile.Diagnosis;
import dev.headrace.spi.Collator;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A program of its own whose heap is too small for what its pipeline holds: elements live long
 * enough to be moved about, and then die.
 */
public final class GarbagePatient {
  private static final int PIECE_BYTES = 48;

  private GarbagePatient() {}

  /**
   * What such a program said of itself.
   *
   * @param measured what its first advice brought, where it could follow that itself; else NaN
   */
  record Said(String verdict, String action, double speedup, double rate, double measured) {}

  /** Arguments: elements held, bytes of one, microseconds of the step, seconds. */
  public static void main(String[] arguments) throws Exception {
    int held = Integer.parseInt(arguments[0]);
    int bytes = Integer.parseInt(arguments[1]);
    Duration step = Duration.ofNanos(1_000L * Integer.parseInt(arguments[2]));
    Doctor<List<List<byte[]>>> doctor =
        Doctor.of(
                Dataset.range(10_000_000)
                    .map(x -> pieces(x, bytes))
                    .shuffle(held, Seed.of(1))
                    .batch(4, Collator.<List<byte[]>>toList())
                    .prefetch(2))
            .step(step)
            .seconds(Double.parseDouble(arguments[3]));
    Diagnosis diagnosis = doctor.examine();
    Advice first = diagnosis.advice().isEmpty() ? null : diagnosis.advice().getFirst();
    double measured =
        first == null || !first.isApplicable()
            ? Double.NaN
            : doctor.treat(diagnosis, first).measured();
    System.out.printf(
        Locale.ROOT,
        "%s %s %.4f %.4f %.4f%n",
        diagnosis.verdict().kind(),
        first == null ? "none" : first.action(),
        first == null ? 1 : first.speedup(),
        diagnosis.profile().rate(),
        measured);
  }

  /** An element of many small objects, as parsed records are. */
  private static List<byte[]> pieces(long x, int bytes) {
    List<byte[]> pieces = new ArrayList<>();
    for (int i = 0; i < bytes / (PIECE_BYTES + 20); i++) {
      byte[] piece = new byte[PIECE_BYTES];
      piece[0] = (byte) x;
      pieces.add(piece);
    }
    return pieces;
  }

  /** Runs the program with so much memory. */
  static Said run(
      int heapMegabytes, String collector, int held, int bytes, int stepMicros, double seconds)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx" + heapMegabytes + "m",
                "-Xms" + heapMegabytes + "m",
                collector,
                "-Dheadrace.heap.budget=" + (heapMegabytes * 1_000_000L),
                "-cp",
                System.getProperty("java.class.path"),
                GarbagePatient.class.getName(),
                Integer.toString(held),
                Integer.toString(bytes),
                Integer.toString(stepMicros),
                Double.toString(seconds))
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    String output;
    try (var text = process.getInputStream()) {
      output = new String(text.readAllBytes(), StandardCharsets.UTF_8);
    }
    if (process.waitFor() != 0) {
      throw new IOException("the program with a small heap ended with " + process.exitValue());
    }
    String[] said = output.strip().split(" ");
    return new Said(
        said[0],
        said[1],
        Double.parseDouble(said[2]),
        Double.parseDouble(said[3]),
        Double.parseDouble(said[4]));
  }
}
