package dev.headrace.cuda;

import dev.headrace.cuda.kernel.Program;
import dev.headrace.data.Plural;
import dev.headrace.data.Tensor;
import dev.headrace.device.Device;
import dev.headrace.device.DeviceEvent;
import dev.headrace.device.DeviceException;
import dev.headrace.device.DeviceMemoryException;
import dev.headrace.device.DeviceStream;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A stream of the GPU: one that was opened here, or the consumer's own.
 *
 * <p>Closing drops nothing: what the driver was given runs to its end, which is waited for. Where
 * the device has failed there is nothing to wait for, and closing returns too.
 *
 * <p><b>Threading:</b> safe for any number of threads.
 *
 * <p><b>Ownership:</b> holds staging memory, and that of its computations, until it is closed. The
 * consumer's own stream is never destroyed here.
 */
final class CudaStream implements DeviceStream {
  private final CudaDevice device;
  private final CudaContext context;
  private final String purpose;
  private final long handle;
  private final boolean isOurs;
  private final Consumer<CudaStream> onClose;
  private final Staging staging;

  /** Held for reading by threads that queue, for writing by the thread that closes. */
  private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();

  private volatile boolean closing;

  /** Why nothing more is queued. */
  private volatile @Nullable DeviceException failure;

  /** Held while a program is prepared. */
  private final ReentrantLock preparing = new ReentrantLock();

  /** Held while one is queued. */
  private final ReentrantLock computing = new ReentrantLock();

  private @Nullable ProgramRunner runner;
  private @Nullable Workers workers;
  private boolean closed;

  private CudaStream(
      CudaDevice device,
      CudaContext context,
      String purpose,
      long handle,
      boolean isOurs,
      Consumer<CudaStream> onClose) {
    this.device = device;
    this.context = context;
    this.purpose = purpose;
    this.handle = handle;
    this.isOurs = isOurs;
    this.onClose = onClose;
    this.staging = new Staging(context, handle, this::isClosing);
  }

  /** A new stream, which does not wait for the default stream of others. */
  static CudaStream open(
      CudaDevice device, CudaContext context, String purpose, Consumer<CudaStream> onClose) {
    long handle = context.call("cuStreamCreate", CudaDriver::createStream, CudaDriver::result);
    context.retain();
    return new CudaStream(device, context, purpose, handle, true, onClose);
  }

  /** A stream that somebody else has made, or 0 for the legacy default stream. */
  static CudaStream ofConsumer(CudaDevice device, CudaContext context, long handle) {
    context.retain();
    return new CudaStream(device, context, "consumer", handle, false, _ -> {});
  }

  @Override
  public Device device() {
    return device;
  }

  /** The driver's {@code CUstream}. */
  long handle() {
    return handle;
  }

  /** Whether no thread should wait for it any more. */
  boolean isClosing() {
    return closing;
  }

  // ---- copies -----------------------------------------------------------------------------------

  @Override
  public void copyToDevice(MemorySegment host, MemorySegment deviceMemory) {
    checkSizes(host, deviceMemory);
    long bytes = host.byteSize();
    queue(
        () -> {
          if (!PinnedMemory.contains(host)) {
            return staging.toDevice(host, deviceMemory.address());
          }
          context.call(
              "cuMemcpyHtoDAsync",
              () -> CudaDriver.copyToDevice(deviceMemory.address(), host.address(), bytes, handle));
          return true;
        });
  }

  @Override
  public void copyToHost(MemorySegment deviceMemory, MemorySegment host) {
    checkSizes(deviceMemory, host);
    if (host.isReadOnly()) {
      throw new IllegalArgumentException(
          "device copy: expected memory to write to, but the destination is read-only");
    }
    long bytes = host.byteSize();
    queue(
        () -> {
          if (!PinnedMemory.contains(host)) {
            return staging.toHost(deviceMemory.address(), host);
          }
          context.call(
              "cuMemcpyDtoHAsync",
              () -> CudaDriver.copyToHost(host.address(), deviceMemory.address(), bytes, handle));
          return true;
        });
  }

  private static void checkSizes(MemorySegment from, MemorySegment to) {
    if (from.byteSize() != to.byteSize()) {
      throw new IllegalArgumentException(
          "device copy: expected memory of one size, but got %s to be copied to %,d"
              .formatted(Plural.of(from.byteSize(), "byte"), to.byteSize()));
    }
  }

  // ---- computations -----------------------------------------------------------------------------

