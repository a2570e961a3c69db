package dev.headrace.contract;

import static dev.headrace.contract.ContractChecks.check;
import static dev.headrace.contract.ContractChecks.failsOnSevens;

import dev.headrace.Dataset;
import dev.headrace.data.Pair;
import dev.headrace.data.Seed;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.golden.Outcomes;
import dev.headrace.spi.Collator;
import dev.headrace.spi.Order;
import dev.headrace.spi.ShardMode;
import dev.headrace.testing.NoLeftovers;
import dev.headrace.testing.PipelineContract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The contract on every operator, with failing functions wherever there is a function. */
@ExtendWith(NoLeftovers.class)
class OperatorContractTest {
  private record Square(Tensor number, Tensor square) {}

  @Test
  void range() {
    check(n -> Dataset.range(10, -20, -3));
  }

  @Test
  void listFiles(@TempDir Path folder) throws IOException {
    for (int i = 0; i < 12; i++) {
      Files.writeString(folder.resolve("f" + i + ".txt"), "text " + i);
    }
    check(
        n ->
            Dataset.listFiles(folder + "/*.txt", Seed.of(5))
                .map(file -> Files.readString(file), n));
  }

  @Test
  void sequentialMap() {
    check(n -> Dataset.range(40).map(x -> failsOnSevens(x)));
  }

  @Test
  void parallelMap() {
    check(n -> Dataset.range(60).map(x -> failsOnSevens(x), n));
  }

  @Test
  void autotunedMap() {
    check(n -> Dataset.range(60).map(x -> failsOnSevens(x), Dataset.AUTOTUNE));
  }

  @Test
  void synchronousMap() {
    check(n -> Dataset.range(30).map(x -> failsOnSevens(x)).synchronous());
  }

  @Test
  void unorderedMap() {
    PipelineContract.of(n -> Dataset.range(60).map(x -> failsOnSevens(x), n, Order.UNORDERED))
        .unordered()
        .check();
  }

  @Test
  void randomMap() {
    check(n -> Dataset.range(40).randomMap((x, random) -> x + random.nextLong(), Seed.of(3), n));
  }

  @Test
  void filter() {
    check(n -> Dataset.range(60).filter(x -> failsOnSevens(x) % 3 != 0));
  }

  @Test
  void parallelFilter() {
    check(n -> Dataset.range(60).filter(x -> failsOnSevens(x) % 3 != 0, n));
  }

  @Test
  void unorderedFilter() {
    PipelineContract.of(
            n -> Dataset.range(60).filter(x -> failsOnSevens(x) % 3 != 0, n, Order.UNORDERED))
        .unordered()
        .check();
  }

  @Test
  void interleave() {
    check(
        n ->
            Dataset.range(9)
                .interleave(x -> Dataset.range(x).map(y -> failsOnSevens(10 * x + y)), 3, 2));
  }

  @Test
  void parallelInterleave() {
    check(
        n ->
            Dataset.range(9)
                .interleave(
                    x -> Dataset.range(failsOnSevens(x)).map(y -> failsOnSevens(10 * x + y)),
                    3,
                    2,
                    n));
  }

  @Test
  void shuffle() {
    check(n -> Dataset.range(70).map(x -> failsOnSevens(x)).shuffle(16, Seed.of(9)));
  }

  @Test
  void shuffleThatIsTheSameInEachEpoch() {
    check(n -> Dataset.range(40).shuffle(100, Seed.of(9), false).repeat(2));
  }

  @Test
  void batchOfRecords() {
    check(
        n ->
            Dataset.range(40)
                .map(x -> failsOnSevens(x), n)
                .map(x -> new Square(Tensor.scalar(x), Tensor.full(Shape.of(3), (float) x * x)))
                .batch(4));
  }

  @Test
  void batchInSlabs() {
    check(
        n ->
            Dataset.range(24)
                .map(x -> Map.of("image", Tensor.full(Shape.of(600), (float) x)), n)
                .batch(5)
                .prefetch(2));
  }

