package dev.headrace.cuda;

import dev.headrace.device.DeviceEvent;
import dev.headrace.device.DeviceException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A mark in a stream of the GPU; or one that was never made, because the stream had failed.
 *
 * <p>Waiting asks the driver again and again, with naps: a thread that sleeps in the driver could
 * neither be interrupted nor be told that its stream was closed.
 *
 * <p><b>Threading:</b> safe for any number of threads.
 *
 * <p><b>Ownership:</b> its context stays as long as it is not closed.
 */
final class CudaEvent implements DeviceEvent {
  private static final int SPINS = 12;
  private static final long NAP_NS = 25_000;
  private static final long NO_HANDLE = 0;
  private static final double NS_PER_MS = 1e6;

  private final CudaContext context;
  private final long handle;
  private boolean done;
  private boolean closed;
  private @Nullable DeviceException failure;

  private CudaEvent(CudaContext context, long handle, @Nullable DeviceException failure) {
    this.context = context;
    this.handle = handle;
    this.failure = failure;
  }

  /** Marks a stream of the driver's. */
  static CudaEvent record(CudaContext context, long stream) {
    long handle = context.takeEvent();
    try {
      context.call("cuEventRecord", () -> CudaDriver.recordEvent(handle, stream));
    } catch (DeviceException e) {
      context.giveBackEvent(handle);
      throw e;
    }
    return new CudaEvent(context, handle, null);
  }

  /** The event of a stream that had failed before. */
  static CudaEvent failed(CudaContext context, DeviceException cause) {
    return new CudaEvent(context, NO_HANDLE, cause);
  }

  /** Makes a stream of the driver's wait for it. Throws if it has failed. */
  synchronized void holdUp(long stream) {
    throwFailure();
    checkOpen();
    if (!done) {
      context.call("cuStreamWaitEvent", () -> CudaDriver.streamWaits(stream, handle));
    }
  }

  private synchronized void checkOpen() {
    if (closed) {
      throw new IllegalStateException(
          "device " + context.name() + ": expected an event that is open, but it was closed");
    }
  }

  boolean isOf(CudaContext other) {
    return context.device() == other.device();
  }

  @Override
  public synchronized boolean isDone() {
    if (done || closed || failure != null) {
      return true;
    }
    int result = context.callQuietly(() -> CudaDriver.queryEvent(handle));
    if (result == CudaDriver.NOT_READY) {
      return false;
    }
    try {
      context.check("what was queued before an event", result);
      done = true;
    } catch (DeviceException e) {
      failure = e;
    }
    return true;
  }

  @Override
  public boolean await(long timeoutNs) throws InterruptedException {
    long startNs = System.nanoTime();
    for (int polls = 0; !isDone(); polls++) {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      long leftNs = timeoutNs - (System.nanoTime() - startNs);
      if (leftNs <= 0) {
        return false;
      }
      if (polls < SPINS) {
        Thread.onSpinWait();
      } else {
        LockSupport.parkNanos(this, Math.min(NAP_NS, leftNs));
      }
    }
    throwFailure();
    return true;
  }

  /**
   * Waits whatever interruptions there are, until it is done or {@code isOver}.
   *
   * @return whether it is done
   */
  boolean awaitUnless(BooleanSupplier isOver) {
    boolean interrupted = false;
    try {
      while (!isOver.getAsBoolean()) {
        try {
          if (await(1_000_000)) {
            return true;
          }
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      return false;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private synchronized void throwFailure() {
    DeviceException cause = failure;
    if (cause != null) {
      throw new DeviceException(cause.device(), cause.reason(), cause);
    }
  }

  @Override
  public long nanosSince(DeviceEvent start) {
    if (!(start instanceof CudaEvent earlier) || !isOf(earlier.context)) {
      throw new IllegalArgumentException(
          "device " + context.name() + ": expected an event of the same device, but got " + start);
    }
    checkCanBeTimed();
    earlier.checkCanBeTimed();
    float[] millis = new float[1];
    context.call(
        "cuEventElapsedTime",
        () -> {
          int result = CudaDriver.elapsed(earlier.handle, handle);
          millis[0] = CudaDriver.floatResult();
          return result;
        });
    return Math.round(millis[0] * NS_PER_MS);
  }

  private void checkCanBeTimed() {
    if (!isDone()) {
      throw new IllegalStateException(
          "device "
              + context.name()
              + ": expected an event that is done, but it is not; await it first");
    }
    throwFailure();
    checkOpen();
  }

  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      if (handle != NO_HANDLE) {
        context.giveBackEvent(handle);
      }
    }
  }

  @Override
  public String toString() {
    return "event of device " + context.name();
  }
}