  @Override
  public void compute(Tensor deferred, MemorySegment deviceMemory) {
    if (deferred.byteSize() != deviceMemory.byteSize()) {
      throw new IllegalArgumentException(
          "device computation: expected memory of %s, but got %,d"
              .formatted(Plural.of(deferred.byteSize(), "byte"), deviceMemory.byteSize()));
    }
    if (deferred.isDeferred()) {
      run(ProgramLinker.link(deferred), deviceMemory);
    } else if (deferred.place() == null) {
      deferred.borrow(memory -> copyToDevice(memory, deviceMemory));
    } else {
      queue(
          () -> {
            context.call(
                "cuMemcpyDtoDAsync",
                () ->
                    CudaDriver.copyOnDevice(
                        deviceMemory.address(),
                        deferred.placedMemory().address(),
                        deferred.byteSize(),
                        handle));
            return true;
          });
    }
  }

  /** Compiles, and puts into pinned memory what the device will read; the rest is queued later. */
  @Override
  public Computation prepare(Tensor deferred, MemorySegment deviceMemory) {
    if (!deferred.isDeferred() || deferred.byteSize() != deviceMemory.byteSize()) {
      return () -> compute(deferred, deviceMemory);
    }
    Program program = ProgramLinker.link(deferred);
    ProgramRunner.Prepared[] prepared = new ProgramRunner.Prepared[1];
    queue(
        () -> {
          preparing.lock();
          try {
            prepared[0] = runner().prepare(program, deviceMemory.address());
            return prepared[0] != null;
          } finally {
            preparing.unlock();
          }
        });
    return () -> queue(() -> queued(prepared[0]));
  }

  private boolean queued(ProgramRunner.@Nullable Prepared prepared) {
    computing.lock();
    try {
      return prepared != null && prepared.queue();
    } finally {
      computing.unlock();
    }
  }

  /** Queues a program with its result. */
  void run(Program program, MemorySegment target) {
    queue(
        () -> {
          ProgramRunner.Prepared prepared;
          preparing.lock();
          try {
            prepared = runner().prepare(program, target.address());
          } finally {
            preparing.unlock();
          }
          return queued(prepared);
        });
  }

  private ProgramRunner runner() {
    ProgramRunner made = runner;
    if (made == null) {
      Workers helpers = new Workers("cuda " + purpose, Runtime.getRuntime().availableProcessors());
      made =
          new ProgramRunner(
              context, device.modules(), device.decoder(), helpers, handle, this::isClosing);
      workers = helpers;
      runner = made;
    }
    return made;
  }

  // ---- events -----------------------------------------------------------------------------------

  @Override
  public CudaEvent record() {
    enter();
    try {
      DeviceException cause = failure;
      if (cause != null) {
        return CudaEvent.failed(context, cause);
      }
      try {
        return CudaEvent.record(context, handle);
      } catch (DeviceException e) {
        fail(e);
        return CudaEvent.failed(context, e);
      }
    } finally {
      leave();
    }
  }

  @Override
  public void waitFor(DeviceEvent event) {
    if (!(event instanceof CudaEvent other) || !other.isOf(context)) {
      throw new IllegalArgumentException(
          "device " + context.name() + ": expected an event of the same device, but got " + event);
    }
    queue(
        () -> {
          other.holdUp(handle);
          return true;
        });
  }

  // ---- queueing and closing ---------------------------------------------------------------------

  /** Something that is queued; false if the stream was closed before that was done. */
  private interface Task {
    boolean queue();
  }

  private void queue(Task task) {
    enter();
    try {
      DeviceException cause = failure;
      if (cause != null) {
        throw new DeviceException(cause.device(), cause.reason(), cause);
      }
      if (!task.queue()) {
        throw closedStream();
      }
    } catch (DeviceMemoryException e) {
      throw e; // nothing was queued
    } catch (DeviceException e) {
      fail(e);
      throw e;
    } finally {
      leave();
    }
  }

  /** From now on every event fails with this cause: what came before it is not there. */
  private void fail(DeviceException e) {
    if (failure == null && !closing) {
      failure = e;
    }
  }

  private void enter() {
    lock.readLock().lock();
    if (closing) {
      lock.readLock().unlock();
      throw closedStream();
    }
  }

  private void leave() {
    lock.readLock().unlock();
  }

  private DeviceException closedStream() {
    return new DeviceException(
        context.name(), "expected a stream that is open, but it was closed", null);
  }

  /** The consumer's own stream stays open until its device is closed. */
  @Override
  public void close() {
    if (isOurs) {
      end();
    }
  }

  /** Waits for what is queued and frees what is held. */
  void end() {
    closing = true; // threads that wait let go
    lock.writeLock().lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      if (isOurs || runner != null) { // another's may be gone
        int _ = context.callQuietly(() -> CudaDriver.synchronizeStream(handle));
      }
      if (runner != null) {
        runner.close();
      }
      if (workers != null) {
        workers.close();
      }
      staging.close();
      if (isOurs) {
        int _ = context.callQuietly(() -> CudaDriver.destroyStream(handle));
      }
    } finally {
      lock.writeLock().unlock();
    }
    onClose.accept(this);
    context.release();
  }

  @Override
  public String toString() {
    return "stream '%s' of device %s".formatted(purpose, context.name());
  }
}
