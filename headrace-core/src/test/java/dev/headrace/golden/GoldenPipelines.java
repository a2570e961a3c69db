package dev.headrace.golden;

import static dev.headrace.Dataset.AUTOTUNE;
import static dev.headrace.Dataset.fromTensorSlices;
import static dev.headrace.Dataset.range;
import static dev.headrace.spi.Collator.pad;
import static dev.headrace.spi.Collator.stack;
import static dev.headrace.spi.Collator.toList;

import dev.headrace.Dataset;
import dev.headrace.Options;
import dev.headrace.data.Buckets;
import dev.headrace.data.Compression;
import dev.headrace.data.Csv;
import dev.headrace.data.Padding;
import dev.headrace.data.Seed;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.spi.InputFiles;
import dev.headrace.spi.Reducer;
import dev.headrace.spi.Scanned;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * The recorded pipelines, written in Java; and those that cannot be, with the reason.
 *
 * <p>A case of several variants (sequential, parallel, other buffers) must come out the same in all
 * of them.
 */
final class GoldenPipelines {
  private static final OwnFolder CACHES = OwnFolder.create("golden");
  private static final AtomicInteger CACHE_NUMBERS = new AtomicInteger();

  private record Pair(Tensor first, Tensor second) {}

  /** The kinds of errors on which we differ, with the reason. */
  private static final Map<String, String> OTHER_CODES =
      Map.of(
          // tf.data calls it lost data; it is the argument that does not fit the elements.
          "padded_batch_too_small_error", "INVALID_ARGUMENT",
          // A file of another length may be damaged as well as misread: an IOException.
          "fixed_length_bad_error", "DATA_LOSS",
          // The argument is right, the dataset has not what was promised.
          "single_element_empty_error", "FAILED_PRECONDITION");

  private final Map<String, List<Supplier<Dataset<?>>>> variants = new LinkedHashMap<>();
  private final Map<String, Supplier<?>> calls = new LinkedHashMap<>();
  private final Map<String, String> absent = new LinkedHashMap<>();
  private final Map<String, Supplier<Dataset<?>>> plainWindows = new LinkedHashMap<>();

  GoldenPipelines() {
    sources();
    tensors();
    records();
    functions();
    interleaves();
    batches();
    paddedBatches();
    otherBatches();
    windows();
    shuffles();
    repetitions();
    combinations();
    cardinalities();
    states();
    mixtures();
    calls();
    notOurs();
  }

  /** Name by name, the ways to write the case. */
  Map<String, List<Supplier<Dataset<?>>>> variants() {
    return variants;
  }

  /** Name by name, the recorded calls that give a value instead of a dataset. */
  Map<String, Supplier<?>> valueCalls() {
    return calls;
  }

  /** Windows as one writes them, whose cardinality tf.data knows less of. */
  Map<String, Supplier<Dataset<?>>> plainWindows() {
    return plainWindows;
  }

  /** The codes that our errors stand for: those recorded, but for a few. */
  static List<String> errorCodes(GoldenCase golden) {
    return golden.errorCodes(0).stream()
        .map(code -> OTHER_CODES.getOrDefault(golden.name(), code))
        .toList();
  }

  /** The code that our refusal stands for. */
  static String errorCode(GoldenCase golden) {
    return OTHER_CODES.getOrDefault(golden.name(), golden.errorCode());
  }

  /** Name by name, why the case is not run. */
  Map<String, String> absent() {
    return absent;
  }

  private void sources() {
    add("range_5", () -> range(5), () -> range(5).map(x -> x), () -> range(5).map(x -> x, 2));
    add("range_neg_step", () -> range(10, 0, -3));
    add("range_step4", () -> range(0, 10, 4));
    add("range_empty", () -> range(5, 5), () -> range(5, 5).map(x -> x, AUTOTUNE));
    add("range_step0_error", () -> range(0, 5, 0));
    add(
        "matching_files",
        () ->
            Dataset.listFiles(files() + "/*.csv")
                .map(file -> Tensor.scalar("FILES/" + file.getFileName())));
  }

