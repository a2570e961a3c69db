package dev.headrace.device;

import dev.headrace.data.Account;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

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
 * <p><b>Ownership:</b> the code that opened it closes it; {@link Device#host} has no owner.
 */
public final class HostDevice implements Device {
  private static final int ALIGNMENT = 64;

  /** As the virtual machine does for direct buffers: as much beside the heap as in it. */
  static final HostDevice FULL_SPEED =
      new HostDevice(
          new Simulation(
              "host",
              Long.MAX_VALUE,
              Duration.ZERO,
              Pinning.ALL,
              Runtime.getRuntime().maxMemory(),
              false),
          true);

  private final Simulation simulation;
  private final boolean isShared;
  private final Account memory;
  private final Bus bus;
  private final Set<HostStream> streams = ConcurrentHashMap.newKeySet();
  private final ConcurrentSkipListMap<Long, Long> pinned = new ConcurrentSkipListMap<>();
  private final @Nullable DeviceStream consumer;
  private volatile boolean closed;

  private HostDevice(Simulation simulation, boolean isShared) {
    this.simulation = simulation;
    this.isShared = isShared;
    this.memory = new Account(simulation.name, simulation.memoryBytes);
    this.bus = new Bus(simulation.bytesPerSecond, simulation.latency.toNanos());
    this.consumer = simulation.hasConsumer ? openStream("consumer") : null;
  }

  /** Which host memory copies are asynchronous from. */
  public enum Pinning {
    ALL,
    /** What {@link Device#allocatePinned} gave, as on a real device. */
    ALLOCATED,
    NONE
  }

  /** A device to be described and opened: fast, pinned and of 1 GiB unless said otherwise. */
  public static Simulation simulated() {
    return new Simulation("simulated", Long.MAX_VALUE, Duration.ZERO, Pinning.ALL, 1L << 30, false);
  }

  /**
   * What a simulated device is like.
   *
   * @param name for messages
   * @param bytesPerSecond what the bus carries, in both directions together
   * @param latency what each copy takes on the bus besides
   * @param pinning which host memory is pinned; from other memory every copy is staged by the
   *     thread that asks for it, which waits for it, as CUDA does with memory that may be paged
   * @param memoryBytes how much may be allocated
   * @param hasConsumer whether batches are consumed on a stream of the device, which waits for them
   *     in the consumer's place
   */
  public record Simulation(
      String name,
      long bytesPerSecond,
      Duration latency,
      Pinning pinning,
      long memoryBytes,
      boolean hasConsumer) {

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
      return new Simulation(newName, bytesPerSecond, latency, pinning, memoryBytes, hasConsumer);
    }

    public Simulation bytesPerSecond(long bytes) {
      return new Simulation(name, bytes, latency, pinning, memoryBytes, hasConsumer);
    }

    public Simulation latency(Duration eachCopy) {
      return new Simulation(name, bytesPerSecond, eachCopy, pinning, memoryBytes, hasConsumer);
    }

    public Simulation pinned(boolean isPinned) {
      return pinning(isPinned ? Pinning.ALL : Pinning.NONE);
    }

    public Simulation pinning(Pinning which) {
      return new Simulation(name, bytesPerSecond, latency, which, memoryBytes, hasConsumer);
    }

    public Simulation memoryBytes(long bytes) {
      return new Simulation(name, bytesPerSecond, latency, pinning, bytes, hasConsumer);
    }

    /** With a stream on which batches are consumed: {@link Device#consumer}. */
    public Simulation consumedOnStream() {
      return new Simulation(name, bytesPerSecond, latency, pinning, memoryBytes, true);
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

  /** Where a bus is simulated that has a limit. */
  @Override
  public boolean computesCasts() {
    return simulation.bytesPerSecond < Long.MAX_VALUE;
  }

  @Override
  public boolean isPinned(MemorySegment host) {
    return switch (simulation.pinning) {
      case ALL -> true;
      case NONE -> false;
      case ALLOCATED -> {
        Map.Entry<Long, Long> at = host.isNative() ? pinned.floorEntry(host.address()) : null;
        yield at != null && host.address() + host.byteSize() <= at.getKey() + at.getValue();
      }
    };
  }

  @Override
  @SuppressWarnings("restricted") // same address, size and arena: only to learn of its end
  public MemorySegment allocatePinned(Arena arena, long bytes) {
    MemorySegment memory = arena.allocate(bytes, ALIGNMENT);
    if (simulation.pinning != Pinning.ALLOCATED) {
      return memory;
    }
    pinned.put(memory.address(), bytes);
    return memory.reinterpret(arena, freed -> pinned.remove(freed.address()));
  }

  @Override
  public @Nullable DeviceStream consumer() {
    return consumer;
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
   * <p>It only computes times: a copy begins when it could, or when the one before it has ended, so
   * that threads which wake late do not make the bus slower.
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
