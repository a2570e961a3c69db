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
  private static final double SECONDS = 0.4;
  private static final double SECONDS_AGAIN = 0.8;
  private static final int AGAIN = 4;
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

  /** The best single setting: the better of the two best, measured once more. */
  int[] best(AutotunePipeline pipeline, double seconds) throws IOException {
    List<int[]> two = finalists(pipeline).subList(0, 2);
    return msPerBatch(pipeline, seconds, two.get(0)) <= msPerBatch(pipeline, seconds, two.get(1))
        ? two.get(0)
        : two.get(1);
  }

  double msPerBatch(AutotunePipeline pipeline, double seconds, int[] knobs) throws IOException {
    return AutotuneRun.ofStatic(pipeline, burn, seconds, knobs).msPerBatch();
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