  private void tensors() {
    Tensor numbers = Tensor.of(1, 2, 3);
    Tensor letters = Tensor.ofStrings("a", "b", "c");
    add("slices_2comp", () -> fromTensorSlices(new Pair(numbers, letters)));
    add(
        "slices_matrix",
        () -> fromTensorSlices(Tensor.of(Shape.of(2, 2), new float[] {1, 2, 3, 4})),
        () -> Dataset.of(Tensor.of(1f, 2f), Tensor.of(3f, 4f)),
        () -> Dataset.fromList(List.of(Tensor.of(1f, 2f), Tensor.of(3f, 4f))));
    add("slices_mismatch_error", () -> fromTensorSlices(new Pair(numbers, Tensor.of(1, 2))));
    add("slices_scalar_error", () -> fromTensorSlices(Tensor.scalar(1)));
    add("tensors", () -> Dataset.fromTensors(new Pair(numbers, Tensor.scalar(7L))));
    add(
        "batch_strings_2comp",
        () -> fromTensorSlices(new Pair(letters, numbers)).batch(2),
        () -> fromTensorSlices(new Pair(letters, numbers)).prefetch(1).batch(2));
    add("random_dataset", () -> Dataset.random(Seed.of(42)).take(8));
  }

  private void records() {
    add(
        "textline",
        () -> Dataset.textLines(files() + "/lines.txt").map(line -> Tensor.scalar(line)),
        () -> Dataset.textLines(files().resolve("lines.txt")).map(line -> Tensor.scalar(line), 2));
    add(
        "textline_missing_error",
        () -> Dataset.textLines(files() + "/nosuchfile").map(line -> Tensor.scalar(line)));
    InputFiles fixed = InputFiles.of(files().resolve("fixed.bin"));
    add(
        "fixed_length",
        () -> Dataset.fixedLengthRecords(fixed, 4, 3, 2).map(bytes -> Tensor.scalar(bytes)));
    add(
        "fixed_length_bad_error",
        () -> Dataset.fixedLengthRecords(fixed, 5, 3, 2).map(bytes -> Tensor.scalar(bytes)));
    Csv columns = Csv.columns(Csv.int32("a"), Csv.float32("b").or(1.5), Csv.string("c").or("x"));
    add("csv", () -> Dataset.csv(files() + "/t.csv", columns));
    add("csv_bad_error", () -> Dataset.csv(files() + "/bad.csv", columns));
  }

  private void functions() {
    add(
        "map_two_outputs",
        () -> range(3).map(x -> new Pair(Tensor.scalar(x), Tensor.scalar(x / 2f))),
        () -> range(3).map(x -> new Pair(Tensor.scalar(x), Tensor.scalar(x / 2f)), 2));
    add(
        "map_error_noopt",
        () -> range(-2, 3).map(x -> Math.floorDiv(6, x)),
        () -> range(-2, 3).map(x -> Math.floorDiv(6, x)).synchronous(),
        () -> range(-2, 3).map(x -> Math.floorDiv(6, x), 1),
        () -> range(-2, 3).map(x -> Math.floorDiv(6, x), 4),
        () -> range(-2, 3).map(x -> Math.floorDiv(6, x), AUTOTUNE));
    add(
        "filter_even",
        () -> range(7).filter(x -> x % 2 == 0),
        () -> range(7).filter(x -> x % 2 == 0, 3));
    add("filter_none", () -> range(7).filter(x -> x > 100), () -> range(7).filter(x -> x > 100, 3));
    add(
        "parallel_filter_noopt",
        () -> range(10).filter(x -> x % 3 == 0, 2),
        () -> range(10).filter(x -> x % 3 == 0),
        () -> range(10).filter(x -> x % 3 == 0, AUTOTUNE));
    add("prefetch_2", () -> range(5).prefetch(2), () -> range(5), () -> range(5).prefetch(0));
    add("prefetch_neg_error", () -> range(5).prefetch(-5));
  }

