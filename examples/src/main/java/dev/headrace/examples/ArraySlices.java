package dev.headrace.examples;

import static dev.headrace.Dataset.AUTOTUNE;
import static dev.headrace.examples.Comparison.sentence;

import dev.headrace.Dataset;
import dev.headrace.data.Seed;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.device.Device;
import dev.headrace.device.HostDevice;
import java.time.Duration;

/**
 * "Why doesn't prefetch_to_device improve training speed?" (000), example 3: slices of one array,
 * and hardly any computation.
 *
 * <pre>{@code
 * data = np.random.rand(1000, 1000)
 * dataset = tf.data.Dataset.from_tensor_slices(data).batch(32)
 * dataset = dataset.prefetch(buffer_size=tf.data.AUTOTUNE)
 *
 * def simple_computation(data):
 *     return tf.math.reduce_mean(data)
 *
 * with tf.device('/GPU:0'):
 *     dataset = dataset.map(simple_computation)
 * }</pre>
 *
 * <p>The device is simulated: 12 GB/s and 10 µs a copy, as PCI Express has, and a computation of 2
 * ms, which stands for a small training step. Maps on a device are not there yet, so the
 * computation is the step.
 */
public final class ArraySlices {
  private static final Duration STEP = Duration.ofMillis(2);

  private ArraySlices() {}

  static Dataset<Tensor> batches() {
    return Dataset.fromTensorSlices(Tensor.uniform(Shape.of(1000, 1000), Seed.of(7))).batch(32);
  }

  static Dataset<Tensor> asWritten(Device gpu) {
    return batches().prefetch(AUTOTUNE).prefetchToDevice(gpu, 1);
  }

  static Dataset<Tensor> ahead(Device gpu) {
    return batches().prefetch(AUTOTUNE).prefetchToDevice(gpu);
  }

  static Comparison.Result compare(Comparison.Looks looks) throws Exception {
    try (HostDevice gpu =
        HostDevice.simulated()
            .named("gpu")
            .bytesPerSecond(12_000_000_000L)
            .latency(Duration.ofNanos(10_000))
            .open()) {
      return new Comparison()
          .form("without prefetching", batches().prefetchToDevice(gpu, 1), STEP)
          .form("as written: copied when asked for", asWritten(gpu), STEP)
          .form("prefetched to the device", ahead(gpu), STEP)
          .run(looks);
    }
  }

  /** Runs and tells. */
  static Comparison.Result show(Comparison.Looks looks) throws Exception {
    Comparison.Result result = compare(looks);
    result.print(
        System.out,
        sentence(
            "where slicing an array is all there is to load, prefetching is %.2f times as fast as"
                + " not prefetching, and prefetching to the device %.2f times: a copy of 128 kB has"
                + " 0.02 ms to hide behind a step of 2 ms.",
            result.times("as written: copied when asked for", "without prefetching"),
            result.times("prefetched to the device", "without prefetching")));
    return result;
  }

  /** No arguments. */
  public static void main(String[] arguments) throws Exception {
    Comparison.Result _ = show(Comparison.Looks.USUAL);
  }
}
