package dev.headrace.contract;

import static dev.headrace.Dataset.AUTOTUNE;
import static dev.headrace.Dataset.elementwise;
import static dev.headrace.Dataset.pure;

import dev.headrace.Dataset;
import dev.headrace.data.Seed;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.spi.Collator;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;

/** A random pipeline of what the optimizer's rules are about; everything follows from a seed. */
final class RewritableRecipe {
  private record Step(String text, UnaryOperator<Dataset<Long>> add) {}

  private final long seed;
  private final long size;
  private final List<Step> steps = new ArrayList<>();

  RewritableRecipe(long seed) {
    this.seed = seed;
    SplittableRandom random = new SplittableRandom(seed);
    this.size = random.nextInt(40);
    int length = 2 + random.nextInt(5);
    for (int i = 0; i < length; i++) {
      steps.add(step(random));
    }
  }

  Dataset<Long> dataset() {
    Dataset<Long> dataset = Dataset.range(size);
    for (Step step : steps) {
      dataset = step.add.apply(dataset);
    }
    return dataset;
  }

  private static Step step(SplittableRandom random) {
    long a = random.nextInt(5);
    int count = 1 + random.nextInt(4);
    int threads = random.nextInt(3) == 0 ? 2 : AUTOTUNE;
    boolean parallel = random.nextBoolean();
    return switch (random.nextInt(28)) {
      case 0, 1 -> new Step("map", in -> in.map(x -> x + a));
      case 2, 3, 4 -> new Step("map(" + threads + ")", in -> in.map(x -> x * 3 + a, threads));
      case 5 -> new Step("failing map(" + threads + ")", in -> in.map(x -> failing(x, a), threads));
      case 6 -> new Step("failing map", in -> in.map(x -> failing(x, a)));
      case 7, 8 -> new Step("pure map", in -> in.map(pure(x -> x - a)));
      case 9 -> new Step("failing pure map", in -> in.map(pure(x -> failing(x, a))));
      case 10, 11 -> new Step("shard(" + count + ")", in -> in.shard(count, a % count));
      case 12 -> new Step("take(-1)", in -> in.take(-1));
      case 13 -> new Step("skip(0)", in -> in.skip(0));
      case 14 -> new Step("prefetch(" + a + ")", in -> in.prefetch((int) a));
      case 15 -> new Step("take", in -> in.take(3 + 5 * a));
      case 16 -> new Step("skip(" + a + ")", in -> in.skip(a));
      case 17 -> new Step("filter", in -> in.filter(x -> Math.floorMod(x, 3L) != a % 3));
      case 18 ->
          new Step(
              "map.filter.beforeMaps",
              in ->
                  (parallel
                          ? in.map(x -> x + 2, threads).map(x -> x - 4, threads)
                          : in.map(x -> -x))
                      .filter(x -> x % 2 == 0)
                      .beforeMaps(parallel ? 2 : 1));
      case 19 ->
          new Step(
              "deferred.filter.beforeMaps",
              in ->
                  in.map(x -> Tensor.of(2 * (x % 1000), x % 1000))
                      .map(x -> x.scale(3), threads)
                      .prefetch(1)
                      .filter((Object x) -> wasEven(x))
                      .beforeMaps(2)
                      .map(x -> (long) x.doubleAt(1), threads));
      case 20 ->
          new Step(
              "randomMap",
              in ->
                  parallel
                      ? in.randomMap((x, r) -> x + r.nextInt(50), Seed.of(a), threads)
                      : in.randomMap((x, r) -> x + r.nextInt(50), Seed.of(a)));
      case 21 ->
          new Step(
              "deferred.batch(" + count + ")",
              in ->
                  (parallel
                          ? in.map(x -> LateNumber.of(x, count), threads)
                          : in.map(x -> LateNumber.of(x, count)))
                      .batch(count)
                      .map(rows -> sum(rows)));
      case 22 ->
          new Step(
              "deferred.pure.shard.batch(" + count + ")",
              in ->
                  in.map(x -> LateNumber.of(x, 2), threads)
                      .map(pure(x -> x.scale(2)))
                      .shard(2, a % 2)
                      .batch(count)
                      .map(rows -> sum(rows), threads));
      case 23 ->
          new Step(
              "elementwise.batch(" + count + ")",
              in ->
                  in.map(x -> Tensor.full(Shape.of(2), x))
                      .map(elementwise(x -> doubled(x)))
                      .batch(count)
                      .map(rows -> sum(rows)));
      case 24 ->
          new Step(
              "slices.elementwise.batch(" + count + ")",
              in ->
                  in.batch(3, Collator.stack())
                      .unbatch()
                      .map(elementwise(x -> doubled(x)), threads)
                      .batch(count)
                      .map(rows -> sum(rows)));
      case 25 -> new Step("shuffle.repeat", in -> in.shuffle(4, Seed.of(a)).repeat(1 + a % 2));
      case 26 -> new Step("zip", in -> in.zip(in, (x, y) -> x + 2 * y));
      default -> new Step("synchronous", in -> in.map(x -> x + 1).synchronous());
    };
  }

  /** Whether a number is even, or the one that a tensor was made from. */
  private static boolean wasEven(Object x) {
    return x instanceof Tensor tensor ? tensor.doubleAt(0) % 4 == 0 : (Long) x % 2 == 0;
  }

  private static Tensor doubled(Tensor tensor) {
    long[] numbers = Arrays.stream(tensor.toLongArray()).map(x -> 2 * x).toArray();
    return Tensor.of(numbers).reshape(tensor.shape());
  }

  private static long sum(Tensor tensor) {
    long sum = 0;
    for (double number : tensor.toDoubleArray()) {
      sum += (long) number;
    }
    return sum;
  }

  private static long failing(long x, long a) {
    if (Math.floorMod(x, 5L) == a) {
      throw new IllegalStateException("no " + x);
    }
    return x + 1;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("recipe " + seed + ": range(" + size + ")");
    steps.forEach(step -> text.append('.').append(step.text));
    return text.toString();
  }
}
