package dev.headrace.examples;

import static dev.headrace.Dataset.AUTOTUNE;
import static dev.headrace.examples.Comparison.sentence;

import dev.headrace.Dataset;
import dev.headrace.data.Tensor;
import java.time.Duration;

/**
 * "Prefetching for performance in TensorFlow" (001), step 5: prefetching with caching and parallel
 * loading.
 *
 * <pre>{@code
 * dataset = dataset.cache()
 * dataset = dataset.map(preprocess, num_parallel_calls=tf.data.AUTOTUNE)
 * dataset = dataset.prefetch(tf.data.AUTOTUNE)
 * }</pre>
 *
 * <p>160 elements a batch of 32 of which takes 32 ms to read, 32 ms to preprocess and 10 ms to
 * train on. Reading and preprocessing wait, as on a disk and a service.
 */
public final class CombinedOptimizations {
  private static final Duration STEP = Duration.ofMillis(10);

  private CombinedOptimizations() {}

  static Dataset<Tensor> read() {
    return Dataset.range(160).map(i -> waiting(Tensor.scalar(i)));
  }

  private static Tensor preprocess(Tensor element) throws InterruptedException {
    return waiting(element);
  }

  private static Tensor waiting(Tensor element) throws InterruptedException {
    Thread.sleep(1);
    return element;
  }

  static Comparison.Result compare(Comparison.Looks looks) throws Exception {
    return new Comparison()
        .form("naive", read().map(CombinedOptimizations::preprocess).batch(32), STEP)
        .form(
            "prefetch",
            read().map(CombinedOptimizations::preprocess).batch(32).prefetch(AUTOTUNE),
            STEP)
        .form(
            "parallel map, prefetch",
            read().map(CombinedOptimizations::preprocess, AUTOTUNE).batch(32).prefetch(AUTOTUNE),
            STEP)
        .form(
            "cache, prefetch",
            read().cache().map(CombinedOptimizations::preprocess).batch(32).prefetch(AUTOTUNE),
            STEP)
        .form(
            "cache, parallel map, prefetch",
            read()
                .cache()
                .map(CombinedOptimizations::preprocess, AUTOTUNE)
                .batch(32)
                .prefetch(AUTOTUNE),
            STEP)
        .run(looks);
  }

  /** Runs and tells. */
  static Comparison.Result show(Comparison.Looks looks) throws Exception {
    Comparison.Result result = compare(looks);
    result.print(
        System.out,
        sentence(
            "against the naive pipeline, prefetching alone is %.2f times as fast, with a parallel"
                + " map %.2f times, with a cache %.2f times, with both %.2f times; the loop waits"
                + " %.0f %%, %.0f %%, %.0f %% and %.0f %% of its time.",
            result.times("prefetch", "naive"),
            result.times("parallel map, prefetch", "naive"),
            result.times("cache, prefetch", "naive"),
            result.times("cache, parallel map, prefetch", "naive"),
            result.of("prefetch").waitedPercent(),
            result.of("parallel map, prefetch").waitedPercent(),
            result.of("cache, prefetch").waitedPercent(),
            result.of("cache, parallel map, prefetch").waitedPercent()));
    return result;
  }

  /** No arguments. */
  public static void main(String[] arguments) throws Exception {
    Comparison.Result _ = show(new Comparison.Looks(3, 15));
  }
}
