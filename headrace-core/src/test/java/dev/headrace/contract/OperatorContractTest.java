package dev.headrace.contract;

import dev.headrace.Dataset;
import dev.headrace.data.Buckets;
import dev.headrace.data.Padding;
import dev.headrace.data.Seed;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.spi.Collator;
import dev.headrace.spi.Order;
import dev.headrace.testing.NoLeftovers;
import dev.headrace.testing.PipelineContract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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

  private static Tensor filled(long x) {
    return Tensor.full(Shape.of(failsOnSevens(x) % 5), x);
  }

  @Test
  void paddedBatch() {
    check(
        n ->
            Dataset.range(40)
                .map(
                    x -> Map.of("a", filled(x), "b", Tensor.full(Shape.of(2, x % 3), (float) x)), n)
                .paddedBatch(4, Padding.zeros().value(7).shape("a", Shape.of(3))));
  }

  @Test
  void paddedBatchInSlabs() {
    check(
        n ->
            Dataset.range(24)
                .map(x -> Tensor.full(Shape.of(2, 300 + 7 * failsOnSevens(x)), (float) x), n)
                .paddedBatch(5, Padding.zeros().value(-1))
                .prefetch(2));
  }

  @Test
  void raggedBatch() {
    check(n -> Dataset.range(40).map(x -> filled(x), n).raggedBatch(4));
  }

  @Test
  void sparseBatch() {
    check(n -> Dataset.range(40).map(x -> filled(x), n).sparseBatch(4, Shape.of(3)).prefetch(1));
  }

  @Test
  void unbatch() {
    check(
        n ->
            Dataset.range(40)
                .map(x -> new Pair(filled(x), Tensor.full(Shape.of(x % 3 * 2), x)), n)
                .unbatch());
  }

  @Test
  void unbatchOfLists() {
    check(
        n ->
            Dataset.range(40)
                .map(x -> failsOnSevens(x), n)
                .batch(4, Collator.toList())
                .unbatch(list -> list.getFirst() % 3 == 0 ? null : list));
  }

  @Test
  void rebatch() {
    check(
        n ->
            Dataset.range(40)
                .map(x -> filled(x), n)
                .map(x -> new Pair(x, x))
                .prefetch(1)
                .rebatch(3, 1, 4)
                .take(20));
  }

  @Test
  void rebatchInSlabs() {
    check(
        n ->
            Dataset.range(23)
                .map(x -> Tensor.full(Shape.of(failsOnSevens(x) % 4, 300), (float) x), n)
                .rebatch(4, true)
                .prefetch(2));
  }

  @Test
  void window() {
    check(
        n ->
            Dataset.range(40)
                .map(x -> failsOnSevens(x), n)
                .window(4, 2, 2, false)
                .interleave(w -> w.batch(3, Collator.stack()), 1, 1));
  }

  @Test
  void windowsWithGaps() {
    check(
        n ->
            Dataset.range(40)
                .map(x -> failsOnSevens(x), n)
                .window(2, 5, 1, true)
                .prefetch(2)
                .interleave(w -> w.map(x -> failsOnSevens(x)), 2, 1));
  }

  @Test
  void groupByWindow() {
    check(
        n ->
            Dataset.range(50)
                .map(x -> failsOnSevens(x), n)
                .groupByWindow(
                    x -> failsOnSevens(x) % 11,
                    (key, w) -> w.map(x -> failsOnSevens(x + key)).batch(2, Collator.stack()),
                    key -> key == 4 ? 0 : key % 3 + 2));
  }

  @Test
  void groupByWindowOfShuffledElements() {
    check(
        n ->
            Dataset.range(40)
                .shuffle(10, Seed.of(3))
                .map(x -> failsOnSevens(x), n)
                .groupByWindow(x -> x % 3, (key, w) -> w.shuffle(5, Seed.of(4)), 4)
                .prefetch(2));
  }

  @Test
  void bucketBySequenceLength() {
    check(
        n ->
            Dataset.range(50)
                .map(x -> filled(x), n)
                .bucketBySequenceLength(
                    x -> x.elements(), Buckets.below(2, 4).batches(3, 4, 2).padToBoundary())
                .take(9));
  }

  @Test
  void bucketsInSlabs() {
    check(
        n ->
            Dataset.range(40)
                .map(x -> Tensor.full(Shape.of(300 * (failsOnSevens(x) % 5)), (float) x), n)
                .bucketBySequenceLength(
                    x -> x.elements(), Buckets.below(400, 1000).batches(3, 4, 2).dropRemainder())
                .prefetch(2));
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
