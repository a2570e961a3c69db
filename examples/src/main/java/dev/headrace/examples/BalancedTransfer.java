package dev.headrace.examples;

import static dev.headrace.Dataset.AUTOTUNE;
import static dev.headrace.examples.Comparison.sentence;

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
 * <p>The device is simulated: a bus that carries an element of 40 kB in 2 ms, and a computation of
 * 3 ms, in proportion as slow as each other; on a real one both take microseconds. Maps on a device
 * are not there yet, so the computation is the training step. "As written" copies when the step
 * asks for an element: the original's prefetch reads ahead on the host only.
 */
public final class BalancedTransfer {
  private static final long BYTES_PER_SECOND = 20_000_000;
  private static final Duration STEP = Duration.ofMillis(3);

  private BalancedTransfer() {}

  static Dataset<Tensor> asWritten(Device gpu) {
    return elements().prefetch(AUTOTUNE).prefetchToDevice(gpu, 1);
  }

  static Dataset<Tensor> ahead(Device gpu) {
    return elements().prefetch(AUTOTUNE).prefetchToDevice(gpu);
  }

  private static Dataset<Tensor> elements() {
    return Dataset.range(1000).map(i -> Tensor.full(Shape.of(10_000), (float) i));
  }

  private static TrainingStep<Tensor> complexComputation() {
    SyntheticStep accelerator = SyntheticStep.waiting(STEP);
    return TrainingStep.withLoss(
        data -> {
          double sum = 0;
          for (float value : data.toFloatArray()) {
            sum += value * value;
          }
          accelerator.step(data);
          return sum;
        });
  }

  static Comparison.Result compare(Comparison.Looks looks) throws Exception {
    try (HostDevice gpu =
        HostDevice.simulated().named("gpu").bytesPerSecond(BYTES_PER_SECOND).open()) {
      return new Comparison()
          .form("as written: copied when asked for", asWritten(gpu), complexComputation())
          .form("prefetched to the device", ahead(gpu), complexComputation())
          .run(looks);
    }
  }

  /** Runs and tells. */
  static Comparison.Result show(Comparison.Looks looks) throws Exception {
    Comparison.Result result = compare(looks);
    result.print(
        System.out,
        sentence(
            "with 2 ms on the bus and 3 ms in the step, prefetching to the device is %.2f times as"
                + " fast (at most 5/3 = 1.67): the loop waits %.0f %% of its time instead of"
                + " %.0f %%.",
            result.times("prefetched to the device", "as written: copied when asked for"),
            result.of("prefetched to the device").waitedPercent(),
            result.of("as written: copied when asked for").waitedPercent()));
    return result;
  }

  /** No arguments. */
  public static void main(String[] arguments) throws Exception {
    Comparison.Result _ = show(Comparison.Looks.USUAL);
  }
}
