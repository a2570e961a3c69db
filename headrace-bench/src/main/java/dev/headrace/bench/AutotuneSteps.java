package dev.headrace.bench;

import static dev.headrace.bench.AutotuneBench.text;

import dev.headrace.Pipeline;
import dev.headrace.bench.AutotunePart.Batching;
import dev.headrace.bench.AutotunePart.Batching.Of;
import dev.headrace.bench.AutotunePart.ReadingAhead;
import dev.headrace.bench.AutotunePart.Working;
import dev.headrace.bench.AutotunePipeline.Step;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;

/**
 * How long AUTOTUNE takes to find its way when the world changes under a running pipeline: an
 * operator becomes four times as slow, the consumer three times as fast, a core is taken away and
 * given back.
 *
 * <p>The best static setting is looked for in the new world alone, and measured before and after
 * each run: the mean of the two counts, because the machine's own speed drifts. A pipeline has
 * recovered from the moment on from which it makes 95 % of that, over half a second and over all
 * that follows.
 */
final class AutotuneSteps {
  private static final double ENOUGH = 0.95;
  private static final double WINDOW_SECONDS = 0.5;
  private static final double FIRST_SECONDS = 4;
  private static final double SECONDS = 6;
  private static final double STATIC_SECONDS = 1.5;
  private static final int RUNS = 2;
  private static final double LIMIT_SECONDS = 2;

  private final Burn burn;
  private final String only;
  private final Setup setup;
  private final List<String> notes;
  private final AutotuneGrid grid;

  AutotuneSteps(Burn burn, long seed, String only, Setup setup, List<String> notes) {
    this.burn = burn;
    this.only = only;
    this.setup = setup;
    this.notes = notes;
    this.grid = new AutotuneGrid(burn, seed, setup.progress());
  }

  /**
   * A world that changes.
   *
   * @param phases their names; the pipeline starts in the first, and is measured after each change
   * @param world makes the world as it is in a phase
   */
  private record Change(AutotunePipeline pipeline, List<String> phases, World world) {}

  private interface World {
    void become(int phase) throws IOException;
  }

  List<Row> measure() throws IOException {
    List<Row> rows = new ArrayList<>();
    try (Spinner spinner = Spinner.start()) {
      for (Change change : List.of(slowerOperator(), fasterConsumer(), coreTaken(spinner))) {
        if (AutotuneBench.isWanted(change.pipeline.name(), only)) {
          rows.addAll(measure(change));
        }
      }
    }
    return rows;
  }

  private static Change slowerOperator() {
    Dial dial = new Dial();
    return new Change(
        new AutotunePipeline(
            "B: operator",
            List.of(
                new Working(
                    "load", new Cost(5_000), Cost.NONE, List.of(32, 48, 64, 128), dial, new Dial()),
                new Batching(8, Of.NUMBERS),
                new ReadingAhead(4)),
            Step.waiting(4_000),
            1),
        List.of("as it was", "4 times as slow"),
        phase -> dial.turnTo(phase == 0 ? 1 : 4));
  }

  private static Change fasterConsumer() {
    Step step = Step.waiting(9_000);
    return new Change(
        new AutotunePipeline(
            "B: consumer",
            List.of(
                new Working("load", new Cost(8_000), Cost.NONE, 24, 32, 64),
                new Working("decode", Cost.NONE, new Cost(200), 1, 2),
                new Batching(8, Of.NUMBERS),
                new ReadingAhead(4)),
            step,
            1),
        List.of("as it was", "3 times as fast"),
        phase -> step.longer().turnTo(phase == 0 ? 1 : 1.0 / 3));
  }

  private static Change coreTaken(Spinner spinner) {
    int cores = Runtime.getRuntime().availableProcessors();
    return new Change(
        new AutotunePipeline(
            "B: cores",
            List.of(
                new Working(
                    "load",
                    new Cost(4_000),
                    new Cost(2_000),
                    2 * cores,
                    4 * cores,
                    8 * cores,
                    16 * cores),
                new Batching(4 * cores, Of.NUMBERS),
                new ReadingAhead(4)),
            Step.NONE,
            1),
        List.of("all ours", "half taken away", "all ours again"),
        phase -> {
          // Another program that computes shares the cores by threads: the one with more gets more.
          // So they are taken away for good, as a container's limit does, where that is possible.
          int taken = phase == 1 ? Math.max(1, cores / 2) : 0;
          if (!Affinity.use(cores - taken)) {
            spinner.spin(taken);
          }
        });
  }

