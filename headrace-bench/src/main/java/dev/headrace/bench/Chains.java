package dev.headrace.bench;

import static dev.headrace.Dataset.AUTOTUNE;

import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.data.Seed;
import dev.headrace.data.Tensor;
import dev.headrace.spi.Collator;
import dev.headrace.spi.Condition;
import dev.headrace.spi.Fn;
import java.util.List;
import java.util.function.LongFunction;

/**
 * The pipelines that are measured, and those that are run before.
 *
 * <p>Operators are swallowed by {@code batch(1024, stack())}: it pulls whole chunks and hands the
 * consumer one tensor for 1,024 elements, so that what is measured is the engine and not a loop of
 * {@code next()} calls.
 */
final class Chains {
  /** One function per place in a chain, so that no two operators share a class of function. */
  private static final List<Fn<Long, Long>> MAPS =
      List.of(x -> x + 1, x -> x * 3, x -> x ^ 5, x -> x - 7, x -> x + 11);

  private static final List<Condition<Long>> FILTERS =
      List.of(x -> x >= 0, x -> x > -2, x -> x != -3, x -> x >= -4, x -> x > -5);

  private static final int SWALLOWED = 1024;

  private Chains() {}

  /** Opens a pipeline, reads one pass and returns how many elements were delivered. */
  static long run(Dataset<?> dataset) {
    try (Pipeline<?> pipeline = dataset.open()) {
      return read(pipeline);
    }
  }

  /** Reads one pass and returns how many elements were delivered. */
  static long read(Pipeline<?> pipeline) {
    long delivered = 0;
    for (Object element : pipeline) {
      if (element != null) {
        delivered++;
      }
    }
    return delivered;
  }

  static Dataset<?> swallowed(Dataset<Long> dataset) {
    return dataset.batch(SWALLOWED, Collator.stack());
  }

  static Dataset<?> range(long elements) {
    return swallowed(Dataset.range(elements));
  }

  static LongFunction<Dataset<?>> maps(int count) {
    return elements -> {
      Dataset<Long> chain = Dataset.range(elements);
      for (int i = 0; i < count; i++) {
        chain = chain.map(MAPS.get(i));
      }
      return swallowed(chain);
    };
  }

  static LongFunction<Dataset<?>> filters(int count) {
    return elements -> {
      Dataset<Long> chain = Dataset.range(elements);
      for (int i = 0; i < count; i++) {
        chain = chain.filter(FILTERS.get(i));
      }
      return swallowed(chain);
    };
  }

  static LongFunction<Dataset<?>> takes(int count) {
    return elements -> {
      Dataset<Long> chain = Dataset.range(elements);
      for (int i = 0; i < count; i++) {
        chain = chain.take(elements);
      }
      return swallowed(chain);
    };
  }

  static Dataset<?> batch(long elements) {
    return Dataset.range(elements).batch(128, Collator.stack());
  }

  static Dataset<?> shuffle(long elements) {
    return swallowed(Dataset.range(elements).shuffle(10_000, Seed.of(7)));
  }

  static Dataset<?> parallelMap(long elements) {
    return swallowed(Dataset.range(elements).map(x -> x + 1, 2));
  }

  static Dataset<?> prefetch(long elements) {
    return swallowed(Dataset.range(elements).map(x -> x + 2)).prefetch(AUTOTUNE);
  }

  /** The chain of the headline: {@code range, map, map, batch(128), prefetch}. */
  static Dataset<Tensor> headline(long elements) {
    return Dataset.range(elements)
        .map(x -> x + 1)
        .map(x -> x * 3)
        .batch(128, Collator.<Long>stack())
        .prefetch(AUTOTUNE);
  }

  /** Delivers elements one by one, boxed. */
  static Dataset<?> oneByOne(long elements) {
    return Dataset.range(elements).map(x -> x + 3);
  }

  /** A function that allocates an object for every element. */
  static Dataset<?> allocating(long elements) {
    return Dataset.range(elements)
        .map(x -> new Pair(x, x + 1))
        .map(pair -> pair.left + pair.right)
        .batch(SWALLOWED, Collator.stack());
  }

  private record Pair(long left, long right) {}

  /**
   * Runs every operator in pipelines of many shapes with functions of many classes, so that no call
   * site in the engine has seen one class only: what is measured then is what a long-lived program
   * sees.
   */
  static void warmUp() {
    long n = 20_000;
    Seed seed = Seed.of(1);
    List<Dataset<?>> shapes =
        List.of(
            Dataset.range(n).map(x -> x + 1).filter(x -> x % 3 == 0).batch(64, Collator.stack()),
            Dataset.range(n).shuffle(500, seed).map(x -> x * 2).batch(10, Collator.toList()),
            Dataset.range(n).map(x -> x / 2.0).map(x -> x * x).batch(32, Collator.stack()),
            Dataset.range(n).map(x -> x + 4, 2).batch(16, Collator.stack()).prefetch(2),
            Dataset.range(n).take(n / 2).repeat(2).filter(x -> x > 10),
            Dataset.range(n).filter(x -> x % 2 == 0, 2).map(x -> "element " + x),
            Dataset.range(50).interleave(i -> Dataset.range(i * 100, i * 100 + 100), 4, 8),
            Dataset.range(n).randomMap((x, random) -> x + random.nextInt(), seed).prefetch(100),
            Dataset.range(n).map(x -> x - 1).cache().repeat(2).batch(100, Collator.stack()),
            Dataset.range(n).map(x -> x * 5, AUTOTUNE).shuffle(64, seed).prefetch(AUTOTUNE),
            Dataset.range(n).map(x -> Tensor.scalar((float) x)).batch(128).prefetch(AUTOTUNE),
            Dataset.range(50).interleave(i -> Dataset.range(i).map(x -> x + i), 4, 2, 2));
    for (int round = 0; round < 3; round++) {
      shapes.forEach(Chains::run);
    }
  }
}
