package dev.headrace.bench;

import static dev.headrace.Dataset.AUTOTUNE;
import static dev.headrace.Dataset.range;

import dev.headrace.Dataset;
import dev.headrace.data.Buckets;
import dev.headrace.data.Seed;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.spi.Collator;
import dev.headrace.spi.Reducer;
import dev.headrace.spi.Scanned;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;
import java.util.stream.LongStream;

/**
 * Every operator that tf.data has, in a small pipeline of the same meaning on both sides: CPU time
 * for each element of the source, the whole pipeline included.
 *
 * <p>tf.data's figure is the better of its default options and of autotuning and rewrites turned
 * off, and it is consumed inside its runtime; ours is consumed by {@code next()}, element by
 * element.
 */
final class Operators implements Scenario {
  private static final int FILE_RECORDS = 1 << 17;

  @Override
  public String name() {
    return "operators";
  }

  @Override
  public String summary() {
    return "every operator that tf.data has, beside it; about 6 minutes";
  }

  @Override
  public List<Row> run(Setup setup) throws IOException {
    Chains.warmUp();
    try (TemporaryFolder temporary = TemporaryFolder.create("operators")) {
      Path folder = temporary.path();
      writeFiles(folder);
      List<Row> rows = new ArrayList<>();
      Map<String, LongFunction<Dataset<?>>> cases = cases(folder);
      int at = 0;
      for (Map.Entry<String, LongFunction<Dataset<?>>> entry : cases.entrySet()) {
        setup
            .progress()
            .accept("%s: operator %d of %d".formatted(entry.getKey(), ++at, cases.size()));
        rows.add(row(entry.getKey(), entry.getValue(), setup, folder));
      }
      return rows;
    }
  }

  private static Row row(String name, LongFunction<Dataset<?>> chain, Setup setup, Path folder) {
    Measured ours = new Measured(n -> chain.apply(rounded(n))).atMost(FILE_RECORDS).warm();
    TfData tfData = setup.peer();
    List<MeasuredPeer> peers = new ArrayList<>();
    if (tfData != null) {
      for (TfData.Mode mode : List.of(TfData.Mode.DEFAULT, TfData.Mode.TUNED)) {
        peers.add(MeasuredPeer.ofCase(tfData, mode, name, folder, FILE_RECORDS));
      }
    }
    double[] mine = new double[setup.pairs()];
    for (int pair = 0; pair < setup.pairs(); pair++) {
      mine[pair] = ours.measure().cpuNs();
      peers.forEach(MeasuredPeer::measure);
    }
    if (peers.isEmpty()) {
      return Row.alone(name, "CPU ns/elem", Interval.of(mine), null);
    }
    MeasuredPeer best =
        peers.stream().min(Comparator.comparingDouble(MeasuredPeer::medianCpuNs)).orElseThrow();
    return Row.ofPairs(
        name, "CPU ns/elem", mine, Spent.cpu(best.runs()), best.name(), Bar.ratioAtLeast(1), 0.05);
  }

  private static long rounded(long n) {
    return Math.max(64, n - n % 64);
  }

  /** The same pipelines as in {@code peers/tfdata/operators.py}, by the same names. */
  private static Map<String, LongFunction<Dataset<?>>> cases(Path folder) {
    Map<String, LongFunction<Dataset<?>>> cases = new LinkedHashMap<>();
    sources(cases, folder);
    oneByOne(cases);
    several(cases);
    grouped(cases);
    stateful(cases);
    kept(cases, folder);
    return cases;
  }

  private static void sources(Map<String, LongFunction<Dataset<?>>> cases, Path folder) {
    cases.put("range", n -> range(n));
    cases.put(
        "from_tensor_slices",
        n -> Dataset.fromTensorSlices(Tensor.of(LongStream.range(0, n).toArray())));
    cases.put("counter", n -> Dataset.counter().take(n));
    cases.put("random", n -> Dataset.random(Seed.of(7)).take(n));
    cases.put("generator", n -> Dataset.generator(() -> LongStream.range(0, n).iterator()));
    cases.put("text_lines", n -> Dataset.textLines(folder.resolve("lines.txt")).take(n));
    cases.put(
        "fixed_length_records",
        n -> Dataset.fixedLengthRecords(folder.resolve("fixed.bin").toString(), 32).take(n));
    cases.put("csv", n -> Dataset.csv(folder.resolve("rows.csv").toString()).take(n));
  }

