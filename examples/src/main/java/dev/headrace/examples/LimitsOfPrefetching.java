package dev.headrace.examples;

import static dev.headrace.examples.Comparison.sentence;

import dev.headrace.Dataset;
import dev.headrace.TrainingStep;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.device.HostDevice;
import dev.headrace.testing.SyntheticStep;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * "Why doesn't prefetch_to_device improve training speed?" (000), part 1: the four reasons why
 * copying ahead to a device may gain nothing, and a case where it does.
 *
 * <p>In each case a batch of 100 kB is loaded, copied over a simulated bus, and trained on; once
 * copied when the step asks for it, once ahead of it.
 */
public final class LimitsOfPrefetching {
  private static final int BYTES = 100_000;

  private LimitsOfPrefetching() {}

  /**
   * One situation, in milliseconds.
   *
   * @param computes whether loading computes instead of waiting
   */
  record Case(String name, long loadMs, boolean computes, double busMs, double stepMs) {
    /**
     * What copying ahead can gain at most, by arithmetic: everything one after the other but
     * loading, over the slowest of the three.
     */
    double bound() {
      return Math.max(loadMs, busMs + stepMs) / Math.max(loadMs, Math.max(busMs, stepMs));
    }

    String name(boolean ahead) {
      return name + (ahead ? ", copied ahead" : ", copied when asked for");
    }
  }

  static final List<Case> CASES =
      List.of(
          new Case("transfer and step take turns", 1, false, 4, 5),
          new Case("loading is the limit", 12, false, 1, 1),
          new Case("the device is saturated", 1, false, 0.5, 12),
          new Case("preprocessing is the limit", 12, true, 1, 1),
          new Case("little data", 1, false, 0.02, 2));

  static Dataset<Tensor> dataset(Case each) {
    TrainingStep<Object> loading =
        each.computes
            ? SyntheticStep.computing(Duration.ofMillis(each.loadMs))
            : SyntheticStep.waiting(Duration.ofMillis(each.loadMs));
    return Dataset.range(1000)
        .map(
            i -> {
              loading.step(i);
              return Tensor.wrap(Shape.of(BYTES), new byte[BYTES]);
            })
        .prefetch(2);
  }

  static Comparison.Result compare(Comparison.Looks looks) throws Exception {
    List<HostDevice> devices = new ArrayList<>();
    try {
      Comparison comparison = new Comparison();
      for (Case each : CASES) {
        HostDevice device =
            HostDevice.simulated()
                .named("gpu")
                .bytesPerSecond((long) (BYTES / (each.busMs / 1e3)))
                .open();
        devices.add(device);
        Duration step = Duration.ofNanos((long) (each.stepMs * 1e6));
        comparison
            .form(each.name(false), dataset(each).prefetchToDevice(device, 1), step)
            .form(each.name(true), dataset(each).prefetchToDevice(device), step);
      }
      return comparison.run(looks);
    } finally {
      devices.forEach(HostDevice::close);
    }
  }

  /** Runs and tells. */
  static Comparison.Result show(Comparison.Looks looks) throws Exception {
    Comparison.Result result = compare(looks);
    List<String> conclusions = new ArrayList<>();
    for (Case each : CASES) {
      conclusions.add(
          sentence(
              "%s (load %d ms, bus %.2g ms, step %.2g ms): copying ahead is %.2f times as fast, by"
                  + " arithmetic %.2f.",
              each.name,
              each.loadMs,
              each.busMs,
              each.stepMs,
              result.times(each.name(true), each.name(false)),
              each.bound()));
    }
    result.print(System.out, conclusions.toArray(String[]::new));
    return result;
  }

  /** No arguments. */
  public static void main(String[] arguments) throws Exception {
    Comparison.Result _ = show(Comparison.Looks.USUAL);
  }
}
