package dev.headrace.profile;

import static dev.headrace.Dataset.AUTOTUNE;
import static dev.headrace.data.DType.FLOAT32;
import static dev.headrace.data.DType.UINT8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.Dataset;
import dev.headrace.data.Buckets;
import dev.headrace.data.Compression;
import dev.headrace.data.Csv;
import dev.headrace.data.Seed;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.data.TfRecords;
import dev.headrace.example.Example;
import dev.headrace.example.Feature;
import dev.headrace.profile.Finding.Severity;
import dev.headrace.profile.lint.LintCases;
import dev.headrace.spi.Collator;
import dev.headrace.spi.ErrorBudget;
import dev.headrace.spi.InputFiles;
import dev.headrace.spi.Order;
import dev.headrace.spi.Packing;
import dev.headrace.spi.Scanned;
import dev.headrace.spi.ShardMode;
import dev.headrace.text.CsvLines;
import dev.headrace.text.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Pipelines as good users write them: the linter has nothing to say about any of them. */
final class HealthyPipelinesTest {
  private static final Seed SEED = Seed.of(42);

  record Labelled(Tensor image, Tensor label) {}

  private static Tensor image(long i) {
    return Tensor.full(Shape.of(8, 8, 3), (float) i);
  }

  private static Tensor load(Path file) throws Exception {
    return Tensor.scalar(Files.readAllBytes(file));
  }

  private static Tensor preprocess(Tensor image) {
    return image.resize(224, 224).convert(FLOAT32);
  }

  private static Dataset<Tensor> images() {
    return Dataset.range(10_000).map(HealthyPipelinesTest::image, AUTOTUNE);
  }

