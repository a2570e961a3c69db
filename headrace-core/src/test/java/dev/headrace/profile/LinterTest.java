package dev.headrace.profile;

import static dev.headrace.Dataset.AUTOTUNE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Dataset;
import dev.headrace.PipelineException;
import dev.headrace.data.DType;
import dev.headrace.data.Pair;
import dev.headrace.data.Seed;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.example.Example;
import dev.headrace.example.Feature;
import dev.headrace.profile.Finding.Severity;
import dev.headrace.spi.Collator;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.InputFiles;
import dev.headrace.spi.Op;
import dev.headrace.spi.Order;
import dev.headrace.spi.ShardMode;
import dev.headrace.spi.Site;
import dev.headrace.spi.Traits;
import dev.headrace.text.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each rule where it speaks, and where something like it is harmless. */
final class LinterTest {
  private static final Seed SEED = Seed.of(7);

  @TempDir Path folder;

  /** What was found, as {@code HINT no-prefetch at map}. */
  private static List<String> found(Dataset<?> dataset) {
    return dataset.lint().stream()
        .map(f -> f.severity() + " " + f.rule() + " at " + f.operator().replaceAll(" .*", ""))
        .toList();
  }

  private static Dataset<Tensor> examples(long count) {
    return Dataset.range(count).map(LinterTest::load, AUTOTUNE);
  }

  private static Tensor load(long i) {
    return Tensor.scalar(i);
  }

  private static Tensor augmented(Tensor x) {
    return x;
  }

  private static Dataset<Tensor> rows(int count, int bytes) {
    return Dataset.fromTensorSlices(Tensor.zeros(DType.UINT8, Shape.of(count, bytes)));
  }

  private void write(String pattern, int count, int bytes) throws IOException {
    for (int i = 0; i < count; i++) {
      Files.write(folder.resolve(pattern.formatted(i)), new byte[bytes]);
    }
  }

  @Test
  void aFindingSaysWhereWhatWhyAndWhatToDo() {
    Finding finding =
        Dataset.range(1000)
            .map(LinterTest::load)
            .named("load")
            .prefetch(2)
            .map(LinterTest::augmented)
            .named("augment")
            .batch(32)
            .lint()
            .getFirst();

    assertThat(finding.severity()).isEqualTo(Severity.HINT);
    assertThat(finding.rule()).isEqualTo("work-after-prefetch");
    assertThat(finding.operator()).matches("map 'augment' \\(LinterTest\\.java:\\d+\\)");
    assertThat(finding.message()).contains("thread that calls next()");
    assertThat(finding.evidence().getFirst()).startsWith("prefetch (LinterTest.java:");
    assertThat(finding.advice()).contains(".prefetch(AUTOTUNE)", ".map(…, AUTOTUNE)");
  }

  @Test
  void theGravestComeFirst() {
    Dataset<Tensor> dataset =
        examples(1000).batch(1).shuffle(1).randomMap((x, random) -> x, SEED).cache().prefetch(2);

    assertThat(dataset.lint())
        .extracting(Finding::severity)
        .containsExactly(Severity.PROBLEM, Severity.HINT, Severity.NOTE);
  }

  @Test
  void anOperatorThatIsThereTwiceIsReportedOnce() {
    Dataset<Tensor> one = examples(1000).shuffle(1, SEED);

    assertThat(found(one.zip(one).prefetch(2))).containsExactly("HINT shuffle-of-one at shuffle");
  }

  @Nested
  class Prefetching {
    @Test
    void workAfterPrefetch() {
      assertThat(found(examples(1000).prefetch(2).map(LinterTest::augmented).batch(32)))
          .containsExactly("HINT work-after-prefetch at map");
      assertThat(
              found(
                  examples(1000).batch(32).prefetch(2).randomMap((x, random) -> x, SEED).take(500)))
          .containsExactly("HINT work-after-prefetch at randomMap");

      assertThat(found(examples(1000).prefetch(2).map(LinterTest::augmented, 4).batch(32)))
          .isEmpty();
      assertThat(found(examples(1000).prefetch(2).map(LinterTest::augmented).batch(32).prefetch(2)))
          .isEmpty();
      assertThat(found(examples(1000).prefetch(2).map(LinterTest::augmented).synchronous()))
          .isEmpty();
      assertThat(found(examples(1000).prefetch(2).filter(x -> x.shape().rank() == 0).batch(32)))
          .isEmpty();
      assertThat(found(examples(50).prefetch(2).map(LinterTest::augmented))).isEmpty();
    }

