package dev.headrace.contract;

import dev.headrace.Dataset;
import dev.headrace.data.Seed;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.spi.Collator;
import dev.headrace.spi.Order;
import dev.headrace.spi.Packing;
import dev.headrace.spi.Reducer;
import dev.headrace.spi.Scanned;
import dev.headrace.spi.Weights;
import dev.headrace.testing.NoLeftovers;
import dev.headrace.testing.PipelineContract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The contract on every operator, with failing functions wherever there is a function. */
@ExtendWith(NoLeftovers.class)
class OperatorContractTest {
  private record Pair(Tensor number, Tensor square) {}

  private static <T> void check(IntFunction<Dataset<T>> dataset) {
    PipelineContract.of(dataset).check();
  }

  private static long failsOnSevens(long x) {
    if (x % 7 == 3) {
      throw new IllegalStateException("no " + x);
    }
    return 2 * x;
  }

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
                .map(x -> new Pair(Tensor.scalar(x), Tensor.full(Shape.of(3), (float) x * x)))
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
  void scan() {
    check(
        n ->
            Dataset.range(40)
                .map(x -> failsOnSevens(x), n)
                .scan(0L, (sum, x) -> new Scanned<>(sum + x, sum + failsOnSevens(x))));
  }

  @Test
  void scanWithAStateThatIsAStructure() {
    check(
        n ->
            Dataset.range(30)
                .map(x -> failsOnSevens(x), n)
                .scan(
                    new Pair(Tensor.scalar(0L), Tensor.scalar(1L)),
                    (pair, x) ->
                        new Scanned<>(
                            new Pair(Tensor.scalar(pair.number().longValue() + x), pair.number()),
                            pair.number().longValue()))
                .prefetch(2));
  }

  @Test
  void unique() {
    check(n -> Dataset.range(60).map(x -> failsOnSevens(x) % 30, n).unique());
    check(n -> Dataset.range(60).map(x -> "" + x, n).unique(x -> failsOnSevens(x.charAt(0))));
  }

  @Test
  void groupByReducer() {
    check(
        n ->
            Dataset.range(40)
                .map(x -> failsOnSevens(x), n)
                .groupByReducer(
                    x -> x % 10,
                    new Reducer<Long, Long, Long, Long>(
                        key -> key, (sum, x) -> sum + failsOnSevens(x), s -> failsOnSevens(s))));
  }

  @Test
  void sampleFrom() {
    for (boolean stop : new boolean[] {true, false}) {
      check(
          n ->
              Dataset.sampleFrom(
                  List.of(
                      Dataset.range(30).map(x -> failsOnSevens(x), n),
                      Dataset.range(100, 140),
                      Dataset.range(200, 210).prefetch(n)),
                  new double[] {0.3, 0.5, 0.2},
                  Seed.of(4),
                  stop));
    }
  }

  @Test
  void sampleFromWithWeightsThatMayChange() {
    check(
        n ->
            Dataset.sampleFrom(
                    List.of(Dataset.range(20).map(x -> failsOnSevens(x), n), Dataset.range(90, 99)),
                    Weights.of(0.7, 0.3),
                    Seed.of(4),
                    false)
                .repeat(2)
                .shuffle(5, Seed.of(1))
                .prefetch(n));
  }

  @Test
  void chooseFrom() {
    for (boolean stop : new boolean[] {true, false}) {
      check(
          n ->
              Dataset.chooseFrom(
                  List.of(Dataset.range(12), Dataset.range(100, 105).map(x -> failsOnSevens(x), n)),
                  Dataset.range(30).map(x -> failsOnSevens(x) % 5 / 2, n),
                  stop));
    }
  }

  @Test
  void rejectionResample() {
    check(
        n ->
            Dataset.range(60)
                .map(x -> failsOnSevens(x), n)
                .rejectionResample(
                    x -> failsOnSevens(x + 1) % 3, new double[] {0.6, 0.2, 0.2}, Seed.of(8)));
  }

  @Test
  void pack() {
    for (Packing packing : Packing.values()) {
      check(
          n ->
              Dataset.range(40)
                  .map(x -> failsOnSevens(x), n)
                  .map(x -> Tensor.full(Shape.of(x * 7 % 13), x))
                  .pack(10, packing, 3, -1)
                  .map(row -> List.of(row.tokens(), row.segmentIds(), row.positions())));
    }
  }
}
