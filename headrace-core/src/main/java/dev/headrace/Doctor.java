package dev.headrace;

import dev.headrace.profile.Advice;
import dev.headrace.profile.Diagnosis;
import dev.headrace.profile.Treatment;
import dev.headrace.profile.Trial;
import dev.headrace.testing.SyntheticStep;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Runs a dataset with a training step for a while, says what limits it, makes the change it
 * advises, and measures how far off it was.
 *
 * <pre>{@code
 * Trial trial = Doctor.of(train).step(Duration.ofMillis(15)).seconds(5).treat().orElseThrow();
 * System.out.println(trial.predicted() + " predicted, " + trial.measured() + " measured");
 * }</pre>
 *
 * <p><b>Threading:</b> the calling thread is the consumer.
 */
public final class Doctor<T> {
  private static final double USUAL_SECONDS = 5;

  private final Dataset<T> dataset;
  private final TrainingStep<? super T> step;
  private final double seconds;
  private final Consumer<String> listener;
  private final boolean mayRewrite;

  private Doctor(
      Dataset<T> dataset,
      TrainingStep<? super T> step,
      double seconds,
      Consumer<String> listener,
      boolean mayRewrite) {
    this.dataset = dataset;
    this.step = step;
    this.seconds = seconds;
    this.listener = listener;
    this.mayRewrite = mayRewrite;
  }

  /**
   * A doctor for a dataset whose training step takes no time. The plan is run exactly as it was
   * written, so that what is wrong with it shows; see {@link #asItRuns}.
   */
  public static <T> Doctor<T> of(Dataset<T> dataset) {
    return new Doctor<>(dataset, batch -> {}, USUAL_SECONDS, line -> {}, false);
  }

  /** With what the engine adds to the plan by itself, as in training. */
  public Doctor<T> asItRuns() {
    return new Doctor<>(dataset, step, seconds, listener, true);
  }

  /** With a real training step. */
  public Doctor<T> step(TrainingStep<? super T> training) {
    return new Doctor<>(dataset, training, seconds, listener, mayRewrite);
  }

  /** With a step that waits so long for an accelerator that is not there. */
  public Doctor<T> step(Duration time) {
    return step(SyntheticStep.waiting(time));
  }

  /** How long to look; the data is gone through again and again. */
  public Doctor<T> seconds(double howLong) {
    if (!(howLong > 0)) {
      throw new IllegalArgumentException(
          "Doctor.seconds: expected more than 0 seconds, but got " + howLong);
    }
    return new Doctor<>(dataset, step, howLong, listener, mayRewrite);
  }

  /** Tells {@code progress} now and then what is being done. */
  public Doctor<T> listener(Consumer<String> progress) {
    return new Doctor<>(dataset, step, seconds, progress, mayRewrite);
  }

  /** Runs the dataset and says what limits it. */
  public Diagnosis examine() throws Exception {
    return examine(dataset, "measuring");
  }

  private Diagnosis examine(Dataset<T> what, String doing) throws Exception {
    Options options = mayRewrite ? what.options() : what.options().asWritten();
    try (Pipeline<T> pipeline = what.options(options).open()) {
      long begin = System.nanoTime(); // opening may take longer than a short look
      long end = begin + (long) (seconds * 1e9);
      long told = begin;
      boolean empty = false;
      while (!empty && System.nanoTime() < end) {
        Iterator<T> elements = pipeline.iterator();
        empty = !elements.hasNext();
        while (System.nanoTime() < end && elements.hasNext()) {
          step.step(elements.next());
          long now = System.nanoTime();
          if (now - told > 200_000_000) {
            told = now;
            listener.accept("%s: %.0f of %.0f s".formatted(doing, (now - begin) / 1e9, seconds));
          }
        }
      }
      return pipeline.diagnose();
    }
  }

  /** Examines, makes the first change that can be made, and measures again; none, if none helps. */
  public Optional<Trial> treat() throws Exception {
    Diagnosis before = examine();
    Optional<Advice> first = Treatment.of(before).next();
    return first.isEmpty() ? Optional.empty() : Optional.of(treat(dataset, before, first.get()));
  }

  /** Makes one change and measures again. */
  public Trial treat(Diagnosis before, Advice advice) throws Exception {
    return treat(dataset, before, advice);
  }

  private Trial treat(Dataset<T> what, Diagnosis before, Advice advice) throws Exception {
    return new Trial(
        advice, before, examine(what.with(advice), "measuring again, to " + advice.title()));
  }

  /** Goes on, one change on top of the other, until none helps. */
  public List<Trial> treatAll() throws Exception {
    return treatAll(examine(), trial -> {});
  }

  /**
   * The same, from an examination that was made before.
   *
   * @param each told of every change once it was measured; what did not help is taken back
   */
  public List<Trial> treatAll(Diagnosis examined, Consumer<? super Trial> each) throws Exception {
    Treatment treatment = Treatment.of(examined);
    Dataset<T> now = dataset;
    for (Optional<Advice> next = treatment.next(); next.isPresent(); next = treatment.next()) {
      Trial trial = treat(now, treatment.after(), next.get());
      each.accept(trial);
      treatment = treatment.with(trial);
      now = trial.helped() ? now.with(next.get()) : now;
    }
    return treatment.trials();
  }
}