  @Test
  void batchByCollator() {
    check(n -> Dataset.range(40).map(x -> failsOnSevens(x)).batch(6, Collator.toList(), true));
  }

  @Test
  void repeat() {
    check(n -> Dataset.range(12).map(x -> failsOnSevens(x), n).repeat(3));
  }

  @Test
  void endlessRepeatTaken() {
    check(n -> Dataset.range(5).shuffle(5, Seed.of(1)).repeat().take(33));
  }

  @Test
  void cache() {
    check(n -> Dataset.range(30).map(x -> failsOnSevens(x), n).cache());
  }

  @Test
  void cacheOfRandomValuesRepeated() {
    check(
        n ->
            Dataset.range(15)
                .randomMap((x, random) -> random.nextInt(), Seed.of(2), n)
                .cache()
                .repeat(2)
                .shuffle(4, Seed.of(2)));
  }

  @Test
  void prefetch() {
    check(n -> Dataset.range(50).map(x -> failsOnSevens(x)).prefetch(n));
  }

  @Test
  void autotunedPrefetch() {
    check(n -> Dataset.range(50).map(x -> failsOnSevens(x)).prefetch(Dataset.AUTOTUNE));
  }

  @Test
  void take() {
    check(n -> Dataset.range(50).map(x -> failsOnSevens(x), n).prefetch(2).take(20));
  }

  @Test
  void flatMap() {
    check(
        n ->
            Dataset.range(9)
                .map(x -> failsOnSevens(x), n)
                .flatMap(
                    x ->
                        Dataset.range(Outcomes.refusing(8, x) % 5)
                            .map(y -> failsOnSevens(10 * x + y))));
  }

  @Test
  void skip() {
    check(n -> Dataset.range(40).map(x -> failsOnSevens(x), n).skip(15));
    check(n -> Dataset.range(40).prefetch(2).skip(15).map(x -> failsOnSevens(x), n));
  }

  @Test
  void takeWhile() {
    check(
        n ->
            Dataset.range(60)
                .map(x -> failsOnSevens(x), n)
                .takeWhile(x -> Outcomes.refusing(10, x) < 60));
  }

  @Test
  void enumerate() {
    check(n -> Dataset.range(40).map(x -> failsOnSevens(x), n).prefetch(2).enumerate(100));
  }

  @Test
  void concatenate() {
    check(
        n ->
            Dataset.range(12)
                .map(x -> failsOnSevens(x), n)
                .concatenate(
                    Dataset.range(0),
                    Dataset.range(20).shuffle(5, Seed.of(4)),
                    Dataset.range(12).map(x -> failsOnSevens(x), n).take(5))
                .shuffle(4, Seed.of(2)));
  }

  @Test
  void concatenateWhereOrderIsNotKept() {
    PipelineContract.of(
            n ->
                Dataset.range(20)
                    .map(x -> failsOnSevens(x), n, Order.UNORDERED)
                    .concatenate(
                        Dataset.range(20, 30).map(x -> failsOnSevens(x), n, Order.UNORDERED),
                        Dataset.range(30, 40).map(x -> failsOnSevens(x), n))
                    .prefetch(2)
                    .shuffle(5, Seed.of(1)))
        .unordered()
        .check();
  }

  /** The order in which a cache was filled is told by whoever read the most of it. */
  @Test
  void interleaveOverACacheOfAnUnorderedMap() {
    PipelineContract.of(
            n ->
                Dataset.range(24)
                    .map(x -> sometimesSlowly(x), n, Order.UNORDERED)
                    .cache()
                    .interleave(x -> Dataset.range(20 * x, 20 * x + (x % 8 == 0 ? 12 : 1)), 2, 1)
                    .prefetch(2))
        .unordered()
        .check();
  }

  private static long sometimesSlowly(long x) {
    LockSupport.parkNanos(ThreadLocalRandom.current().nextInt(3) * 200_000L);
    return x;
  }

