package dev.headrace.examples;

import static dev.headrace.Dataset.AUTOTUNE;
import static dev.headrace.examples.Comparison.sentence;

import dev.headrace.Dataset;
import dev.headrace.data.Tensor;
import dev.headrace.device.Device;
import dev.headrace.device.HostDevice;
import java.time.Duration;

/**
 * "Why doesn't prefetch_to_device improve training speed?" (000), example 1: slow loading.
 *
 * <pre>{@code
 * dataset = tf.data.Dataset.range(1000).map(lambda _: slow_load())
 * dataset = dataset.prefetch(buffer_size=tf.data.AUTOTUNE)
 * }</pre>
 *
 * <p>Loading waits for a second each time; here for 50 ms, to be shown sooner. One after the other,
 * a thousand loads take a thousand seconds, and no buffer behind them helps, on the host or on a
 * device. Given a parallelism, the engine notices that loading waits instead of computing, and
 * overlaps hundreds.
 */
public final class SlowLoading {
  private static final HostDevice.Simulation OTHERWISE =
      HostDevice.simulated()
          .named("gpu")
          .bytesPerSecond(12_000_000_000L)
          .latency(Duration.ofNanos(10_000));

  private SlowLoading() {}

  static Dataset<Tensor> asWritten(long loads, long loadMs) {
    return Dataset.range(loads).map(i -> slowLoad(loadMs)).prefetch(AUTOTUNE);
  }

  static Dataset<Tensor> overlapped(long loads, long loadMs) {
    return Dataset.range(loads).map(i -> slowLoad(loadMs), AUTOTUNE).prefetch(AUTOTUNE);
  }

  private static Tensor slowLoad(long ms) throws InterruptedException {
    Thread.sleep(ms);
    return Tensor.of(1f);
  }

  /** Copied to the device, and computed on there. */
  private static Dataset<Tensor> on(Device gpu, Dataset<Tensor> loaded) {
    return loaded.prefetchToDevice(gpu).mapOnDevice(x -> x.square());
  }

  static Comparison.Result compare(Comparison.Looks looks, Device gpu, long loads, long loadMs)
      throws Exception {
    return new Comparison()
        .form("as written", asWritten(loads, loadMs), Duration.ZERO)
        .form("as written, to a device", on(gpu, asWritten(loads, loadMs)), Duration.ZERO)
        .form("loads overlapped", overlapped(loads, loadMs), Duration.ZERO)
        .form("loads overlapped, to a device", on(gpu, overlapped(loads, loadMs)), Duration.ZERO)
        .run(looks);
  }

  /** Runs and tells. */
  static Comparison.Result show(Comparison.Looks looks, long loads, long loadMs) throws Exception {
    try (ExampleDevice gpu = ExampleDevice.gpuOr(OTHERWISE)) {
      System.out.println(gpu.said());
      Comparison.Result result = compare(looks, gpu.device(), loads, loadMs);
      result.print(
          System.out,
          sentence(
              "prefetching to a device makes loads of %d ms %.2f times as fast; overlapping them,"
                  + " %.0f times. The loop waits %.0f %% of its time as written. The diagnosis:"
                  + " %s.",
              loadMs,
              result.times("as written, to a device", "as written"),
              result.times("loads overlapped", "as written"),
              result.of("as written").waitedPercent(),
              result.of("as written, to a device").saidOfDevice()));
      return result;
    }
  }

  /** Arguments: how many loads (1,000), and how many ms each takes (50; the original has 1,000). */
  public static void main(String[] arguments) throws Exception {
    long loads = arguments.length > 0 ? Long.parseLong(arguments[0]) : 1000;
    long loadMs = arguments.length > 1 ? Long.parseLong(arguments[1]) : 50;
    Comparison.Result _ = show(Comparison.Looks.USUAL, loads, loadMs);
  }
}
