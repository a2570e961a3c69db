package dev.headrace.examples;

import static dev.headrace.Dataset.AUTOTUNE;
import static dev.headrace.examples.Comparison.sentence;
import static dev.headrace.examples.Comparison.time;

import dev.headrace.Dataset;
import dev.headrace.TrainingStep;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.device.Device;
import dev.headrace.device.HostDevice;
import dev.headrace.testing.SyntheticStep;
import java.time.Duration;

/**
 * "Why doesn't prefetch_to_device improve training speed?" (000), example 2: balanced computation
 * and transfer.
 *
 * <pre>{@code
 * def complex_computation(data):
 *   return tf.math.reduce_sum(tf.math.square(data))
 *
 * dataset = tf.data.Dataset.range(1000).map(lambda x: tf.constant([x]*10000, dtype=tf.float32))
 * dataset = dataset.prefetch(buffer_size=tf.data.AUTOTUNE)
 * with tf.device('/GPU:0'):
 *     dataset = dataset.map(complex_computation)
 * }</pre>
 *
 * <p>On a GPU it runs as it is: the training loop only reads each sum. Without one the device is
 * simulated, in proportion as slow as the text wants it: a bus that carries an element of 40 kB in
 * 2 ms, and a training step of 3 ms.
 */
public final class BalancedTransfer {
  private static final HostDevice.Simulation OTHERWISE =
      HostDevice.simulated().named("gpu").bytesPerSecond(20_000_000);

  private static final Duration STEP = Duration.ofMillis(3);
  private static final String ON_THE_CPU = "as TensorFlow runs it: on the CPU";
  private static final String WHEN_ASKED = "on the device, copied when asked for";
  private static final String AHEAD = "on the device, prefetched";

  private BalancedTransfer() {}

  /** A dataset's functions run on the host, whatever device surrounds them. */
  static Dataset<Tensor> onTheCpu() {
    return elements().prefetch(AUTOTUNE).map(x -> x.square().sum());
  }

  static Dataset<Tensor> whenAsked(Device gpu) {
    return elements()
        .prefetch(AUTOTUNE)
        .prefetchToDevice(gpu, 1)
        .mapOnDevice(x -> x.square().sum());
  }

  static Dataset<Tensor> ahead(Device gpu) {
    return elements().prefetch(AUTOTUNE).prefetchToDevice(gpu).mapOnDevice(x -> x.square().sum());
  }

  private static Dataset<Tensor> elements() {
    return Dataset.range(1000).map(i -> Tensor.full(Shape.of(10_000), (float) i));
  }

  private static TrainingStep<Tensor> step(ExampleDevice gpu) {
    SyntheticStep accelerator = SyntheticStep.waiting(gpu.isSimulated() ? STEP : Duration.ZERO);
    return TrainingStep.withLoss(
        sum -> {
          accelerator.step(sum);
          return sum.toHost().floatValue();
        });
  }

  static Comparison.Result compare(Comparison.Looks looks, ExampleDevice gpu) throws Exception {
    return new Comparison()
        .form(ON_THE_CPU, onTheCpu(), step(gpu))
        .form(WHEN_ASKED, whenAsked(gpu.device()), step(gpu))
        .form(AHEAD, ahead(gpu.device()), step(gpu))
        .run(looks);
  }

  /** Runs and tells. */
  static Comparison.Result show(Comparison.Looks looks) throws Exception {
    try (ExampleDevice gpu = ExampleDevice.gpuOr(OTHERWISE)) {
      System.out.println(gpu.said());
      Comparison.Result result = compare(looks, gpu);
      double copyNs = result.of(WHEN_ASKED).transfer().busNs();
      double stepNs = result.of(WHEN_ASKED).diagnosis().profile().consumer().stepNs();
      result.print(
          System.out,
          sentence(
              "with %s on the bus and %s in the step, prefetching to the device is %.2f times as"
                  + " fast as copying when asked for (at most %.2f): the loop waits %.0f %% of its"
                  + " time instead of %.0f %%. On the CPU it is %.2f times as fast as that. The"
                  + " diagnosis: %s.",
              time(copyNs),
              time(stepNs),
              result.times(AHEAD, WHEN_ASKED),
              (copyNs + stepNs) / Math.max(copyNs, stepNs),
              result.of(AHEAD).waitedPercent(),
              result.of(WHEN_ASKED).waitedPercent(),
              result.times(ON_THE_CPU, WHEN_ASKED),
              result.of(AHEAD).saidOfDevice()));
      return result;
    }
  }

  /** No arguments. */
  public static void main(String[] arguments) throws Exception {
    Comparison.Result _ = show(Comparison.Looks.USUAL);
  }
}