    @Test
    void noPrefetch() {
      assertThat(found(Dataset.range(1000).map(LinterTest::load).batch(32)))
          .containsExactly("HINT no-prefetch at map");
      assertThat(found(Dataset.textLines("data/*.txt").batch(32, Collator.toList())))
          .containsExactly("HINT no-prefetch at textLines");
      assertThat(found(Dataset.range(1000).flatMap(i -> Dataset.range(i))))
          .containsExactly("HINT no-prefetch at flatMap");
      assertThat(found(examples(1000).map(LinterTest::augmented).batch(32).prefetch(0)))
          .containsExactly("HINT no-prefetch at map");

      assertThat(found(Dataset.range(1000).map(LinterTest::load, AUTOTUNE).batch(32))).isEmpty();
      assertThat(found(Dataset.range(1000).batch(32, Collator.stack()))).isEmpty();
      assertThat(found(Dataset.textLines("data/*.txt").take(5))).isEmpty();
      assertThat(found(Dataset.range(1000).window(5).flatMap(w -> w.batch(5, Collator.stack()))))
          .isEmpty();
      assertThat(found(Dataset.textLines("data/*.txt").map(x -> x).synchronous())).isEmpty();
      assertThat(found(Dataset.textLines("data/*.txt").cache().batch(32, Collator.toList())))
          .isEmpty();
      assertThat(found(Dataset.range(1000).map(LinterTest::load).batch(32).options(o -> o.debug())))
          .isEmpty();
    }

    @Test
    void prefetchTwice() {
      assertThat(found(examples(1000).batch(32).prefetch(2).prefetch(AUTOTUNE)))
          .containsExactly("HINT prefetch-twice at prefetch");

      assertThat(found(examples(1000).prefetch(64).batch(32).prefetch(AUTOTUNE))).isEmpty();
      assertThat(found(examples(1000).batch(32).prefetch(0).prefetch(2))).isEmpty();
    }

    @Test
    void prefetchOfManyBatches() {
      assertThat(found(examples(1_000_000).batch(32).prefetch(10_000)))
          .containsExactly("HINT prefetch-many-batches at prefetch");

      assertThat(found(examples(1_000_000).batch(32).prefetch(100))).isEmpty();
      assertThat(found(examples(1_000_000).prefetch(10_000).batch(32))).isEmpty();
      assertThat(found(examples(1_000).batch(32).prefetch(10_000))).isEmpty();
      assertThat(found(rows(2, 4).repeat().batch(2).prefetch(10_000))).isEmpty();
    }

    @Test
    void deviceNotLast() {
      Dataset<Tensor> onDevice = examples(1000).batch(32).append(PrefetchToDeviceOp::new);

      assertThat(found(onDevice.batch(2)))
          .containsExactly("HINT device-not-last at prefetchToDevice");
      assertThat(found(onDevice.map(LinterTest::augmented)))
          .containsExactly("HINT device-not-last at prefetchToDevice");

      assertThat(found(onDevice)).isEmpty();
      assertThat(found(onDevice.take(500))).isEmpty();
      assertThat(found(onDevice.append(MapOnDeviceOp::new))).isEmpty();
    }
  }

  @Nested
  class Caching {
    @Test
    void frozenRandomMap() {
      Dataset<Tensor> random = examples(1000).randomMap((x, r) -> x, SEED, AUTOTUNE);

      assertThat(found(random.cache().prefetch(2)))
          .containsExactly("PROBLEM cache-freezes-random-map at cache");
      assertThat(found(random.batch(8).cache(Path.of("x")).prefetch(2)))
          .containsExactly("PROBLEM cache-freezes-random-map at cacheFile");
      assertThat(found(random.cache().repeat(3).options(o -> o.epochs(1))))
          .containsExactly("PROBLEM cache-freezes-random-map at cache");

      assertThat(found(examples(1000).cache().randomMap((x, r) -> x, SEED, AUTOTUNE))).isEmpty();
      assertThat(found(examples(1000).repeat(5).randomMap((x, r) -> x, SEED, 4).cache()))
          .isEmpty(); // five variants of each, kept on purpose
      assertThat(found(random.cache().options(o -> o.epochs(1)))).isEmpty();
    }