  private void interleaves() {
    // flat_map is an interleave of one input at a time.
    add(
        "flat_map",
        () -> range(5).flatMap(x -> range(x)),
        () -> range(5).map(x -> x, 2).flatMap(x -> range(x)),
        () -> range(5).interleave(x -> range(x), 1, 1),
        () -> range(5).interleave(x -> range(x), 1, 3),
        () -> range(5).interleave(x -> range(x), 1, 1, 2));
    add(
        "flat_map_repeat",
        () -> range(3).flatMap(x -> range(x, x + 1).repeat(2)),
        () -> range(3).interleave(x -> range(x, x + 1).repeat(2), 1, 1),
        () -> range(3).interleave(x -> range(x, x + 1).repeat(2), 1, 1, AUTOTUNE));
    for (int[] cycleAndBlock : new int[][] {{1, 1}, {2, 1}, {2, 2}, {2, 4}, {3, 2}, {3, 5}}) {
      addInterleave(cycleAndBlock[0], cycleAndBlock[1]);
    }
    addInterleave(4, 16);
    addInterleave(10, 1);
    add("interleave_cycle0_error", () -> range(3).interleave(x -> range(x), 0, 1));
  }

  private void addInterleave(int cycle, int block) {
    for (String kind : List.of("interleave_c%d_b%d", "pinterleave_det_c%d_b%d")) {
      add(
          kind.formatted(cycle, block),
          () -> range(1, 6).interleave(x -> range(x, x + 1).repeat(x + 1), cycle, block),
          () -> range(1, 6).interleave(x -> range(x, x + 1).repeat(x + 1), cycle, block, 1),
          () -> range(1, 6).interleave(x -> range(x, x + 1).repeat(x + 1), cycle, block, 2),
          () -> range(1, 6).interleave(x -> range(x, x + 1).repeat(x + 1), cycle, block, AUTOTUNE));
    }
  }

  private void batches() {
    add(
        "batch_3",
        () -> range(8).batch(3, stack()),
        () -> range(8).map(x -> Tensor.scalar(x)).batch(3),
        () -> range(8).map(x -> Tensor.scalar(x), 2).batch(3));
    add("parallel_batch", () -> range(8).batch(3, stack()).prefetch(1));
    add("batch_larger", () -> range(2).batch(5, stack()));
    add("batch_larger_drop", () -> range(2).batch(5, stack(), true));
    add("batch_0_error", () -> range(3).batch(0));
    add(
        "batch_ragged_error",
        () -> range(4).map(x -> Tensor.full(Shape.of(x), x)).batch(2),
        () -> range(4).map(x -> Tensor.full(Shape.of(x), x), 3).batch(2));
    add(
        "batch_1_of_varlen",
        () -> range(3).map(x -> Tensor.full(Shape.of(x), x)).batch(1),
        () -> range(3).map(x -> Tensor.full(Shape.of(x), x), 3).batch(1));
    add(
        "map_and_batch",
        () -> range(7).map(x -> x + 1).batch(3, stack()),
        () -> range(7).map(x -> x + 1, 2).batch(3, stack()));
  }

  private static Dataset<Tensor> filled(long count) {
    return range(count).map(x -> Tensor.full(Shape.of(x), x));
  }

  private static Dataset<Tensor> filledInParallel(long count) {
    return range(count).map(x -> Tensor.full(Shape.of(x), x), 3);
  }

