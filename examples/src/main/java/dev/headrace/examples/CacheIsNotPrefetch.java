package dev.headrace.examples;

import static dev.headrace.Dataset.AUTOTUNE;
import static dev.headrace.examples.Comparison.sentence;

import dev.headrace.Dataset;
import dev.headrace.Options;
import dev.headrace.Training;
import dev.headrace.TrainingResult;
import dev.headrace.data.Tensor;
import dev.headrace.testing.SyntheticStep;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * "Prefetching for performance in TensorFlow" (001), the third misconception: prefetching and
 * caching are the same thing.
 *
 * <p>100 loads of 4 ms, steps of 2 ms, three epochs. The loads are counted: a cache saves all but
 * the first epoch's, a buffer saves none; a buffer hides part of each, from the first epoch on.
 */
public final class CacheIsNotPrefetch {
  private static final int LOADS = 100;

  private CacheIsNotPrefetch() {}

  /** What one form did. */
  record Outcome(String name, long loads, TrainingResult training) {
    /** How long an epoch took. */
    double seconds(int epoch) {
      return training.epochs().get(epoch).seconds();
    }
  }

  static Dataset<Tensor> loads(int count, long ms, AtomicLong calls) {
    return Dataset.range(count)
        .map(
            i -> {
              calls.incrementAndGet();
              Thread.sleep(ms);
              return Tensor.scalar(i);
            });
  }

  static Outcome fit(String name, AtomicLong calls, Dataset<Tensor> dataset) {
    SyntheticStep step = SyntheticStep.waiting(Duration.ofMillis(2));
    TrainingResult result =
        Training.fit(
            step,
            dataset.options(Options::asWritten), // or the engine would read ahead by itself
            Training.epochs(3).atEnd(pipeline -> System.out.println(pipeline.diagnose())));
    return new Outcome(name, calls.get(), result);
  }

  /** Prefetching, caching, and both. */
  static Outcome[] compare(int count, long ms) {
    AtomicLong a = new AtomicLong();
    AtomicLong b = new AtomicLong();
    AtomicLong c = new AtomicLong();
    return new Outcome[] {
      fit("prefetch", a, loads(count, ms, a).prefetch(AUTOTUNE)),
      fit("cache", b, loads(count, ms, b).cache()),
      fit("cache and prefetch", c, loads(count, ms, c).cache().prefetch(AUTOTUNE))
    };
  }

  /** No arguments. */
  public static void main(String[] arguments) {
    show(LOADS);
  }

  /** Trains and tells. */
  static void show(int count) {
    Outcome[] outcomes = compare(count, 4);
    String[] conclusions = new String[outcomes.length];
    for (int i = 0; i < outcomes.length; i++) {
      Outcome each = outcomes[i];
      conclusions[i] =
          sentence(
              "%s: %d loads in 3 epochs of %d; the first epoch took %.2f s, the third %.2f s.",
              each.name, each.loads, count, each.seconds(0), each.seconds(2));
    }
    Comparison.conclude(System.out, conclusions);
  }
}
