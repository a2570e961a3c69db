package dev.headrace.bench;

import dev.headrace.Dataset;
import dev.headrace.Options;
import dev.headrace.Pipeline;
import dev.headrace.bench.AutotunePipeline.Step;
import dev.headrace.data.Tensor;
import dev.headrace.example.Features;
import dev.headrace.image.Images;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Naive pipelines that are promised to be pure, beside the same with threads, prefetching and, in
 * one form, a cache put in by hand: the seeds' slow examples, and JPEGs in TFRecords.
 *
 * <p>Several epochs are read; whole epochs count, after the first seconds. Ours is compared with
 * the better of the forms made by hand.
 */
final class AutotuneNaive {
  private static final int PHOTOS = 400;
  private static final double SETTLING_SECONDS = 2.5;

  /** One to see what elements cost, one to keep them, one more. */
  private static final int SETTLING_EPOCHS = 3;

  private static final double SECONDS = 2;
  private static final int RUNS = 2;
  private static final int BATCH = 32;
  private static final double ENOUGH = 0.9;

  private final Burn burn;
  private final String only;
  private final Setup setup;
  private final List<String> notes;
  private final int cores = Runtime.getRuntime().availableProcessors();

  AutotuneNaive(Burn burn, String only, Setup setup, List<String> notes) {
    this.burn = burn;
    this.only = only;
    this.setup = setup;
    this.notes = notes;
  }

  /**
   * A naive pipeline.
   *
   * @param byHand what somebody who knows would have written
   */
  private record Case(String name, Dataset<?> naive, List<Dataset<?>> byHand, Step step) {}

  List<Row> measure() throws IOException {
    List<Row> rows = new ArrayList<>();
    try (TemporaryFolder temporary = TemporaryFolder.create("autotune")) {
      Path folder = temporary.path();
      setup.progress().accept("making photographs");
      Photos.write(folder, PHOTOS);
      for (Case each :
          List.of(
              slowLoading(),
              naiveLoop(),
              readingAndPreprocessing(),
              imageFiles(folder),
              jpegRecords(folder))) {
        if (AutotuneBench.isWanted(each.name, only)) {
          rows.add(measure(each));
        }
      }
    }
    return rows;
  }

  // ---- the pipelines ----------------------------------------------------------------------------

  /** 000, example 1. */
  private static Case slowLoading() {
    Dataset<Long> loads = Dataset.range(400);
    int many = 64;
    return new Case(
        "D: slow loading (000, 1)",
        loads.map(AutotuneNaive::slowLoad).prefetch(Dataset.AUTOTUNE),
        List.of(
            loads.map(AutotuneNaive::slowLoad, many).prefetch(16),
            loads.map(AutotuneNaive::slowLoad, many).cache().prefetch(16)),
        Step.waiting(2_000));
  }

  private static Tensor slowLoad(long number) throws InterruptedException {
    AutotunePart.pass(25_000);
    return Tensor.scalar((float) number);
  }

  /** 001, steps 1 and 2. */
  private static Case naiveLoop() {
    Dataset<Tensor> read = Dataset.range(1_000).map(AutotuneNaive::readBatch);
    return new Case(
        "D: loop without a buffer (001)",
        read.batch(BATCH),
        List.of(read.batch(BATCH).prefetch(2), read.cache().batch(BATCH).prefetch(2)),
        Step.waiting(8_000));
  }

  private static Tensor readBatch(long number) throws InterruptedException {
    AutotunePart.pass(number % BATCH == 0 ? 6_000 : 0);
    return Tensor.scalar(number);
  }

  /** 001, step 5. */
  private static Case readingAndPreprocessing() {
    Dataset<Long> numbers = Dataset.range(160);
    return new Case(
        "D: reading and preprocessing (001, 5)",
        numbers.map(AutotuneNaive::waited).map(AutotuneNaive::waited).batch(BATCH),
        List.of(
            numbers
                .map(AutotuneNaive::waited, BATCH)
                .map(AutotuneNaive::waited, BATCH)
                .batch(BATCH)
                .prefetch(2),
            numbers
                .map(AutotuneNaive::waited, BATCH)
                .cache()
                .map(AutotuneNaive::waited, BATCH)
                .batch(BATCH)
                .prefetch(2)),
        Step.waiting(10_000));
  }

