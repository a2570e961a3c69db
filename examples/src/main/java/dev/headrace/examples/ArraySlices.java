package dev.headrace.examples;

import static dev.headrace.Dataset.AUTOTUNE;
import static dev.headrace.examples.Comparison.sentence;
import static dev.headrace.examples.Comparison.time;

import dev.headrace.Dataset;
import dev.headrace.TrainingStep;
import dev.headrace.data.Seed;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.device.Device;
import dev.headrace.device.HostDevice;
import dev.headrace.testing.SyntheticStep;
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
 * <p>On a GPU it runs as it is: the training loop only reads each mean. Without one the device is
 * simulated, 12 GB/s and 10 µs a copy, as PCI Express has, with a training step of 2 ms.
 */
public final class ArraySlices {
  private static final HostDevice.Simulation OTHERWISE =
      HostDevice.simulated()
          .named("gpu")
          .bytesPerSecond(12_000_000_000L)
          .latency(Duration.ofNanos(10_000));

  private static final Duration STEP = Duration.ofMillis(2);
  private static final String WITHOUT = "without prefetching";
  private static final String WHEN_ASKED = "prefetched, copied when asked for";
  private static final String AHEAD = "prefetched to the device";

  private ArraySlices() {}

  static Dataset<Tensor> batches() {
    return Dataset.fromTensorSlices(Tensor.uniform(Shape.of(1000, 1000), Seed.of(7))).batch(32);
  }

  static Dataset<Tensor> without(Device gpu) {
    return batches().prefetchToDevice(gpu, 1).mapOnDevice(x -> x.mean());
  }

  static Dataset<Tensor> whenAsked(Device gpu) {
    return batches().prefetch(AUTOTUNE).prefetchToDevice(gpu, 1).mapOnDevice(x -> x.mean());
  }

  static Dataset<Tensor> ahead(Device gpu) {
    return batches().prefetch(AUTOTUNE).prefetchToDevice(gpu).mapOnDevice(x -> x.mean());
  }

  private static TrainingStep<Tensor> step(ExampleDevice gpu) {
    SyntheticStep accelerator = SyntheticStep.waiting(gpu.isSimulated() ? STEP : Duration.ZERO);
    return TrainingStep.withLoss(
        mean -> {
          accelerator.step(mean);
          return mean.toHost().floatValue();
        });
  }

  static Comparison.Result compare(Comparison.Looks looks, ExampleDevice gpu) throws Exception {
    return new Comparison()
        .form(WITHOUT, without(gpu.device()), step(gpu))
        .form(WHEN_ASKED, whenAsked(gpu.device()), step(gpu))
        .form(AHEAD, ahead(gpu.device()), step(gpu))
        .run(looks);
  }

  /** Runs and tells. */
  static Comparison.Result show(Comparison.Looks looks) throws Exception {
    try (ExampleDevice gpu = ExampleDevice.gpuOr(OTHERWISE)) {
      System.out.println(gpu.said());
      Comparison.Result result = compare(looks, gpu);
      result.print(
          System.out,
          sentence(
              "where slicing an array is all there is to load, prefetching is %.2f times as fast as"
                  + " not prefetching, and prefetching to the device %.2f times: a copy of 128 kB"
                  + " has %s to hide behind a step of %s. The diagnosis: %s.",
              result.times(WHEN_ASKED, WITHOUT),
              result.times(AHEAD, WITHOUT),
              time(result.of(AHEAD).transfer().busNs()),
              time(result.of(AHEAD).diagnosis().profile().consumer().stepNs()),
              result.of(AHEAD).saidOfDevice()));
      return result;
    }
  }

  /** No arguments. */
  public static void main(String[] arguments) throws Exception {
    Comparison.Result _ = show(Comparison.Looks.USUAL);
  }
}
