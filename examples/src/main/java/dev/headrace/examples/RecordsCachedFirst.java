package dev.headrace.examples;

import static dev.headrace.Dataset.AUTOTUNE;
import static dev.headrace.data.DType.FLOAT32;
import static dev.headrace.data.DType.UINT8;
import static dev.headrace.examples.Comparison.sentence;

import dev.headrace.Dataset;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.device.Device;
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
 * <p>A {@code tf.function} inside a dataset's map runs on the CPU, whatever its name says. Beside
 * that, what the text means: bytes are copied, and preprocessed on the device.
 *
 * <p>On a GPU there is no training step, so that what the pipeline gives is not hidden behind one.
 * Without a GPU the device is simulated, 12 GB/s and 10 µs a copy, as PCI Express has, with a step
 * of 10 ms; what is computed on it, one thread of the host computes, so that it shows the way and
 * not the speed.
 */
public final class RecordsCachedFirst {
  private static final HostDevice.Simulation OTHERWISE =
      HostDevice.simulated()
          .named("gpu")
          .bytesPerSecond(12_000_000_000L)
          .latency(Duration.ofNanos(10_000));

  private static final Duration STEP = Duration.ofMillis(10);
  private static final String WHEN_ASKED = "as TensorFlow runs it: copied when asked for";
  private static final String AHEAD = "prefetched to the device";
  private static final String CACHED = "preprocessed, then cached";
  private static final String THERE = "bytes to the device, preprocessed there";

  private RecordsCachedFirst() {}

  static Dataset<Tensor> dataset(Path folder, int height, int width) {
    return images(folder, height, width)
        .map(image -> image.resize(224, 224).convert(FLOAT32), AUTOTUNE)
        .batch(64)
        .prefetch(AUTOTUNE);
  }

  /** As the text means it: the bytes as they are, preprocessed on the device. */
  static Dataset<Tensor> preprocessedThere(Path folder, int height, int width, Device gpu) {
    return images(folder, height, width)
        .batch(64)
        .prefetchToDevice(gpu)
        .mapOnDevice(x -> x.resize(224, 224).convert(FLOAT32));
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

  static Comparison.Result compare(Comparison.Looks looks, ExampleDevice gpu, Path folder)
      throws Exception {
    Device device = gpu.device();
    Duration step = gpu.isSimulated() ? STEP : Duration.ZERO;
    int height = CachedRecords.HEIGHT;
    int width = CachedRecords.WIDTH;
    Dataset<Tensor> floats = dataset(folder, height, width);
    return new Comparison()
        .form(WHEN_ASKED, floats.prefetchToDevice(device, 1), step)
        .form(AHEAD, floats.prefetchToDevice(device), step)
        .form(CACHED, preprocessedFirst(folder, height, width).prefetchToDevice(device), step)
        .form(THERE, preprocessedThere(folder, height, width, device), step)
        .run(looks);
  }

  /** Runs and tells. */
  static Comparison.Result show(Comparison.Looks looks, Path folder) throws Exception {
    try (ExampleDevice gpu = ExampleDevice.gpuOr(OTHERWISE)) {
      System.out.println(gpu.said());
      Comparison.Result result = compare(looks, gpu, folder);
      result.print(
          System.out,
          sentence(
              "with preprocessing on the CPU in every epoch, prefetching to the device is %.2f"
                  + " times as fast. Caching after preprocessing, as example 2 does, is %.2f times"
                  + " as fast (%.0f MB instead of %.0f MB). Preprocessing on the device%s is %.2f"
                  + " times as fast. The diagnosis of the first: %s The diagnosis of prefetching to"
                  + " the device: %s; with preprocessing there: %s.",
              result.times(AHEAD, WHEN_ASKED),
              result.times(CACHED, WHEN_ASKED),
              result.of(CACHED).megabytes(),
              result.of(AHEAD).megabytes(),
              gpu.isSimulated() ? " (which one thread of the host simulates)" : "",
              result.times(THERE, WHEN_ASKED),
              result.of(WHEN_ASKED).verdict().sentence(),
              result.of(AHEAD).saidOfDevice(),
              result.of(THERE).saidOfDevice()));
      return result;
    }
  }

  /** No arguments: the records are made. */
  public static void main(String[] arguments) throws Exception {
    try (ExampleData data =
        ExampleData.rawRecords(128, CachedRecords.HEIGHT, CachedRecords.WIDTH)) {
      Comparison.Result _ = show(new Comparison.Looks(3, 12), data.folder());
    }
  }
}
