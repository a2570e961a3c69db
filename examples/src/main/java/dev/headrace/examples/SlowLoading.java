package dev.headrace.examples;

import static dev.headrace.Dataset.AUTOTUNE;

import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.data.Tensor;

/**
 * "Why doesn't prefetch_to_device improve training speed?", example 1: slow loading.
 *
 * <pre>{@code
 * dataset = tf.data.Dataset.range(1000).map(lambda _: slow_load())
 * dataset = dataset.prefetch(buffer_size=tf.data.AUTOTUNE)
 * }</pre>
 *
 * <p>Loading waits for a second each time. Read one after the other, a thousand loads take a
 * thousand seconds, and no buffer behind them helps. Given a parallelism, the engine notices that
 * loading waits instead of computing, and overlaps hundreds.
 */
public final class SlowLoading {
  private SlowLoading() {}

  /** The pipeline; {@code loadMs} is a second in the original. */
  static Dataset<Tensor> dataset(long elements, long loadMs) {
    return Dataset.range(elements).map(i -> slowLoad(loadMs), AUTOTUNE).prefetch(AUTOTUNE);
  }

  private static Tensor slowLoad(long ms) throws InterruptedException {
    Thread.sleep(ms);
    return Tensor.of(1f);
  }

  /** Arguments: how many loads (1,000), and how many milliseconds each takes (1,000). */
  public static void main(String[] arguments) {
    long elements = arguments.length > 0 ? Long.parseLong(arguments[0]) : 1000;
    long loadMs = arguments.length > 1 ? Long.parseLong(arguments[1]) : 1000;
    long start = System.nanoTime();
    try (Pipeline<Tensor> loads = dataset(elements, loadMs).open()) {
      long done = 0;
      for (Tensor load : loads) {
        done += load.elements();
      }
      System.out.printf(
          "%,d loads of %,d ms each in %.2f s%n", done, loadMs, (System.nanoTime() - start) / 1e9);
      System.out.println(loads.stats());
    }
  }
}
