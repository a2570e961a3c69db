package dev.headrace.examples;

import static dev.headrace.Dataset.AUTOTUNE;
import static dev.headrace.data.DType.FLOAT32;
import static dev.headrace.data.DType.UINT8;
import static dev.headrace.examples.Comparison.sentence;

import dev.headrace.Dataset;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.example.Example;
import dev.headrace.example.Feature;
import java.nio.file.Path;
import java.time.Duration;

/**
 * "Why is training slow despite using TensorFlow's data pipeline?" (002), example 2: TFRecords,
 * parsed, preprocessed, and cached in memory.
 *
 * <pre>{@code
 * raw_dataset = tf.data.TFRecordDataset("path/to/tfrecords/*.tfrecord")
 * dataset = raw_dataset.map(lambda x: tf.io.parse_single_example(
 *     x, features={'image': tf.io.FixedLenFeature([], tf.string)}), num_parallel_calls=tf.data.AUTOTUNE)
 * dataset = dataset.map(lambda x: preprocess(tf.io.decode_raw(x['image'], tf.uint8)),
 *     num_parallel_calls=tf.data.AUTOTUNE).cache()
 * dataset = dataset.batch(32).prefetch(tf.data.AUTOTUNE)
 * }</pre>
 *
 * <p>The original does not run: {@code decode_raw} gives a vector, which cannot be resized, and a
 * pattern is not expanded. Here {@code decodeRaw} takes the shape, and patterns are.
 */
public final class CachedRecords {
  static final int HEIGHT = 120;
  static final int WIDTH = 160;
  private static final Duration STEP = Duration.ofMillis(10);

  private CachedRecords() {}

  static Dataset<Tensor> dataset(Path folder, int height, int width) {
    return Dataset.tfRecords(folder + "/*.tfrecord")
        .map(Example.parser(Feature.bytes("image")), AUTOTUNE)
        .map(f -> preprocess(f.decodeRaw("image", UINT8, Shape.of(height, width, 3))), AUTOTUNE)
        .cache()
        .batch(32)
        .prefetch(AUTOTUNE);
  }

  static Dataset<Tensor> uncached(Path folder, int height, int width) {
    return Dataset.tfRecords(folder + "/*.tfrecord")
        .map(Example.parser(Feature.bytes("image")), AUTOTUNE)
        .map(f -> preprocess(f.decodeRaw("image", UINT8, Shape.of(height, width, 3))), AUTOTUNE)
        .batch(32)
        .prefetch(AUTOTUNE);
  }

  private static Tensor preprocess(Tensor image) {
    return image.resize(224, 224).convert(FLOAT32);
  }

  static Comparison.Result compare(Comparison.Looks looks, Path folder) throws Exception {
    return new Comparison()
        .form("as written", dataset(folder, HEIGHT, WIDTH), STEP)
        .form("not cached", uncached(folder, HEIGHT, WIDTH), STEP)
        .run(looks);
  }

  /** Runs and tells. */
  static Comparison.Result show(Comparison.Looks looks, Path folder) throws Exception {
    Comparison.Result result = compare(looks, folder);
    result.print(
        System.out,
        sentence(
            "with everything cached the pipeline is %.2f times as fast as without, for steps of"
                + " 10 ms on 32 images; the loop waits %.0f %% instead of %.0f %%. It takes %.0f"
                + " MB instead of %.0f MB for 128 images.",
            result.times("as written", "not cached"),
            result.of("as written").waitedPercent(),
            result.of("not cached").waitedPercent(),
            result.of("as written").megabytes(),
            result.of("not cached").megabytes()));
    return result;
  }

  /** No arguments: the records are made. */
  public static void main(String[] arguments) throws Exception {
    try (ExampleData data = ExampleData.rawRecords(128, HEIGHT, WIDTH)) {
      Comparison.Result _ = show(Comparison.Looks.USUAL, data.folder());
    }
  }
}