  private void paddedBatches() {
    Padding longest = Padding.zeros().shape(Shape.of(Shape.UNKNOWN));
    add(
        "padded_batch",
        () -> filled(5).paddedBatch(2),
        () -> filledInParallel(5).paddedBatch(2, longest),
        () -> range(5).map(x -> filledArray(x)).batch(2, pad()));
    Padding fixed = Padding.zeros().shape(Shape.of(4)).value(-1);
    add(
        "padded_batch_fixed_m1",
        () -> filled(4).paddedBatch(2, fixed),
        () -> filledInParallel(4).paddedBatch(2, fixed),
        () -> range(4).map(x -> filledArray(x)).batch(2, pad(fixed)));
    add(
        "padded_batch_drop",
        () -> filled(5).paddedBatch(2, longest, true),
        () -> filledInParallel(5).paddedBatch(2, Padding.zeros(), true));
    Padding small = Padding.zeros().shape(Shape.of(2));
    add(
        "padded_batch_too_small_error",
        () -> filled(5).paddedBatch(5, small),
        () -> filledInParallel(5).paddedBatch(5, small));
    add(
        "bucket_like_group_by_window_padded",
        () ->
            range(8)
                .map(x -> Tensor.full(Shape.of(x % 4 + 1), x))
                .groupByWindow(x -> x.elements() <= 2, (key, w) -> w.paddedBatch(2), 2),
        () ->
            range(8)
                .map(x -> Tensor.full(Shape.of(x % 4 + 1), x), 2)
                .bucketBySequenceLength(Tensor::elements, Buckets.below(3).batches(2, 2)));
  }

  private static long[] filledArray(long x) {
    long[] array = new long[(int) x];
    Arrays.fill(array, x);
    return array;
  }

  private void otherBatches() {
    add(
        "unbatch",
        () -> range(7).batch(3, stack()).unbatch(),
        () -> range(7).batch(3, stack()).prefetch(1).unbatch(),
        () -> range(7).batch(3, toList()).unbatch(list -> list));
    add(
        "rebatch",
        () -> range(10).batch(4, stack()).rebatch(3, 2),
        () -> range(10).map(x -> Tensor.scalar(x), 2).batch(4).prefetch(1).rebatch(3, 2));
    add(
        "rebatch_drop",
        () -> range(10).batch(4, stack()).rebatch(3, true),
        () -> range(10).batch(4, stack()).prefetch(1).rebatch(List.of(3), true));
  }

  private void windows() {
    addWindow(3, 3, 1, false);
    addWindow(3, 1, 1, false);
    addWindow(3, 1, 1, true);
    addWindow(2, 3, 1, false);
    addWindow(3, 2, 2, false);
    addWindow(10, 1, 1, true);
    for (int size : new int[] {2, 3, 100}) {
      add(
          "group_by_window_" + size,
          () -> range(10).groupByWindow(x -> x % 3, (key, w) -> w.batch(size, stack()), size),
          () ->
              range(10)
                  .map(x -> x, 2)
                  .groupByWindow(x -> x % 3, (key, w) -> w.batch(size, stack()), key -> size));
    }
  }

  private void addWindow(int size, int shift, int stride, boolean drop) {
    String name = "window_%d_%d_%d%s".formatted(size, shift, stride, drop ? "_drop" : "");
    plainWindows.put(
        name,
        () -> range(7).window(size, shift, stride, drop).flatMap(w -> w.batch(size, stack())));
    // The filter is there because a flat_map of nothing is of unknown cardinality in tf.data.
    add(
        name,
        () ->
            range(7)
                .window(size, shift, stride, drop)
                .filter(w -> w.cardinality() > 0)
                .interleave(w -> w.batch(size, stack()), 1, 1),
        () ->
            range(7)
                .map(x -> x, 3)
                .window(size, shift, stride, drop)
                .prefetch(2)
                .filter(w -> w.cardinality() > 0)
                .interleave(w -> w.batch(size, stack()), 1, 1, 2));
  }