  private static void oneByOne(Map<String, LongFunction<Dataset<?>>> cases) {
    cases.put("map", n -> range(n).map(x -> x + 1));
    cases.put("parallel_map", n -> range(n).map(x -> x + 1, 2));
    cases.put("filter", n -> range(n).filter(x -> x >= 0));
    cases.put("skip", n -> range(n + 10).skip(10));
    cases.put("take", n -> range(n + 10).take(n));
    cases.put("take_while", n -> range(n).takeWhile(x -> x >= 0));
    cases.put("enumerate", n -> range(n).enumerate());
    cases.put("shard", n -> range(2 * n).shard(2, 1));
    cases.put("repeat", n -> range(n / 64).repeat(64));
    cases.put("shuffle", n -> range(n).shuffle(1000, Seed.of(7)));
    cases.put("global_shuffle", n -> range(n).globalShuffle(Seed.of(7)));
    cases.put("prefetch", n -> range(n).prefetch(AUTOTUNE));
    cases.put("ignore_errors", n -> range(n).ignoreErrors());
    cases.put("assert_cardinality", n -> range(n).assertCardinality(n));
  }

  private static void several(Map<String, LongFunction<Dataset<?>>> cases) {
    cases.put("flat_map", n -> range(n / 64).flatMap(x -> range(64)));
    cases.put("interleave", n -> range(n / 64).interleave(x -> range(64), 4, 8));
    cases.put("concatenate", n -> range(n / 2).concatenate(range(n / 2)));
    cases.put("zip", n -> range(n).zip(range(n)));
    cases.put(
        "sample_from",
        n ->
            Dataset.sampleFrom(
                List.of(range(n / 2), range(n / 2)), new double[] {0.5, 0.5}, Seed.of(7), false));
    cases.put(
        "choose_from",
        n -> Dataset.chooseFrom(List.of(range(n / 2), range(n / 2)), range(2).repeat(n / 2)));
  }

  private static void grouped(Map<String, LongFunction<Dataset<?>>> cases) {
    cases.put("batch", n -> range(n).batch(128, Collator.stack()));
    cases.put("padded_batch", n -> vectors(n).paddedBatch(32));
    cases.put("ragged_batch", n -> vectors(n).raggedBatch(32));
    cases.put("sparse_batch", n -> vectors(n).sparseBatch(32, Shape.of(8)));
    cases.put("unbatch", n -> range(n).batch(64, Collator.stack()).unbatch());
    cases.put("rebatch", n -> range(n).batch(64, Collator.stack()).rebatch(48));
    cases.put(
        "bucket_by_sequence_length",
        n ->
            vectors(n)
                .bucketBySequenceLength(
                    x -> x.shape().dim(0), Buckets.below(3, 6).batches(32, 32, 32)));
    cases.put(
        "group_by_window",
        n -> range(n).groupByWindow(x -> x % 4, (key, w) -> w.batch(32, Collator.stack()), 32));
    cases.put(
        "window", n -> range(n).window(8, 8, 1, true).flatMap(w -> w.batch(8, Collator.stack())));
  }

  private static void stateful(Map<String, LongFunction<Dataset<?>>> cases) {
    cases.put(
        "group_by_reducer",
        n ->
            range(n)
                .groupByReducer(
                    x -> x % 4,
                    new Reducer<Long, Long, Long, Long>(key -> 0L, (s, x) -> s + x, s -> s)));
    cases.put("scan", n -> range(n).scan(0L, (s, x) -> new Scanned<>(s + x, s + x)));
    cases.put("unique", n -> range(n).unique());
    cases.put(
        "rejection_resample",
        n ->
            range(n)
                .rejectionResample(
                    x -> x % 2, new double[] {0.5, 0.5}, new double[] {0.5, 0.5}, Seed.of(7)));
  }

  private static void kept(Map<String, LongFunction<Dataset<?>>> cases, Path folder) {
    cases.put("cache", n -> range(n / 8).cache().repeat(8));
    cases.put("cache_file", n -> range(n / 8).cache(folder.resolve("cache-" + n)).repeat(8));
    cases.put("snapshot", n -> range(n).snapshot(folder.resolve("snapshot-" + n)));
    cases.put("load", n -> Dataset.load(saved(folder.resolve("saved-" + n), n)));
  }

  private static Path saved(Path file, long n) {
    if (!Files.exists(file)) {
      try {
        long unused = range(n).save(file);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return file;
  }

  /** Vectors of one to eight numbers, made beforehand, so that making them costs little. */
  private static Dataset<Tensor> vectors(long n) {
    List<Tensor> vectors = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      vectors.add(Tensor.full(Shape.of(i % 8 + 1), (long) i));
    }
    return Dataset.fromList(vectors).repeat(n / 64);
  }

  private static void writeFiles(Path folder) throws IOException {
    StringBuilder lines = new StringBuilder();
    StringBuilder rows = new StringBuilder("id,score,name\n");
    for (int i = 0; i < FILE_RECORDS; i++) {
      lines.append("line number ").append(i).append(" of the file\n");
      rows.append(i).append(',').append(i).append(".5,name ").append(i).append('\n');
    }
    Files.writeString(folder.resolve("lines.txt"), lines);
    Files.writeString(folder.resolve("rows.csv"), rows);
    Files.write(folder.resolve("fixed.bin"), new byte[32 * FILE_RECORDS]);
  }
}
