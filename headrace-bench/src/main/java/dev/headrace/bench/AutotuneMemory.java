package dev.headrace.bench;

import static dev.headrace.bench.AutotuneBench.number;
import static dev.headrace.bench.AutotuneBench.text;

import dev.headrace.Options;
import dev.headrace.bench.AutotunePart.Batching;
import dev.headrace.bench.AutotunePart.Batching.Of;
import dev.headrace.bench.AutotunePart.Filling;
import dev.headrace.bench.AutotunePart.ReadingAhead;
import dev.headrace.bench.AutotunePipeline.Step;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A pipeline of large elements, without a limit and within a quarter of the memory that tf.data
 * takes for the same; without tf.data, a quarter of what it took itself.
 *
 * <p>The quarter is divided between heap and native memory as they were used without a limit.
 */
final class AutotuneMemory {
  private static final int FLOATS = 250_000;
  private static final int BATCH = 4;
  private static final double SECONDS = 4;
  private static final int RUNS = 3;

  private final Burn burn;
  private final Setup setup;
  private final List<String> notes;
  private final AutotunePipeline pipeline;

  AutotuneMemory(Burn burn, long seed, Setup setup, List<String> notes) {
    this.burn = burn;
    this.setup = setup;
    this.notes = notes;
    int cores = Runtime.getRuntime().availableProcessors();
    this.pipeline =
        new AutotunePipeline(
            "E: elements of 1 MB",
            List.of(
                new Filling(
                    "decode",
                    FLOATS,
                    Cost.lognormal(1_800, 3, BATCH * 32, new SplittableRandom(31 * seed + 13)),
                    List.of(1)),
                new Batching(BATCH, Of.TENSORS),
                new ReadingAhead(1)),
            Step.waiting(10_000 / cores),
            32,
            Options.defaults());
  }

  List<Row> measure() throws IOException {
    setup.progress().accept(pipeline.name() + ": without a limit");
    AutotuneRun first = AutotuneRun.ofTuned(pipeline, burn, SECONDS);
    double ownBytes = first.heapPeakBytes() + first.nativePeakBytes();
    double peerBytes = peerBytes();
    double budget = (peerBytes > 0 ? peerBytes : ownBytes) / 4;
    // Halves, as somebody would write who knows nothing of either.
    long heap = Math.max(1, (long) budget / 2);
    long offHeap = heap;
    AutotunePipeline limited =
        pipeline.with(Options.defaults().heapBudget(heap).nativeBudget(offHeap));
    AutotuneRun[] within = new AutotuneRun[RUNS];
    AutotuneRun[] without = new AutotuneRun[RUNS];
    for (int run = 0; run < RUNS; run++) {
      setup.progress().accept("%s: run %d of %d".formatted(pipeline.name(), run + 1, RUNS));
      within[run] = AutotuneRun.ofTuned(limited, burn, SECONDS);
      without[run] = AutotuneRun.ofTuned(pipeline, burn, SECONDS);
    }
    double most = 0;
    for (AutotuneRun run : within) {
      most = Math.max(most, (double) run.heapPeakBytes() / heap);
      most = Math.max(most, (double) run.nativePeakBytes() / offHeap);
    }
    String note =
        text(
            "%s: %s; without a limit ours had %.0f MB on the heap and %.0f MB off it in its"
                + " accounts; the budget was %.0f MB and %.0f MB.",
            pipeline.name(),
            peerBytes > 0
                ? text("tf.data added %.0f MB to its process at the peak", peerBytes / 1e6)
                : "tf.data was not measured, so the budget is a quarter of what ours took itself",
            first.heapPeakBytes() / 1e6,
            first.nativePeakBytes() / 1e6,
            heap / 1e6,
            offHeap / 1e6);
    notes.add(note);
    setup.progress().accept("   " + note);
    List<Row> rows = new ArrayList<>();
    rows.add(
        Row.ofPairs(
            "E: within a quarter of " + (peerBytes > 0 ? "tf.data's" : "its own") + " memory",
            "ms/batch",
            AutotuneSettings.values(within, AutotuneRun::msPerBatch),
            AutotuneSettings.values(without, AutotuneRun::msPerBatch),
            "without a limit",
            Bar.ratioAtLeast(0.9),
            0));
    rows.add(number("E: peak accounted memory, of the budget", "%", 100 * most, Bar.atMost(100)));
    return rows;
  }

  /** What tf.data takes; 0 where it is not there. */
  private double peerBytes() throws IOException {
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
