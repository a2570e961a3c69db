package dev.headrace.examples;

import static dev.headrace.Dataset.AUTOTUNE;
import static dev.headrace.examples.Comparison.sentence;

import dev.headrace.Dataset;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import java.time.Duration;

/**
 * "Prefetching for performance in TensorFlow" (001), the second misconception, and "when not to use
 * it": data that is there at once, a slow model, and a model that takes no time.
 *
 * <p>Batches are slices of an array, so there is hardly anything to hide. Prefetching then costs a
 * hand-over between threads for each batch.
 */
public final class NothingToHide {
  private NothingToHide() {}

  static Dataset<Tensor> batches() {
    return Dataset.fromTensorSlices(Tensor.uniform(Shape.of(4096, 16), 7)).batch(32);
  }

  static Comparison.Result compare(Comparison.Looks looks) throws Exception {
    Dataset<Tensor> ahead = batches().prefetch(AUTOTUNE);
    return new Comparison()
        .form("step of 5 ms", batches(), Duration.ofMillis(5))
        .form("step of 5 ms, prefetched", ahead, Duration.ofMillis(5))
        .form("no step", batches(), batch -> {})
        .form("no step, prefetched", ahead, batch -> {})
        .run(looks);
  }

  /** Runs and tells. */
  static Comparison.Result show(Comparison.Looks looks) throws Exception {
    Comparison.Result result = compare(looks);
    result.print(
        System.out,
        sentence(
            "for data that is there at once, prefetching is %.2f times as fast with a step of 5 ms,"
                + " and %.2f times with no step at all (%.1f µs a batch without it, %.1f with it).",
            result.times("step of 5 ms, prefetched", "step of 5 ms"),
            result.times("no step, prefetched", "no step"),
            1e6 / result.of("no step").rate(),
            1e6 / result.of("no step, prefetched").rate()));
    return result;
  }

  /** No arguments. */
  public static void main(String[] arguments) throws Exception {
    Comparison.Result _ = show(Comparison.Looks.USUAL);
  }
}
