package dev.headrace.device;

import dev.headrace.data.Account;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The host's own memory as a device, at full speed or behind a bus that is simulated.
 *
 * <p>Its streams are as asynchronous as those of an accelerator: each has a thread that really
 * copies the bytes and then waits until the bus would have carried them. So pipelines that transfer
 * can be tried, tested and diagnosed where there is no accelerator. Tensors in its memory are read
 * like any others.
 *
 * <p><b>Threading:</b> safe for any number of threads.
 *
 * <p><b>Ownership:</b> whoever opened it closes it; {@link Device#host} belongs to nobody.
 */
public final class HostDevice implements Device {
  private static final int ALIGNMENT = 64;

  /** As the virtual machine does for direct buffers: as much beside the heap as in it. */
  static final HostDevice FULL_SPEED =
      new HostDevice(
          new Simulation(
              "host", Long.MAX_VALUE, Duration.ZERO, true, Runtime.getRuntime().maxMemory()),
          true);

  private final Simulation simulation;
  private final boolean isShared;
  private final Account memory;
  private final Bus bus;
  private final Set<HostStream> streams = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  private HostDevice(Simulation simulation, boolean isShared) {
    this.simulation = simulation;
    this.isShared = isShared;
    this.memory = new Account(simulation.name, simulation.memoryBytes);
    this.bus = new Bus(simulation.bytesPerSecond, simulation.latency.toNanos());
  }

  /** A device to be described and opened: fast, pinned and of 1 GiB unless said otherwise. */
  public static Simulation simulated() {
    return new Simulation("simulated", Long.MAX_VALUE, Duration.ZERO, true, 1L << 30);
  }

  /**
   * What a simulated device is like.
   *
   * @param name for messages
   * @param bytesPerSecond what the bus carries, in both directions together
   * @param latency what each copy takes on the bus besides
   * @param pinned whether host memory is; if not, every copy is staged by the thread that asks for
   *     it, which waits for it, as CUDA does with memory that may be paged
   * @param memoryBytes how much may be allocated
   */
  public record Simulation(
      String name, long bytesPerSecond, Duration latency, boolean pinned, long memoryBytes) {

    public Simulation {
      if (bytesPerSecond < 1) {
        throw new IllegalArgumentException(
            "simulated device: expected a bus of at least 1 byte per second, but got "
                + bytesPerSecond);
      }
      if (latency.isNegative()) {
        throw new IllegalArgumentException(
            "simulated device: expected a latency of 0 or more, but got " + latency);
      }
      if (memoryBytes < 1) {
        throw new IllegalArgumentException(
            "simulated device: expected at least 1 byte of memory, but got " + memoryBytes);
      }
    }

    public Simulation named(String newName) {
      return new Simulation(newName, bytesPerSecond, latency, pinned, memoryBytes);
    }

    public Simulation bytesPerSecond(long bytes) {
      return new Simulation(name, bytes, latency, pinned, memoryBytes);
    }

    public Simulation latency(Duration eachCopy) {
      return new Simulation(name, bytesPerSecond, eachCopy, pinned, memoryBytes);
    }

    public Simulation pinned(boolean isPinned) {
      return new Simulation(name, bytesPerSecond, latency, isPinned, memoryBytes);
    }

    public Simulation memoryBytes(long bytes) {
      return new Simulation(name, bytesPerSecond, latency, pinned, bytes);
    }

    /** Opens a device like this, with memory and a bus of its own. */
    public HostDevice open() {
      return new HostDevice(this, false);
    }
  }

  @Override
  public String name() {
    return simulation.name;
  }

  @Override
  public long memoryBytes() {
    return memory.limitBytes();
  }

  @Override
  public long usedBytes() {
    return memory.usedBytes();
  }

  @Override
  @SuppressWarnings("restricted") // same address, size and arena: only to learn of its end
  public MemorySegment allocate(Arena arena, long bytes) {
    checkOpen();
    if (bytes < 1) {
      throw new IllegalArgumentException(
          "device " + name() + ": expected to allocate at least 1 byte, but got " + bytes);
    }
    if (!memory.tryReserve(bytes)) {
      throw new DeviceMemoryException(name(), bytes, memory.usedBytes(), memory.limitBytes());
    }
    try {
      return arena.allocate(bytes, ALIGNMENT).reinterpret(arena, _ -> memory.release(bytes));
    } catch (OutOfMemoryError e) {
      memory.release(bytes);
      throw new DeviceException(name(), "the host gives no more memory", e);
    } catch (RuntimeException e) {
      memory.release(bytes);
      throw e;
    }
  }

  @Override
  public boolean isPinned(MemorySegment host) {
    return simulation.pinned;
  }

  @Override
  public DeviceStream openStream(String purpose) {
    checkOpen();
    HostStream stream = new HostStream(this, bus, purpose, streams::remove);
    streams.add(stream);
    if (closed) {
      stream.close(); // closed meanwhile
    }
    return stream;
  }

  private void checkOpen() {
    if (closed) {
      throw new DeviceException(name(), "expected it to be open, but it was closed", null);
    }
  }

  @Override
  public void close() {
    if (!isShared) {
      closed = true;
      streams.forEach(HostStream::close);
    }
  }

  @Override
  public String toString() {
    return name();
  }

  /**
   * The simulated way between host and device, which carries one copy at a time.
   *
   * <p>It only reckons: a copy begins when it could, or when the one before it has ended, so that
   * threads which wake late do not make the bus slower.
   */
  static final class Bus {
    private final double nsPerByte;
    private final long latencyNs;
    private long busyUntilNs = System.nanoTime();

    private Bus(long bytesPerSecond, long latencyNs) {
      this.nsPerByte = bytesPerSecond == Long.MAX_VALUE ? 0 : 1e9 / bytesPerSecond;
      this.latencyNs = latencyNs;
    }

    /** Carries a copy that could begin at {@code readyNs}; returns when it ends. */
    synchronized long carry(long readyNs, long bytes) {
      long startNs = busyUntilNs - readyNs > 0 ? busyUntilNs : readyNs;
      busyUntilNs = startNs + latencyNs + (long) (bytes * nsPerByte);
      return busyUntilNs;
    }

    /** Forgets a copy that was broken off, unless others were queued behind it. */
    synchronized void breakOff(long endNs) {
      if (busyUntilNs == endNs) {
        busyUntilNs = System.nanoTime();
      }
    }
  }
}
