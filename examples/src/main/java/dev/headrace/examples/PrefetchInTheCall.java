package dev.headrace.examples;

import static dev.headrace.Dataset.AUTOTUNE;
import static dev.headrace.Training.epochs;
import static dev.headrace.examples.Comparison.sentence;

import dev.headrace.Dataset;
import dev.headrace.Training;
import dev.headrace.data.Tensor;
import dev.headrace.testing.SyntheticStep;
import java.time.Duration;

/**
 * "Prefetching for performance in TensorFlow" (001), pitfall 3: prefetching in the call of fit.
 *
 * <pre>{@code
 * dataset = dataset.batch(32)
 * model.fit(dataset.prefetch(tf.data.AUTOTUNE), epochs=5)
 *
 * dataset = dataset.batch(32).prefetch(tf.data.AUTOTUNE)
 * model.fit(dataset, epochs=5)
 * }</pre>
 *
 * <p>These are the same program: a dataset is a value, and it does not matter on which line the
 * last operator is added to it. The plans are equal, and so are the times. What the text may have
 * meant is a prefetch whose result is thrown away, which does nothing at all.
 */
public final class PrefetchInTheCall {
  private static final Duration STEP = Duration.ofMillis(8);

  private PrefetchInTheCall() {}

  static Dataset<Tensor> wrong() {
    Dataset<Tensor> dataset = NaiveLoop.elements().batch(32);
    return dataset.prefetch(AUTOTUNE);
  }

  static Dataset<Tensor> correct() {
    Dataset<Tensor> dataset = NaiveLoop.elements().batch(32).prefetch(AUTOTUNE);
    return dataset;
  }

  @SuppressWarnings("ReturnValueIgnored") // that is the mistake
  static Dataset<Tensor> thrownAway() {
    Dataset<Tensor> dataset = NaiveLoop.elements().batch(32);
    Dataset<Tensor> _ = dataset.prefetch(AUTOTUNE);
    return dataset;
  }

  /** The plan without the lines it was written on. */
  static String plan(Dataset<?> dataset) {
    return dataset.explain().replaceAll("\\.java:\\d+", ".java");
  }

  static Comparison.Result compare(Comparison.Looks looks) throws Exception {
    return new Comparison()
        .form("in the call ('wrong')", wrong(), STEP)
        .form("before the call ('correct')", correct(), STEP)
        .form("result thrown away", thrownAway(), STEP)
        .run(looks);
  }

  /** Runs and tells. */
  static Comparison.Result show(Comparison.Looks looks) throws Exception {
    System.out.println(Training.fit(SyntheticStep.waiting(STEP), wrong(), epochs(2)));
    System.out.println(Training.fit(SyntheticStep.waiting(STEP), correct(), epochs(2)));
    System.out.println();
    Comparison.Result result = compare(looks);
    result.print(
        System.out,
        sentence(
            "the plans of the 'wrong' and the 'correct' form are %s, and the 'correct' one is %.2f"
                + " times as fast. A prefetch whose result is thrown away: %.2f times.",
            plan(wrong()).equals(plan(correct())) ? "equal" : "different",
            result.times("before the call ('correct')", "in the call ('wrong')"),
            result.times("result thrown away", "in the call ('wrong')")));
    return result;
  }

  /** No arguments. */
  public static void main(String[] arguments) throws Exception {
    Comparison.Result _ = show(Comparison.Looks.USUAL);
  }
}
