package dev.headrace.device;

import dev.headrace.data.Place;
import dev.headrace.spi.Identified;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Something that computes on memory of its own, to which tensors are copied.
 *
 * <p>What goes wrong on a device is thrown as a {@link DeviceException} that names it.
 *
 * <p><b>Threading:</b> safe for any number of threads.
 *
 * <p><b>Ownership:</b> the code that made it closes it, after the pipelines that use it.
 */
public interface Device extends AutoCloseable, Identified {

  /** The host itself, whose memory is read and written at full speed; it need not be closed. */
  static Device host() {
    return HostDevice.FULL_SPEED;
  }

  /**
   * The GPU of that number, counted from 0 as its driver does. The module {@code headrace-cuda}
   * must be on the class path or module path.
   *
   * @throws DeviceException if there is none, saying in one sentence what is missing
   */
  static Device gpu(int index) {
    return Gpus.open(index);
  }

  /** The device's name, as it appears in messages. */
  String name();

  /** A device is known by its name: what is computed there may differ from device to device. */
  @Override
  default Object identity() {
    return name();
  }

  /** How much memory may be allocated in all. */
  long memoryBytes();

  /** How much memory is allocated now, no matter what allocated it. */
  long usedBytes();

  /**
   * Allocates memory of the device, which is freed when {@code arena} closes. Its content is
   * undefined.
   *
   * <p>Memory that the host cannot read is known by its address alone: touching it from Java must
   * throw, and never crash. While a copy is under way the arena must not be closed.
   *
   * @param bytes at least 1; the address is a multiple of 64
   * @throws DeviceMemoryException if there is no room for it
   */
  MemorySegment allocate(Arena arena, long bytes);

  /**
   * Whether copies between this host memory and the device are asynchronous. From other memory they
   * are staged: see {@link DeviceStream#copyToDevice}.
   */
  boolean isPinned(MemorySegment host);

  /**
   * Allocates host memory from which copies to the device are asynchronous, and which is freed when
   * {@code arena} closes; 64-byte aligned. It costs much more than plain memory: take it once and
   * use it again.
   */
  default MemorySegment allocatePinned(Arena arena, long bytes) {
    return arena.allocate(bytes, 64);
  }

  /** Where tensors in this device's memory are, or null if the host reads that memory itself. */
  default @Nullable Place place() {
    return null;
  }

  /**
   * The stream on which the consumer of batches works. It is made to wait for a batch instead of
   * the host, and when a batch was given back its memory is used again only after what was queued
   * there until then. Null where the host itself works on batches, and so must wait for them.
   */
  default @Nullable DeviceStream consumer() {
    return null;
  }

  /**
   * Whether tensors are better cast here than on the host: its streams {@link DeviceStream#compute
   * compute} elementwise steps with the same bits as the host, and copying bytes to it is
   * expensive.
   */
  default boolean computesCasts() {
    return false;
  }

  /**
   * Opens a queue of copies and computations.
   *
   * @param purpose who opens it, as threads and messages name it
   */
  DeviceStream openStream(String purpose);

  /**
   * Closes the streams that are still open, and lets nothing more be allocated. Memory that was
   * allocated is its arena's. Closing again does nothing.
   */
  @Override
  void close();
}