    @Test
    void frozenOrder() {
      assertThat(found(examples(1000).shuffle(100).cache().prefetch(2)))
          .containsExactly("HINT cache-freezes-order at cache");
      assertThat(
              found(
                  Dataset.listFiles("x/*.jpg", SEED)
                      .map(Files::readAllBytes, AUTOTUNE)
                      .cache()
                      .prefetch(2)))
          .containsExactly("HINT cache-freezes-order at cache");

      assertThat(found(examples(1000).cache().shuffle(100).prefetch(2))).isEmpty();
      assertThat(found(examples(1000).shuffle(100, SEED, false).cache().prefetch(2))).isEmpty();
      assertThat(
              found(
                  Dataset.listFiles("x/*.jpg", SEED)
                      .map(Files::readAllBytes, AUTOTUNE)
                      .cache()
                      .shuffle(100)
                      .prefetch(2)))
          .isEmpty();
      assertThat(found(examples(1000).shuffle(100).cache().options(o -> o.epochs(1)))).isEmpty();
    }

    @Test
    void endlessCache() {
      assertThat(found(examples(1000).repeat().cache()))
          .containsExactly("PROBLEM cache-endless at cache");
      assertThat(found(Dataset.tfRecords("x/*").repeat().batch(2).cache().prefetch(2)))
          .containsExactly("PROBLEM cache-endless at cache");

      assertThat(found(examples(1000).repeat().take(500).cache())).isEmpty();
      assertThat(found(examples(1000).cache().repeat())).isEmpty();
    }

    @Test
    void cacheAfterRepeat() {
      assertThat(found(examples(1000).repeat(3).batch(8).prefetch(2))).isEmpty();
      assertThat(found(examples(1000).repeat(3).cache()))
          .containsExactly("HINT cache-after-repeat at cache");

      assertThat(found(examples(1000).cache().repeat(3))).isEmpty();
      assertThat(found(examples(1000).repeat(1).cache())).isEmpty();
    }

    @Test
    void neverFilled() {
      assertThat(found(examples(1000).cache().take(500)))
          .containsExactly("PROBLEM cache-never-filled at take");
      assertThat(found(examples(1000).cache().batch(10).prefetch(2).take(50)))
          .containsExactly("PROBLEM cache-never-filled at take");
      assertThat(found(Dataset.tfRecords("x/*").cache().shuffle(100).take(500).prefetch(2)))
          .containsExactly("HINT cache-never-filled at take");

      assertThat(found(examples(1000).cache().take(1000))).isEmpty();
      assertThat(found(examples(1000).cache().batch(10).take(100))).isEmpty();
      assertThat(found(examples(1000).take(500).cache())).isEmpty();
      assertThat(found(examples(1000).cache().shuffle(600, SEED).take(500))).isEmpty();
      assertThat(found(examples(1000).cache().repeat().take(5000))).isEmpty();
      assertThat(found(examples(1000).cache().take(-1))).isEmpty();
      assertThat(found(examples(1000).cache().take(500).options(o -> o.epochs(1)))).isEmpty();
    }
  }

  @Nested
  class Shuffling {
    @Test
    void shuffleAfterBatch() {
      assertThat(found(examples(1000).batch(32).shuffle(100).prefetch(2)))
          .containsExactly("HINT shuffle-after-batch at shuffle");
      assertThat(found(examples(1000).batch(32).map(x -> x, 4).shuffle(100).prefetch(2)))
          .containsExactly("HINT shuffle-after-batch at shuffle");

      assertThat(found(examples(1000).shuffle(100).batch(32).prefetch(2))).isEmpty();
      assertThat(found(examples(1000).shuffle(500).batch(32).shuffle(10).prefetch(2))).isEmpty();
      assertThat(found(examples(1000).batch(101, true).shuffle(9).batch(4).prefetch(2)))
          .isEmpty(); // sequences of tokens are the elements
      assertThat(found(examples(1000).batch(32).unbatch(t -> List.of(t)).shuffle(9).prefetch(2)))
          .isEmpty();
      assertThat(found(examples(1000).batch(32).shuffle(9).unbatch().prefetch(2)))
          .isEmpty(); // blocks of neighbours change places
    }

