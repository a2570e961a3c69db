package dev.headrace.examples;

import static dev.headrace.examples.Comparison.sentence;

import dev.headrace.Dataset;
import dev.headrace.Doctor;
import dev.headrace.data.Tensor;
import dev.headrace.profile.Advice;
import dev.headrace.profile.Advice.Action;
import dev.headrace.profile.Diagnosis;
import dev.headrace.profile.Trial;
import java.time.Duration;

/**
 * "Prefetching for performance in TensorFlow" (001), steps 1 and 2: what causes training delays
 * without prefetching.
 *
 * <pre>{@code
 * dataset = dataset.batch(32)
 * model.fit(dataset, epochs=5)
 * }</pre>
 *
 * <p>Loading a batch takes 6 ms, training on it 8 ms. Without a buffer they take turns. The doctor
 * says what a buffer would bring, puts one in, and measures.
 */
public final class NaiveLoop {
  private NaiveLoop() {}

  /** 1,000 elements, each of which waits for a disk or a network; a batch of 32 for 6 ms. */
  static Dataset<Tensor> elements() {
    return Dataset.range(1000)
        .map(
            i -> {
              if (i % 32 == 0) {
                Thread.sleep(6);
              }
              return Tensor.scalar(i);
            });
  }

  static Dataset<Tensor> dataset() {
    return elements().batch(32);
  }

  static Trial treat(double seconds) throws Exception {
    Doctor<Tensor> doctor = Doctor.of(dataset()).step(Duration.ofMillis(8)).seconds(seconds);
    Diagnosis before = doctor.examine();
    Advice prefetch =
        before.advice().stream()
            .filter(advice -> advice.action() == Action.PREFETCH)
            .findFirst()
            .orElseThrow(() -> new IllegalStateException("not advised to prefetch: " + before));
    return doctor.treat(before, prefetch);
  }

  /** Runs and tells. */
  static Trial show(double seconds) throws Exception {
    Trial trial = treat(seconds);
    System.out.println(trial.before());
    System.out.println("after: " + trial.advice().code());
    System.out.println(trial.after());
    Comparison.conclude(
        System.out,
        sentence(
            "without prefetching the loop waited %.0f %% of its time, with it %.0f %%. The doctor"
                + " said that it would be %.2f times as fast; it became %.2f times as fast (6 and 8"
                + " ms in turns or at once: 14/8 = 1.75).",
            100 * trial.before().verdict().waitShare(),
            100 * trial.after().verdict().waitShare(),
            trial.predicted(),
            trial.measured()));
    return trial;
  }

  /** No arguments. */
  public static void main(String[] arguments) throws Exception {
    Trial _ = show(4);
  }
}
