package dev.headrace;

import dev.headrace.TrainingResult.Ending;
import dev.headrace.data.Log;
import dev.headrace.spi.Causes;
import dev.headrace.spi.NanoClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/*
 * A checkpoint is written between two steps only: then everything that was delivered has been
 * trained on, and the model is whole. A step that fails or is interrupted in its middle may have
 * changed half of the model, so what it was given counts as not trained, and the last file stays.
 */
/** One training: the loop over epochs and batches. */
final class TrainingLoop<T> {
  private static final System.Logger LOG = Log.named("headrace.training");

  private final TrainingStep<? super T> step;
  private final Dataset<T> dataset;
  private final TrainingOptions options;
  private final NanoClock clock;
  private final BatchSizes sizes;
  private final long batches;
  private final @Nullable ModelState state;
  private final @Nullable TrainingFile resumed;
  private final TrainingProgress progress;
  private final List<EpochResult> epochs = new ArrayList<>();
  private final TrainingTally run = new TrainingTally();
  private TrainingTally epoch = new TrainingTally();
  private long firstWaitNs = -1;

  /** Steps, and those of the epoch, when the file was written last; −1: not by this run. */
  private long savedAt = -1;

  private long savedEpochSteps;

  TrainingLoop(TrainingStep<? super T> step, Dataset<T> dataset, TrainingOptions options) {
    this.step = step;
    this.options = options;
    this.state = options.state() == null && step instanceof ModelState own ? own : options.state();
    this.batches = dataset.cardinality();
    Options wished = dataset.options().epochs(epochsToRead());
    this.dataset =
        dataset.options(options.checkpointFile() == null ? wished : wished.requireCheckpoint());
    this.clock = wished.settings().clock();
    this.sizes = new BatchSizes(dataset.op());
    this.progress = new TrainingProgress(options, batches, clock);
    this.resumed = resume();
  }

  /** How many epochs will be begun, as far as that is known. */
  private long epochsToRead() {
    if (options.steps() == Long.MAX_VALUE || batches == Dataset.UNKNOWN || batches == 0) {
      return options.epochs();
    }
    long needed = batches < 0 ? 1 : (options.steps() - 1) / batches + 1;
    return Math.min(options.epochs(), needed);
  }

  // ---- running ----------------------------------------------------------------------------------

  TrainingResult run() {
    run.startNs = clock.nanoTime();
    try (ShutdownWatch watch = new ShutdownWatch(options.checkpointFile() != null);
        Pipeline<T> pipeline = open()) {
      run.waitNs = clock.nanoTime() - run.startNs; // opening is for the data, too
      Ending ending;
      try {
        ending = trainAll(pipeline, watch);
      } catch (PipelineInterruptedException e) {
        ending = Ending.INTERRUPTED;
      } catch (InterruptedStep e) {
        Thread.currentThread().interrupt();
        return result(Ending.INTERRUPTED, pipeline); // half a step is nothing to save
      } finally {
        watch.waits(false);
        progress.end();
      }
      save(pipeline);
      return result(ending, pipeline);
    }
  }

  private Pipeline<T> open() {
    TrainingFile from = resumed;
    if (from == null) {
      return dataset.open();
    }
    run.stepsBefore = from.steps();
    run.steps = from.steps();
    epoch = TrainingTally.resumed(from);
    return dataset.open(from.position());
  }

  private Ending trainAll(Pipeline<T> pipeline, ShutdownWatch watch) {
    long number = resumed == null ? 0 : resumed.position().epoch();
    for (; number < options.epochs(); number++) {
      if (run.steps >= options.steps()) {
        return Ending.ENOUGH_STEPS;
      }
      Ending early = trainEpoch(pipeline, watch, number);
      if (early != null) {
        return early;
      }
      if (epoch.steps == 0 && options.epochs() == Long.MAX_VALUE) {
        return Ending.COMPLETED; // an empty dataset never has the steps that were asked for
      }
      EpochResult whole = epoch.result(true, clock.nanoTime());
      epoch = new TrainingTally();
      epochs.add(whole);
      progress.epoch(whole);
      options.tell(whole);
      if (options.checkpointFile() != null && options.checkpointSteps() == 0) {
        save(pipeline);
      }
      if (options.isEnough(whole)) {
        return Ending.STOPPED_EARLY;
      }
    }
    return Ending.COMPLETED;
  }

  /** Trains until the epoch is over, which is null, or the training is. */
  private @Nullable Ending trainEpoch(Pipeline<T> pipeline, ShutdownWatch watch, long number) {
    epoch.begin(number, clock.nanoTime());
    Iterator<T> left = null;
    while (true) {
      long asked = clock.nanoTime();
      watch.waits(true);
      if (watch.isAsked()) {
        return Ending.INTERRUPTED;
      }
      left = left == null ? pipeline.iterator() : left;
      if (!left.hasNext()) {
        watch.waits(false);
        var unused = waited(asked);
        return null;
      }
      T batch = left.next();
      watch.waits(false);
      long waitNs = waited(asked);
      StepResult done = train(batch, number, waitNs);
      progress.step(done, epoch);
      options.tell(done);
      if (options.checkpointSteps() > 0 && run.steps % options.checkpointSteps() == 0) {
        save(pipeline);
      }
      if (options.isEnough(done)) {
        return Ending.STOPPED_EARLY;
      }
      // Where the epoch is known to be over, it is ended first.
      if (run.steps >= options.steps() && epoch.steps != batches) {
        return Ending.ENOUGH_STEPS;
      }
    }
  }