  private List<Row> measure(Change change) throws IOException {
    AutotunePipeline pipeline = change.pipeline;
    int phases = change.phases.size();
    int[][] best = new int[phases][];
    for (int phase = 1; phase < phases; phase++) {
      change.world.become(phase);
      best[phase] = grid.best(named(change, phase), STATIC_SECONDS);
    }
    double[][] seconds = new double[phases][RUNS];
    double[] before = staticMs(change, best);
    for (int run = 0; run < RUNS; run++) {
      setup.progress().accept("%s: run %d of %d".formatted(pipeline.name(), run + 1, RUNS));
      Times times = through(change);
      double[] after = staticMs(change, best);
      for (int phase = 1; phase < phases; phase++) {
        double bestMs = (before[phase] + after[phase]) / 2;
        seconds[phase][run] = times.secondsUntil(phase, bestMs);
        String note =
            text(
                "%s %s: best static %.2f ms/batch before, %.2f after; ours %.2f in the last second;"
                    + " recovered after %.2f s.",
                pipeline.name(),
                change.phases.get(phase),
                before[phase],
                after[phase],
                times.msAtTheEnd(phase),
                seconds[phase][run]);
        notes.add(note);
        setup.progress().accept("   " + note);
      }
      before = after;
    }
    List<Row> rows = new ArrayList<>();
    for (int phase = 1; phase < phases; phase++) {
      rows.add(
          Row.alone(
              pipeline.name() + " " + change.phases.get(phase),
              "s to recover",
              Interval.of(seconds[phase]),
              Bar.atMost(LIMIT_SECONDS)));
    }
    return rows;
  }

  private static AutotunePipeline named(Change change, int phase) {
    return change.pipeline.named(change.pipeline.name() + " " + change.phases.get(phase));
  }

  /** What the best static settings take, by phase, measured now. */
  private double[] staticMs(Change change, int[][] best) throws IOException {
    double[] ms = new double[best.length];
    for (int phase = 1; phase < best.length; phase++) {
      change.world.become(phase);
      ms[phase] = grid.msPerBatch(named(change, phase), STATIC_SECONDS, best[phase]);
    }
    return ms;
  }

  /** One run through all phases. */
  private Times through(Change change) throws IOException {
    change.world.become(0);
    int phases = change.phases.size();
    Times times = new Times(phases);
    try (Pipeline<?> pipeline = change.pipeline.tuned(burn).open()) {
      Iterator<?> batches = pipeline.iterator();
      for (int phase = 0; phase < phases; phase++) {
        change.world.become(phase);
        long until = System.nanoTime() + (long) ((phase == 0 ? FIRST_SECONDS : SECONDS) * 1e9);
        times.begins(phase);
        do {
          Object batch = batches.next();
          times.came(phase);
          if (batch != null) {
            change.pipeline.step().make(burn);
          }
        } while (System.nanoTime() < until);
      }
    } finally {
      change.world.become(0);
    }
    return times;
  }

  /** When batches came, in each phase. */
  static final class Times {
    private final long[][] cameNs;
    private final int[] counts;

    Times(int phases) {
      cameNs = new long[phases][1024];
      counts = new int[phases];
    }

    void begins(int phase) {
      came(phase);
    }

    void came(int phase) {
      came(phase, System.nanoTime());
    }

    void came(int phase, long ns) {
      if (counts[phase] == cameNs[phase].length) {
        cameNs[phase] = Arrays.copyOf(cameNs[phase], 2 * counts[phase]);
      }
      cameNs[phase][counts[phase]++] = ns;
    }

    double msAtTheEnd(int phase) {
      int last = counts[phase] - 1;
      int from = last;
      while (from > 0 && cameNs[phase][last] - cameNs[phase][from] < 1e9) {
        from--;
      }
      return msBetween(phase, from, last);
    }

    /**
     * Seconds from the beginning of a phase until batches come fast enough, over half a second and
     * over the rest of the phase; the whole phase where they never do.
     */
    double secondsUntil(int phase, double bestMs) {
      long[] times = cameNs[phase];
      int last = counts[phase] - 1;
      double slowestMs = bestMs / ENOUGH;
      int windowEnd = 0;
      for (int from = 0; from < last; from++) {
        while (windowEnd < last && times[windowEnd] - times[from] < WINDOW_SECONDS * 1e9) {
          windowEnd++;
        }
        if (msBetween(phase, from, windowEnd) <= slowestMs
            && msBetween(phase, from, last) <= slowestMs) {
          return (times[from] - times[0]) / 1e9;
        }
      }
      return (times[last] - times[0]) / 1e9;
    }

    private double msBetween(int phase, int from, int to) {
      return to == from
          ? Double.MAX_VALUE
          : (cameNs[phase][to] - cameNs[phase][from]) / 1e6 / (to - from);
    }
  }
}
