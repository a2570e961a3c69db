package dev.headrace.bench;

import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;

/**
 * How many bytes all threads together allocate for one element.
 *
 * <p>Chains over longs, with functions that give longs, should need none; chains whose functions
 * allocate are told apart. Opening and closing the pipeline do not count.
 */
final class AllocationRows {
  private static final long ELEMENTS = 2_000_000;

  private AllocationRows() {}

  static List<Row> measure(Setup setup) {
    setup.progress().accept("bytes allocated");
    if (!(ManagementFactory.getThreadMXBean() instanceof com.sun.management.ThreadMXBean threads)) {
      return List.of();
    }
    Map<String, LongFunction<Dataset<?>>> chains = new LinkedHashMap<>();
    chains.put("bytes: range-map-map-map-map-map", Chains.maps(5));
    chains.put("bytes: range-filter", Chains.filters(1));
    chains.put("bytes: range-shuffle(10000)", Chains::shuffle);
    chains.put("bytes: range-map(f, 2)", Chains::parallelMap);
    chains.put("bytes: range-map-batch-prefetch", Chains::prefetch);
    List<Row> rows = new ArrayList<>();
    chains.forEach(
        (name, chain) ->
            rows.add(Row.alone(name, "bytes/elem", bytes(setup, threads, chain), null)));
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
