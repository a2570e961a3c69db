package dev.headrace.examples;

import static dev.headrace.Dataset.AUTOTUNE;
import static dev.headrace.data.DType.FLOAT32;
import static dev.headrace.data.DType.UINT8;

import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.example.Example;
import dev.headrace.example.Feature;
import java.io.IOException;
import java.nio.file.Path;

/**
 * "Why is training slow despite using TensorFlow's data pipeline?", example 3: the records are
 * cached as they are, and preprocessed in every epoch.
 *
 * <pre>{@code
 * raw_dataset = tf.data.TFRecordDataset("path/to/tfrecords/*.tfrecord").cache()
 * dataset = raw_dataset.map(lambda x: tf.io.parse_single_example(
 *     x, features={'image': tf.io.FixedLenFeature([], tf.string)}), num_parallel_calls=tf.data.AUTOTUNE)
 * dataset = dataset.map(lambda x: gpu_preprocess(tf.io.decode_raw(x['image'], tf.uint8)),
 *     num_parallel_calls=tf.data.AUTOTUNE)
 * dataset = dataset.batch(64).prefetch(tf.data.AUTOTUNE)
 * }</pre>
 *
 * <p>A {@code tf.function} inside a dataset's map runs on the CPU, whatever its name says; so does
 * this.
 */
public final class RecordsCachedFirst {
  private RecordsCachedFirst() {}

  static Dataset<Tensor> dataset(Path folder, int height, int width) {
    return Dataset.tfRecords(folder + "/*.tfrecord")
        .cache()
        .map(Example.parser(Feature.bytes("image")), AUTOTUNE)
        .map(f -> f.decodeRaw("image", UINT8, Shape.of(height, width, 3)), AUTOTUNE)
        .map(image -> image.resize(224, 224).convert(FLOAT32), AUTOTUNE)
        .batch(64)
        .prefetch(AUTOTUNE);
  }

  /** No arguments: the records are made. */
  public static void main(String[] arguments) throws IOException {
    Path folder = ExampleData.rawRecords(200, 120, 160);
    try (Pipeline<Tensor> batches = dataset(folder, 120, 160).open()) {
      for (int epoch = 0; epoch < 3; epoch++) {
        long start = System.nanoTime();
        long images = 0;
        for (Tensor batch : batches) {
          images += batch.shape().dim(0);
        }
        System.out.printf(
            "epoch %d: %,d images in %.3f s%n", epoch, images, (System.nanoTime() - start) / 1e9);
      }
      System.out.println(batches.explain());
    }
  }
}
