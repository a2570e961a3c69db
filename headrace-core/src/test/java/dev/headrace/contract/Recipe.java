package dev.headrace.contract;

import dev.headrace.Dataset;
import dev.headrace.data.Buckets;
import dev.headrace.data.Seed;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.spi.Collator;
import dev.headrace.spi.Order;
import dev.headrace.spi.Packing;
import dev.headrace.spi.Reducer;
import dev.headrace.spi.Scanned;
import dev.headrace.spi.ShardMode;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;

/** A random pipeline that can be made again for any parallelism; everything follows from a seed. */
public final class Recipe {
  private record Step(String text, BiFunction<Dataset<Object>, Integer, Dataset<Object>> add) {}

  private static final List<String> GROWING =
      List.of("repeat", "interleave", "flatMap", "concatenate", "sampleFrom", "padToCardinality");

  private final long seed;
  private final boolean ordered;
  private final long size;
  private final Source source;
  private final List<Step> steps = new ArrayList<>();

  private Recipe(long seed, boolean ordered, int mostElements) {
    this.seed = seed;
    this.ordered = ordered;
    SplittableRandom random = new SplittableRandom(seed);
    this.size = random.nextInt(4) == 0 ? random.nextInt(3) : random.nextInt(mostElements);
    this.source = randomSource(random);
    int length = 1 + random.nextInt(5);
    long factor = 1;
    for (int i = 0; i < length; i++) {
      Step step = randomStep(random, factor);
      if (GROWING.stream().anyMatch(step.text::startsWith)) {
        factor *= 2;
      }
      steps.add(step);
    }
    if (random.nextBoolean()) {
      int batch = 1 + random.nextInt(6);
      steps.add(
          new Step("batch(" + batch + ")", (in, n) -> cast(in.batch(batch, Collator.stack()))));
      if (random.nextBoolean()) {
        steps.add(prefetch(random));
      }
    }
  }

  public static Recipe ordered(long seed) {
    return new Recipe(seed, true, 24);
  }

  public static Recipe ordered(long seed, int mostElements) {
    return new Recipe(seed, true, mostElements);
  }

  public static Recipe unordered(long seed) {
    return new Recipe(seed, false, 24);
  }

  public boolean isOrdered() {
    return ordered;
  }

  /** The pipeline, with this parallelism wherever there is one to choose. */
  public Dataset<Object> dataset(int parallelism) {
    return dataset(parallelism, numbers -> numbers);
  }

  /** The pipeline over something that gives the same elements as its source. */
  Dataset<Object> dataset(int parallelism, UnaryOperator<Dataset<Object>> from) {
    Dataset<Object> dataset = from.apply(cast(source.make.get()));
    for (Step step : steps) {
      dataset = step.add.apply(dataset, parallelism);
    }
    return dataset;
  }

  /** What an element is made of: the numbers of a batch, or itself. */
  public static List<String> numbersOf(Object element) {
    return element instanceof Tensor tensor
        ? Arrays.stream(tensor.toLongArray()).mapToObj(Long::toString).toList()
        : List.of(element.toString());
  }

  private record Source(String text, Supplier<Dataset<?>> make) {}

  /** Somewhere the numbers 0, 1, … come from; not always in this order. */
  private Source randomSource(SplittableRandom random) {
    return switch (random.nextInt(16)) {
      case 0 -> new Source("fromList", () -> Dataset.fromList(Dataset.range(size).toList()));
      case 1 ->
          new Source(
              "fromTensorSlices",
              () ->
                  size == 0
                      ? Dataset.range(0)
                      : Dataset.fromTensorSlices(numbers(size)).map(Tensor::longValue));
      case 2 ->
          new Source(
              "repeatableGenerator",
              () -> Dataset.repeatableGenerator(() -> Dataset.range(size).toList().iterator()));
      case 3 -> new Source("counter", () -> Dataset.counter(0, 1).take(size));
      case 4 ->
          new Source(
              "textLines",
              () -> Dataset.textLines(file("numbers.txt")).take(size).map(Long::parseLong));
      case 5 -> new Source("globalShuffle", () -> Dataset.range(size).globalShuffle(Seed.of(size)));
      case 6 ->
          new Source("random", () -> Dataset.random(Seed.of(size)).take(size).map(x -> x % 1000));
      case 7 ->
          new Source(
              "csv",
              () ->
                  Dataset.csv(file("numbers.csv").toString())
                      .take(size)
                      .map(row -> row.get("number").longValue()));
      default -> new Source("range", () -> Dataset.range(size));
    };
  }

  private static Tensor numbers(long count) {
    return Tensor.of(LongStream.range(0, count).toArray());
  }

