package dev.headrace.bench;

import static dev.headrace.bench.AutotuneBench.number;
import static dev.headrace.bench.AutotuneBench.text;

import dev.headrace.data.Plural;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * AUTOTUNE beside the best static setting of a grid, on the twelve {@link AutotunePipelines}.
 *
 * <p>The grid's three best settings are run again, in turn with ours, each time in a fresh
 * pipeline; the best of those medians is what ours is compared with, run by run.
 */
final class AutotuneSettings {
  private static final double ENOUGH = 0.95;

  /** Static settings do not change, so a shorter look suffices. */
  private static final double STATIC_SECONDS = 1.3;

  private static final double PEER_SECONDS = 3;
  private static final double WARM_UP_SECONDS = 0.7;

  private final Burn burn;
  private final List<AutotunePipeline> pipelines;
  private final double seconds;
  private final int runs;
  private final Setup setup;
  private final List<String> notes;
  private final AutotuneGrid grid;
  private final List<AutotuneRun> tunedRuns = new ArrayList<>();
  private final List<Double> ratios = new ArrayList<>();
  private final List<Double> besidePeer = new ArrayList<>();

  AutotuneSettings(
      Burn burn,
      long seed,
      String only,
      double seconds,
      int runs,
      Setup setup,
      List<String> notes) {
    this.burn = burn;
    this.pipelines =
        AutotunePipelines.all(Runtime.getRuntime().availableProcessors(), seed).stream()
            .filter(pipeline -> AutotuneBench.isWanted(pipeline.name(), only))
            .toList();
    this.seconds = seconds;
    this.runs = runs;
    this.setup = setup;
    this.notes = notes;
    this.grid = new AutotuneGrid(burn, seed, setup.progress());
  }

  List<Row> measure() throws IOException {
    List<Row> rows = new ArrayList<>();
    for (AutotunePipeline pipeline : pipelines) {
      setup.progress().accept(pipeline.name() + ": warming up");
      AutotuneRun _ = AutotuneRun.ofTuned(pipeline, burn, WARM_UP_SECONDS);
      rows.addAll(measure(pipeline, grid.finalists(pipeline)));
    }
    return rows;
  }

  private List<Row> measure(AutotunePipeline pipeline, List<int[]> finalists) {
    AutotuneRun[] ours = new AutotuneRun[runs];
    AutotuneRun[][] fixed = new AutotuneRun[finalists.size()][runs];
    double[] peer = new double[runs];
    for (int run = 0; run < runs; run++) {
      String where = "%s: run %d of %d: ".formatted(pipeline.name(), run + 1, runs);
      for (int i = 0; i < fixed.length; i++) {
        int[] setting = finalists.get(i);
        setup.progress().accept(where + pipeline.words(setting));
        fixed[i][run] = AutotuneRun.ofStatic(pipeline, burn, STATIC_SECONDS, setting);
      }
      setup.progress().accept(where + "AUTOTUNE");
      ours[run] = AutotuneRun.ofTuned(pipeline, burn, seconds);
      tunedRuns.add(ours[run]);
      peer[run] = peerMsPerBatch(pipeline, where);
    }
    int best =
        IntStream.range(0, fixed.length)
            .boxed()
            .min(Comparator.comparingDouble(i -> median(fixed[i], AutotuneRun::msPerBatch)))
            .orElseThrow();
    String setting = pipeline.words(finalists.get(best));
    Row row =
        Row.ofPairs(
            pipeline.name(),
            "ms/batch",
            values(ours, AutotuneRun::msPerBatch),
            values(fixed[best], AutotuneRun::msPerBatch),
            "the grid's best: " + setting,
            Bar.ratioAtLeast(ENOUGH),
            0);
    double ratio = row.ratio() == null ? 0 : row.ratio().median();
    ratios.add(ratio);
    List<Row> rows = new ArrayList<>();
    rows.add(row);
    rows.add(cores(pipeline, ours, fixed[best]));
    rows.addAll(besidePeer(pipeline, ours, peer));
    note(pipeline, ours, ratio, setting);
    return rows;
  }

  private void note(AutotunePipeline pipeline, AutotuneRun[] ours, double ratio, String setting) {
    AutotuneRun last = ours[runs - 1];
    String note =
        text(
            "%s: %.3f of the grid's best (%s, %d settings); ended at %s after %d %s; peak"
                + " %.1f MB on the heap and %.1f MB off it, of %d MB for both.",
            pipeline.name(),
            ratio,
            setting,
            pipeline.grid().size(),
            last.endedAt(),
            last.decisions().size(),
            Plural.word(last.decisions().size(), "decision"),
            largest(ours, AutotuneRun::heapPeakBytes) / 1e6,
            largest(ours, AutotuneRun::nativePeakBytes) / 1e6,
            AutotunePipeline.BUDGET_BYTES >> 20);
    notes.add(note);
    setup.progress().accept("   " + note);
  }

