package dev.headrace.contract;

import static dev.headrace.Dataset.AUTOTUNE;

import dev.headrace.Dataset;
import dev.headrace.Options;
import dev.headrace.Pipeline;
import dev.headrace.PipelineException;
import dev.headrace.data.Seed;
import dev.headrace.runtime.ProcessAccounts;
import dev.headrace.spi.Order;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;

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
      case "fifty" -> {
        System.setProperty("headrace.heap.budget", arguments[4]);
        fifty(size, Integer.parseInt(arguments[2]), Integer.parseInt(arguments[3]));
      }
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
      peak = pipeline.stats().memory().heapPeakBytes();
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
  private static void fifty(long size, int pipelines, int large) throws Exception {
    AtomicLong given = new AtomicLong();
    AtomicLong failures = new AtomicLong();
    List<Thread> readers = new ArrayList<>();
    count(Dataset.range(200).map(i -> new byte[10], 4).prefetch(10)); // loads the engine
    long before = arrayBytes();
    CountDownLatch grown = new CountDownLatch(pipelines);
    CountDownLatch measured = new CountDownLatch(1);
    for (int p = 0; p < pipelines; p++) {
      Dataset<byte[]> dataset =
          Dataset.range(size)
              .map(i -> new byte[i < size / 2 ? large / 1000 : large], AUTOTUNE)
              .map(x -> x.clone(), 2)
              .prefetch(AUTOTUNE);
      readers.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    try {
                      given.addAndGet(count(dataset, size / 4 * 3, grown, measured));
                    } catch (Throwable e) {
                      failures.incrementAndGet();
                      System.out.println(e);
                    }
                  }));
    }
    grown.await();
    long limit = ProcessAccounts.heapLimitBytes();
    for (int i = 0; i < 300 && ProcessAccounts.heapBytes() < limit / 100 * 97; i++) {
      Thread.sleep(10); // lets the buffers fill
    }
    long now = ProcessAccounts.heapBytes();
    long held = arrayBytes() - before;
    measured.countDown();
    long later = 0; // by looks: the account's own peak has the moment in which elements grew
    for (Thread reader : readers) {
      while (!reader.join(Duration.ofMillis(1))) {
        later = Math.max(later, ProcessAccounts.heapBytes());
      }
    }
    System.out.println("gave " + given + " failures " + failures);
    System.out.println(
        "held %d in account %d at most %d later %d of %d"
            .formatted(
                held / 1000,
                now / 1000,
                ProcessAccounts.heapPeakBytes() / 1000,
                later / 1000,
                limit / 1000));
  }

  /** Counts elements, and stops at one until what is held then was measured. */
  private static long count(
      Dataset<byte[]> dataset, long stopAt, CountDownLatch grown, CountDownLatch measured)
      throws InterruptedException {
    try (Pipeline<byte[]> pipeline = dataset.open()) {
      long count = 0;
      for (Iterator<byte[]> each = pipeline.iterator(); each.hasNext(); each.next()) {
        if (++count == stopAt) {
          grown.countDown();
          measured.await();
        }
      }
      return count;
    } finally {
      grown.countDown();
    }
  }

  /** What all arrays of bytes take that are alive, by the histogram of the JVM. */
  private static long arrayBytes() throws JMException {
    String histogram =
        (String)
            ManagementFactory.getPlatformMBeanServer()
                .invoke(
                    new ObjectName("com.sun.management:type=DiagnosticCommand"),
                    "gcClassHistogram",
                    new Object[] {new String[0]},
                    new String[] {String[].class.getName()});
    Matcher line = Pattern.compile("\\d+:\\s+\\d+\\s+(\\d+)\\s+\\[B\\s").matcher(histogram);
    return line.find() ? Long.parseLong(line.group(1)) : 0;
  }
}
