package dev.headrace.contract;

import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.data.Seed;
import dev.headrace.golden.OwnFolder;
import dev.headrace.spi.ErrorBudget;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** A program with a file cache and dead letters that may be killed at any moment. */
public final class KilledWriter {
  private static final int SIZE = 600;
  private static final int EPOCHS = 2;
  private static final int EVERY = 7;
  private static final String END = "end";

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
    KillLog log = new KillLog(folder);
    if (log.before().stream().filter(END::equals).count() == EPOCHS) {
      return; // killed after all was delivered
    }
    try (Pipeline<String> pipeline = log.open(dataset(folder))) {
      do {
        Iterator<String> elements = pipeline.iterator();
        while (elements.hasNext()) {
          if (log.append(elements.next()) % EVERY == 0) {
            log.save(pipeline);
          }
        }
        log.append(END);
        log.save(pipeline);
      } while (pipeline.epoch() + 1 < EPOCHS);
    }
  }

  /** What a run that nobody kills logs. */
  static List<String> expected() throws IOException {
    List<String> lines = new ArrayList<>();
    try (OwnFolder folder = OwnFolder.create("killed");
        Pipeline<String> pipeline = dataset(folder.path()).open()) {
      for (int epoch = 0; epoch < EPOCHS; epoch++) {
        pipeline.iterator().forEachRemaining(lines::add);
        lines.add(END);
      }
    }
    return lines;
  }
}
