package dev.headrace.contract;

import static dev.headrace.Dataset.AUTOTUNE;

import dev.headrace.Dataset;
import dev.headrace.Options;
import dev.headrace.Pipeline;
import dev.headrace.PipelineException;
import dev.headrace.data.Seed;
import dev.headrace.spi.Order;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** A program whose elements grow a thousandfold in the middle, to be run in a small heap. */
public final class GrowingProgram {
  private static final int MB = 1 << 20;
  private static final int SMALL = 1000;
  private static final int LARGE = 1_000_000;

  private GrowingProgram() {}

  /** Arguments: what to run, and how many elements. */
  public static void main(String[] arguments) throws Exception {
    long size = Long.parseLong(arguments[1]);
    switch (arguments[0]) {
      case "budget" -> budget(size);
      case "everywhere" -> System.out.println("gave " + count(everywhere(size)));
      case "caches" -> caches();
      case "fifty" -> fifty(size, Integer.parseInt(arguments[2]));
      default -> throw new IllegalArgumentException(arguments[0]);
    }
  }

  private static byte[] grown(long i, long size) {
    return new byte[i < size / 2 ? SMALL : LARGE];
  }

  /** Every operator that reads ahead, each tuned. */
  private static Dataset<byte[]> everywhere(long size) {
    return Dataset.range(size)
        .map(i -> i, AUTOTUNE)
        .map(i -> grown(i, size), AUTOTUNE)
        .prefetch(AUTOTUNE)
        .interleave(x -> Dataset.of(x, x).map(y -> y), 4, 1, AUTOTUNE)
        .map(x -> x.clone(), AUTOTUNE, Order.UNORDERED)
        .map(x -> x.clone(), AUTOTUNE)
        .shuffle(3, Seed.of(1))
        .prefetch(AUTOTUNE);
  }

  private static long count(Dataset<byte[]> dataset) {
    try (Pipeline<byte[]> pipeline = dataset.open()) {
      long count = 0;
      for (Iterator<byte[]> each = pipeline.iterator(); each.hasNext(); each.next()) {
        count++;
      }
      return count;
    }
  }

  /** Prints the most that was held under a budget of 30 MB, by what is alive after a collection. */
  private static void budget(long size) throws InterruptedException {
    Dataset<byte[]> dataset =
        Dataset.range(size)
            .map(i -> grown(i, size), 4)
            .map(x -> x, 2)
            .prefetch(10_000)
            .options(Options.defaults().heapBudget(30 * MB));
    long alive = 0;
    count(Dataset.range(200).map(i -> new byte[10], 4).prefetch(10)); // loads the engine
    long before = alive();
    long peak;
    try (Pipeline<byte[]> pipeline = dataset.open()) {
      Iterator<byte[]> elements = pipeline.iterator();
      for (long i = 0; elements.hasNext(); i++) {
        elements.next();
        if (i >= size / 2 - 2000 && i % 100 == 0) {
          Thread.sleep(20); // lets the buffers fill
          alive = Math.max(alive, alive() - before);
        }
      }
      peak = pipeline.stats().heapPeakBytes();
    }
    System.out.println("held " + alive / MB + " account " + peak / MB);
  }

  private static long alive() {
    System.gc();
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }

  /** Three pipelines that each could hold what they cache. */
  private static void caches() {
    List<Pipeline<byte[]>> open = new ArrayList<>();
    Dataset<byte[]> cached =
        Dataset.range(50).map(i -> new byte[MB]).cache().options(Options.defaults().spill(false));
    for (int i = 0; i < 3; i++) {
      Pipeline<byte[]> pipeline = cached.open();
      open.add(pipeline);
      try {
        pipeline.iterator().forEachRemaining(x -> {});
        System.out.println("cached");
      } catch (PipelineException e) {
        System.out.println(e.getMessage());
      }
    }
    open.forEach(Pipeline::close);
  }

  /** Many pipelines at once, each read by a thread of its own. */
  private static void fifty(long size, int pipelines) throws InterruptedException {
    AtomicLong given = new AtomicLong();
    AtomicLong failures = new AtomicLong();
    List<Thread> readers = new ArrayList<>();
    for (int p = 0; p < pipelines; p++) {
      Dataset<byte[]> dataset =
          Dataset.range(size)
              .map(i -> grown(i, size), AUTOTUNE)
              .map(x -> x.clone(), 2)
              .prefetch(AUTOTUNE);
      readers.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    try {
                      given.addAndGet(count(dataset));
                    } catch (Throwable e) {
                      failures.incrementAndGet();
                      System.out.println(e);
                    }
                  }));
    }
    for (Thread reader : readers) {
      reader.join();
    }
    System.out.println("gave " + given + " failures " + failures);
  }
}
