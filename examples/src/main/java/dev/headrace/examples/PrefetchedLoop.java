package dev.headrace.examples;

import static dev.headrace.Dataset.AUTOTUNE;
import static dev.headrace.examples.Comparison.sentence;

import java.time.Duration;

/**
 * "Prefetching for performance in TensorFlow" (001), step 3: how prefetching overlaps loading and
 * training.
 *
 * <pre>{@code
 * dataset.prefetch(buffer_size)
 * }</pre>
 *
 * <p>The same data with three steps: where loading (6 ms) and training take about the same time
 * there is most to gain; where one of them is much longer there is little, since prefetching can
 * hide only the shorter one.
 */
public final class PrefetchedLoop {
  private PrefetchedLoop() {}

  static Comparison.Result compare(Comparison.Looks looks) throws Exception {
    Comparison comparison = new Comparison();
    for (int stepMs : new int[] {6, 30, 1}) {
      Duration step = Duration.ofMillis(stepMs);
      comparison
          .form("step of " + stepMs + " ms", NaiveLoop.dataset(), step)
          .form(
              "step of " + stepMs + " ms, prefetched",
              NaiveLoop.dataset().prefetch(AUTOTUNE),
              step);
    }
    return comparison.run(looks);
  }

  /** Runs and tells. */
  static Comparison.Result show(Comparison.Looks looks) throws Exception {
    Comparison.Result result = compare(looks);
    result.print(
        System.out,
        sentence(
            "for batches that take 6 ms to load, prefetching is %.2f times as fast with steps of 6"
                + " ms (at most 2), %.2f times with steps of 30 ms (at most 1.2), and %.2f times"
                + " with steps of 1 ms (at most 1.17).",
            result.times("step of 6 ms, prefetched", "step of 6 ms"),
            result.times("step of 30 ms, prefetched", "step of 30 ms"),
            result.times("step of 1 ms, prefetched", "step of 1 ms")));
    return result;
  }

  /** No arguments. */
  public static void main(String[] arguments) throws Exception {
    Comparison.Result _ = show(Comparison.Looks.USUAL);
  }
}
