package dev.headrace.golden;

import static dev.headrace.Dataset.AUTOTUNE;
import static dev.headrace.Dataset.range;
import static dev.headrace.spi.Collator.stack;

import dev.headrace.Dataset;
import dev.headrace.Options;
import dev.headrace.data.Compression;
import dev.headrace.data.Seed;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * The recorded pipelines, written in Java; and those that cannot be, with the reason.
 *
 * <p>A case of several variants (sequential, parallel, other buffers) must come out the same in all
 * of them.
 */
final class GoldenPipelines {
  private record Pair(Tensor first, Tensor second) {}

  private final Map<String, List<Supplier<Dataset<?>>>> variants = new LinkedHashMap<>();
  private final Map<String, String> absent = new LinkedHashMap<>();

  GoldenPipelines() {
    sources();
    functions();
    interleaves();
    batches();
    shuffles();
    repetitions();
    notYet();
    notOurs();
  }

  /** Name by name, the ways to write the case. */
  Map<String, List<Supplier<Dataset<?>>>> variants() {
    return variants;
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
        () -> range(5).interleave(x -> range(x), 1, 1),
        () -> range(5).interleave(x -> range(x), 1, 3),
        () -> range(5).interleave(x -> range(x), 1, 1, 2));
    add(
        "flat_map_repeat",
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
        () -> range(4).map(x -> x * 10, 2).cache(freshFile(), Compression.DEFLATE).repeat(2));
    add(
        "cache_mem_partial_then_take",
        () -> range(5).cache().take(2),
        () -> range(5).cache().prefetch(1).take(2));
  }

  private void notYet() {
    String reason = "operator not there yet";
    leaveOut(reason, "slices_2comp", "slices_matrix", "slices_mismatch_error");
    leaveOut(reason, "slices_scalar_error", "tensors", "batch_strings_2comp");
    leaveOut(reason, "padded_batch", "padded_batch_fixed_m1", "padded_batch_drop");
    leaveOut(reason, "padded_batch_too_small_error", "bucket_like_group_by_window_padded");
    leaveOut(reason, "window_3_3_1", "window_3_1_1", "window_3_1_1_drop", "window_2_3_1");
    leaveOut(reason, "window_3_2_2", "window_10_1_1_drop", "sliding_window");
    leaveOut(reason, "skip_3", "mixed_chain", "concat", "scan_sum", "unique", "take_while");
    leaveOut(reason, "shard_3_1", "shard_neg_error", "shard_0_error", "shard_more_than_elems");
    leaveOut(reason, "group_by_window_2", "group_by_window_3", "group_by_reducer");
    leaveOut(reason, "group_by_window_100", "group_by_window_0_error", "unbatch", "rebatch");
    leaveOut(reason, "rebatch_drop", "choose_stopfalse", "choose_stoptrue", "enumerate_5");
    leaveOut(reason, "sample_w0.5_stopfalse", "sample_w0.5_stoptrue", "sample_w0.9_stoptrue");
    leaveOut(reason, "random_dataset", "global_shuffle", "weighted_flat_map");
    leaveOut(reason, "assert_cardinality_few_error", "assert_cardinality_many_error");
    leaveOut(reason, "textline", "textline_missing_error", "fixed_length");
    leaveOut(reason, "fixed_length_bad_error", "csv", "csv_bad_error");
    leaveOut(reason, "reduce_sum", "single_element_ok", "single_element_empty_error");
  }

  private void notOurs() {
    leaveOut(
        "a condition gives one boolean, so the compiler refuses it",
        "filter_two_element_pred_error");
    leaveOut(
        "a defect of tf.data, which fails to build it; parallel_filter_noopt is what it means",
        "parallel_filter");
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
    try {
      Path folder = Files.createTempDirectory("headrace-golden");
      folder.toFile().deleteOnExit();
      Path file = folder.resolve("cache");
      file.toFile().deleteOnExit();
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
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
