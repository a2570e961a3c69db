package dev.headrace.examples;

import static dev.headrace.Dataset.AUTOTUNE;
import static dev.headrace.data.DType.FLOAT32;
import static dev.headrace.data.DType.UINT8;
import static dev.headrace.examples.Comparison.sentence;

import dev.headrace.Dataset;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.device.HostDevice;
import dev.headrace.example.Example;
import dev.headrace.example.Feature;
import java.nio.file.Path;
import java.time.Duration;

/**
 * "Why is training slow despite using TensorFlow's data pipeline?" (002), example 3: the records
 * are cached as they are, and preprocessed in every epoch.
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
 * this. Maps on a device are not there yet; what they would bring is shown by copying the bytes as
 * they are, and letting the step take 2 ms longer for the preprocessing. The device is simulated:
 * 12 GB/s and 10 µs a copy, as PCI Express has.
 */
public final class RecordsCachedFirst {
  private static final Duration STEP = Duration.ofMillis(10);
  private static final Duration STEP_AND_PREPROCESSING = Duration.ofMillis(12);

  private RecordsCachedFirst() {}

  static Dataset<Tensor> dataset(Path folder, int height, int width) {
    return images(folder, height, width)
        .map(image -> image.resize(224, 224).convert(FLOAT32), AUTOTUNE)
        .batch(64)
        .prefetch(AUTOTUNE);
  }

  /** For preprocessing on the device: the bytes as they are. */
  static Dataset<Tensor> bytes(Path folder, int height, int width) {
    return images(folder, height, width).batch(64).prefetch(AUTOTUNE);
  }

  /** As example 2 has it: what was preprocessed is cached. */
  static Dataset<Tensor> preprocessedFirst(Path folder, int height, int width) {
    return Dataset.tfRecords(folder + "/*.tfrecord")
        .map(Example.parser(Feature.bytes("image")), AUTOTUNE)
        .map(f -> f.decodeRaw("image", UINT8, Shape.of(height, width, 3)), AUTOTUNE)
        .map(image -> image.resize(224, 224).convert(FLOAT32), AUTOTUNE)
        .cache()
        .batch(64)
        .prefetch(AUTOTUNE);
  }

  private static Dataset<Tensor> images(Path folder, int height, int width) {
    return Dataset.tfRecords(folder + "/*.tfrecord")
        .cache()
        .map(Example.parser(Feature.bytes("image")), AUTOTUNE)
        .map(f -> f.decodeRaw("image", UINT8, Shape.of(height, width, 3)), AUTOTUNE);
  }

  static Comparison.Result compare(Comparison.Looks looks, Path folder) throws Exception {
    try (HostDevice gpu =
        HostDevice.simulated()
            .named("gpu")
            .bytesPerSecond(12_000_000_000L)
            .latency(Duration.ofNanos(10_000))
            .open()) {
      Dataset<Tensor> floats = dataset(folder, CachedRecords.HEIGHT, CachedRecords.WIDTH);
      Dataset<Tensor> bytes = bytes(folder, CachedRecords.HEIGHT, CachedRecords.WIDTH);
      return new Comparison()
          .form("as written: copied when asked for", floats.prefetchToDevice(gpu, 1), STEP)
          .form("prefetched to the device", floats.prefetchToDevice(gpu), STEP)
          .form(
              "preprocessed, then cached",
              preprocessedFirst(folder, CachedRecords.HEIGHT, CachedRecords.WIDTH)
                  .prefetchToDevice(gpu),
              STEP)
          .form(
              "bytes to the device, preprocessed there",
              bytes.prefetchToDevice(gpu),
              STEP_AND_PREPROCESSING)
          .run(looks);
    }
  }

  /** Runs and tells. */
  static Comparison.Result show(Comparison.Looks looks, Path folder) throws Exception {
    Comparison.Result result = compare(looks, folder);
    result.print(
        System.out,
        sentence(
            "with preprocessing on the CPU in every epoch, prefetching to the device is %.2f times"
                + " as fast. Caching after preprocessing, as example 2 does, is %.2f times as fast"
                + " (%.0f MB instead of %.0f MB). Preprocessing on the device (simulated, 2 ms a"
                + " batch) would be %.2f times as fast. Of prefetching to the device it says: %s",
            result.times("prefetched to the device", "as written: copied when asked for"),
            result.times("preprocessed, then cached", "as written: copied when asked for"),
            result.of("preprocessed, then cached").megabytes(),
            result.of("prefetched to the device").megabytes(),
            result.times(
                "bytes to the device, preprocessed there", "as written: copied when asked for"),
            result.of("prefetched to the device").verdict().sentence()));
    return result;
  }

  /** No arguments: the records are made. */
  public static void main(String[] arguments) throws Exception {
    try (ExampleData data =
        ExampleData.rawRecords(128, CachedRecords.HEIGHT, CachedRecords.WIDTH)) {
      Comparison.Result _ = show(new Comparison.Looks(3, 12), data.folder());
    }
  }
}
