package dev.headrace.contract;

import dev.headrace.Dataset;
import dev.headrace.data.Seed;
import dev.headrace.data.Tensor;
import dev.headrace.spi.Collator;
import dev.headrace.spi.Order;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BiFunction;

/** A random pipeline that can be made again for any parallelism; everything follows from a seed. */
public final class Recipe {
  private record Step(String text, BiFunction<Dataset<Object>, Integer, Dataset<Object>> add) {}

  private final long seed;
  private final boolean ordered;
  private final long size;
  private final List<Step> steps = new ArrayList<>();

  private Recipe(long seed, boolean ordered, int mostElements) {
    this.seed = seed;
    this.ordered = ordered;
    SplittableRandom random = new SplittableRandom(seed);
    this.size = random.nextInt(4) == 0 ? random.nextInt(3) : random.nextInt(mostElements);
    int length = 1 + random.nextInt(5);
    long factor = 1;
    for (int i = 0; i < length; i++) {
      Step step = randomStep(random, factor);
      if (step.text.startsWith("repeat") || step.text.startsWith("interleave")) {
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
    Dataset<Object> dataset = cast(Dataset.range(size));
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

  private Step randomStep(SplittableRandom random, long factor) {
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
    StringBuilder text = new StringBuilder("recipe " + seed + ": range(" + size + ")");
    for (Step step : steps) {
      text.append('.').append(step.text);
    }
    return text.toString();
  }
}
