package dev.headrace.cli;

import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.PipelineException;
import dev.headrace.PipelineInterruptedException;
import dev.headrace.data.Plural;
import dev.headrace.testing.SyntheticStep;
import java.io.PrintWriter;
import java.util.Iterator;

/** Consumes a user's dataset with a training step, up to a limit. */
final class DatasetLoop {
  private static final int MOST_TOLD = 5;

  private final LoopOptions options;
  private final SyntheticStep step;
  private final Progress progress;
  private final PrintWriter err;
  private final long endNs;
  private long done;
  private long failures;
  private boolean isOver;

  private DatasetLoop(LoopOptions options, Progress progress, PrintWriter err) {
    this.options = options;
    this.step = options.step();
    this.progress = progress;
    this.err = err;
    this.endNs = System.nanoTime() + (long) (options.seconds() * 1e9);
  }

  /**
   * Consumes a dataset.
   *
   * @param name for messages
   * @param tick called after each element
   * @return the exit code
   */
  static int consume(
      String name,
      Dataset<?> dataset,
      LoopOptions options,
      Progress progress,
      PrintWriter err,
      Runnable tick) {
    if (dataset.cardinality() == Dataset.INFINITE && !options.hasLimit()) {
      throw new IllegalArgumentException(
          "%s: expected a dataset that ends, or a limit, but it never ends; add --steps 1000 or --seconds 30"
              .formatted(name));
    }
    return new DatasetLoop(options, progress, err).consume(dataset, tick);
  }

  private int consume(Dataset<?> dataset, Runnable tick) {
    long epochs = options.epochs();
    try (Pipeline<?> pipeline = dataset.options(o -> o.epochs(epochs)).open()) {
      long before = -1; // a pass without any element would be followed by others for ever
      for (long epoch = 0; epoch < epochs && !isDone() && done + failures > before; epoch++) {
        before = done + failures;
        Iterator<?> elements = pipeline.iterator();
        while (!isDone() && elements.hasNext()) {
          try {
            Object element = elements.next();
            done++;
            step.step(element);
          } catch (PipelineException e) {
            failed(e);
          }
          tick.run();
        }
      }
    } catch (PipelineInterruptedException e) {
      return stopped();
    }
    if (failures > MOST_TOLD) {
      err.println(
          "headrace: %s failed; `headrace replay` shows one in full"
              .formatted(Plural.of(failures, "element")));
      err.flush();
    }
    return Thread.interrupted() ? stopped() : failures > 0 ? Main.FAILED : Main.OK;
  }

  private int stopped() {
    progress.clear();
    err.println("stopped");
    err.flush();
    return Main.STOPPED;
  }

  private boolean isDone() {
    return isOver
        || (options.steps() > 0 && done >= options.steps())
        || (options.seconds() > 0 && System.nanoTime() >= endNs)
        || Thread.currentThread().isInterrupted();
  }

  private void failed(PipelineException e) {
    isOver = e.isTerminal();
    if (++failures <= MOST_TOLD) {
      progress.clear();
      err.println("headrace: " + e.getMessage());
      err.flush();
    }
  }
}