  private void shuffles() {
    for (int buffer : new int[] {1, 3, 10, 100}) {
      for (Seed seed :
          List.of(
              new Seed(1, 2),
              new Seed(42, 0),
              new Seed(0, 42),
              new Seed(87654321, 42),
              new Seed(87654321, 7),
              new Seed(1234, 5678))) {
        add(
            "shuffle_b%d_s%d_%d".formatted(buffer, seed.first(), seed.second()),
            () -> range(10).shuffle(buffer, seed),
            () -> range(10).map(x -> x, 3).shuffle(buffer, seed));
      }
    }
    add("shuffle_0_error", () -> range(3).shuffle(0));
    Seed seed = new Seed(1, 2);
    add("shuffle_repeat_reshuffle", () -> range(6).shuffle(6, seed).repeat(3));
    add("shuffle_repeat_reshuffle_noopt", () -> range(6).shuffle(6, seed).repeat(3));
    add("shuffle_repeat_noreshuffle", () -> range(6).shuffle(6, seed, false).repeat(3));
    add("shuffle_repeat_noreshuffle_noopt", () -> range(6).shuffle(6, seed, false).repeat(3));
    add("shuffle3_repeat_noopt", () -> range(10).shuffle(3, Seed.of(42)).repeat(3));
    add(
        "shuffle_batch_repeat",
        () -> range(8).shuffle(4, Seed.of(42)).batch(3, stack()).repeat(2),
        () -> range(8).prefetch(3).shuffle(4, Seed.of(42)).batch(3, stack()).repeat(2));
    add(
        "repeat_shuffle_batch",
        () -> range(8).repeat(2).shuffle(4, Seed.of(42)).batch(5, stack()),
        () -> range(8).repeat(2).prefetch(3).shuffle(4, Seed.of(42)).batch(5, stack()));
  }

  private void repetitions() {
    add("repeat_0", () -> range(3).repeat(0));
    add(
        "repeat_inf_take",
        () -> range(3).repeat(-1).take(7),
        () -> range(3).repeat().take(7),
        () -> range(3).prefetch(1).repeat().take(7));
    add("repeat_inf_of_empty", () -> range(0).repeat(-1));
    add("take_3", () -> range(10).take(3), () -> range(10).map(x -> x, 4).take(3));
    add("take_m1", () -> range(4).take(-1));
    add("take_over", () -> range(4).take(9));
    add("take_0", () -> range(4).take(0));
    add(
        "cache_mem_repeat",
        () -> range(4).cache().repeat(2),
        () -> range(4).map(x -> x, 2).cache().repeat(2));
    add(
        "cache_shuffle_repeat",
        () -> range(5).cache().shuffle(5, new Seed(1, 2)).repeat(2),
        () -> range(5).cache().prefetch(2).shuffle(5, new Seed(1, 2)).repeat(2));
    add(
        "cache_file",
        () -> range(4).map(x -> x * 10).cache(freshFile()).repeat(2),
        () -> range(4).map(x -> x * 10, 2).cache(freshFile(), Compression.ZLIB).repeat(2));
    add(
        "cache_mem_partial_then_take",
        () -> range(5).cache().take(2),
        () -> range(5).cache().prefetch(1).take(2));
  }

  private void combinations() {
    add("skip_3", () -> range(5).skip(3), () -> range(5).map(x -> x, 2).skip(3));
    add("shard_3_1", () -> range(10).shard(3, 1), () -> range(10).map(x -> x, 2).shard(3, 1));
    add("shard_neg_error", () -> range(10).shard(3, -1));
    add("shard_0_error", () -> range(10).shard(0, 0));
    add("shard_more_than_elems", () -> range(2).shard(5, 4));
    add(
        "concat",
        () -> range(3).concatenate(range(7, 9)),
        () -> range(3).map(x -> x, 2).concatenate(range(7, 9).map(x -> x, 2)));
    add(
        "take_while",
        () -> range(10).takeWhile(x -> x * x < 20),
        () -> range(10).map(x -> x, 2).takeWhile(x -> x * x < 20));
    add(
        "enumerate_5",
        () -> range(2).map(x -> Tensor.scalar(x == 0 ? "a" : "b")).enumerate(5),
        () -> range(2).map(x -> Tensor.scalar(x == 0 ? "a" : "b"), 2).enumerate(5));
    add(
        "mixed_chain",
        () -> mixedChain(range(20).filter(x -> x % 2 == 1).map(x -> x * 2)),
        () -> mixedChain(range(20).filter(x -> x % 2 == 1, 2).map(x -> x * 2, 3)));
    add("global_shuffle", () -> range(10).globalShuffle(new Seed(1, 2)));
    // The weights choose which index comes from where only under a global shuffle.
    add("weighted_flat_map", () -> range(5).concatenate(range(100, 105)));
  }

