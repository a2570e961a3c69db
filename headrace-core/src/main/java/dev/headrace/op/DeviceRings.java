package dev.headrace.op;

import dev.headrace.device.Device;
import dev.headrace.spi.Causes;
import java.util.List;

/**
 * A ring for each of several devices; see {@link DeviceRing}.
 *
 * <p><b>Ownership:</b> owns them.
 */
record DeviceRings(List<DeviceRing> rings) implements AutoCloseable {
  DeviceRings(List<Device> devices, int size, boolean isTuned) {
    this(devices.stream().map(device -> new DeviceRing(device, size, isTuned)).toList());
  }

  @Override
  public void close() {
    runAll(rings.stream().<Runnable>map(ring -> ring::close).toList());
  }

  /** Does all of it, whatever fails; then throws what failed first. */
  static void runAll(List<Runnable> steps) {
    Throwable failure = null;
    for (Runnable step : steps) {
      try {
        step.run();
      } catch (RuntimeException | Error e) {
        if (failure == null) {
          failure = e;
        } else {
          Causes.suppress(failure, e);
        }
      }
    }
    switch (failure) {
      case null -> {}
      case Error error -> throw error;
      default -> throw (RuntimeException) failure;
    }
  }
}
