package dev.headrace.examples;

import static dev.headrace.Dataset.AUTOTUNE;
import static dev.headrace.examples.Comparison.sentence;

import dev.headrace.Dataset;
import dev.headrace.data.DType;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import java.time.Duration;

/**
 * "Prefetching for performance in TensorFlow" (001), step 4: choosing the right buffer size.
 *
 * <pre>{@code
 * dataset.prefetch(1)
 * dataset.prefetch(tf.data.AUTOTUNE)
 * dataset.prefetch(64)
 * }</pre>
 *
 * <p>Batches of 1 MB whose loading takes 3 ms, but every tenth 33 ms, and a step of 8 ms: on
 * average the pipeline is faster than the step, and only a buffer bridges the slow ones.
 */
public final class BufferSizes {
  private static final Shape MEGABYTE = Shape.of(1_000_000);
  private static final Duration STEP = Duration.ofMillis(8);

  private BufferSizes() {}

  static Dataset<Tensor> batches() {
    return Dataset.range(10_000)
        .map(
            i -> {
              Thread.sleep(i % 10 == 9 ? 33 : 3);
              return Tensor.zeros(DType.UINT8, MEGABYTE);
            });
  }

  static Comparison.Result compare(Comparison.Looks looks) throws Exception {
    return new Comparison()
        .form("no prefetch", batches(), STEP)
        .form("prefetch(1)", batches().prefetch(1), STEP)
        .form("prefetch(8)", batches().prefetch(8), STEP)
        .form("prefetch(64)", batches().prefetch(64), STEP)
        .form("prefetch(AUTOTUNE)", batches().prefetch(AUTOTUNE), STEP)
        .run(looks);
  }

  /** Runs and tells. */
  static Comparison.Result show(Comparison.Looks looks) throws Exception {
    Comparison.Result result = compare(looks);
    result.print(
        System.out,
        sentence(
            "against none, a buffer of 1 is %.2f times as fast, of 8 %.2f times, of 64 %.2f times,"
                + " and AUTOTUNE %.2f times (at most 1.75); they held %.0f, %.0f, %.0f and %.0f MB"
                + " at most.",
            result.times("prefetch(1)", "no prefetch"),
            result.times("prefetch(8)", "no prefetch"),
            result.times("prefetch(64)", "no prefetch"),
            result.times("prefetch(AUTOTUNE)", "no prefetch"),
            result.of("prefetch(1)").megabytes(),
            result.of("prefetch(8)").megabytes(),
            result.of("prefetch(64)").megabytes(),
            result.of("prefetch(AUTOTUNE)").megabytes()));
    return result;
  }

  /** No arguments. */
  public static void main(String[] arguments) throws Exception {
    Comparison.Result _ = show(new Comparison.Looks(3, 14));
  }
}
