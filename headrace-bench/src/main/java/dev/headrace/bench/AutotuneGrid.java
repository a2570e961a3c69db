package dev.headrace.bench;

import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds the best static settings of a pipeline: every combination of its levels is measured for a
 * moment, the better ones once more, and the best three are left, to be measured on fresh runs.
 */
final class AutotuneGrid {
  private static final double SECONDS = 0.5;
  private static final double SECONDS_AGAIN = 1;
  private static final int AGAIN = 5;
  private static final int FINALISTS = 3;

  /** Where finalists are kept, so that the next run need not look for them. */
  private static final @Nullable String KEPT = System.getProperty("headrace.autotune.grid");

  private final Burn burn;
  private final long seed;
  private final Consumer<String> progress;

  AutotuneGrid(Burn burn, long seed, Consumer<String> progress) {
    this.burn = burn;
    this.seed = seed;
    this.progress = progress;
  }

  /** The three best settings, the best first. */
  List<int[]> finalists(AutotunePipeline pipeline) throws IOException {
    List<int[]> known = known(pipeline);
    if (!known.isEmpty()) {
      return known;
    }
    List<Tried> tried = new ArrayList<>();
    List<int[]> grid = pipeline.grid();
    for (int[] knobs : grid) {
      progress.accept(
          "%s: setting %d of %d: %s"
              .formatted(pipeline.name(), tried.size() + 1, grid.size(), pipeline.words(knobs)));
      tried.add(
          new Tried(knobs, AutotuneRun.ofStatic(pipeline, burn, SECONDS, knobs).msPerBatch()));
    }
    tried.sort(Comparator.comparingDouble(Tried::ms));
    List<Tried> again = new ArrayList<>();
    for (Tried one : tried.subList(0, Math.min(AGAIN, tried.size()))) {
      progress.accept(
          "%s: again %s, %.2f ms/batch"
              .formatted(pipeline.name(), pipeline.words(one.knobs), one.ms));
      double ms = AutotuneRun.ofStatic(pipeline, burn, SECONDS_AGAIN, one.knobs).msPerBatch();
      again.add(
          new Tried(
              one.knobs, (SECONDS * one.ms + SECONDS_AGAIN * ms) / (SECONDS + SECONDS_AGAIN)));
    }
    again.sort(Comparator.comparingDouble(Tried::ms));
    List<int[]> finalists =
        again.subList(0, Math.min(FINALISTS, again.size())).stream().map(Tried::knobs).toList();
    keep(pipeline, finalists);
    return finalists;
  }

  /** The best single setting, measured twice. */
  double bestMsPerBatch(AutotunePipeline pipeline, double seconds) throws IOException {
    double best = Double.MAX_VALUE;
    for (int[] knobs : finalists(pipeline).subList(0, 2)) {
      best = Math.min(best, AutotuneRun.ofStatic(pipeline, burn, seconds, knobs).msPerBatch());
    }
    return best;
  }

  private record Tried(int[] knobs, double ms) {}

  // ---- keeping ----------------------------------------------------------------------------------

  private String key(AutotunePipeline pipeline) {
    return String.format(Locale.ROOT, "seed %d, %s", seed, pipeline.name());
  }

  private List<int[]> known(AutotunePipeline pipeline) throws IOException {
    String text = kept().getProperty(key(pipeline), "");
    return text.isEmpty()
        ? List.of()
        : Stream.of(text.split(";")).map(AutotunePipelines::numbers).toList();
  }

  private void keep(AutotunePipeline pipeline, List<int[]> finalists) throws IOException {
    if (KEPT == null) {
      return;
    }
    Properties all = kept();
    all.setProperty(
        key(pipeline),
        finalists.stream().map(AutotunePipelines::text).collect(Collectors.joining(";")));
    try (Writer out = Files.newBufferedWriter(Path.of(KEPT))) {
      all.store(out, "the best static settings of headrace bench autotune");
    }
  }

  private static Properties kept() throws IOException {
    Properties all = new Properties();
    if (KEPT != null && Files.exists(Path.of(KEPT))) {
      try (Reader in = Files.newBufferedReader(Path.of(KEPT))) {
        all.load(in);
      }
    }
    return all;
  }
}
