package dev.headrace.examples;

import static dev.headrace.Dataset.AUTOTUNE;
import static dev.headrace.Training.epochs;
import static dev.headrace.examples.Comparison.sentence;

import dev.headrace.Dataset;
import dev.headrace.Options;
import dev.headrace.Training;
import dev.headrace.TrainingResult;
import dev.headrace.TrainingStep;
import dev.headrace.data.Seed;
import dev.headrace.data.Tensor;
import dev.headrace.example.Example;
import dev.headrace.example.Feature;
import dev.headrace.example.Features;
import dev.headrace.image.Images;
import dev.headrace.spi.Fn;
import java.io.IOException;
import java.nio.file.Path;

/**
 * "Prefetching for performance in TensorFlow" (001), pitfall 1: not using prefetching.
 *
 * <pre>{@code
 * dataset = dataset.batch(32)
 * model.fit(dataset, epochs=5)
 *
 * dataset = dataset.batch(32).prefetch(tf.data.AUTOTUNE)
 * model.fit(dataset, epochs=5)
 * }</pre>
 *
 * <p>A real model, {@link PhotoClassifier}, on JPEGs in TFRecords. Its step takes a few
 * milliseconds and decoding a batch some tens, so that prefetching alone cannot hide it; decoding
 * in parallel is what helps, as far as there are cores.
 */
public final class FitWithPrefetch {
  private FitWithPrefetch() {}

  /** One photograph, or a batch of them. */
  record Labelled(Tensor image, Tensor label) {}

  static Dataset<Labelled> dataset(Path folder) {
    return Dataset.tfRecords(folder + "/train-*.tfrecord")
        .map(PARSER)
        .map(FitWithPrefetch::labelled)
        .shuffle(1_000, Seed.of(42));
  }

  static Dataset<Labelled> inParallel(Path folder) {
    return Dataset.tfRecords(folder + "/train-*.tfrecord")
        .map(PARSER, AUTOTUNE)
        .map(FitWithPrefetch::labelled, AUTOTUNE)
        .shuffle(1_000, Seed.of(42));
  }

  private static final Fn<Tensor, Features> PARSER =
      Example.parser(Feature.bytes("image"), Feature.int64("label"));

  private static Labelled labelled(Features f) {
    return new Labelled(Images.decodeJpeg(f.bytes("image")).resize(224, 224), f.tensor("label"));
  }

  static TrainingResult fit(
      PhotoClassifier model, Dataset<Labelled> dataset, int epochs, boolean shows) {
    return Training.fit(
        TrainingStep.<Labelled>withLoss(batch -> model.step(batch.image(), batch.label())),
        dataset.options(Options::asWritten), // what the engine would add by itself is the point
        epochs(epochs)
            .atEnd(
                pipeline -> {
                  if (shows) {
                    System.out.println(pipeline.diagnose());
                  }
                }));
  }

  /** Trains and tells. */
  static void show(int photographs, int epochs) throws IOException {
    try (ExampleData data = ExampleData.photoRecords(photographs)) {
      Dataset<Labelled> dataset = dataset(data.folder());
      Dataset<Labelled> parallel = inParallel(data.folder());
      TrainingResult _ = fit(new PhotoClassifier(10, 42), dataset.batch(32), 1, false); // warms up

      PhotoClassifier model = new PhotoClassifier(10, 42);
      TrainingResult wrong = fit(model, dataset.batch(32), epochs, true);
      System.out.println(wrong + System.lineSeparator());

      model = new PhotoClassifier(10, 42);
      TrainingResult right = fit(model, dataset.batch(32).prefetch(AUTOTUNE), epochs, true);
      System.out.println(right + System.lineSeparator());

      model = new PhotoClassifier(10, 42);
      TrainingResult better = fit(model, parallel.batch(32).prefetch(AUTOTUNE), epochs, true);
      System.out.println(better);

      boolean learnTheSame =
          wrong.lastLoss() == right.lastLoss() && right.lastLoss() == better.lastLoss();
      Comparison.conclude(
          System.out,
          sentence(
              "prefetching alone makes this training %.2f times as fast (step %.1f ms, batch %.0f"
                  + " ms), decoding in parallel as well %.2f times, on %d cores; it waits for data"
                  + " %.0f %%, %.0f %% and %.0f %% of the time. All three %s: loss"
                  + " %.3f, and %.0f %% of the last batches known.",
              wrong.seconds() / right.seconds(),
              1e3 * wrong.stepSeconds() / wrong.steps(),
              1e3 * wrong.waitSeconds() / wrong.steps(),
              wrong.seconds() / better.seconds(),
              Runtime.getRuntime().availableProcessors(),
              100 * wrong.waitShare(),
              100 * right.waitShare(),
              100 * better.waitShare(),
              learnTheSame ? "learn the same" : "learn differently",
              better.lastLoss(),
              100 * model.accuracy()));
    }
  }

  /** No arguments: the photographs are made. */
  public static void main(String[] arguments) throws IOException {
    show(192, 5);
  }
}
