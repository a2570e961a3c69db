package dev.headrace.bench;

import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.spi.Collator;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * How long {@code next()} takes while the prefetch buffer is full.
 *
 * <p>The consumer computes for 100 µs between two batches, far longer than one takes to make. Each
 * repetition gives percentiles of 10,000 calls; a row is their median over the repetitions. Reading
 * the clock, about 25 ns, is part of every figure.
 */
final class LatencyRows {
  private static final int CALLS = 10_000;
  private static final int WARM_CALLS = 2_000;
  private static final long STEP_NS = 100_000;

  private LatencyRows() {}

  static List<Row> measure(Setup setup) {
    Dataset<?> dataset = Dataset.range(1L << 40).batch(128, Collator.stack()).prefetch(64);
    int repetitions = setup.pairs();
    double[] p50 = new double[repetitions];
    double[] p99 = new double[repetitions];
    double[] p999 = new double[repetitions];
    double[] ofQueue = new double[repetitions];
    try (Pipeline<?> pipeline = dataset.open();
        BareQueue queue = new BareQueue()) {
      Iterator<?> batches = pipeline.iterator();
      takeCalls(batches, WARM_CALLS);
      takeCalls(queue, WARM_CALLS);
      for (int i = 0; i < repetitions; i++) {
        setup.progress().accept("next(): repetition %d of %d".formatted(i + 1, repetitions));
        double[] micros = takeCalls(batches, CALLS);
        Arrays.sort(micros);
        p50[i] = Interval.percentile(micros, 0.5);
        p99[i] = Interval.percentile(micros, 0.99);
        p999[i] = Interval.percentile(micros, 0.999);
        double[] bare = takeCalls(queue, CALLS);
        Arrays.sort(bare);
        ofQueue[i] = Interval.percentile(bare, 0.999);
      }
    }
    String name = "next() on a full buffer, ";
    return List.of(
        Row.alone(name + "P50", "us", Interval.of(p50), Bar.atMost(1)),
        Row.alone(name + "P99", "us", Interval.of(p99), null),
        Row.alone(name + "P99.9", "us", Interval.of(p999), Bar.atMost(50)),
        Row.ofPairs(
            name + "P99.9",
            "us",
            p999,
            ofQueue,
            "take() of an ArrayBlockingQueue(64) that a thread keeps full",
            null,
            0));
  }

  /** The least that could be done instead: what of the latency is the machine's, not ours. */
  private static final class BareQueue implements Iterator<long[]>, AutoCloseable {
    private final BlockingQueue<long[]> queue = new ArrayBlockingQueue<>(64);
    private final Thread producer =
        Thread.ofPlatform()
            .daemon(true)
            .start(
                () -> {
                  try {
                    for (; ; ) {
                      queue.put(new long[128]);
                    }
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt(); // closed
                  }
                });

    @Override
    public boolean hasNext() {
      return true;
    }

    @Override
    public long[] next() {
      try {
        return queue.take();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted", e);
      }
    }

    @Override
    public void close() {
      producer.interrupt();
    }
  }

  private static double[] takeCalls(Iterator<?> batches, int calls) {
    double[] micros = new double[calls];
    for (int i = 0; i < calls; i++) {
      long step = System.nanoTime();
      while (System.nanoTime() - step < STEP_NS) {
        Thread.onSpinWait();
      }
      long start = System.nanoTime();
      batches.next();
      micros[i] = (System.nanoTime() - start) / 1e3;
    }
    return micros;
  }
}
