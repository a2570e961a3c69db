package dev.headrace.examples;

import static dev.headrace.Dataset.AUTOTUNE;

import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.data.Seed;
import dev.headrace.data.Tensor;
import dev.headrace.example.Example;
import dev.headrace.example.Feature;
import dev.headrace.image.Images;
import java.io.IOException;
import java.nio.file.Path;

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
    Path folder = arguments.length > 0 ? Path.of(arguments[0]) : ExampleData.photoRecords(300);
    try (Pipeline<Labelled> batches = dataset(folder).open()) {
      for (int epoch = 0; epoch < 2; epoch++) {
        long start = System.nanoTime();
        long images = 0;
        for (Labelled batch : batches) {
          images += batch.label().elements();
        }
        System.out.printf(
            "epoch %d: %,d photographs in %.2f s%n",
            epoch, images, (System.nanoTime() - start) / 1e9);
      }
      System.out.println(batches.explain());
    }
  }
}
