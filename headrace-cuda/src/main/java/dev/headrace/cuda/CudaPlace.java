package dev.headrace.cuda;

import dev.headrace.data.Place;
import dev.headrace.device.DeviceException;
import java.lang.foreign.MemorySegment;

/**
 * The memory of a GPU.
 *
 * <p><b>Threading:</b> safe for any number of threads.
 */
final class CudaPlace implements Place {
  private final CudaContext context;
  private final CudaStream consumer;

  CudaPlace(CudaContext context, CudaStream consumer) {
    this.context = context;
    this.consumer = consumer;
  }

  @Override
  public String name() {
    return context.name();
  }

  boolean isOn(CudaContext other) {
    return context.device() == other.device();
  }

  @Override
  public int number() {
    return context.device();
  }

  /** In the consumer's stream, after all that was queued there. */
  @Override
  public void copyToHost(MemorySegment from, MemorySegment to) {
    consumer.copyToHost(from, to);
    if (PinnedMemory.contains(to)) {
      try (CudaEvent done = consumer.record()) {
        if (!done.awaitUnless(consumer::isClosing)) {
          throw new DeviceException(
              name(), "expected it to be open while a tensor was read, but it was closed", null);
        }
      }
    }
  }

  @Override
  public String toString() {
    return name();
  }
}
