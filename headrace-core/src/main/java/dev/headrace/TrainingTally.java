package dev.headrace;

import java.util.OptionalDouble;

/** What a training, or one epoch of it, has done so far. */
final class TrainingTally {
  long startNs;
  long stepsBefore;
  long steps;
  long elements;
  long waitNs;
  long stepNs;
  long losses;
  double lossSum;
  double lastLoss = Double.NaN;
  private long number = -1;

  /** The epoch that a checkpoint was taken in. */
  static TrainingTally resumed(TrainingFile from) {
    TrainingTally epoch = new TrainingTally();
    epoch.stepsBefore = from.epochSteps();
    epoch.steps = from.epochSteps();
    epoch.elements = from.epochElements();
    epoch.lossSum = from.epochLoss();
    epoch.losses = from.epochLosses();
    return epoch;
  }

  void begin(long epoch, long nowNs) {
    number = epoch;
    startNs = nowNs;
  }

  boolean hasBegun() {
    return number >= 0;
  }

  void count(long batchElements, long ns, OptionalDouble loss) {
    steps++;
    stepNs += ns;
    elements = elements < 0 || batchElements < 0 ? Dataset.UNKNOWN : elements + batchElements;
    if (loss.isPresent()) {
      lastLoss = loss.getAsDouble();
      lossSum += lastLoss;
      losses++;
    }
  }

  double meanLoss() {
    return losses == 0 ? Double.NaN : lossSum / losses;
  }

  EpochResult result(boolean isWhole, long nowNs) {
    return new EpochResult(
        number,
        isWhole,
        steps,
        stepsBefore,
        elements,
        meanLoss(),
        (nowNs - startNs) / 1e9,
        waitNs / 1e9);
  }
}
