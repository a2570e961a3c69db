package dev.headrace.examples;

import static dev.headrace.Dataset.AUTOTUNE;
import static dev.headrace.examples.Comparison.sentence;

import dev.headrace.Dataset;
import dev.headrace.data.Tensor;
import dev.headrace.testing.SyntheticStep;
import java.time.Duration;

/**
 * "Prefetching for performance in TensorFlow" (001), step 6 and the fourth misconception: what
 * prefetching does for the hardware, with an accelerator and without one.
 *
 * <p>Preparing a batch computes for 5 ms on the CPU; the step takes 5 ms on an accelerator, or
 * computes 5 ms on the CPU, too. Overlapping the two needs a second core only in the latter case.
 */
public final class CpuAndAccelerator {
  private static final Duration TIME = Duration.ofMillis(5);

  private CpuAndAccelerator() {}

  static Dataset<Tensor> batches() {
    SyntheticStep preparing = SyntheticStep.computing(TIME);
    return Dataset.range(1000)
        .map(
            i -> {
              preparing.step(i);
              return Tensor.scalar(i);
            });
  }

  static Comparison.Result compare(Comparison.Looks looks) throws Exception {
    return new Comparison()
        .form("accelerator", batches(), SyntheticStep.waiting(TIME))
        .form("accelerator, prefetched", batches().prefetch(AUTOTUNE), SyntheticStep.waiting(TIME))
        .form("CPU", batches(), SyntheticStep.computing(TIME))
        .form("CPU, prefetched", batches().prefetch(AUTOTUNE), SyntheticStep.computing(TIME))
        .run(looks);
  }

  private static double utilisation(Comparison.Result result, String form) {
    return 100 * result.of(form).verdict().utilisation();
  }

  /** Runs and tells. */
  static Comparison.Result show(Comparison.Looks looks) throws Exception {
    Comparison.Result result = compare(looks);
    result.print(
        System.out,
        sentence(
            "with an accelerator, prefetching is %.2f times as fast, and its utilisation rises from"
                + " %.0f to %.0f %%; with a step on the CPU (%d cores), it is %.2f times as fast."
                + " By arithmetic both are 2 where a core is free.",
            result.times("accelerator, prefetched", "accelerator"),
            utilisation(result, "accelerator"),
            utilisation(result, "accelerator, prefetched"),
            Runtime.getRuntime().availableProcessors(),
            result.times("CPU, prefetched", "CPU")));
    return result;
  }

  /** No arguments. */
  public static void main(String[] arguments) throws Exception {
    Comparison.Result _ = show(Comparison.Looks.USUAL);
  }
}
