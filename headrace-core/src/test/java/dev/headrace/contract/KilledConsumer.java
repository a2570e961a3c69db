package dev.headrace.contract;

import dev.headrace.Checkpoint;
import dev.headrace.Pipeline;
import dev.headrace.PipelineException;
import dev.headrace.testing.ElementText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * A program that consumes a pipeline and may be killed at any moment: it logs what it was given and
 * now and then saves a checkpoint together with how much of the log belongs to it, in one file.
 */
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
    Path log = folder.resolve("log");
    Path saved = folder.resolve("saved");
    List<String> lines = new ArrayList<>();
    Checkpoint checkpoint = null;
    if (Files.exists(saved)) {
      String text = Files.readString(saved);
      int lineEnd = text.indexOf('\n');
      int delivered = Integer.parseInt(text.substring(0, lineEnd));
      checkpoint = Checkpoint.parse(text.substring(lineEnd + 1));
      lines.addAll(Files.readAllLines(log).subList(0, delivered));
    }
    Files.write(log, lines);
    try (Pipeline<Object> pipeline =
        checkpoint == null
            ? recipe.dataset(parallelism).open()
            : recipe.dataset(parallelism).open(checkpoint)) {
      consume(pipeline, log, saved, lines.size(), every);
    }
  }

  private static void consume(
      Pipeline<Object> pipeline, Path log, Path saved, int alreadyDelivered, int every)
      throws IOException {
    int delivered = alreadyDelivered;
    do {
      Iterator<Object> elements = pipeline.iterator();
      while (elements.hasNext()) {
        append(log, eventOf(elements));
        if (++delivered % every == 0) {
          save(pipeline, saved, delivered);
        }
      }
      append(log, "end of epoch " + pipeline.epoch());
      save(pipeline, saved, ++delivered);
    } while (pipeline.epoch() + 1 < EPOCHS);
    append(log, DONE);
  }

  private static String eventOf(Iterator<Object> elements) {
    try {
      return ElementText.of(elements.next());
    } catch (PipelineException e) {
      return "error at " + e.element() + ": " + e.getCause();
    }
  }

  private static void append(Path log, String line) throws IOException {
    Files.writeString(log, line + "\n", StandardOpenOption.APPEND, StandardOpenOption.CREATE);
  }

  private static void save(Pipeline<Object> pipeline, Path saved, int delivered)
      throws IOException {
    Path temporary = saved.resolveSibling("saved.tmp");
    Files.writeString(temporary, delivered + "\n" + pipeline.checkpoint());
    Files.move(
        temporary, saved, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
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
        lines.add("end of epoch " + epoch);
      }
    }
    lines.add(DONE);
    return lines;
  }
}
