package dev.headrace.examples;

import static dev.headrace.Dataset.AUTOTUNE;
import static dev.headrace.examples.Comparison.sentence;

import dev.headrace.Dataset;
import dev.headrace.data.DType;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.profile.Finding;
import java.time.Duration;

/**
 * "Prefetching for performance in TensorFlow" (001), pitfall 2 and the first misconception: a
 * buffer that is too large.
 *
 * <pre>{@code
 * dataset = dataset.batch(32).prefetch(10000)
 *
 * dataset = dataset.batch(32).prefetch(tf.data.AUTOTUNE)
 * }</pre>
 *
 * <p>A batch has 2 MB, so that 10,000 would be 20 GB. Here a buffer is bounded in bytes, too: it
 * holds fewer than asked for, and says so. The budget is set to 64 MB, to be reached soon.
 */
public final class HugeBuffer {
  private static final Duration STEP = Duration.ofMillis(2);
  static final long BUDGET = 64_000_000;

  private HugeBuffer() {}

  static Dataset<Tensor> batches() {
    return Dataset.range(100_000)
        .map(i -> Tensor.zeros(DType.UINT8, Shape.of(62_500)))
        .batch(32)
        .options(options -> options.memoryBudget(BUDGET));
  }

  static Comparison.Result compare(Comparison.Looks looks) throws Exception {
    return new Comparison()
        .form("prefetch(10_000)", batches().prefetch(10_000), STEP)
        .form("prefetch(AUTOTUNE)", batches().prefetch(AUTOTUNE), STEP)
        .run(looks);
  }

  /** Runs and tells. */
  static Comparison.Result show(Comparison.Looks looks) throws Exception {
    for (Finding finding : batches().prefetch(10_000).lint()) {
      System.out.println(finding.operator() + ": " + finding.message() + " " + finding.advice());
    }
    System.out.println();
    Comparison.Result result = compare(looks);
    result.print(
        System.out,
        sentence(
            "prefetch(10_000) of batches of 2 MB held %.0f MB at most, of a budget of %d MB, and"
                + " AUTOTUNE %.0f MB, which was %.2f times as fast.",
            result.of("prefetch(10_000)").megabytes(),
            BUDGET / 1_000_000,
            result.of("prefetch(AUTOTUNE)").megabytes(),
            result.times("prefetch(AUTOTUNE)", "prefetch(10_000)")));
    return result;
  }

  /** No arguments. */
  public static void main(String[] arguments) throws Exception {
    Comparison.Result _ = show(Comparison.Looks.USUAL);
  }
}
