package dev.headrace.bench;

import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.data.Seed;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;

/**
 * How many bytes all threads together allocate for one element.
 *
 * <p>Chains over longs, with functions that give longs, should need none: less than a byte, because
 * a chunk of 1,024 elements has a position and a reading of the clock now and then. Their elements
 * are swallowed by a filter that keeps none, so that no sink counts. Batches and functions that
 * allocate are told apart. Opening and closing the pipeline do not count.
 */
final class AllocationRows {
  private static final long ELEMENTS = 2_000_000;

  /** What rounds to nothing. */
  private static final double NONE_BYTES = 0.5;

  private AllocationRows() {}

  static List<Row> measure(Setup setup) {
    setup.progress().accept("bytes allocated");
    if (!(ManagementFactory.getThreadMXBean() instanceof com.sun.management.ThreadMXBean threads)) {
      return List.of();
    }
    Map<String, LongFunction<Dataset<?>>> chains = new LinkedHashMap<>();
    chains.put(
        "bytes: range-map-map-map",
        n -> rejected(Dataset.range(n).map(x -> x + 21).map(x -> x * 5).map(x -> x ^ 9)));
    chains.put("bytes: range-filter", n -> rejected(Dataset.range(n).filter(x -> x % 2 == 0)));
    chains.put("bytes: range-take", n -> rejected(Dataset.range(n).take(n)));
    chains.put(
        "bytes: range-shuffle(10000)", n -> rejected(Dataset.range(n).shuffle(10_000, Seed.of(3))));
    chains.put("bytes: range-map(f, 2)", n -> rejected(Dataset.range(n).map(x -> x + 22, 2)));
    List<Row> rows = new ArrayList<>();
    chains.forEach(
        (name, chain) ->
            rows.add(
                Row.alone(
                    name, "bytes/elem", bytes(setup, threads, chain), Bar.atMost(NONE_BYTES))));
    rows.add(
        Row.alone(
            "bytes: range-map-batch(1024)-prefetch, leases and tensors included",
            "bytes/elem",
            bytes(setup, threads, Chains::prefetch),
            null));
    rows.add(
        Row.alone(
            "bytes: functions that make a 32-byte object",
            "bytes/elem",
            bytes(setup, threads, Chains::allocating),
            null));
    rows.add(
        Row.alone(
            "bytes: next() for each element, boxed",
            "bytes/elem",
            bytes(setup, threads, Chains::oneByOne),
            null));
    return rows;
  }

  private static Dataset<?> rejected(Dataset<Long> chain) {
    return chain.filter(x -> x == Long.MIN_VALUE);
  }

  private static Interval bytes(
      Setup setup, com.sun.management.ThreadMXBean threads, LongFunction<Dataset<?>> chain) {
    Dataset<?> dataset = chain.apply(ELEMENTS);
    for (int i = 0; i < 3; i++) {
      Chains.run(dataset);
    }
    double[] bytes = new double[setup.pairs()];
    for (int i = 0; i < bytes.length; i++) {
      try (Pipeline<?> pipeline = dataset.open()) {
        long before = threads.getTotalThreadAllocatedBytes();
        Chains.read(pipeline);
        bytes[i] = (double) (threads.getTotalThreadAllocatedBytes() - before) / ELEMENTS;
      }
    }
    return Interval.of(bytes);
  }
}
