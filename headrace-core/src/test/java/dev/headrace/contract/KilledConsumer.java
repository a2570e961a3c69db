package dev.headrace.contract;

import dev.headrace.Pipeline;
import dev.headrace.PipelineException;
import dev.headrace.testing.ElementText;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** A program that consumes a pipeline and may be killed at any moment. */
public final class KilledConsumer {
  static final String DONE = "done";
  private static final int EPOCHS = 2;

  private KilledConsumer() {}

  /** Arguments: seed, parallelism, folder, elements between checkpoints. */
  public static void main(String[] arguments) throws IOException {
    Recipe recipe = Recipe.ordered(Long.parseLong(arguments[0]), 400);
    run(
        recipe,
        Integer.parseInt(arguments[1]),
        Path.of(arguments[2]),
        Integer.parseInt(arguments[3]));
  }

  private static void run(Recipe recipe, int parallelism, Path folder, int every)
      throws IOException {
    KillLog log = new KillLog(folder);
    if (!log.before().contains(endOf(EPOCHS - 1))) { // else it was killed after all was delivered
      try (Pipeline<Object> pipeline = log.open(recipe.dataset(parallelism))) {
        consume(pipeline, log, every);
      }
    }
    log.append(DONE);
  }

  private static void consume(Pipeline<Object> pipeline, KillLog log, int every)
      throws IOException {
    do {
      Iterator<Object> elements = pipeline.iterator();
      while (elements.hasNext()) {
        if (log.append(eventOf(elements)) % every == 0) {
          log.save(pipeline);
        }
      }
      log.append(endOf(pipeline.epoch()));
      log.save(pipeline);
    } while (pipeline.epoch() + 1 < EPOCHS);
  }

  private static String eventOf(Iterator<Object> elements) {
    try {
      return ElementText.of(elements.next());
    } catch (PipelineException e) {
      return "error at " + e.element() + ": " + e.getCause();
    }
  }

  private static String endOf(long epoch) {
    return "end of epoch " + epoch;
  }

  /** What a run that nobody kills logs. */
  static List<String> expected(Recipe recipe) {
    List<String> lines = new ArrayList<>();
    try (Pipeline<Object> pipeline = recipe.dataset(1).open()) {
      for (int epoch = 0; epoch < EPOCHS; epoch++) {
        Iterator<Object> elements = pipeline.iterator();
        while (elements.hasNext()) {
          lines.add(eventOf(elements));
        }
        lines.add(endOf(epoch));
      }
    }
    lines.add(DONE);
    return lines;
  }
}