    @Test
    void repeatBeforeShuffle() {
      assertThat(found(examples(1000).repeat().shuffle(100).batch(32)))
          .containsExactly("HINT repeat-before-shuffle at shuffle");
      assertThat(found(examples(1000).repeat(3).map(x -> x, 4).shuffle(100)))
          .containsExactly("HINT repeat-before-shuffle at shuffle");

      assertThat(found(examples(1000).shuffle(100).repeat().batch(32))).isEmpty();
      assertThat(found(examples(1000).shuffle(900).repeat().shuffle(10).batch(32))).isEmpty();
      assertThat(found(examples(1000).repeat(1).shuffle(100))).isEmpty();
      assertThat(
              found(
                  Dataset.listFiles("x/*")
                      .repeat()
                      .interleave(f -> Dataset.textLines(f), 4, 1, AUTOTUNE)
                      .shuffle(100)
                      .prefetch(2)))
          .isEmpty();
    }

    @Test
    void shuffleOfOne() {
      assertThat(found(examples(1000).shuffle(1)))
          .containsExactly("HINT shuffle-of-one at shuffle");

      assertThat(found(examples(1000).shuffle(2))).isEmpty();
      assertThat(found(examples(1).shuffle(1))).isEmpty();
    }

    @Test
    void shuffleBeforeSplit() {
      assertThat(found(examples(1000).shuffle(1000, SEED).skip(200).batch(32)))
          .containsExactly("HINT shuffle-before-split at skip");
      assertThat(found(Dataset.range(1000).globalShuffle(SEED).skip(200)))
          .containsExactly("HINT shuffle-before-split at skip");

      assertThat(found(examples(1000).shuffle(1000, SEED, false).skip(200).shuffle(100))).isEmpty();
      assertThat(found(examples(1000).skip(200).shuffle(100))).isEmpty();
      assertThat(found(examples(1000).shuffle(100, SEED).repeat().skip(2500))).isEmpty();
      assertThat(found(examples(1000).shuffle(1000, SEED).skip(0))).isEmpty();
      assertThat(found(examples(1000).shuffle(1000, SEED, false).cache().skip(200))).isEmpty();
      assertThat(found(examples(1000).shuffle(900).skip(200).options(o -> o.epochs(1)))).isEmpty();
    }
  }

  @Nested
  class Sharding {
    @Test
    void shardOfDifferingOrders() {
      assertThat(found(examples(1000).shuffle(100).shard(2, 0)))
          .containsExactly("PROBLEM shard-of-differing-orders at shard");
      assertThat(found(Dataset.range(1000).shuffle(100).shardByRank(0, 2, ShardMode.DROP)))
          .containsExactly("PROBLEM shard-of-differing-orders at shardByRank");
      assertThat(found(Dataset.range(1000).filter(x -> x > 3, 4, Order.UNORDERED).shard(2, 0)))
          .containsExactly("PROBLEM shard-of-differing-orders at shard");
      assertThat(
              found(
                  Dataset.range(1000)
                      .filter(x -> x > 3, 4)
                      .shard(2, 0)
                      .options(o -> o.deterministic(false))))
          .containsExactly("PROBLEM shard-of-differing-orders at shard");

      assertThat(found(Dataset.range(1000).shuffle(100, SEED).shard(2, 0))).isEmpty();
      assertThat(found(Dataset.range(1000).shard(2, 0).shuffle(100))).isEmpty();
      assertThat(found(Dataset.range(1000).shuffle(100).shard(1, 0))).isEmpty();
      assertThat(found(Dataset.range(1000).filter(x -> x > 3, 4).shard(2, 0))).isEmpty();
      assertThat(
              found(
                  Dataset.range(1000)
                      .shuffle(100, SEED, false)
                      .cache(Path.of("shared"))
                      .shard(2, 0)))
          .isEmpty();
    }

    @Test
    void shardLate() {
      assertThat(found(examples(1000).shard(4, 1))).containsExactly("HINT shard-late at shard");
      assertThat(found(Dataset.range(1000).map(LinterTest::load).prefetch(2).shard(4, 1)))
          .containsExactly("HINT shard-late at shard");
      assertThat(
              found(
                  Dataset.range(1000)
                      .map(LinterTest::load)
                      .shardByRank(1, 4, ShardMode.DROP)
                      .prefetch(2)))
          .containsExactly("HINT shard-late at shardByRank");

      assertThat(found(Dataset.range(1000).shard(4, 1).map(LinterTest::load, 4))).isEmpty();
      assertThat(found(Dataset.range(1000).map(LinterTest::load).shard(4, 1).prefetch(2)))
          .isEmpty(); // what belongs to others is passed over
      assertThat(found(examples(1000).batch(10).shard(4, 1))).isEmpty();
      assertThat(found(examples(1000).shard(1, 0))).isEmpty();
    }