  private static Path file(String name) {
    try {
      return Path.of(Objects.requireNonNull(Recipe.class.getResource("/recipes/" + name)).toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  private Step randomStep(SplittableRandom random, long factor) {
    return random.nextBoolean() ? basicStep(random, factor) : laterStep(random, factor);
  }

  /**
   * Operators beyond the first ten. Where order is not kept, only those that do not depend on it.
   */
  private Step laterStep(SplittableRandom random, long factor) {
    long a = 1 + random.nextInt(5);
    long b = random.nextInt(100);
    int size = 1 + random.nextInt(4);
    boolean mayGrow = factor <= 4;
    return switch (random.nextInt(ordered ? 25 : 3)) {
      case 0 -> new Step("flatMap", (in, n) -> cast(in.flatMap(x -> child(x, a, mayGrow))));
      case 1 -> new Step("ignoreErrors", (in, n) -> in.ignoreErrors());
      case 2 ->
          new Step(
              "concatenate", (in, n) -> in.concatenate(cast(Dataset.range(mayGrow ? b % 7 : 0))));
      case 3 ->
          new Step(
              "batch.unbatch",
              (in, n) -> cast(in.batch(size, Collator.stack()).unbatch().map(Tensor::longValue)));
      case 4 ->
          new Step(
              "sampleFrom",
              (in, n) ->
                  Dataset.sampleFrom(
                      List.of(in, cast(Dataset.range(mayGrow ? 5 : 1))),
                      new double[] {a, 2},
                      Seed.of(b),
                      false));
      case 5 -> new Step("skip(" + a + ")", (in, n) -> in.skip(a));
      case 6 -> new Step("takeWhile", (in, n) -> in.takeWhile(x -> (Long) x % 50 != 49 - a));
      case 7 ->
          new Step(
              "enumerate", (in, n) -> cast(in.enumerate().map(e -> e.index() + (Long) e.value())));
      case 8 ->
          new Step("zip", (in, n) -> cast(in.zip(Dataset.range(b), (x, y) -> (Long) x * 3 + y)));
      case 9 -> new Step("shard(" + size + ")", (in, n) -> in.shard(size, a % size));
      case 10 ->
          new Step(
              "shardByRank",
              (in, n) -> in.shardByRank((int) (a % size), size, ShardMode.values()[(int) b % 3]));
      case 11 ->
          new Step(
              "padToCardinality",
              (in, n) -> cast(in.padToCardinality(200, -a).map(x -> x.value()).take(b)));
      case 12 ->
          new Step(
              "scan",
              (in, n) ->
                  cast(
                      in.scan(
                          0L,
                          (s, x) -> new Scanned<>(s + (Long) x % 7, s + (Long) failing(x, a)))));
      case 13 -> new Step("unique", (in, n) -> in.unique());
      case 14 ->
          new Step(
              "groupByReducer",
              (in, n) ->
                  cast(
                      in.groupByReducer(
                          x -> (Long) x % 4,
                          new Reducer<>(
                              (Long key) -> key, (s, x) -> s + (Long) x, (Long s) -> s))));
      case 15 ->
          new Step(
              "chooseFrom",
              (in, n) ->
                  Dataset.chooseFrom(
                      List.of(in, cast(Dataset.range(9))),
                      Dataset.range(60).map(x -> x * a % 3 % 2),
                      false));
      case 16 ->
          new Step(
              "rejectionResample",
              (in, n) ->
                  cast(
                      in.rejectionResample(
                              x -> Math.floorMod((Long) x, 2), new double[] {0.7, 0.3}, Seed.of(b))
                          .map(kept -> kept.value())));
      case 17 ->
          new Step(
              "pack",
              (in, n) ->
                  cast(
                      in.map(
                              x ->
                                  Tensor.full(
                                      Shape.of(Math.floorMod((Long) x, 6L)), (Long) x % 100))
                          .pack(5, Packing.values()[(int) b % 3], 2, 0)
                          .map(row -> sum(row.tokens()))));
      case 18 ->
          new Step(
              "paddedBatch(" + size + ")",
              (in, n) ->
                  cast(
                      in.map(
                              x ->
                                  Tensor.full(
                                      Shape.of(Math.floorMod((Long) x, 4L)), (Long) x % 100))
                          .paddedBatch(size)
                          .map(rows -> sum(rows))));
      case 19 ->
          new Step(
              "batch.rebatch(" + size + ").unbatch",
              (in, n) ->
                  cast(
                      in.batch(3, Collator.stack())
                          .rebatch(size)
                          .unbatch()
                          .map(Tensor::longValue)));
      case 20 -> {
        int shift = 1 + random.nextInt(3);
        yield new Step(
            "window(" + size + ", " + shift + ")",
            (in, n) ->
                cast(
                    in.window(size, shift, 1, b % 2 == 0)
                        .flatMap(w -> w.take(2).map(x -> failing(x, a)))));
      }
      case 21 ->
          new Step(
              "groupByWindow(" + size + ")",
              (in, n) ->
                  cast(
                      in.groupByWindow(
                          x -> Math.floorMod((Long) x, 3L),
                          (key, w) -> w.map(x -> (Long) x + key),
                          size)));
      case 22 -> {
        int length = 1 + random.nextInt(3);
        yield new Step(
            "deferred(" + length + ").shuffle.batch(" + size + ")",
            (in, n) ->
                cast(
                    in.map(x -> LateNumber.of((Long) x, length), n)
                        .shuffle(a, Seed.of(b))
                        .batch(size, b % 2 == 0)
                        .map(rows -> sum(rows))));
      }
      case 23 ->
          new Step(
              "deferred.deferred.batch(" + size + ")",
              (in, n) ->
                  cast(
                      in.map(x -> LateNumber.of((Long) x, 2))
                          .map(x -> x.scale(2), n)
                          .prefetch(2)
                          .batch(size)
                          .unbatch()
                          .map(row -> (long) row.floatAt(1))));
      default ->
          new Step(
              "bucketBySequenceLength",
              (in, n) ->
                  cast(
                      in.map(
                              x ->
                                  Tensor.full(
                                      Shape.of(Math.floorMod((Long) x, 6L)), (Long) x % 100))
                          .bucketBySequenceLength(
                              x -> x.shape().dim(0), Buckets.below(2, 4).batches(size, 2, 3))
                          .map(rows -> sum(rows))));
    };
  }

  private static long sum(Tensor tensor) {
    return Arrays.stream(tensor.toLongArray()).sum();
  }

  private Step basicStep(SplittableRandom random, long factor) {
    Order order = !ordered && random.nextBoolean() ? Order.UNORDERED : Order.ORDERED;
    long a = 1 + random.nextInt(5);
    long b = random.nextInt(100);
    int kind = random.nextInt(ordered ? 12 : 11);
    return switch (kind) {
      case 0 -> new Step("map", (in, n) -> cast(in.map(x -> (Long) x * a + b)));
      case 1 ->
          new Step("map(" + order + ")", (in, n) -> cast(in.map(x -> (Long) x * a + b, n, order)));
      case 2 ->
          new Step(
              "failing map(" + order + ")", (in, n) -> cast(in.map(x -> failing(x, a), n, order)));
      case 3 -> new Step("filter", (in, n) -> in.filter(x -> (Long) x % 3 != a % 3));
      case 4 -> new Step("filter(" + order + ")", (in, n) -> in.filter(x -> keeps(x, a), n, order));
      case 5 -> {
        long buffer = 1 + random.nextInt(12);
        boolean again = random.nextBoolean();
        yield new Step(
            "shuffle(" + buffer + ")", (in, n) -> in.shuffle(buffer, Seed.of(b, a), again));
      }
      case 6 ->
          new Step(
              "randomMap",
              (in, n) -> cast(in.randomMap((x, r) -> (Long) x + r.nextInt(1000), Seed.of(b), n)));
      case 7 -> prefetch(random);
      case 8 -> {
        long count = factor > 4 ? 1 : 1 + random.nextInt(3);
        yield new Step("repeat(" + count + ")", (in, n) -> in.repeat(count));
      }
      case 9 -> new Step("cache", (in, n) -> in.cache());
      case 10 -> {
        int cycle = 1 + random.nextInt(4);
        int block = 1 + random.nextInt(3);
        boolean parallel = random.nextBoolean();
        boolean mayGrow = factor <= 4;
        yield new Step(
            "interleave(" + cycle + ", " + block + (parallel ? ", parallel)" : ")"),
            (in, n) ->
                parallel
                    ? cast(in.interleave(x -> child(x, a, mayGrow), cycle, block, n))
                    : cast(in.interleave(x -> child(x, a, mayGrow), cycle, block)));
      }
      default -> {
        long count = random.nextInt(25);
        yield new Step("take(" + count + ")", (in, n) -> in.take(count));
      }
    };
  }

  private static Step prefetch(SplittableRandom random) {
    int buffer = random.nextInt(3) == 0 ? Dataset.AUTOTUNE : random.nextInt(5);
    return new Step("prefetch(" + buffer + ")", (in, n) -> in.prefetch(buffer));
  }

  private static Object failing(Object x, long a) {
    long value = (Long) x;
    if (Math.floorMod(value, 5L) == a % 5) {
      throw new IllegalStateException("no " + value);
    }
    return value + 1;
  }

  private static boolean keeps(Object x, long a) {
    long value = (Long) x;
    if (Math.floorMod(value, 11L) == a) {
      throw new IllegalStateException("cannot say " + value);
    }
    return value % 2 == 0;
  }

  private static Dataset<Object> child(Object x, long a, boolean mayGrow) {
    long value = (Long) x;
    if (Math.floorMod(value, 13L) == a) {
      throw new IllegalStateException("no child of " + value);
    }
    long length = mayGrow ? Math.floorMod(value, 4L) : Math.floorMod(value, 2L);
    Dataset<Long> range = Dataset.range(value, value + length);
    return switch ((int) Math.floorMod(value, 3L)) {
      case 0 -> cast(range);
      case 1 -> cast(range.map(y -> failing(y, a)));
      default -> cast(range.shuffle(2, Seed.of(value)).map(y -> y + 7));
    };
  }

  @SuppressWarnings("unchecked") // elements of any type, seen as objects
  private static Dataset<Object> cast(Dataset<?> dataset) {
    return (Dataset<Object>) dataset;
  }

  @Override
  public String toString() {
    StringBuilder text =
        new StringBuilder("recipe " + seed + ": " + source.text + "(" + size + ")");
    for (Step step : steps) {
      text.append('.').append(step.text);
    }
    return text.toString();
  }
}
