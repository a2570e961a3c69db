package dev.headrace.contract;

import dev.headrace.Dataset;
import dev.headrace.data.Csv;
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
import java.util.stream.LongStream;
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
  void fromList() {
    check(n -> Dataset.of(1L, 2L, 3L, 4L, 5L).map(x -> failsOnSevens(x), n));
  }

  @Test
  void fromTensorSlices() {
    Pair all = new Pair(Tensor.uniform(Shape.of(17, 2), 1), Tensor.full(Shape.of(17), 3L));
    check(n -> Dataset.fromTensorSlices(all).prefetch(n).batch(4));
  }

  @Test
  void fromTensors() {
    check(n -> Dataset.fromTensors(Tensor.of(1, 2)).repeat(4));
  }

  @Test
  void counter() {
    check(n -> Dataset.counter(3, 4).map(x -> failsOnSevens(x), n).take(20));
  }

  @Test
  void random() {
    check(n -> Dataset.random(Seed.of(4), true).shuffle(5, Seed.of(1)).take(20));
  }

  @Test
  void repeatableGenerator() {
    check(
        n ->
            Dataset.repeatableGenerator(
                    () -> LongStream.range(0, 30).map(x -> failsOnSevens(x)).iterator())
                .map(x -> x, n));
  }

  @Test
  void textLines(@TempDir Path folder) throws IOException {
    Files.writeString(folder.resolve("a.txt"), "0\n1\n2\r\n3\n4");
    Files.writeString(folder.resolve("b.txt"), "5\n10\n\n12");
    check(n -> Dataset.textLines(folder + "/*.txt").map(x -> failsOnSevens(x.length()), n));
    check(
        n ->
            Dataset.listFiles(folder + "/*.txt")
                .interleave(file -> Dataset.textLines(file).map(x -> x), 2, 2, n)
                .shuffle(3, Seed.of(1)));
  }

  @Test
  void fixedLengthRecords(@TempDir Path folder) throws IOException {
    Files.write(folder.resolve("a.bin"), new byte[40]);
    Files.write(folder.resolve("b.bin"), new byte[10]);
    check(n -> Dataset.fixedLengthRecords(folder + "/*.bin", 5).map(x -> x.length, n));
  }

  @Test
  void csv(@TempDir Path folder) throws IOException {
    Files.writeString(folder.resolve("a.csv"), "x,y\n1,2\n?,3\n\"4\",5\n6\n7,8\n");
    check(
        n ->
            Dataset.csv(folder + "/a.csv", Csv.columns(Csv.int64("x"), Csv.float32("y")))
                .map(row -> failsOnSevens(row.get("x").longValue()), n));
  }
}
