package dev.headrace.bench;

import static dev.headrace.Dataset.AUTOTUNE;

import dev.headrace.Checkpoint;
import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.data.Seed;
import dev.headrace.data.Tensor;
import dev.headrace.spi.Collator;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How long it takes to take a checkpoint, and to go on from one.
 *
 * <p>Going on: from {@code open(checkpoint)} to the first batch, less what a fresh {@code open()}
 * takes to its first batch, because both must read a whole shuffle buffer. The time with that part
 * in it is a row of its own, and so is CPU time, which a busy machine does not stretch as much.
 */
final class CheckpointRows {
  private static final int CALLS = 4_000;
  private static final int BATCH = 1_000;
  private static final int SHUFFLE = 100_000;

  private CheckpointRows() {}

  static List<Row> measure(Setup setup) {
    List<Row> rows = new ArrayList<>(taking(setup));
    for (long drawn : List.of(100_000L, 1_000_000L, 10_000_000L)) {
      setup.progress().accept("resuming after %,d draws".formatted(drawn));
      rows.addAll(resuming(setup, drawn));
    }
    return rows;
  }

  private static List<Row> taking(Setup setup) {
    Dataset<Tensor> dataset =
        Dataset.range(1L << 40)
            .shuffle(10_000, Seed.of(3))
            .map(x -> x + 9)
            .batch(128, Collator.<Long>stack())
            .prefetch(AUTOTUNE);
    double[] p50 = new double[setup.pairs()];
    double[] p99 = new double[setup.pairs()];
    try (Pipeline<Tensor> pipeline = dataset.open()) {
      Iterator<Tensor> batches = pipeline.iterator();
      takeCheckpoints(pipeline, batches);
      for (int i = 0; i < setup.pairs(); i++) {
        setup
            .progress()
            .accept("checkpoint(): repetition %d of %d".formatted(i + 1, setup.pairs()));
        double[] micros = takeCheckpoints(pipeline, batches);
        Arrays.sort(micros);
        p50[i] = Interval.percentile(micros, 0.5);
        p99[i] = Interval.percentile(micros, 0.99);
      }
    }
    return List.of(
        Row.alone("checkpoint(), P50", "us", Interval.of(p50), Bar.atMost(10)),
        Row.alone("checkpoint(), P99", "us", Interval.of(p99), null));
  }

  private static double[] takeCheckpoints(Pipeline<Tensor> pipeline, Iterator<Tensor> batches) {
    double[] micros = new double[CALLS];
    for (int i = 0; i < CALLS; i++) {
      batches.next();
      long start = System.nanoTime();
      Checkpoint taken = pipeline.checkpoint();
      micros[i] = (System.nanoTime() - start) / 1e3;
      if (taken.epoch() != 0) {
        throw new IllegalStateException("checkpoint: expected epoch 0, but got " + taken.epoch());
      }
    }
    return micros;
  }

  private static List<Row> resuming(Setup setup, long drawn) {
    Dataset<Tensor> dataset =
        Dataset.range(1L << 40).shuffle(SHUFFLE, Seed.of(5)).batch(BATCH, Collator.<Long>stack());
    Checkpoint checkpoint = after(dataset, drawn);
    double[] resumed = new double[setup.pairs()];
    double[] fresh = new double[setup.pairs()];
    double[] replay = new double[setup.pairs()];
    double[] replayCpu = new double[setup.pairs()];
    toFirst(dataset, checkpoint);
    for (int i = 0; i < setup.pairs(); i++) {
      Spent resuming = toFirst(dataset, checkpoint);
      Spent opening = toFirst(dataset, null);
      resumed[i] = resuming.wallNs() / 1e6;
      fresh[i] = opening.wallNs() / 1e6;
      replay[i] = resumed[i] - fresh[i];
      replayCpu[i] = resuming.minus(opening).cpuNs() / 1e6;
    }
    String name = "resume shuffle(100000) after %,d".formatted(drawn);
    return List.of(
        Row.alone(name + ", replay", "wall ms", Interval.of(replay), Bar.atMost(100)),
        Row.alone(name + ", replay", "CPU ms", Interval.of(replayCpu), null),
        Row.ofPairs(
            name + ", to first batch",
            "wall ms",
            resumed,
            fresh,
            "fresh open() to first batch",
            null,
            0));
  }

  private static Checkpoint after(Dataset<Tensor> dataset, long drawn) {
    try (Pipeline<Tensor> pipeline = dataset.open()) {
      Iterator<Tensor> batches = pipeline.iterator();
      for (long i = 0; i < drawn / BATCH; i++) {
        batches.next();
      }
      // As text and back: what is resumed must not share memory with what was saved.
      return Checkpoint.parse(pipeline.checkpoint().toString());
    }
  }

  private static Spent toFirst(Dataset<Tensor> dataset, @Nullable Checkpoint checkpoint) {
    List<Pipeline<Tensor>> opened = new ArrayList<>();
    try {
      return Spent.on(
          () -> {
            Pipeline<Tensor> pipeline =
                checkpoint == null ? dataset.open() : dataset.open(checkpoint);
            opened.add(pipeline);
            pipeline.iterator().next();
          });
    } finally {
      opened.forEach(Pipeline::close); // not timed
    }
  }
}
