package dev.headrace.contract;

import dev.headrace.Checkpoint;
import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.data.Seed;
import dev.headrace.spi.ErrorBudget;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** A program with a file cache and dead letters that may be killed at any moment. */
public final class KilledWriter {
  private static final int SIZE = 600;
  private static final int EPOCHS = 2;
  private static final int EVERY = 7;

  private KilledWriter() {}

  private static String failsOnNines(long x) {
    if (x % 9 == 4) {
      throw new IllegalStateException("no " + x);
    }
    return "element " + x;
  }

  static int failures() {
    return SIZE / 9 + (SIZE % 9 > 4 ? 1 : 0);
  }

  private static Dataset<String> dataset(Path folder) {
    return Dataset.range(SIZE)
        .shuffle(50, Seed.of(3))
        .map(x -> failsOnNines(x), 2)
        .ignoreErrors(ErrorBudget.of(failures()), folder.resolve("letters"))
        .cache(folder.resolve("cache"))
        .shuffle(20, Seed.of(4))
        .prefetch(10);
  }

  /** Argument: the folder. */
  public static void main(String[] arguments) throws IOException {
    Path folder = Path.of(arguments[0]);
    Path log = folder.resolve("log");
    Path saved = folder.resolve("saved");
    List<String> lines = new ArrayList<>();
    Checkpoint checkpoint = null;
    if (Files.exists(saved)) {
      String text = Files.readString(saved);
      int lineEnd = text.indexOf('\n');
      checkpoint = Checkpoint.parse(text.substring(lineEnd + 1));
      int delivered = Integer.parseInt(text.substring(0, lineEnd));
      lines.addAll(Files.readAllLines(log).subList(0, delivered));
    }
    Files.write(log, lines);
    Dataset<String> dataset = dataset(folder);
    int delivered = lines.size();
    try (Pipeline<String> pipeline =
        checkpoint == null ? dataset.open() : dataset.open(checkpoint)) {
      do {
        Iterator<String> elements = pipeline.iterator();
        while (elements.hasNext()) {
          append(log, elements.next());
          if (++delivered % EVERY == 0) {
            save(pipeline, saved, delivered);
          }
        }
        append(log, "end");
        save(pipeline, saved, ++delivered);
      } while (pipeline.epoch() + 1 < EPOCHS);
    }
  }

  private static void append(Path log, String line) throws IOException {
    Files.writeString(log, line + "\n", StandardOpenOption.APPEND);
  }

  private static void save(Pipeline<String> pipeline, Path saved, int delivered)
      throws IOException {
    Path temporary = saved.resolveSibling("saved.tmp");
    Files.writeString(temporary, delivered + "\n" + pipeline.checkpoint());
    Files.move(
        temporary, saved, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  /** What a run that nobody kills logs. */
  static List<String> expected() throws IOException {
    Path folder = Files.createTempDirectory("headrace-killed");
    List<String> lines = new ArrayList<>();
    try (Pipeline<String> pipeline = dataset(folder).open()) {
      for (int epoch = 0; epoch < EPOCHS; epoch++) {
        pipeline.iterator().forEachRemaining(lines::add);
        lines.add("end");
      }
    }
    for (String name : List.of("cache", "letters")) {
      Files.delete(folder.resolve(name));
    }
    Files.delete(folder);
    return lines;
  }
}