  private long waited(long sinceNs) {
    long waitNs = clock.nanoTime() - sinceNs;
    run.waitNs += waitNs;
    epoch.waitNs += waitNs;
    if (firstWaitNs < 0) {
      firstWaitNs = clock.nanoTime() - run.startNs;
    }
    return waitNs;
  }

  private StepResult train(T batch, long number, long waitNs) {
    long elements = sizes.of(batch);
    long start = clock.nanoTime();
    // What came before the step began ends the training after it, not in its middle.
    boolean wasInterrupted = Thread.interrupted();
    try {
      step.step(batch);
    } catch (InterruptedException | PipelineInterruptedException e) {
      throw new InterruptedStep();
    } catch (Exception e) {
      throw failed(number, e);
    } catch (Error e) {
      LOG.log(System.Logger.Level.ERROR, failed(number, null).getMessage());
      throw e; // as it is: somebody may wait for just this object
    } finally {
      if (wasInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
    long stepNs = clock.nanoTime() - start;
    OptionalDouble loss = step.loss();
    run.count(elements, stepNs, loss);
    epoch.count(elements, stepNs, loss);
    return new StepResult(
        number, run.steps, epoch.steps, elements, loss.orElse(Double.NaN), waitNs, stepNs);
  }

  private TrainingException failed(long number, @Nullable Exception cause) {
    StringBuilder message = new StringBuilder();
    message.append(
        "training: step %d (batch %d of epoch %d) failed"
            .formatted(run.steps + 1, epoch.steps + 1, number));
    message.append(cause == null ? "" : ": " + Causes.textOf(cause));
    if (savedAt >= 0) {
      message.append(
          "; %s has the training after step %d, and resumeFrom(…) goes on there"
              .formatted(options.checkpointFile(), savedAt));
    }
    return new TrainingException(message.toString(), number, run.steps + 1, cause);
  }

  private TrainingResult result(Ending ending, Pipeline<T> pipeline) {
    long now = clock.nanoTime();
    if (epoch.hasBegun()) {
      epochs.add(epoch.result(false, now));
    }
    options.tell(pipeline);
    return new TrainingResult(
        ending,
        epochs,
        run.steps - run.stepsBefore,
        run.stepsBefore,
        run.elements,
        (now - run.startNs) / 1e9,
        run.waitNs / 1e9,
        Math.max(0, firstWaitNs) / 1e9,
        run.stepNs / 1e9,
        run.lastLoss,
        run.meanLoss(),
        pipeline.stats(),
        pipeline.diagnose());
  }

  // ---- checkpoints ------------------------------------------------------------------------------

  private @Nullable TrainingFile resume() {
    Path file = options.resumeFrom();
    if (options.resumesIfPresent()) {
      file = options.checkpointFile();
      if (file == null) {
        throw new IllegalArgumentException(
            "resumeIfPresent: expected a file to resume from, but there are no checkpoints; add"
                + " checkpointEvery(…), or use resumeFrom(file)");
      }
      if (!Files.exists(file)) {
        return null;
      }
    }
    if (file == null) {
      return null;
    }
    try {
      TrainingFile from = TrainingFile.read(file);
      loadModel(from, file);
      return from;
    } catch (IOException e) {
      throw new UncheckedIOException(
          "training: expected to resume from " + file + ", but it cannot be read: " + e, e);
    }
  }

  private void loadModel(TrainingFile from, Path file) throws IOException {
    if (from.hasModel() != (state != null)) {
      throw new IllegalArgumentException(
          from.hasModel()
              ? file
                  + ": expected a step that is a ModelState, because the file has one, but got"
                  + " none; use state(…)"
              : file + ": expected the state of a model, but the file has the position only");
    }
    if (state != null) {
      from.load(file, state);
    }
  }

  /** Writes the checkpoint, unless the file says the same already. */
  private void save(Pipeline<T> pipeline) {
    Path file = options.checkpointFile();
    if (file == null || (savedAt == run.steps && savedEpochSteps == epoch.steps)) {
      return;
    }
    boolean wasInterrupted = Thread.interrupted(); // or writing would be refused
    try {
      TrainingFile.of(
              run.steps,
              epoch.steps,
              epoch.elements,
              epoch.lossSum,
              epoch.losses,
              pipeline.checkpoint())
          .write(file, state);
      savedAt = run.steps;
      savedEpochSteps = epoch.steps;
    } catch (IOException e) {
      throw new TrainingException(
          "training: expected to write the checkpoint after step %d to %s, but that failed: %s"
              .formatted(run.steps, file, e),
          pipeline.epoch(),
          run.steps,
          e);
    } finally {
      if (wasInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** A step was interrupted in its middle. */
  private static final class InterruptedStep extends RuntimeException {
    private static final long serialVersionUID = 1;

    InterruptedStep() {
      super(null, null, false, false);
    }
  }
}
