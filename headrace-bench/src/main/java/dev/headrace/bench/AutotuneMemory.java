package dev.headrace.bench;

import static dev.headrace.bench.AutotuneBench.number;
import static dev.headrace.bench.AutotuneBench.text;

import dev.headrace.Options;
import dev.headrace.bench.AutotunePart.Batching;
import dev.headrace.bench.AutotunePart.Batching.Of;
import dev.headrace.bench.AutotunePart.Filling;
import dev.headrace.bench.AutotunePart.ReadingAhead;
import dev.headrace.bench.AutotunePipeline.Step;
import dev.headrace.data.DType;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Pipelines of large elements, without a limit and within a quarter of the memory that tf.data
 * takes for the same; without tf.data, a quarter of what they took themselves.
 *
 * <p>One is like photographs, whose decoding takes now less, now more. In the other a few elements
 * take twenty times as long as most, which is hard: what could be kept at best is told beside it.
 */
final class AutotuneMemory {
  private static final double SECONDS = 4;
  private static final int RUNS = 3;

  private final Burn burn;
  private final Setup setup;
  private final List<String> notes;
  private final List<Case> cases;
  private final int cores = Runtime.getRuntime().availableProcessors();

  /** A pipeline whose cores would be done with a batch a little before the step is. */
  private record Case(String name, int floats, int batch, Cost cost, int stepMicros) {
    AutotunePipeline pipeline() {
      return new AutotunePipeline(
          "E: " + name,
          List.of(
              new Filling("decode", floats, cost, List.of(1)),
              new Batching(batch, Of.TENSORS),
              new ReadingAhead(1)),
          Step.waiting(stepMicros),
          32,
          Options.defaults());
    }

    long elementBytes() {
      return (long) floats * DType.FLOAT32.byteSize();
    }
  }

  AutotuneMemory(Burn burn, long seed, Setup setup, List<String> notes) {
    this.burn = burn;
    this.setup = setup;
    this.notes = notes;
    this.cases =
        List.of(
            new Case(
                "photographs",
                224 * 224 * 3,
                8,
                Cost.lognormal(1_800, 0.5, 256, new SplittableRandom(31 * seed + 14)),
                20_000 / cores),
            new Case(
                "a few slow ones",
                250_000,
                4,
                Cost.lognormal(1_800, 3, 128, new SplittableRandom(31 * seed + 13)),
                10_000 / cores));
  }

  List<Row> measure() throws IOException {
    List<Row> rows = new ArrayList<>();
    double most = 0;
    for (Case one : cases) {
      most = Math.max(most, measure(one, rows));
    }
    rows.add(number("E: peak accounted memory, of the budget", "%", 100 * most, Bar.atMost(100)));
    return rows;
  }

  /** Adds a row; returns the share of the budget that was used at most. */
  private double measure(Case one, List<Row> rows) throws IOException {
    AutotunePipeline pipeline = one.pipeline();
    setup.progress().accept(pipeline.name() + ": without a limit");
    AutotuneRun first = AutotuneRun.ofTuned(pipeline, burn, SECONDS);
    double ownBytes = first.heapPeakBytes() + first.nativePeakBytes();
    double peerBytes = peerBytes(pipeline);
    double budget = Math.max(1, (peerBytes > 0 ? peerBytes : ownBytes) / 4);
    AutotunePipeline limited = pipeline.with(Options.defaults().memoryBudget((long) budget));
    AutotuneRun[] within = new AutotuneRun[RUNS];
    AutotuneRun[] without = new AutotuneRun[RUNS];
    for (int run = 0; run < RUNS; run++) {
      setup.progress().accept("%s: run %d of %d".formatted(pipeline.name(), run + 1, RUNS));
      within[run] = AutotuneRun.ofTuned(limited, burn, SECONDS);
      without[run] = AutotuneRun.ofTuned(pipeline, burn, SECONDS);
    }
    double most = 0;
    for (AutotuneRun run : within) {
      most = Math.max(most, run.memoryPeakBytes() / budget);
    }
    MemoryFloor floor = new MemoryFloor(one.cost, one.floats, one.batch, one.stepMicros);
    double atBest =
        floor.msPerBatch(Integer.MAX_VALUE, cores)
            / floor.msPerBatch((int) (budget / one.elementBytes()), cores);
    String note =
        text(
            "%s: %s; without a limit ours had %.0f MB on the heap and %.0f MB off it in its"
                + " accounts; the budget was %.0f MB for both. If no byte were wasted, %.2f would"
                + " be kept, counted out for elements that take no longer than alone on a core.",
            pipeline.name(),
            peerBytes > 0
                ? text("tf.data added %.0f MB to its process at the peak", peerBytes / 1e6)
                : "tf.data was not measured, so the budget is a quarter of what ours took itself",
            first.heapPeakBytes() / 1e6,
            first.nativePeakBytes() / 1e6,
            budget / 1e6,
            atBest);
    notes.add(note);
    setup.progress().accept("   " + note);
    rows.add(
        Row.ofPairs(
            "%s, within a quarter of %s memory"
                .formatted(pipeline.name(), peerBytes > 0 ? "tf.data's" : "its own"),
            "ms/batch",
            AutotuneSettings.values(within, AutotuneRun::msPerBatch),
            AutotuneSettings.values(without, AutotuneRun::msPerBatch),
            "without a limit",
            Bar.ratioAtLeast(0.9),
            0));
    return most;
  }

  /** What tf.data takes; 0 where it is not there. */
  private double peerBytes(AutotunePipeline pipeline) throws IOException {
    TfData tfData = setup.peer();
    if (tfData == null) {
      return 0;
    }
    setup.progress().accept(pipeline.name() + ": tf.data");
    Map<String, @Nullable Object> description = Objects.requireNonNull(pipeline.toJson());
    try (TfData fresh = tfData.another()) {
      return fresh.autotunedBytes(description, SECONDS);
    } catch (PeerUnavailable e) {
      throw new IOException(e.getMessage(), e);
    }
  }
}