  private static Map<String, Dataset<?>> healthy() {
    Map<String, Dataset<?>> all = new LinkedHashMap<>();

    // Good forms of the programs in tutorials and questions.
    all.put(
        "slow loading, overlapped",
        Dataset.range(1000).map(HealthyPipelinesTest::image, AUTOTUNE).prefetch(AUTOTUNE));
    all.put(
        "transfer and compute",
        Dataset.range(1000)
            .map(i -> Tensor.full(Shape.of(10_000), (float) i))
            .prefetch(AUTOTUNE)
            .append(LintCases.PrefetchToDeviceOp::new)
            .append(LintCases.MapOnDeviceOp::new));
    all.put(
        "slices of one array",
        Dataset.fromTensorSlices(Tensor.uniform(Shape.of(1000, 1000), Seed.of(7)))
            .batch(32)
            .prefetch(AUTOTUNE));
    all.put("batch and prefetch", images().batch(32).prefetch(AUTOTUNE));
    all.put(
        "files decoded in parallel",
        Dataset.listFiles("images/*.jpg").map(HealthyPipelinesTest::load, AUTOTUNE).batch(32));
    all.put(
        "records, preprocessed, cached",
        Dataset.tfRecords("records/*.tfrecord")
            .map(Example.parser(Feature.bytes("image")), AUTOTUNE)
            .map(f -> preprocess(f.decodeRaw("image", UINT8, Shape.of(8, 8, 3))), AUTOTUNE)
            .cache()
            .batch(32)
            .prefetch(AUTOTUNE));
    all.put(
        "records cached as they are",
        Dataset.tfRecords("records/*.tfrecord")
            .cache()
            .map(Example.parser(Feature.bytes("image")), AUTOTUNE)
            .map(f -> f.decodeRaw("image", UINT8, Shape.of(8, 8, 3)), AUTOTUNE)
            .map(HealthyPipelinesTest::preprocess, AUTOTUNE)
            .batch(64)
            .prefetch(AUTOTUNE));
    all.put(
        "photographs",
        Dataset.tfRecords("flowers/train-*.tfrecord")
            .map(Example.parser(Feature.bytes("image"), Feature.int64("label")), AUTOTUNE)
            .map(f -> new Labelled(f.tensor("image"), f.tensor("label")), AUTOTUNE)
            .shuffle(1_000, SEED)
            .batch(64)
            .prefetch(AUTOTUNE));
    all.put(
        "photographs, cached, to a device",
        Dataset.tfRecords("flowers/train-*.tfrecord")
            .map(Example.parser(Feature.bytes("image"), Feature.int64("label")), AUTOTUNE)
            .cache()
            .shuffle(1_000, SEED)
            .batch(64)
            .prefetch(AUTOTUNE)
            .append(LintCases.PrefetchToDeviceOp::new));

    // The usual orders of operators.
    all.put("shuffle, repeat, batch", images().shuffle(1000).repeat().batch(32).prefetch(2));
    all.put("shuffle, batch, repeat", images().shuffle(1000).batch(32).repeat(5).prefetch(2));
    all.put("cache, shuffle, repeat", images().cache().shuffle(1000).repeat().batch(8).prefetch(2));
    all.put(
        "cache, then augmentation",
        images().cache().shuffle(1000).randomMap((x, r) -> x, SEED, AUTOTUNE).batch(8).prefetch(2));
    all.put(
        "augmentation without cache",
        images()
            .randomMap((x, r) -> x.randomFlipLeftRight(r), SEED, AUTOTUNE)
            .batch(8)
            .prefetch(2));
    all.put(
        "cache on disk", images().cache(Path.of("cache/train")).shuffle(1000).batch(8).prefetch(2));
    all.put("snapshot", images().snapshot(Path.of("snapshots")).shuffle(1000).batch(8).prefetch(2));
    all.put("cache of batches", images().batch(32).cache().prefetch(2));
    all.put("subset, cached", images().take(2_000).cache().shuffle(500).batch(32).prefetch(2));
    all.put(
        "steps, not epochs",
        images().cache().shuffle(500).repeat().batch(32).take(10_000).prefetch(2));
    all.put("drop the remainder", images().shuffle(1000).batch(64, true).prefetch(AUTOTUNE));
    all.put(
        "global shuffle",
        Dataset.range(10_000).globalShuffle(SEED).map(i -> image(i), 4).batch(8).prefetch(2));
    all.put("one order for all epochs", images().shuffle(1000, SEED, false).batch(32).prefetch(2));
    all.put("validation, in order", images().batch(32).prefetch(AUTOTUNE));
    all.put(
        "train part of a split",
        images()
            .shuffle(10_000, SEED, false)
            .skip(2_000)
            .shuffle(1000, SEED)
            .batch(32)
            .prefetch(2));
    all.put(
        "validation part of a split",
        images().shuffle(10_000, SEED, false).take(2_000).batch(32).prefetch(2));
    all.put("two shuffles", images().shuffle(5_000).batch(32).shuffle(16).prefetch(2));
    all.put(
        "unordered",
        Dataset.range(10_000).map(i -> image(i), AUTOTUNE, Order.UNORDERED).batch(32).prefetch(2));

    // Files.
    all.put(
        "files, interleaved",
        Dataset.listFiles("logs/*.txt", SEED)
            .interleave(f -> Dataset.textLines(f), 4, 16, AUTOTUNE)
            .shuffle(10_000, SEED)
            .batch(32, Collator.toList())
            .prefetch(AUTOTUNE));
    all.put(
        "files, one after the other",
        Dataset.listFiles("logs/*.txt")
            .flatMap(f -> Dataset.textLines(f))
            .batch(32, Collator.toList())
            .prefetch(2));
    all.put(
        "text", Dataset.textLines("corpus/*.txt").filter(line -> !line.isBlank()).prefetch(100));
    all.put(
        "packed text",
        Dataset.textLines(InputFiles.matching("logs/*.gz").compressed(Compression.GZIP))
            .map(String::strip, AUTOTUNE)
            .prefetch(100));
    all.put(
        "separated values", Dataset.csv("rows/*.csv").shuffle(10_000, SEED).batch(128).prefetch(2));
    all.put(
        "lines of separated values",
        Dataset.textLines("rows/*.csv")
            .map(CsvLines.textDecoder(Csv.columns(Csv.float32("x")).withoutHeader()), AUTOTUNE)
            .batch(128)
            .prefetch(2));
    all.put("JSON", Dataset.jsonLines("rows/*.jsonl").batch(128).prefetch(2));
    all.put(
        "JSON on many threads",
        Dataset.textLines("rows/*.jsonl")
            .filter(Json.notBlank())
            .map(Json.parser(), AUTOTUNE)
            .batch(128)
            .prefetch(2));
    all.put(
        "records, parsed as batches",
        Dataset.tfRecords("x/*.tfrecord")
            .shuffle(10_000, SEED)
            .batch(64)
            .map(Example.parser(Feature.int64("label")), AUTOTUNE)
            .prefetch(2));
    all.put(
        "records by index",
        Dataset.tfRecords(InputFiles.matching("x/*.tfrecord"), TfRecords.defaults())
            .map(Example.parser(Feature.int64("label")), AUTOTUNE)
            .batch(64)
            .prefetch(2));
    all.put(
        "fixed records",
        Dataset.fixedLengthRecords("x/*.bin", 3073)
            .shuffle(10_000, SEED)
            .map(b -> Tensor.scalar(b), AUTOTUNE)
            .batch(128)
            .prefetch(2));
    all.put("a saved dataset", Dataset.<Tensor>load(Path.of("saved")).batch(32).prefetch(2));

    // Several processes.
    all.put(
        "shard of files",
        Dataset.listFiles("x/*.tfrecord")
            .shard(4, 1)
            .interleave(f -> Dataset.tfRecords(f), 4, 1, AUTOTUNE)
            .shuffle(1000)
            .batch(32)
            .prefetch(2));
    all.put(
        "shard of numbers",
        Dataset.range(10_000)
            .shard(8, 3)
            .map(i -> image(i), AUTOTUNE)
            .shuffle(100)
            .batch(32)
            .prefetch(2));
    all.put(
        "shard of a common order",
        Dataset.range(10_000)
            .shuffle(10_000, SEED)
            .shard(8, 3)
            .map(i -> image(i), AUTOTUNE)
            .batch(32)
            .prefetch(2));
    all.put(
        "shard of a global order",
        Dataset.range(10_000)
            .globalShuffle(SEED)
            .shard(8, 3)
            .map(i -> image(i), AUTOTUNE)
            .batch(32)
            .prefetch(2));
    all.put(
        "ranks",
        Dataset.tfRecords("x/*")
            .shardByRank(1, 4, ShardMode.DROP)
            .map(Example.parser(Feature.int64("label")), AUTOTUNE)
            .batch(32)
            .prefetch(2));
    all.put(
        "shard after a pure map",
        Dataset.range(10_000).map(Dataset.pure(i -> image(i))).shard(8, 3).batch(32).prefetch(2));

    // Language, sequences, mixtures.
    all.put(
        "characters of a text",
        Dataset.range(1_000_000)
            .map(Tensor::scalar, AUTOTUNE)
            .batch(101, true)
            .map(x -> x, AUTOTUNE)
            .shuffle(10_000, SEED)
            .batch(64, true)
            .prefetch(AUTOTUNE));
    all.put(
        "buckets, shuffled as batches",
        images()
            .bucketBySequenceLength(x -> x.shape().rank(), Buckets.below(3, 5).batches(8, 8, 8))
            .shuffle(50)
            .prefetch(2));
    all.put("padded", images().shuffle(1000).paddedBatch(32).prefetch(2));
    all.put(
        "packed rows",
        Dataset.range(1000)
            .map(i -> Tensor.of(i, i), AUTOTUNE)
            .pack(1024, Packing.FIRST_FIT)
            .batch(8)
            .prefetch(2));
    all.put(
        "windows",
        Dataset.range(1000)
            .window(5, 1, 1, true)
            .flatMap(w -> w.batch(5, Collator.stack()))
            .shuffle(100)
            .batch(32)
            .prefetch(2));
    all.put(
        "windows of neighbours",
        Dataset.range(1000).batch(10, Collator.stack(), true).shuffle(100).batch(4).prefetch(2));
    all.put(
        "a mixture",
        Dataset.sampleFrom(
                List.of(images().repeat(), images().repeat()), new double[] {0.7, 0.3}, SEED)
            .batch(32)
            .prefetch(2));
    all.put(
        "a mixture that ends",
        Dataset.sampleFrom(List.of(images(), images()), new double[] {0.7, 0.3}, SEED, false)
            .batch(32)
            .prefetch(2));
    all.put("pairs", images().zip(images()).shuffle(1000).batch(32).prefetch(2));
    all.put(
        "one after the other",
        images().concatenate(images()).shuffle(1000).repeat().batch(32).prefetch(2));
    all.put(
        "running state",
        images().scan(0L, (sum, x) -> new Scanned<>(sum + 1, x)).batch(32).prefetch(2));
    all.put(
        "vectorised",
        images().batch(32).map(x -> x.convert(FLOAT32), AUTOTUNE).unbatch().prefetch(64));

    // Errors, checkpoints, looking at data, tests.
    all.put(
        "errors dropped",
        images().ignoreErrors(ErrorBudget.share(0.01)).shuffle(100).batch(32).prefetch(2));
    all.put(
        "damaged records dropped",
        Dataset.tfRecords("x/*")
            .ignoreErrors()
            .map(Example.parser(Feature.int64("label")), AUTOTUNE)
            .batch(32)
            .prefetch(2));
    all.put(
        "a generator that can be repeated",
        Dataset.repeatableGenerator(() -> List.of(1L).iterator())
            .prefetch(100)
            .options(o -> o.requireCheckpoint()));
    all.put("a first look", Dataset.textLines("x/*.txt").take(5));
    all.put("a few in a test", Dataset.range(50).map(x -> x * 2).batch(8, Collator.stack()));
    all.put(
        "in a test",
        Dataset.range(50)
            .map(x -> x * 2, 4)
            .shuffle(10, Seed.of(1))
            .batch(8, Collator.stack())
            .prefetch(2));
    all.put(
        "in the debugger",
        Dataset.range(5000).map(HealthyPipelinesTest::image).batch(8).options(o -> o.debug()));
    all.put("nothing ahead", Dataset.range(5000).map(HealthyPipelinesTest::image).synchronous());
    all.put(
        "one pass", images().shuffle(100).cache().take(500).prefetch(2).options(o -> o.epochs(1)));
    all.put(
        "known epochs",
        images().cache().shuffle(100).batch(32).prefetch(2).options(o -> o.epochs(5)));
    all.put("no order needed", images().batch(32).prefetch(2).options(o -> o.deterministic(false)));
    all.put(
        "checkpoints and no order",
        images().batch(32).prefetch(2).options(o -> o.deterministic(false).requireCheckpoint()));
    return all;
  }

  @TestFactory
  List<DynamicTest> hasNoFindings() {
    List<DynamicTest> tests = new ArrayList<>();
    healthy()
        .forEach(
            (name, dataset) ->
                tests.add(
                    DynamicTest.dynamicTest(
                        name,
                        () ->
                            assertThat(dataset.lint())
                                .filteredOn(finding -> finding.severity() != Severity.NOTE)
                                .isEmpty())));
    return tests;
  }

  @Test
  void areMany() {
    assertThat(healthy()).hasSizeGreaterThan(60);
  }
}
