package dev.headrace.cuda;

import dev.headrace.data.Plural;
import dev.headrace.device.DeviceException;
import dev.headrace.device.DeviceMemoryException;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntSupplier;

/**
 * A GPU's primary context, which other libraries of the process use too, while somebody here needs
 * it: an open device, memory that was allocated, an event.
 *
 * <p>Every call of the driver goes through {@link #call}, in which the context is the calling
 * thread's current one; afterwards the thread has again what it had, so that libraries which share
 * the thread notice nothing.
 *
 * <p><b>Threading:</b> safe for any number of threads.
 *
 * <p><b>Ownership:</b> counted: the code that retains it releases it, and the last release lets the
 * driver take it down. Memory therefore outlives the device that allocated it.
 */
final class CudaContext {
  private static final int MOST_IDLE_EVENTS = 256;

  private final String name;
  private final int device;
  private final long handle;
  private final long memoryBytes;
  private final long foreignBytes;
  private final AtomicLong allocatedBytes = new AtomicLong();
  private final AtomicInteger holders = new AtomicInteger(1);

  /** Events that are not in use; guarded by itself. */
  private final ArrayDeque<Long> idleEvents = new ArrayDeque<>();

  private CudaContext(String name, int device, long handle, long memoryBytes) {
    this.name = name;
    this.device = device;
    this.handle = handle;
    this.memoryBytes = memoryBytes;
    this.foreignBytes = memoryBytes - Math.min(memoryBytes, freeBytes());
  }

  /**
   * Opens the GPU of that number; the caller releases it.
   *
   * @throws DeviceException if there is none, saying in one sentence what is missing
   */
  static CudaContext open(int index) {
    String name = "gpu:" + index;
    CudaDriver.require(name);
    check(name, "cuDeviceGetCount", CudaDriver.deviceCount());
    int count = CudaDriver.intResult();
    if (index < 0 || index >= count) {
      throw new DeviceException(
          name,
          count == 0
              ? "expected an NVIDIA GPU, but the driver finds none; look at nvidia-smi and"
                  + " CUDA_VISIBLE_DEVICES"
              : "expected a GPU of number 0 to %d, but got %d".formatted(count - 1, index),
          null);
    }
    check(name, "cuDeviceGet", CudaDriver.device(index));
    int device = CudaDriver.intResult();
    check(name, "cuDeviceTotalMem", CudaDriver.deviceMemory(device));
    long memoryBytes = CudaDriver.result();
    check(name, "cuDevicePrimaryCtxRetain", CudaDriver.retainPrimaryContext(device));
    long handle = CudaDriver.result();
    try {
      return new CudaContext(name, device, handle, memoryBytes);
    } catch (RuntimeException e) {
      int _ = CudaDriver.releasePrimaryContext(device);
      throw e;
    }
  }

  /** The device's name in messages. */
  String name() {
    return name;
  }

  /** The driver's number of the device. */
  int device() {
    return device;
  }

  long memoryBytes() {
    return memoryBytes;
  }

  /** What was allocated here, and what others had taken when the device was opened. */
  long usedBytes() {
    return foreignBytes + allocatedBytes.get();
  }

  /** What the driver says is free now. */
  long freeBytes() {
    return call("cuMemGetInfo", CudaDriver::memoryInfo, CudaDriver::result);
  }

  String model() {
    check(name, "cuDeviceGetName", CudaDriver.deviceName(device));
    return CudaDriver.stringResult();
  }

  int attribute(int attribute) {
    check(name, "cuDeviceGetAttribute", CudaDriver.deviceAttribute(attribute, device));
    return CudaDriver.intResult();
  }

  // ---- who needs it -----------------------------------------------------------------------------

  void retain() {
    holders.incrementAndGet();
  }

  void release() {
    if (holders.decrementAndGet() == 0) {
      synchronized (idleEvents) {
        idleEvents.forEach(this::destroyQuietly);
        idleEvents.clear();
      }
      int _ = CudaDriver.releasePrimaryContext(device);
    }
  }

  private void destroyQuietly(long event) {
    int _ = callQuietly(() -> CudaDriver.destroyEvent(event));
  }

  // ---- calls ------------------------------------------------------------------------------------

  /** What gives back a number of the driver's. */
  interface Result {
    long read();
  }

  /**
   * Calls the driver, in this context.
   *
   * @param function its name in messages
   * @throws DeviceException if it fails
   */
  void call(String function, IntSupplier call) {
    check(function, callQuietly(call));
  }

