package dev.headrace.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Whether AUTOTUNE finds what an exhaustive search finds, and a naive pipeline becomes like one
 * that was tuned by hand.
 *
 * <p>Properties: {@code headrace.autotune.parts} (such as {@code A,C}), {@code
 * headrace.autotune.only} (a regular expression for names), {@code headrace.autotune.seed}, {@code
 * headrace.autotune.seconds} (how long a run is judged), {@code headrace.autotune.runs} and {@code
 * headrace.autotune.grid} (a file that keeps the best static settings from run to run).
 */
final class AutotuneBench implements Scenario {
  private static final Set<String> PARTS =
      Set.of(System.getProperty("headrace.autotune.parts", "A,B,C,D,E").split(","));
  private static final String ONLY = System.getProperty("headrace.autotune.only", ".*");

  /** As long as the peer takes for it. */
  private static final double CALIBRATING_SECONDS = 3;

  private static final long SEED = Long.getLong("headrace.autotune.seed", 1);
  private static final double SECONDS =
      Double.parseDouble(System.getProperty("headrace.autotune.seconds", "10"));
  private static final int RUNS = Integer.getInteger("headrace.autotune.runs", 3);

  private final List<String> notes = new ArrayList<>();

  @Override
  public String name() {
    return "autotune";
  }

  @Override
  public String summary() {
    return "AUTOTUNE beside the best of all static settings, and naive pipelines beside tuned ones;"
        + " about 18 minutes";
  }

  @Override
  public List<String> notes() {
    return List.copyOf(notes);
  }

  @Override
  public List<Row> run(Setup setup) throws IOException, InterruptedException {
    notes.clear();
    if (setup.peer() == null) {
      notes.add("tf.data was not measured: ask for it with --peer tfdata.");
    }
    setup.progress().accept("warming up");
    Chains.warmUp();
    Burn burn = Burn.calibrated(CALIBRATING_SECONDS);
    List<Row> rows = new ArrayList<>();
    List<Row> reached = new ArrayList<>();
    if (PARTS.contains("A") || PARTS.contains("C")) {
      AutotuneSettings part = new AutotuneSettings(burn, SEED, ONLY, SECONDS, RUNS, setup, notes);
      if (PARTS.contains("A")) {
        rows.addAll(part.measure());
        reached.addAll(part.reached());
      } else {
        part.runOnly();
      }
      reached.addAll(part.tunersCost());
    }
    if (PARTS.contains("B")) {
      reached.addAll(new AutotuneSteps(burn, SEED, ONLY, setup, notes).measure());
    }
    if (PARTS.contains("D")) {
      reached.addAll(new AutotuneNaive(burn, ONLY, setup, notes).measure());
    }
    if (PARTS.contains("E")) {
      reached.addAll(new AutotuneMemory(burn, SEED, setup, notes).measure());
    }
    rows.addAll(reached);
    return rows;
  }

  static boolean isWanted(String name, String only) {
    return name.matches(".*(?:" + only + ").*");
  }

  /** A single number as a row of the summary. */
  static Row number(String name, String unit, double value, @Nullable Bar bar) {
    return Row.alone(name, unit, new Interval(value, value, value), bar);
  }

  static String text(String format, @Nullable Object... arguments) {
    return String.format(Locale.ROOT, format, arguments);
  }
}
