package dev.headrace.bench;

import dev.headrace.device.Device;
import dev.headrace.device.DeviceEvent;
import dev.headrace.device.DeviceException;
import dev.headrace.device.DeviceStream;
import dev.headrace.device.HostDevice;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The device that is measured: a GPU, or host memory behind a simulated bus.
 *
 * <p><b>Ownership:</b> closes the device.
 */
record DeviceSubject(Device device, boolean isSimulated) implements AutoCloseable {
  private static final long SIMULATED_BYTES_PER_SECOND = 2_000_000_000;
  private static final Duration SIMULATED_LATENCY = Duration.ofNanos(10_000);
  private static final long SIMULATED_BYTES = 256L << 20;
  private static final long LOOK_AGAIN_NS = TimeUnit.SECONDS.toNanos(1);

  /**
   * Opens the first GPU, or a simulated device.
   *
   * @throws NoDevice if there is no GPU, saying what is missing
   */
  static DeviceSubject open(boolean simulated) throws NoDevice {
    try {
      return new DeviceSubject(simulated ? simulated() : Device.gpu(0), simulated);
    } catch (DeviceException e) {
      throw new NoDevice(e);
    }
  }

  /** There is no GPU; the message says in a sentence what is missing. */
  static final class NoDevice extends IOException {
    private static final long serialVersionUID = 1;

    NoDevice(DeviceException why) {
      super(why.getMessage(), why);
    }
  }

  private static Device simulated() {
    return HostDevice.simulated()
        .bytesPerSecond(SIMULATED_BYTES_PER_SECOND)
        .latency(SIMULATED_LATENCY)
        .memoryBytes(SIMULATED_BYTES)
        .open();
  }

  /** A limit for a GPU; none for a simulated device, whose speed tells nothing. */
  @Nullable Bar bar(Bar bar) {
    return isSimulated ? null : bar;
  }

  /** Waits until the consumer's stream has nothing left to do: what was delivered is there. */
  void settle() throws InterruptedException {
    DeviceStream consumer = device.consumer();
    if (consumer != null) {
      await(consumer);
    } // else a batch that was delivered has arrived
  }

  /** Waits until a stream has done what was queued so far. */
  static void await(DeviceStream stream) throws InterruptedException {
    try (DeviceEvent done = stream.record()) {
      boolean isDone = false;
      while (!isDone) {
        isDone = done.await(LOOK_AGAIN_NS);
      }
    }
  }

  @Override
  public void close() {
    device.close();
  }
}