  /** Calls the driver, in this context, and reads what it gave back. */
  long call(String function, IntSupplier call, Result result) {
    long[] read = new long[1];
    check(
        function,
        callQuietly(
            () -> {
              int code = call.getAsInt();
              read[0] = code == CudaDriver.SUCCESS ? result.read() : 0;
              return code;
            }));
    return read[0];
  }

  /** Calls the driver, in this context, and returns its result code. */
  int callQuietly(IntSupplier call) {
    int entered = CudaDriver.currentContext();
    boolean isCurrent = entered == CudaDriver.SUCCESS && CudaDriver.result() == handle;
    if (isCurrent) {
      return call.getAsInt();
    }
    int pushed = CudaDriver.pushContext(handle);
    if (pushed != CudaDriver.SUCCESS) {
      return pushed;
    }
    try {
      return call.getAsInt();
    } finally {
      int _ = CudaDriver.popContext();
    }
  }

  /** Throws if a result code is an error. */
  void check(String function, int result) {
    check(name, function, result);
  }

  private static void check(String device, String function, int result) {
    if (result != CudaDriver.SUCCESS) {
      throw new DeviceException(device, function + " failed: " + CudaDriver.describe(result), null);
    }
  }

  /**
   * Whether an error leaves the context useless: those of kernels that ran, and of the hardware.
   * The driver gives them back from every later call.
   */
  static boolean endsAll(int result) {
    return (result >= 700 && result <= 721 && result != 701 && result != 704 && result != 705)
        || result == 214 // an error of memory that could not be corrected
        || result == 220 // of NVLink
        || result == 226 // a fault that was contained
        || result == 999;
  }

  // ---- memory -----------------------------------------------------------------------------------

  /**
   * Allocates memory of the device; {@link #free} gives it back.
   *
   * @throws DeviceMemoryException if there is no room
   */
  long allocate(long bytes) {
    long[] address = new long[1];
    int result =
        callQuietly(
            () -> {
              int code = CudaDriver.allocate(bytes);
              address[0] = CudaDriver.result();
              return code;
            });
    if (result == CudaDriver.OUT_OF_MEMORY) {
      throw new DeviceMemoryException(name, bytes, memoryBytes - freeBytes(), memoryBytes);
    }
    check("cuMemAlloc", result);
    allocatedBytes.addAndGet(bytes);
    retain();
    return address[0];
  }

  /** Frees memory, also where the context is useless: then it goes with the context. */
  void free(long address, long bytes) {
    int _ = callQuietly(() -> CudaDriver.free(address));
    allocatedBytes.addAndGet(-bytes);
    release();
  }

  /** Allocates pinned memory of the host; {@link #freePinned} gives it back. */
  long allocatePinned(long bytes) {
    long[] address = new long[1];
    int result =
        callQuietly(
            () -> {
              int code = CudaDriver.allocateHost(bytes);
              address[0] = CudaDriver.result();
              return code;
            });
    if (result == CudaDriver.OUT_OF_MEMORY) {
      throw new DeviceException(
          name,
          "expected %s of pinned memory, but the host gives no more; use smaller batches or a smaller buffer"
              .formatted(Plural.of(bytes, "byte")),
          null);
    }
    check("cuMemHostAlloc", result);
    PinnedMemory.add(address[0], bytes);
    retain();
    return address[0];
  }

  void freePinned(long address) {
    PinnedMemory.remove(address);
    int _ = callQuietly(() -> CudaDriver.freeHost(address));
    release();
  }

  // ---- events -----------------------------------------------------------------------------------

  /** An event that nothing else uses; {@link #giveBackEvent} gives it back. */
  long takeEvent() {
    Long idle;
    synchronized (idleEvents) {
      idle = idleEvents.pollFirst();
    }
    long event =
        idle != null ? idle : call("cuEventCreate", CudaDriver::createEvent, CudaDriver::result);
    retain();
    return event;
  }

  /** Work that waits for it on the device goes on waiting for what it marked. */
  void giveBackEvent(long event) {
    boolean isKept;
    synchronized (idleEvents) {
      isKept = idleEvents.size() < MOST_IDLE_EVENTS;
      if (isKept) {
        idleEvents.addFirst(event);
      }
    }
    if (!isKept) {
      destroyQuietly(event);
    }
    release();
  }

  @Override
  public String toString() {
    return name;
  }
}