  private static Row cores(AutotunePipeline pipeline, AutotuneRun[] ours, AutotuneRun[] fixed) {
    return new Row(
        pipeline.name() + ": cores used",
        "cores",
        Interval.of(values(ours, AutotuneRun::cores)),
        median(fixed, AutotuneRun::cores),
        null,
        null,
        null);
  }

  /** What a batch takes tf.data; 0 where it is not there, or cannot do this. */
  private double peerMsPerBatch(AutotunePipeline pipeline, String where) {
    TfData tfData = setup.peer();
    Map<String, @Nullable Object> description = pipeline.toJson();
    if (tfData == null || description == null) {
      return 0;
    }
    setup.progress().accept(where + "tf.data");
    return tfData.autotunedMsPerBatch(description, Math.min(seconds, PEER_SECONDS));
  }

  private List<Row> besidePeer(AutotunePipeline pipeline, AutotuneRun[] ours, double[] peer) {
    TfData tfData = setup.peer();
    if (tfData == null) {
      return List.of();
    }
    if (pipeline.toJson() == null) {
      notes.add(
          pipeline.name()
              + ": not expressible in tf.data, whose graphs cannot wait without calling Python.");
      return List.of();
    }
    Row row =
        Row.ofPairs(
            pipeline.name() + ", beside tf.data",
            "ms/batch",
            values(ours, AutotuneRun::msPerBatch),
            peer,
            tfData.name(TfData.Mode.AUTOTUNE),
            null,
            0);
    if (row.ratio() != null) {
      besidePeer.add(row.ratio().median());
    }
    return List.of(row);
  }

  /** Runs ours alone, for {@link #tunersCost()}. */
  void runOnly() {
    for (AutotunePipeline pipeline : pipelines) {
      setup.progress().accept(pipeline.name() + ": AUTOTUNE");
      tunedRuns.add(AutotuneRun.ofTuned(pipeline, burn, Math.min(seconds, 3)));
    }
  }

  // ---- what was reached -------------------------------------------------------------------------

  List<Row> reached() {
    List<Row> rows = new ArrayList<>();
    rows.add(
        number(
            "A: pipelines below 95 % of the grid's best, of " + ratios.size(),
            "pipelines",
            ratios.stream().filter(ratio -> ratio < ENOUGH).count(),
            Bar.atMost(0)));
    rows.add(
        number(
            "A: the worst of them, of the grid's best",
            "%",
            100 * ratios.stream().mapToDouble(ratio -> ratio).min().orElse(0),
            null));
    if (!besidePeer.isEmpty()) {
      Interval ratio = Interval.of(besidePeer.stream().mapToDouble(Double::doubleValue).toArray());
      double median = ratio.median();
      rows.add(
          new Row(
              "A: beside tf.data AUTOTUNE, median of " + besidePeer.size(),
              "ratio",
              ratio,
              null,
              null,
              new Interval(median, median, median),
              Bar.ratioAtLeast(1)));
    }
    rows.add(
        number(
            "A: peak accounted memory, of the budget",
            "%",
            100 * tunedRuns.stream().mapToDouble(AutotuneRun::memoryShare).max().orElse(0),
            Bar.atMost(100)));
    return rows;
  }

  /** The CPU time of the engine's own thread. */
  List<Row> tunersCost() {
    if (tunedRuns.isEmpty()) {
      return List.of();
    }
    return List.of(
        number(
            "C: the tuner's own CPU, worst run, of a core",
            "%",
            100 * tunedRuns.stream().mapToDouble(AutotuneRun::tunerOfWall).max().orElse(0),
            Bar.atMost(1)),
        number(
            "C: the tuner's own CPU, all runs, of the process's",
            "%",
            100
                * tunedRuns.stream().mapToDouble(AutotuneRun::tunerNs).sum()
                / tunedRuns.stream().mapToDouble(r -> r.seconds() * r.cores() * 1e9).sum(),
            Bar.atMost(1)));
  }

  static double[] values(AutotuneRun[] runs, ToDoubleFunction<AutotuneRun> value) {
    return Arrays.stream(runs).mapToDouble(value).toArray();
  }

  private static double median(AutotuneRun[] runs, ToDoubleFunction<AutotuneRun> value) {
    return Interval.of(values(runs, value)).median();
  }

  private static double largest(AutotuneRun[] runs, ToDoubleFunction<AutotuneRun> value) {
    return Arrays.stream(runs).mapToDouble(value).max().orElse(0);
  }
}
