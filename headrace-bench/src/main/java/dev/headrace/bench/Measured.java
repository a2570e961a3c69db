package dev.headrace.bench;

import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import java.util.function.LongFunction;

/**
 * One of our chains, warm and with a length that takes long enough to be timed.
 *
 * <p>Opening and closing the pipeline is not part of a measurement, as on tf.data's side; {@link
 * HeadlineRows} has a row for it.
 */
final class Measured {
  private static final double TARGET_NS = 80e6;
  private static final long LEAST_WARM_NS = 500_000_000;
  private static final long MOST_ELEMENTS = 1L << 24;

  private final LongFunction<Dataset<?>> chain;
  private long elements = 100_000;
  private long most = MOST_ELEMENTS;

  Measured(LongFunction<Dataset<?>> chain) {
    this.chain = chain;
  }

  /** Bounds the length of the chain. */
  Measured atMost(long limit) {
    most = limit;
    elements = Math.min(elements, limit);
    return this;
  }

  /** Runs the chain until it is compiled, and finds its length. */
  Measured warm() {
    long until = System.nanoTime() + LEAST_WARM_NS;
    double each = measure().cpuNs();
    while (System.nanoTime() < until) {
      each = Math.min(each, measure().cpuNs());
    }
    elements = Math.clamp((long) (TARGET_NS / Math.max(each, 0.1)), Math.min(10_000, most), most);
    return this;
  }

  /** What one element takes. */
  Spent measure() {
    try (Pipeline<?> pipeline = chain.apply(elements).open()) {
      return Spent.on(() -> Chains.read(pipeline)).each(elements);
    }
  }
}
