package dev.headrace.cuda;

import dev.headrace.data.Place;
import dev.headrace.device.Device;
import dev.headrace.device.DeviceException;
import dev.headrace.device.DeviceStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * An NVIDIA GPU, through its driver alone.
 *
 * <pre>{@code
 * try (CudaDevice gpu = CudaDevice.open(0);
 *     Pipeline<Labelled> batches = train.batch(64).prefetchToDevice(gpu).open()) {
 *   for (Labelled batch : batches) {
 *     long address = batch.image().placedMemory().address();
 *     step(address, batch.image().shape()); // queued in gpu.consumer(): waits for the batch by itself
 *   }
 * }
 * }</pre>
 *
 * <p>It uses the device's <em>primary context</em>, as CUDA's runtime and PyTorch do, so that
 * addresses of its memory mean the same to all libraries of the process. The consumer works on
 * batches in one stream: the legacy default stream, in which PyTorch works unless told otherwise,
 * or the one given to {@link #consumedOn}. {@link #consumer} knows it, so that batches wait for the
 * consumer and the consumer for batches, and no thread for either.
 *
 * <p>Memory of the device is a segment with an address and a size; touching it from Java throws a
 * {@link WrongThreadException}. It may outlive the device: it is its arena's.
 *
 * <p>Computations may decode JPEG files. That is done by NVIDIA's library nvJPEG, if the property
 * {@code headrace.nvjpeg} names its file or the system's loader finds it: on the chip's own engines
 * where it has some, else by kernels. What it cannot decode, and everything where it is missing,
 * the host decodes on its cores. {@link #decodedBy} says who.
 *
 * <p>After a kernel's fault the device is of no use any more, and neither is CUDA in the process:
 * everything that is asked of it throws with the fault's name, and {@link #close} returns.
 *
 * <p><b>Threading:</b> safe for any number of threads.
 *
 * <p><b>Ownership:</b> the code that opened it closes it, after the pipelines that use it. The
 * device and its views are one: closing one closes all.
 */
public final class CudaDevice implements Device {
  private static final long DEFAULT_STREAM = 0;

  private final Shared shared;
  private final CudaContext context;
  private final CudaStream consumer;
  private final CudaPlace place;

  private CudaDevice(Shared shared, long consumerStream) {
    this.shared = shared;
    this.context = shared.context;
    this.consumer = CudaStream.ofConsumer(this, context, consumerStream);
    this.place = new CudaPlace(context, consumer);
  }

  /** What a device and its views have together. */
  private static final class Shared {
    final CudaContext context;
    final Modules modules;
    final Set<CudaStream> streams = ConcurrentHashMap.newKeySet();
    private @Nullable DeviceDecoder decoder;
    private boolean closed;

    Shared(CudaContext context) {
      this.context = context;
      this.modules = new Modules(context);
    }

    synchronized DeviceDecoder decoder() {
      checkOpen();
      DeviceDecoder opened = decoder;
      if (opened == null) {
        opened = DeviceDecoder.open(context, NvJpeg.find());
        decoder = opened;
      }
      return opened;
    }

    synchronized void checkOpen() {
      if (closed) {
        throw new DeviceException(
            context.name(), "expected it to be open, but it was closed", null);
      }
    }

    /** Whether this call closes it. */
    synchronized boolean beginToClose() {
      boolean wasOpen = !closed;
      closed = true;
      return wasOpen;
    }

    synchronized boolean isClosed() {
      return closed;
    }

    void close() {
      if (!beginToClose()) {
        return;
      }
      for (CudaStream stream : streams) {
        stream.end();
      }
      synchronized (this) {
        if (decoder != null) {
          decoder.close();
        }
      }
      modules.close();
      context.release();
    }
  }

  /**
   * The GPU of that number, counted from 0 as its driver does.
   *
   * @throws DeviceException if there is none, saying in one sentence what is missing
   */
  public static CudaDevice open(int index) {
    return of(new Shared(CudaContext.open(index)), DEFAULT_STREAM);
  }

  private static CudaDevice of(Shared shared, long consumerStream) {
    CudaDevice device = new CudaDevice(shared, consumerStream);
    shared.streams.add(device.consumer);
    return device;
  }

  /**
   * The same device, whose batches are worked on in another stream than the default one.
   *
   * @param stream a {@code CUstream} (or {@code cudaStream_t}, which is the same) of the device's
   *     primary context, by its address; it must outlive this view
   */
  public CudaDevice consumedOn(long stream) {
    shared.checkOpen();
    CudaDevice view = of(shared, stream);
    if (shared.isClosed()) {
      view.consumer.end(); // closed meanwhile
    }
    return view;
  }

  // ---- what it is -------------------------------------------------------------------------------

  @Override
  public String name() {
    return context.name();
  }

  /** What the device is called by its maker. */
  public String model() {
    shared.checkOpen();
    return context.model();
  }

  /** What its kernels may use, as in {@code 9.0}. */
  public String computeCapability() {
    shared.checkOpen();
    return context.attribute(CudaDriver.ATTRIBUTE_CAPABILITY_MAJOR)
        + "."
        + context.attribute(CudaDriver.ATTRIBUTE_CAPABILITY_MINOR);
  }

  /** How many multiprocessors it has. */
  public int multiprocessors() {
    shared.checkOpen();
    return context.attribute(CudaDriver.ATTRIBUTE_MULTIPROCESSORS);
  }

  /** The newest version of CUDA that the driver knows, as in {@code 13.0}. */
  public String driverVersion() {
    shared.checkOpen();
    long version =
        context.call("cuDriverGetVersion", CudaDriver::driverVersion, CudaDriver::intResult);
    return version / 1000 + "." + version % 1000 / 10;
  }

  /**
   * Who decodes JPEG files in computations on this device, in words: engines of the chip, kernels,
   * or the host, and why.
   */
  public String decodedBy() {
    return shared.decoder().describe();
  }

  /** How many JPEG files the device has decoded. */
  public long imagesDecoded() {
    return shared.decoder().byDevice();
  }

  /** How many JPEG files the host has decoded because the device could not. */
  public long imagesDecodedByHost() {
    return shared.decoder().byHost();
  }

  // ---- memory -----------------------------------------------------------------------------------

  @Override
  public long memoryBytes() {
    return context.memoryBytes();
  }

  /**
   * How much memory is allocated: what was through this device, and what others had taken when it
   * was opened. {@link #freeBytes} asks the driver.
   */
  @Override
  public long usedBytes() {
    return context.usedBytes();
  }

  /** How much memory the driver says is free at this moment. */
  public long freeBytes() {
    shared.checkOpen();
    return context.freeBytes();
  }

  /** How much memory of the host is pinned, for all GPUs of the process. */
  public static long pinnedBytes() {
    return PinnedMemory.bytes();
  }

  @Override
  @SuppressWarnings("restricted") // to learn of the arena's end; not accessible
  public MemorySegment allocate(Arena arena, long bytes) {
    checkSize(bytes);
    shared.checkOpen();
    long address = context.allocate(bytes);
    MemorySegment owner;
    try {
      owner =
          MemorySegment.ofAddress(address).reinterpret(arena, _ -> context.free(address, bytes));
    } catch (RuntimeException e) {
      context.free(address, bytes);
      throw e;
    }
    return DeviceAddresses.at(address, bytes, owner);
  }

  @Override
  public boolean computesCasts() {
    return true;
  }

  @Override
  public boolean isPinned(MemorySegment host) {
    return PinnedMemory.contains(host);
  }

  @Override
  @SuppressWarnings("restricted") // memory that was allocated with this size
  public MemorySegment allocatePinned(Arena arena, long bytes) {
    checkSize(bytes);
    shared.checkOpen();
    long address = context.allocatePinned(bytes);
    try {
      return MemorySegment.ofAddress(address)
          .reinterpret(bytes, arena, _ -> context.freePinned(address));
    } catch (RuntimeException e) {
      context.freePinned(address);
      throw e;
    }
  }

  private void checkSize(long bytes) {
    if (bytes < 1) {
      throw new IllegalArgumentException(
          "device " + name() + ": expected to allocate at least 1 byte, but got " + bytes);
    }
  }

  @Override
  public Place place() {
    return place;
  }

  // ---- streams ----------------------------------------------------------------------------------

  @Override
  public DeviceStream consumer() {
    return consumer;
  }

  /** The stream in which batches are worked on, as the address of its {@code CUstream}. */
  public long consumerStream() {
    return consumer.handle();
  }

  @Override
  public DeviceStream openStream(String purpose) {
    shared.checkOpen();
    CudaStream stream = CudaStream.open(this, context, purpose, shared.streams::remove);
    shared.streams.add(stream);
    if (shared.isClosed()) {
      stream.close(); // closed meanwhile
    }
    return stream;
  }

  Modules modules() {
    return shared.modules;
  }

  DeviceDecoder decoder() {
    return shared.decoder();
  }

  /**
   * Closes the streams that are still open, but for those of others, and lets nothing more be
   * allocated. Memory that was allocated is its arena's. Closing again does nothing.
   */
  @Override
  public void close() {
    shared.close();
  }

  @Override
  public String toString() {
    return name();
  }
}
