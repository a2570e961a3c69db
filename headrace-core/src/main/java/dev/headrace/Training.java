package dev.headrace;

/**
 * A training loop: opens a dataset once for all epochs, gives every batch to a step, and closes it,
 * whatever happens.
 *
 * <pre>{@code
 * TrainingResult result =
 *     Training.fit(model::step, dataset.batch(32).prefetch(AUTOTUNE), epochs(5));
 *
 * Training.fit(
 *     model, // a TrainingStep and a ModelState
 *     train,
 *     epochs(5).checkpointEvery(1_000, Path.of("train.checkpoint")).resumeIfPresent().progress());
 * }</pre>
 *
 * <p>The end of one epoch and the beginning of the next overlap. An element that failed ends the
 * training with the pipeline's {@link PipelineException}, unless the dataset drops such elements
 * ({@link Dataset#ignoreErrors()}); a step that fails ends it with a {@link TrainingException}.
 *
 * <p><b>Threading:</b> steps, listeners and progress run on the caller's thread. Interrupting it
 * ends the training between two steps: what was trained is in the checkpoint, if there are
 * checkpoints, {@code fit} returns what it did, and the thread is still interrupted.
 */
public final class Training {
  private Training() {}

  /** Trains on every batch of a dataset, once. */
  public static <T> TrainingResult fit(TrainingStep<? super T> step, Dataset<T> dataset) {
    return fit(step, dataset, epochs(1));
  }

  /** Trains on the batches of a dataset. */
  public static <T> TrainingResult fit(
      TrainingStep<? super T> step, Dataset<T> dataset, TrainingOptions options) {
    return new TrainingLoop<T>(step, dataset, options).run();
  }

  /** Trains for so many epochs, counted from the very first, also where a training is resumed. */
  public static TrainingOptions epochs(long count) {
    return TrainingOptions.NONE.epochs(count);
  }

  /** Trains for so many steps, over as many epochs as that takes. */
  public static TrainingOptions steps(long count) {
    return TrainingOptions.NONE.steps(count);
  }
}
