package dev.headrace.device;

import dev.headrace.data.Tensor;
import java.lang.foreign.MemorySegment;

/**
 * A queue of copies and computations that are made one after the other, while the thread that
 * queued them goes on.
 *
 * <p>After a copy that failed a stream makes no more: every later event fails with the same cause.
 *
 * <p><b>Threading:</b> safe for any number of threads; what one thread queues stays in order.
 *
 * <p><b>Ownership:</b> the code that opened it closes it. The memory of a copy must stay alive, and
 * must not be written by others, until an event recorded after the copy is done or the stream is
 * closed.
 */
public interface DeviceStream extends AutoCloseable {

  /** The device it copies to and from. */
  Device device();

  /**
   * Queues a copy of all of {@code host} to memory of the device of the same size.
   *
   * <p>Memory that is not pinned is first copied aside by the calling thread, which then waits
   * until the device has it; interruption does not end that wait, closing the stream does. The
   * memory may be used again when the call returns.
   */
  void copyToDevice(MemorySegment host, MemorySegment device);

  /**
   * Queues a copy of all of {@code device} to host memory of the same size. Where that is not
   * pinned, the call returns when the content is there.
   */
  void copyToHost(MemorySegment device, MemorySegment host);

  /**
   * Queues the computation of a deferred tensor into memory of the device of exactly its bytes.
   * Tensors that it reads lie on this device, or on the host where they are strings or deferred
   * themselves; they must stay as they are until it has run.
   *
   * @throws UnsupportedOperationException if the device cannot compute it, saying which step
   */
  void compute(Tensor deferred, MemorySegment device);

  /**
   * Does now, on the calling thread, what a computation needs of the host and what does not depend
   * on the stream's order; what is returned queues the rest, once, in the order of the calls to
   * this method.
   *
   * @throws UnsupportedOperationException if the device cannot compute it, saying which step
   */
  default Computation prepare(Tensor deferred, MemorySegment device) {
    return () -> compute(deferred, device);
  }

  /** A computation that is ready to be queued. */
  @FunctionalInterface
  interface Computation {
    /** Queues it. */
    void queue();
  }

  /** An event that is done when everything queued so far is. */
  DeviceEvent record();

  /** Makes what is queued from now on wait for an event of another stream of the same device. */
  void waitFor(DeviceEvent event);

  /**
   * Drops the copies that have not begun and returns when the one under way has ended: nothing
   * touches their memory any more, and their events have failed. Closing again does nothing.
   */
  @Override
  void close();
}
