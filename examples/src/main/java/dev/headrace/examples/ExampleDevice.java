package dev.headrace.examples;

import static dev.headrace.examples.Comparison.sentence;

import dev.headrace.device.Device;
import dev.headrace.device.DeviceException;
import dev.headrace.device.HostDevice;

/**
 * The device of an example: the first GPU, or host memory behind a simulated bus where there is
 * none.
 *
 * <p><b>Ownership:</b> closes the device.
 *
 * @param said which it is, and why
 */
record ExampleDevice(Device device, boolean isSimulated, String said) implements AutoCloseable {

  /** The first GPU; where there is none, a device like that. */
  static ExampleDevice gpuOr(HostDevice.Simulation otherwise) {
    try {
      Device gpu = Device.gpu(0);
      return new ExampleDevice(gpu, false, "On " + gpu.name() + ".");
    } catch (DeviceException e) {
      return simulated(otherwise, e.reason());
    }
  }

  private static ExampleDevice simulated(HostDevice.Simulation simulation, String why) {
    return new ExampleDevice(
        simulation.open(),
        true,
        sentence(
            "On a simulated device: %,.0f MB/s, and %,.0f µs a copy besides. No GPU can be used:"
                + " %s.",
            simulation.bytesPerSecond() / 1e6, simulation.latency().toNanos() / 1e3, why));
  }

  @Override
  public void close() {
    device.close();
  }
}