  private static Tensor waited(Object element) throws InterruptedException {
    AutotunePart.pass(1_000);
    return element instanceof Tensor tensor ? tensor : Tensor.scalar((long) element);
  }

  /** 002, example 1. */
  private Case imageFiles(Path folder) {
    Dataset<Path> files = Dataset.listFiles(folder + "/*.jpg");
    return new Case(
        "D: image files (002, 1)",
        files.map(AutotuneNaive::loaded).batch(BATCH),
        List.of(
            files.map(AutotuneNaive::loaded, cores).batch(BATCH).prefetch(2),
            files.map(AutotuneNaive::loaded, cores).cache().batch(BATCH).prefetch(2)),
        Step.waiting(10_000));
  }

  private static Tensor loaded(Path file) throws IOException {
    return Images.decodeJpeg(Files.readAllBytes(file)).resize(224, 224);
  }

  private Case jpegRecords(Path folder) {
    Dataset<Features> records = Photos.sequentialRecords(folder);
    Dataset<Features> parallel = Photos.records(folder, cores);
    return new Case(
        "D: JPEGs in TFRecords",
        records.map(AutotuneNaive::decoded).batch(BATCH),
        List.of(
            parallel.map(AutotuneNaive::decoded, cores).batch(BATCH).prefetch(2),
            parallel.map(AutotuneNaive::decoded, cores).cache().batch(BATCH).prefetch(2)),
        Step.NONE);
  }

  private static JpegTraining.Labelled decoded(Features record) {
    return new JpegTraining.Labelled(
        Images.decodeJpeg(record.bytes("image")).resize(224, 224), record.tensor("label"));
  }

  // ---- measuring --------------------------------------------------------------------------------

  private Row measure(Case each) {
    Dataset<?> automatic = each.naive.options(Options::assumePure);
    double[] ours = new double[RUNS];
    double[][] theirs = new double[each.byHand.size()][RUNS];
    setup.progress().accept(each.name + ": as written");
    double naive = msPerBatch(each.naive.options(Options::asWritten), each.step, 0.5, 1);
    for (int run = 0; run < RUNS; run++) {
      for (int i = 0; i < theirs.length; i++) {
        setup
            .progress()
            .accept(
                "%s: run %d of %d: by hand, form %d".formatted(each.name, run + 1, RUNS, i + 1));
        theirs[i][run] = msPerBatch(each.byHand.get(i), each.step, 0.5, 1);
      }
      setup.progress().accept("%s: run %d of %d: automatic".formatted(each.name, run + 1, RUNS));
      ours[run] = msPerBatch(automatic, each.step, SETTLING_SECONDS, SETTLING_EPOCHS);
    }
    int best =
        IntStream.range(0, theirs.length)
            .boxed()
            .min(Comparator.comparingDouble(i -> Interval.of(theirs[i]).median()))
            .orElseThrow();
    Row row =
        Row.ofPairs(
            each.name,
            "ms/batch",
            ours,
            theirs[best],
            "by hand, " + (best == 0 ? "without a cache" : "with a cache"),
            Bar.ratioAtLeast(ENOUGH),
            0);
    String note =
        AutotuneBench.text(
            "%s: %.2f ms a batch as written, %.2f automatic, %.2f by hand (%s). %s",
            each.name, naive, row.ours().median(), row.peer(), row.peerName(), automatic.explain());
    notes.add(note);
    setup.progress().accept("   " + note.lines().findFirst().orElse(""));
    return row;
  }

  /** Whole epochs, from the first that begins after so many seconds and epochs. */
  private double msPerBatch(
      Dataset<?> dataset, Step step, double settlingSeconds, int settlingEpochs) {
    System.gc(); // what earlier runs left behind is not this one's
    long opened = System.nanoTime();
    try (Pipeline<?> pipeline = dataset.options(o -> o.epochs(1_000_000)).open()) {
      long from = 0;
      long batches = 0;
      while (true) {
        long now = System.nanoTime();
        if (from != 0 && now - from >= SECONDS * 1e9) {
          return (now - from) / 1e6 / batches;
        }
        if (from == 0
            && pipeline.epoch() + 1 >= settlingEpochs
            && now - opened >= settlingSeconds * 1e9) {
          from = now;
        }
        for (Object batch : pipeline) {
          if (batch != null) {
            step.make(burn);
          }
          batches += from == 0 ? 0 : 1;
        }
      }
    }
  }
}
