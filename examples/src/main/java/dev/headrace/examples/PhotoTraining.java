package dev.headrace.examples;

import static dev.headrace.Dataset.AUTOTUNE;
import static dev.headrace.examples.Comparison.sentence;

import dev.headrace.Dataset;
import dev.headrace.Training;
import dev.headrace.TrainingResult;
import dev.headrace.data.Seed;
import dev.headrace.data.Tensor;
import dev.headrace.example.Example;
import dev.headrace.example.Feature;
import dev.headrace.image.Images;
import dev.headrace.testing.SyntheticStep;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/**
 * The usual way to train on photographs: JPEGs in TFRecords, decoded, resized, shuffled, batched
 * and prefetched.
 *
 * <p>Look at {@code explain()}: while they are shuffled the photographs stay compressed, and their
 * pixels are written once, into the memory of the batch.
 */
public final class PhotoTraining {
  private PhotoTraining() {}

  /** One photograph, or a batch of them. */
  record Labelled(Tensor image, Tensor label) {}

  static Dataset<Labelled> dataset(Path folder) {
    return Dataset.tfRecords(folder + "/train-*.tfrecord")
        .map(Example.parser(Feature.bytes("image"), Feature.int64("label")), AUTOTUNE)
        .map(
            f ->
                new Labelled(
                    Images.decodeJpeg(f.bytes("image")).resize(224, 224).scale(1 / 255.0),
                    f.tensor("label")),
            AUTOTUNE)
        .shuffle(1_000, Seed.of(42))
        .batch(32)
        .prefetch(AUTOTUNE);
  }

  /** Argument: a folder of train-*.tfrecord; without one, some are made. */
  public static void main(String[] arguments) throws IOException {
    if (arguments.length > 0) {
      show(Path.of(arguments[0]), 3);
      return;
    }
    try (ExampleData data = ExampleData.photoRecords(300)) {
      show(data.folder(), 3);
    }
  }

  /** Trains and tells. */
  static void show(Path folder, int epochs) {
    SyntheticStep accelerator = SyntheticStep.waiting(Duration.ofMillis(20));
    TrainingResult result =
        Training.fit(
            accelerator,
            dataset(folder),
            Training.epochs(epochs)
                .atEnd(
                    pipeline -> {
                      System.out.println(pipeline.explain());
                      System.out.println();
                      System.out.println(pipeline.diagnose());
                    }));
    System.out.println(result);
    Comparison.conclude(
        System.out,
        sentence(
            "steps of 20 ms on 32 photographs kept the accelerator busy for %.0f %% of the time.",
            100 * accelerator.utilisation()));
  }
}