  @Test
  void zip() {
    Dataset<Long> shuffled = Dataset.range(20).shuffle(6, Seed.of(4));
    check(n -> shuffled.map(x -> failsOnSevens(x), n).zip(shuffled));
    check(
        n ->
            Dataset.range(30)
                .map(x -> failsOnSevens(x), n)
                .zip(
                    Dataset.range(25).filter(x -> failsOnSevens(x + 1) > 8, n),
                    (a, b) -> Outcomes.refusing(20, a) + b));
  }

  @Test
  void zipOfCachesAndRows() {
    check(
        n -> {
          Dataset<Long> cached = Dataset.range(12).map(x -> failsOnSevens(x), n).cache();
          return Dataset.zip(List.of(cached, cached.repeat(2), Dataset.range(9)));
        });
  }

  @Test
  void zipWhereOrderIsNotKept() {
    PipelineContract.of(
            n ->
                Dataset.range(24)
                    .map(x -> 2 * x, n, Order.UNORDERED)
                    .zip(Dataset.range(24).map(x -> 3 * x, n, Order.UNORDERED))
                    .prefetch(3))
        .unordered()
        .comparing(
            element -> {
              Pair<?, ?> pair = (Pair<?, ?>) element;
              return List.of("left " + pair.first(), "right " + pair.second());
            })
        .check();
  }

  @Test
  void shard() {
    check(n -> Dataset.range(50).map(x -> failsOnSevens(x), n).shard(3, 2));
    check(n -> Dataset.range(50).shard(4, 1).prefetch(2).skip(2).shard(2, 1));
  }

  @Test
  void shardByRank() {
    for (ShardMode mode : ShardMode.values()) {
      check(n -> Dataset.range(35).map(x -> failsOnSevens(x), n).shardByRank(3, 4, mode));
      check(n -> Dataset.range(2).shardByRank(2, 5, mode));
    }
  }

  @Test
  void globalShuffle() {
    check(n -> Dataset.range(30).map(x -> failsOnSevens(x), n).globalShuffle(Seed.of(5)).repeat(2));
    check(
        n ->
            Dataset.range(40)
                .globalShuffle(Seed.of(5))
                .map(x -> failsOnSevens(x), n)
                .batch(4, Collator.stack()));
  }

  @Test
  void globalShuffleOfFiles(@TempDir Path folder) throws IOException {
    for (int i = 0; i < 7; i++) {
      Files.writeString(folder.resolve("f" + i + ".txt"), "text " + i);
    }
    check(
        n ->
            Dataset.listFiles(folder + "/*.txt")
                .globalShuffle(Seed.of(5))
                .map(file -> Files.readString(file), n));
  }

  @Test
  void assertCardinality() {
    check(n -> Dataset.range(21).map(x -> failsOnSevens(x), n).assertCardinality(18));
  }

  @Test
  void padToCardinality() {
    check(
        n ->
            Dataset.range(11)
                .map(x -> Tensor.full(Shape.of(2), failsOnSevens(x)), n)
                .padToCardinality(15)
                .batch(4));
    check(n -> Dataset.range(11).map(x -> failsOnSevens(x), n).padToCardinality(15, -1L));
    check(n -> Dataset.range(0).padToCardinality(3, -1L));
  }

  @Test
  void windowsAndGroupsOfUnorderedElements() {
    PipelineContract.of(
            n ->
                Dataset.range(60)
                    .map(x -> failsOnSevens(x), n, Order.UNORDERED)
                    .window(4)
                    .interleave(w -> w, 1, 1))
        .unordered()
        .check();
    PipelineContract.of(
            n ->
                Dataset.range(60)
                    .map(x -> failsOnSevens(x), n, Order.UNORDERED)
                    .groupByWindow(x -> x % 5, (key, w) -> w, 3))
        .unordered()
        .check();
    PipelineContract.of(
            n ->
                Dataset.range(60)
                    .map(x -> Tensor.of(failsOnSevens(x), x), n, Order.UNORDERED)
                    .rebatch(3)
                    .unbatch())
        .unordered()
        .check();
  }
}