    @Test
    void shardEmpty() throws IOException {
      write("part-%d.txt", 3, 1);
      Dataset<Path> files = Dataset.listFiles(folder + "/part-*.txt");

      assertThat(found(files.shard(4, 0))).containsExactly("PROBLEM shard-empty at shard");
      assertThat(found(files.shuffle(10, SEED).shard(4, 0)))
          .containsExactly("PROBLEM shard-empty at shard");
      assertThat(found(Dataset.range(3).shard(4, 0)))
          .containsExactly("PROBLEM shard-empty at shard");
      assertThat(found(Dataset.range(3).shardByRank(0, 4, ShardMode.DROP)))
          .containsExactly("PROBLEM shard-empty at shardByRank");

      assertThat(found(files.shard(3, 0))).isEmpty();
      assertThat(found(Dataset.range(3).shardByRank(0, 4, ShardMode.PAD))).isEmpty();
      assertThat(found(Dataset.listFiles(folder + "/none-*.txt").shard(4, 0))).isEmpty();
      assertThat(found(Dataset.listFiles("store://bucket/*.txt").shard(4, 0))).isEmpty();
    }
  }

  @Nested
  class MixingAndBatching {
    @Test
    void neverReached() {
      Dataset<Tensor> other = examples(10);

      assertThat(found(examples(1000).repeat().concatenate(other)))
          .containsExactly("PROBLEM never-reached at concatenate");
      assertThat(found(Dataset.tfRecords("x/*").repeat().concatenate(other).prefetch(2)))
          .containsExactly("PROBLEM never-reached at concatenate");

      assertThat(found(examples(1000).concatenate(other.repeat()))).isEmpty();
      assertThat(found(examples(1000).repeat().take(500).concatenate(other))).isEmpty();
    }

    @Test
    void mixDrifts() {
      double[] halves = {0.5, 0.5};
      Dataset<Tensor> ends = examples(10);
      Dataset<Tensor> goesOn = examples(10).repeat();
      Dataset<Tensor> mayGoOn = Dataset.generator(() -> List.<Tensor>of().iterator());

      assertThat(found(Dataset.sampleFrom(List.of(ends, goesOn), halves, SEED, false)))
          .containsExactly("HINT mix-drifts at sampleFrom");

      assertThat(found(Dataset.sampleFrom(List.of(ends, goesOn), halves, SEED))).isEmpty();
      assertThat(found(Dataset.sampleFrom(List.of(goesOn, goesOn), halves, SEED, false))).isEmpty();
      assertThat(found(Dataset.sampleFrom(List.of(ends, ends), halves, SEED, false))).isEmpty();
      assertThat(
              found(Dataset.sampleFrom(List.of(mayGoOn, goesOn), halves, SEED, false).prefetch(2)))
          .containsExactly("NOTE no-checkpoint at generator");
    }

    @Test
    void batchDrops() {
      assertThat(found(examples(50).batch(64, true)))
          .containsExactly("PROBLEM batch-drops at batch");
      assertThat(found(examples(100).batch(64, true))).containsExactly("NOTE batch-drops at batch");

      assertThat(found(examples(50).batch(64))).isEmpty();
      assertThat(found(examples(50).repeat().batch(64, true))).isEmpty();
      assertThat(found(examples(1000).batch(64, true))).isEmpty();
    }

    @Test
    void batchUndone() {
      assertThat(found(examples(1000).batch(32).unbatch()))
          .containsExactly("HINT batch-undone at unbatch");
      assertThat(found(examples(1000).batch(32).prefetch(2).unbatch()))
          .containsExactly("HINT batch-undone at unbatch");

      assertThat(found(examples(1000).batch(32).map(x -> x, 4).unbatch())).isEmpty();
      assertThat(found(examples(1000).batch(32).shuffle(8).unbatch().batch(4))).isEmpty();
      assertThat(found(examples(1000).batch(32).rebatch(8))).isEmpty();
    }

