package dev.headrace.cli;

import dev.headrace.testing.SyntheticStep;
import java.time.Duration;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The training loop that consumes a dataset where the user's program has none of its own. */
final class LoopOptions {
  @Option(
      names = "--step-ms",
      paramLabel = "MS",
      defaultValue = "0",
      description = {
        "How long the training step on each element takes (default: ${DEFAULT-VALUE}, so that only",
        "the pipeline is measured)."
      })
  private double stepMs;

  @Option(
      names = "--step-cpu",
      description = {
        "The step computes on its thread; else it waits, as for an accelerator that works."
      })
  private boolean stepComputes;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "0",
      description = "End after that long.")
  private double seconds;

  @Option(
      names = "--epochs",
      paramLabel = "N",
      defaultValue = "0",
      description = {
        "End after so many passes over the dataset (default: 1, or as many as another limit takes)."
      })
  private long epochs;

  @Option(
      names = "--steps",
      paramLabel = "N",
      defaultValue = "0",
      description = "End after that many elements.")
  private long steps;

  /** Refuses numbers that make no sense. */
  void check(CommandLine command) {
    if (!(stepMs >= 0)) {
      throw new ParameterException(command, "--step-ms: expected 0 or more, but got " + stepMs);
    }
    if (!(seconds >= 0)) {
      throw new ParameterException(command, "--seconds: expected 0 or more, but got " + seconds);
    }
    if (epochs < 0) {
      throw new ParameterException(command, "--epochs: expected at least 1, but got " + epochs);
    }
    if (steps < 0) {
      throw new ParameterException(command, "--steps: expected at least 1, but got " + steps);
    }
    if (stepComputes && stepMs == 0) {
      throw new ParameterException(
          command, "--step-cpu: expected with --step-ms, which says how long, but got it alone");
    }
  }

  /** Where no limit was given: that one. */
  void endAfter(double defaultSeconds) {
    if (epochs == 0 && !hasLimit()) {
      seconds = defaultSeconds;
    }
  }

  /** How many passes at most. */
  long epochs() {
    return epochs > 0 ? epochs : hasLimit() ? Long.MAX_VALUE : 1;
  }

  /** How many elements to consume at most; 0 for all. */
  long steps() {
    return steps;
  }

  /** When to end, in seconds; 0 for never. */
  double seconds() {
    return seconds;
  }

  /** Whether a dataset that never ends would be left. */
  boolean hasLimit() {
    return steps > 0 || seconds > 0;
  }

  /** What to do with each element. */
  SyntheticStep step() {
    Duration time = Duration.ofNanos(Math.round(stepMs * 1e6));
    return stepComputes ? SyntheticStep.computing(time) : SyntheticStep.waiting(time);
  }
}
