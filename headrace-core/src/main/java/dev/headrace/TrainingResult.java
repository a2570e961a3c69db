package dev.headrace;

import dev.headrace.data.Plural;
import dev.headrace.profile.Diagnosis;
import dev.headrace.profile.PipelineStats;
import java.util.List;
import java.util.Locale;

/**
 * What a training did, from its start or resumption to its end.
 *
 * @param ending why it ended
 * @param epochs those it took part in; the first may have begun before a resumption, the last may
 *     not be whole
 * @param steps of this run, and {@code stepsBefore} those from before a resumption
 * @param elements of this run's batches; {@link Dataset#UNKNOWN} where batches do not tell
 * @param seconds from opening the pipeline to the end
 * @param waitSeconds of it, waiting for data, and {@code stepSeconds} inside steps; {@code
 *     firstWaitSeconds} until the first batch had come, opening included
 * @param lastLoss of the last step, and {@code meanLoss} of this run; NaN where steps do not tell
 * @param stats of the pipeline at the end, and {@code diagnosis} why it was as fast as it was
 */
public record TrainingResult(
    Ending ending,
    List<EpochResult> epochs,
    long steps,
    long stepsBefore,
    long elements,
    double seconds,
    double waitSeconds,
    double firstWaitSeconds,
    double stepSeconds,
    double lastLoss,
    double meanLoss,
    PipelineStats stats,
    Diagnosis diagnosis) {

  /** Why a training ended. */
  public enum Ending {
    /** All epochs were trained. */
    COMPLETED("completed"),
    /** The number of steps that was asked for was reached. */
    ENOUGH_STEPS("the steps that were asked for"),
    /** {@code stopAfterStep} or {@code stopAfterEpoch} said so. */
    STOPPED_EARLY("stopped early"),
    /** The thread was interrupted, or the program was ended, as by Ctrl-C. */
    INTERRUPTED("interrupted");

    private final String words;

    Ending(String words) {
      this.words = words;
    }

    @Override
    public String toString() {
      return words;
    }
  }

  public TrainingResult {
    epochs = List.copyOf(epochs);
  }

  /** The share of the time that the training waited for data. */
  public double waitShare() {
    return seconds <= 0 ? 0 : Math.min(1, waitSeconds / seconds);
  }

  /**
   * The share of the time after the first batch had come that was spent inside steps: accelerator
   * utilisation as MLPerf Storage has it.
   */
  public double utilisation() {
    double time = seconds - firstWaitSeconds;
    return time <= 0 ? 0 : Math.min(1, stepSeconds / time);
  }

  public double stepsPerSecond() {
    return seconds <= 0 ? 0 : steps / seconds;
  }

  /** NaN where the number of elements is not known. */
  public double elementsPerSecond() {
    return elements < 0 ? Double.NaN : seconds <= 0 ? 0 : elements / seconds;
  }

  /** A few lines for people. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    text.append(ending + " after " + Plural.of(stepsBefore + steps, "step"));
    if (stepsBefore > 0) {
      text.append(String.format(Locale.ROOT, " (%,d before it was resumed)", stepsBefore));
    }
    text.append(String.format(Locale.ROOT, ": %.2f s, %,.1f steps/s", seconds, stepsPerSecond()));
    if (elements >= 0) {
      text.append(String.format(Locale.ROOT, ", %,.0f elements/s", elementsPerSecond()));
    }
    text.append(
        String.format(
            Locale.ROOT,
            "; waited for data %.0f %% of the time (first batch after %.2f s)",
            100 * waitShare(),
            firstWaitSeconds));
    if (!Double.isNaN(meanLoss)) {
      text.append(
          String.format(Locale.ROOT, "; loss %.4g in the mean, %.4g last", meanLoss, lastLoss));
    }
    for (EpochResult epoch : epochs) {
      text.append(System.lineSeparator()).append("  ").append(epoch);
    }
    return text.toString();
  }
}