  private static Dataset<?> mixedChain(Dataset<Long> numbers) {
    return numbers.batch(3, stack()).repeat(2).skip(1).take(5);
  }

  private void cardinalities() {
    add("assert_cardinality_few_error", () -> range(5).assertCardinality(7));
    add("assert_cardinality_many_error", () -> range(5).assertCardinality(3));
    calls.put("single_element_ok", () -> range(7, 8).singleElement());
    calls.put("single_element_empty_error", () -> range(0).singleElement());
  }

  private void states() {
    add(
        "scan_sum",
        () -> range(6).scan(0L, (sum, x) -> new Scanned<>(sum + x, sum + x)),
        () -> range(6).map(x -> x, 2).scan(0L, (sum, x) -> new Scanned<>(sum + x, sum + x)));
    add("unique", () -> listed(1, 2, 1, 3, 2, 5, 1).unique());
    add(
        "group_by_reducer",
        () ->
            range(10)
                .groupByReducer(
                    x -> x % 3,
                    new Reducer<Long, Long, Long, Long>(key -> 0L, (sum, x) -> sum + x, s -> s)));
  }

  private void mixtures() {
    for (boolean stop : new boolean[] {false, true}) {
      add(
          "choose_stop" + stop,
          () ->
              Dataset.chooseFrom(
                  List.of(range(0, 3), range(10, 12), range(20, 26)),
                  listed(0, 1, 2, 0, 1, 2, 0, 1, 2, 2, 2, 0),
                  stop));
      add("sample_w0.5_stop" + stop, () -> sample(stop, 0.5, 0.5));
    }
    add("sample_w0.9_stoptrue", () -> sample(true, 0.9, 0.1));
  }

  private static Dataset<Long> listed(long... values) {
    return range(values.length).map(i -> values[Math.toIntExact(i)]);
  }

  private static Dataset<Long> sample(boolean stopOnEmpty, double... weights) {
    return Dataset.sampleFrom(
        List.of(range(0, 10), range(100, 110)), weights, Seed.of(42), stopOnEmpty);
  }

  private void calls() {
    calls.put("reduce_sum", () -> range(5).reduce(0L, (sum, x) -> sum + x));
  }

  private void notOurs() {
    leaveOut(
        "a condition gives one boolean, so the compiler refuses it",
        "filter_two_element_pred_error");
    leaveOut(
        "a defect of tf.data, which fails to build it; parallel_filter_noopt is what it means",
        "parallel_filter");
    leaveOut(
        "a defect of tf.data, which says 3 elements and gives 2; window_3_1_1_drop is what it"
            + " means",
        "sliding_window");
    leaveOut(
        "a window of no elements is refused where it is written; tf.data repeats the error for"
            + " ever",
        "group_by_window_0_error");
  }

  private void leaveOut(String reason, String... names) {
    for (String name : names) {
      absent.put(name, reason);
    }
  }

  @SafeVarargs
  private void add(String name, Supplier<Dataset<?>> first, Supplier<Dataset<?>>... others) {
    List<Supplier<Dataset<?>>> all = new ArrayList<>(List.of(first));
    for (Supplier<Dataset<?>> other : others) {
      all.add(other);
    }
    all.add(() -> first.get().prefetch(2));
    Supplier<Dataset<?>> last = others.length == 0 ? first : others[others.length - 1];
    all.add(() -> last.get().prefetch(AUTOTUNE));
    all.add(() -> last.get().options(Options.defaults().debug()));
    variants.put(name, all);
  }

  private static Path freshFile() {
    return CACHES.path().resolve("cache-" + CACHE_NUMBERS.incrementAndGet());
  }

  private static Path files() {
    try {
      return Path.of(
          Objects.requireNonNull(GoldenPipelines.class.getResource("/golden/files")).toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }
}
