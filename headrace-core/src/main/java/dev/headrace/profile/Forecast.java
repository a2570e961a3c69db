package dev.headrace.profile;

import java.util.List;

/**
 * What the engine could change by itself in a running pipeline, and how long an element would then
 * take: the diagnosis' model, for the tuner.
 */
public final class Forecast {
  /** The size that the model assumes for a prefetch that grows by itself. */
  private static final int BUFFER = 16;

  private final Profile profile;
  private final Model model;

  private Forecast(Profile profile, Model model) {
    this.profile = profile;
    this.model = model;
  }

  /** The pipeline as it ran between two moments. */
  public static Forecast of(List<OpNode> nodes, Snapshot from, Snapshot to, double cores) {
    Profile profile =
        new Measurements(
                nodes,
                List.of(from, to),
                new Measurements.Pace(0, 0, new double[0], new double[0]),
                new Measurements.Computer(cores, 0, List.of()),
                new Profile.Memory(0, 0, 0, 0, 0, 0, Long.MAX_VALUE))
            .profile();
    return new Forecast(profile, Model.of(profile, nodes));
  }

  /** The time for one delivered element, as the model has it. */
  public double ns() {
    return model.ns();
  }

  /** What of it the consumer spends outside the pipeline. */
  public double stepNs() {
    return model.step().ns();
  }

  /** With several calls of an operator's function at once. */
  public Forecast withThreads(int operator) {
    return new Forecast(profile, model.parallelised(operator));
  }

  /** With a thread at an operator that only pulls its input. */
  public Forecast readingAhead(int operator) {
    return new Forecast(profile, model.readingAhead(operator, BUFFER));
  }

  /**
   * How long one of an operator's elements takes the thread that pulls it, without other threads'
   * work.
   */
  public double nsOfOne(int operator) {
    OpProfile op = profile.operators().get(operator);
    return op.perDelivered() <= 0 ? 0 : model.pulledBy(operator).ns() / op.perDelivered();
  }
}
