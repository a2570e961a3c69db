package dev.headrace;

import dev.headrace.data.Plural;
import java.util.Locale;

/**
 * What one epoch of a training did.
 *
 * @param epoch from 0
 * @param isWhole whether it came to its end
 * @param steps of the epoch, and {@code stepsBefore} of them before the training was resumed
 * @param elements of all its batches; {@link Dataset#UNKNOWN} where batches do not tell
 * @param meanLoss of all steps that told theirs; NaN where none did
 * @param seconds in this run, and {@code waitSeconds} of it waiting for data
 */
public record EpochResult(
    long epoch,
    boolean isWhole,
    long steps,
    long stepsBefore,
    long elements,
    double meanLoss,
    double seconds,
    double waitSeconds) {

  /** The share of its time that the epoch waited for data. */
  public double waitShare() {
    return seconds <= 0 ? 0 : Math.min(1, waitSeconds / seconds);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    text.append(String.format(Locale.ROOT, "epoch %d: %s", epoch, Plural.of(steps, "step")));
    if (stepsBefore > 0) {
      text.append(String.format(Locale.ROOT, " (%,d before it was resumed)", stepsBefore));
    }
    if (elements >= 0) {
      text.append(", " + Plural.of(elements, "element"));
    }
    text.append(
        String.format(Locale.ROOT, " in %.2f s, waited %.0f %%", seconds, 100 * waitShare()));
    if (!Double.isNaN(meanLoss)) {
      text.append(String.format(Locale.ROOT, ", mean loss %.4g", meanLoss));
    }
    return text.append(isWhole ? "" : ", not to its end").toString();
  }
}
