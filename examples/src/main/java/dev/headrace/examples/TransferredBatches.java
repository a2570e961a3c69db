package dev.headrace.examples;

import static dev.headrace.Dataset.AUTOTUNE;
import static dev.headrace.examples.Comparison.sentence;

import dev.headrace.Dataset;
import dev.headrace.data.DType;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.device.Device;
import dev.headrace.device.HostDevice;
import java.time.Duration;

/**
 * "Why is training slow despite using TensorFlow's data pipeline?" (002), part 1: transfer. Small
 * batches are more transfers, each with a price of its own.
 *
 * <p>Elements of 10 kB, which travel as bytes and become floats on the device. On a GPU there is no
 * step, so that nothing hides what transfers cost. Without one the device is simulated: a bus of
 * 100 MB/s (0.1 ms an element) on which every copy takes 2 ms besides, and a step of 0.1 ms an
 * element.
 */
public final class TransferredBatches {
  private static final HostDevice.Simulation OTHERWISE =
      HostDevice.simulated().named("gpu").bytesPerSecond(100_000_000).latency(Duration.ofMillis(2));

  private TransferredBatches() {}

  static Dataset<Tensor> batches(int size) {
    return Dataset.range(100_000).map(i -> Tensor.zeros(DType.UINT8, Shape.of(10_000))).batch(size);
  }

  /** One batch on the device at a time, or the next one on its way. */
  private static Dataset<Tensor> on(Device gpu, int size, int held) {
    return batches(size).prefetchToDevice(gpu, held).mapOnDevice(x -> x.scale(1 / 255.0));
  }

  static Comparison.Result compare(Comparison.Looks looks, ExampleDevice gpu) throws Exception {
    Comparison comparison = new Comparison();
    for (int size : new int[] {8, 32, 64}) {
      Duration step = gpu.isSimulated() ? Duration.ofNanos(size * 100_000L) : Duration.ZERO;
      comparison
          .form("batch(" + size + ")", on(gpu.device(), size, 1), step)
          .form("batch(" + size + "), copied ahead", on(gpu.device(), size, AUTOTUNE), step);
    }
    return comparison.run(looks);
  }

  /** Elements a second of one form, over those of batches of 8 that are copied when asked for. */
  private static double times(Comparison.Result result, String form, int size) {
    return result.times(form, "batch(8)") * size / 8;
  }

  /** Runs and tells. */
  static Comparison.Result show(Comparison.Looks looks) throws Exception {
    try (ExampleDevice gpu = ExampleDevice.gpuOr(OTHERWISE)) {
      System.out.println(gpu.said());
      Comparison.Result result = compare(looks, gpu);
      result.print(
          System.out,
          sentence(
              "counted in elements, batches of 32 are %.2f times as fast as batches of 8, and of 64"
                  + " %.2f times%s, where a copy waits to be asked for; copied ahead, batches of 8,"
                  + " 32 and 64 are %.2f, %.2f and %.2f times as fast as batches of 8 copied when"
                  + " asked for%s. The diagnosis of batches of 8: %s.",
              times(result, "batch(32)", 32),
              times(result, "batch(64)", 64),
              gpu.isSimulated() ? " (by arithmetic 1.71 and 1.95)" : "",
              times(result, "batch(8), copied ahead", 8),
              times(result, "batch(32), copied ahead", 32),
              times(result, "batch(64), copied ahead", 64),
              gpu.isSimulated() ? " (1.29, 2.77 and 3.43)" : "",
              result.of("batch(8), copied ahead").saidOfDevice()));
      return result;
    }
  }

  /** No arguments. */
  public static void main(String[] arguments) throws Exception {
    Comparison.Result _ = show(Comparison.Looks.USUAL);
  }
}