    @Test
    void batchOfOne() {
      assertThat(found(examples(1000).batch(1))).containsExactly("NOTE batch-of-one at batch");

      assertThat(found(examples(1000).batch(2))).isEmpty();
    }
  }

  @Nested
  class Memory {
    @Test
    void aShuffleThatDoesNotFit() {
      Dataset<Tensor> large = rows(100, 10_000).options(o -> o.heapBudget(500_000));
      Dataset<Tensor> shuffled = large.shuffle(80, SEED);

      assertThat(found(shuffled)).containsExactly("PROBLEM does-not-fit at shuffle");
      assertThatThrownBy(shuffled::toList)
          .isInstanceOf(PipelineException.class)
          .hasMessageContaining("shuffle");

      assertThat(found(large.shuffle(40, SEED))).isEmpty();
      assertThat(large.shuffle(40, SEED).toList()).hasSize(100);
      assertThat(found(large.take(30).shuffle(80, SEED))).isEmpty();
      assertThat(found(large.map(LinterTest::augmented, 4).shuffle(80, SEED))).isEmpty();
    }

    @Test
    void aShuffleOfRecordsThatDoesNotFit() throws IOException {
      write("records-%d.bin", 2, 400_000);
      Dataset<byte[]> records =
          Dataset.fixedLengthRecords(folder + "/records-*.bin", 1000)
              .options(o -> o.heapBudget(500_000));

      assertThat(found(records.shuffle(700, SEED).prefetch(2)))
          .containsExactly("PROBLEM does-not-fit at shuffle");

      assertThat(found(records.shuffle(400, SEED).prefetch(2))).isEmpty();
      assertThat(found(records.shuffle(2000, SEED).prefetch(2)))
          .isEmpty(); // there are fewer, and how many is not known before they are read
    }

    @Test
    void aCacheThatDoesNotFit() throws IOException {
      write("lines-%d.txt", 2, 700_000);
      Dataset<Tensor> large = rows(100, 10_000).options(o -> o.heapBudget(500_000));
      Dataset<String> lines =
          Dataset.textLines(folder + "/lines-*.txt").options(o -> o.heapBudget(500_000));

      assertThat(found(large.cache())).containsExactly("PROBLEM does-not-fit at cache");
      assertThatThrownBy(() -> large.cache().toList()).isInstanceOf(PipelineException.class);
      assertThat(found(lines.cache())).containsExactly("PROBLEM does-not-fit at cache");

      assertThat(found(large.take(20).cache())).isEmpty();
      assertThat(found(large.cache(Path.of("x")))).isEmpty();
      assertThat(found(lines.filter(x -> x.isEmpty()).cache())).isEmpty();
      assertThat(
              found(
                  Dataset.textLines(InputFiles.of(folder.resolve("missing.txt")))
                      .cache()
                      .prefetch(2)))
          .isEmpty();
    }

    @Test
    void aPrefetchThatDoesNotFit() {
      Dataset<Tensor> large =
          rows(1000, 10_000).batch(10).repeat().options(o -> o.memoryBudget(500_000));

      assertThat(found(large.prefetch(20))).containsExactly("HINT does-not-fit at prefetch");
      assertThat(found(large.prefetch(2000))).containsExactly("HINT does-not-fit at prefetch");

      assertThat(found(large.prefetch(8))).isEmpty();
      assertThat(found(large.prefetch(AUTOTUNE))).isEmpty();
    }
  }

  @Nested
  class Functions {
    @Test
    void noCheckpoint() {
      Dataset<Long> generated = Dataset.generator(() -> List.of(1L).iterator()).prefetch(2);

      assertThat(found(generated.options(o -> o.requireCheckpoint())))
          .containsExactly("PROBLEM no-checkpoint at generator");
      assertThat(found(generated)).containsExactly("NOTE no-checkpoint at generator");

      assertThat(
              found(
                  Dataset.repeatableGenerator(() -> List.of(1L).iterator())
                      .prefetch(2)
                      .options(o -> o.requireCheckpoint())))
          .isEmpty();
    }

