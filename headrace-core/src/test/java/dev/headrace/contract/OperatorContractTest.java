package dev.headrace.contract;

import dev.headrace.Dataset;
import dev.headrace.data.Seed;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.spi.Collator;
import dev.headrace.spi.ErrorBudget;
import dev.headrace.spi.Order;
import dev.headrace.testing.NoLeftovers;
import dev.headrace.testing.PipelineContract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
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
  void cacheFileThatIsNotThereWhenResumed(@TempDir Path folder) {
    AtomicInteger files = new AtomicInteger();
    check(
        n ->
            Dataset.range(25)
                .map(x -> failsOnSevens(x), n)
                .cache(folder.resolve("cache-" + files.incrementAndGet())));
  }

  @Test
  void cacheFileThatIsThere(@TempDir Path folder) {
    check(
        n ->
            Dataset.range(15)
                .randomMap((x, random) -> random.nextInt(), Seed.of(2), n)
                .snapshot(folder)
                .repeat(2)
                .shuffle(4, Seed.of(2)));
  }

  @Test
  void load(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("saved");
    Dataset.range(50).save(file);
    check(n -> Dataset.<Long>load(file).map(x -> failsOnSevens(x), n));
  }

  @Test
  void ignoreErrors(@TempDir Path folder) {
    check(
        n ->
            Dataset.range(50)
                .map(x -> failsOnSevens(x), n)
                .ignoreErrors(ErrorBudget.share(0.2), folder.resolve("letters"))
                .prefetch(2)
                .shuffle(6, Seed.of(1)));
  }
}
