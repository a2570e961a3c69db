package dev.headrace;

import java.util.OptionalDouble;

/**
 * What is done with each batch: one training step.
 *
 * <p>Any lambda or method of one argument fits, whatever it returns and throws. One that returns
 * its loss is told by {@link #withLoss}; a class overrides {@link #loss()}. A step that is a {@link
 * ModelState}, too, has its state in the checkpoints of {@link Training}.
 *
 * <p><b>Threading:</b> called by the thread that trains, one batch after the other.
 * <b>Ownership:</b> the batch is the step's until it returns.
 */
@FunctionalInterface
public interface TrainingStep<T> {
  /** Trains on a batch. */
  void step(T batch) throws Exception;

  /** The loss of the last step; empty where a step does not tell. */
  default OptionalDouble loss() {
    return OptionalDouble.empty();
  }

  /** A step that returns its loss. */
  static <T> TrainingStep<T> withLoss(LossStep<T> step) {
    return new TrainingStep<>() {
      private OptionalDouble last = OptionalDouble.empty();

      @Override
      public void step(T batch) throws Exception {
        last = OptionalDouble.of(step.step(batch));
      }

      @Override
      public OptionalDouble loss() {
        return last;
      }
    };
  }

  /** A step that returns its loss; see {@link TrainingStep#withLoss}. */
  @FunctionalInterface
  interface LossStep<T> {
    double step(T batch) throws Exception;
  }
}