    @Test
    void errorsIgnoredEarly() {
      assertThat(found(Dataset.range(1000).ignoreErrors().map(LinterTest::load, AUTOTUNE)))
          .containsExactly("HINT errors-ignored-early at ignoreErrors");

      assertThat(found(examples(1000).ignoreErrors())).isEmpty();
      assertThat(found(examples(1000).ignoreErrors().map(LinterTest::augmented, 4))).isEmpty();
      assertThat(found(Dataset.tfRecords("x").ignoreErrors().map(LinterTest::augmented, AUTOTUNE)))
          .isEmpty(); // damaged records
      assertThat(
              found(
                  Dataset.range(1000)
                      .ignoreErrors()
                      .map(LinterTest::load, AUTOTUNE)
                      .ignoreErrors()))
          .isEmpty();
    }

    @Test
    void parserOnOneThread() {
      Dataset<Tensor> records = Dataset.tfRecords("x/*");

      assertThat(found(records.map(Example.parser(Feature.int64("label"))).batch(8).prefetch(2)))
          .containsExactly("HINT parser-on-one-thread at map");
      assertThat(found(Dataset.textLines("x").map(Json.parser()).prefetch(2)))
          .containsExactly("HINT parser-on-one-thread at map");

      assertThat(found(records.map(Example.parser(Feature.int64("label")), 4))).isEmpty();
      assertThat(found(Dataset.jsonLines("x").prefetch(2))).isEmpty();
      assertThat(found(records.map(Example.parser(Feature.int64("label"))).cache())).isEmpty();
      assertThat(found(records.map(x -> x).prefetch(2))).isEmpty();
    }

    @Test
    void interleaveIdleThreads() {
      assertThat(found(Dataset.range(9).interleave(i -> Dataset.range(i), 2, 1, 16)))
          .containsExactly("HINT interleave-idle-threads at interleave");

      assertThat(found(Dataset.range(9).interleave(i -> Dataset.range(i), 8, 1, 16))).isEmpty();
      assertThat(found(Dataset.range(9).interleave(i -> Dataset.range(i), 1, 1, AUTOTUNE)))
          .isEmpty();
    }
  }

  @Nested
  class FilePatterns {
    @Test
    void fewerFilesThanThreads() throws IOException {
      write("part-%d.txt", 3, 1);
      Dataset<Path> files = Dataset.listFiles(folder + "/part-*.txt");

      assertThat(found(files.interleave(f -> Dataset.textLines(f), 8, 1, 8)))
          .containsExactly("NOTE fewer-files-than-threads at interleave");

      assertThat(found(files.interleave(f -> Dataset.textLines(f), 8, 1, 3))).isEmpty();
      assertThat(found(files.interleave(f -> Dataset.textLines(f), 8, 1, AUTOTUNE))).isEmpty();
    }

    @Test
    void manySmallFiles() throws IOException {
      write("image-%d.jpg", 5_000, 10);
      Dataset<Path> files = Dataset.listFiles(folder + "/image-*.jpg");

      assertThat(found(files.map(Files::readAllBytes, AUTOTUNE)))
          .containsExactly("NOTE many-small-files at map");

      assertThat(found(files.map(Files::readAllBytes, AUTOTUNE).cache())).isEmpty();
      assertThat(found(Dataset.listFiles(folder + "/image-1*.jpg").map(Files::readAllBytes, 4)))
          .isEmpty();
    }
  }

  @Test
  void everyRuleHasATest() throws IOException {
    String tests = Files.readString(Path.of("src/test/java/dev/headrace/profile/LinterTest.java"));

    assertThat(Linter.RULES)
        .allSatisfy(rule -> assertThat(tests).contains(" " + rule.id() + " at"));
    assertThat(Linter.RULES).extracting(rule -> rule.id()).doesNotHaveDuplicates();
  }

  /** An operator of another module, known by its word. */
  record PrefetchToDeviceOp(Op input, Site site) implements Op {
    @Override
    public Cursor open(Context context) {
      return context.open(input);
    }

    @Override
    public long cardinality() {
      return input.cardinality();
    }

    @Override
    public Traits traits() {
      return Traits.PLAIN.asOneToOne();
    }
  }

  /** What follows it on the device. */
  record MapOnDeviceOp(Op input, Site site) implements Op {
    @Override
    public Cursor open(Context context) {
      return context.open(input);
    }

    @Override
    public long cardinality() {
      return input.cardinality();
    }
  }

  @Test
  void pairsAreFineToo() {
    Dataset<Pair<Tensor, Tensor>> pairs = examples(1000).zip(examples(1000));

    assertThat(found(pairs.batch(8).prefetch(2))).isEmpty();
  }
}
