package dev.headrace.contract;

import dev.headrace.Dataset;
import dev.headrace.SeenElements;
import dev.headrace.Training;
import dev.headrace.TrainingResult;
import dev.headrace.data.Seed;
import dev.headrace.data.Tensor;
import dev.headrace.spi.Collator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/** A program that trains and may be killed at any moment. */
public final class KilledTraining {
  static final int EPOCHS = 3;

  private KilledTraining() {}

  /** Arguments: parallelism, folder, steps between checkpoints. */
  public static void main(String[] arguments) throws IOException {
    Path folder = Path.of(arguments[1]);
    Path log = folder.resolve("log");
    SeenElements model = new SeenElements();
    TrainingResult result =
        Training.fit(
            batch -> {
              model.step(batch);
              Files.writeString(log, ".", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
              Thread.sleep(1);
            },
            dataset(Integer.parseInt(arguments[0])),
            Training.epochs(EPOCHS)
                .state(model)
                .checkpointEvery(Integer.parseInt(arguments[2]), folder.resolve("checkpoint"))
                .resumeIfPresent());
    if (result.ending() == TrainingResult.Ending.COMPLETED) {
      Files.write(folder.resolve("seen"), lines(model));
    }
  }

  static Dataset<Tensor> dataset(int parallelism) {
    return Dataset.range(2_400)
        .shuffle(100, Seed.of(5))
        .map(x -> x * 3, parallelism)
        .batch(8, Collator.stack())
        .prefetch(4);
  }

  static List<String> lines(SeenElements model) {
    return model.seen().stream().map(String::valueOf).toList();
  }
}
