package dev.headrace.device;

import dev.headrace.data.Plural;
import dev.headrace.data.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A stream of the host device: a thread that copies, and then waits until the bus would be done.
 *
 * <p><b>Threading:</b> safe for any number of threads; the queue is guarded by the lock. The thread
 * starts with the first thing queued.
 */
final class HostStream implements DeviceStream {
  /* Time. The stream has a time of its own, the moment at which the bus was done with the last
   * copy; a thread that sleeps too long does not delay it, as long as the next copy was queued
   * before. Events are stamped with that time, so that what they measure is the bus. */

  /** Copied at once, so that closing does not wait for a large copy. */
  private static final long SLICE_BYTES = 4 << 20;

  private static final AtomicLong NUMBERS = new AtomicLong();

  private final HostDevice device;
  private final HostDevice.Bus bus;
  private final String threadName;
  private final Consumer<HostStream> onClose;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition queued = lock.newCondition();
  private final ArrayDeque<Task> queue = new ArrayDeque<>();
  private @Nullable Thread thread;
  private volatile boolean closed;

  /** Held while memory that is not pinned is staged; guards the staging memory. */
  private final ReentrantLock stagingLock = new ReentrantLock();

  private MemorySegment staging = MemorySegment.NULL;

  // The thread's own.
  private long doneNs = System.nanoTime();
  private @Nullable DeviceException failure;

  HostStream(HostDevice device, HostDevice.Bus bus, String purpose, Consumer<HostStream> onClose) {
    this.device = device;
    this.bus = bus;
    this.onClose = onClose;
    this.threadName =
        "headrace-device %s-%d %s".formatted(device.name(), NUMBERS.incrementAndGet(), purpose);
  }

  /** What the thread does next. */
  private sealed interface Task {}

  private record Copy(MemorySegment from, MemorySegment to, long queuedNs) implements Task {}

  private record Compute(Tensor deferred, MemorySegment to) implements Task {}

  private record Mark(HostEvent event, long queuedNs) implements Task {}

  private record Wait(DeviceEvent event) implements Task {}

  @Override
  public Device device() {
    return device;
  }

  // ---- what callers do --------------------------------------------------------------------------

  @Override
  public void copyToDevice(MemorySegment host, MemorySegment deviceMemory) {
    checkSizes(host, deviceMemory);
    if (device.isPinned(host)) {
      queue(new Copy(host, deviceMemory, System.nanoTime()));
      return;
    }
    stagingLock.lock();
    try {
      MemorySegment staged = staging(host.byteSize());
      MemorySegment.copy(host, 0, staged, 0, host.byteSize());
      queue(new Copy(staged, deviceMemory, System.nanoTime()));
      awaitAll();
    } finally {
      stagingLock.unlock();
    }
  }

  @Override
  public void copyToHost(MemorySegment deviceMemory, MemorySegment host) {
    checkSizes(deviceMemory, host);
    if (device.isPinned(host)) {
      queue(new Copy(deviceMemory, host, System.nanoTime()));
      return;
    }
    stagingLock.lock();
    try {
      MemorySegment staged = staging(host.byteSize());
      queue(new Copy(deviceMemory, staged, System.nanoTime()));
      awaitAll();
      MemorySegment.copy(staged, 0, host, 0, host.byteSize());
    } finally {
      stagingLock.unlock();
    }
  }

  @Override
  public void compute(Tensor deferred, MemorySegment deviceMemory) {
    if (deferred.byteSize() != deviceMemory.byteSize()) {
      throw new IllegalArgumentException(
          "device computation: expected memory of %s, but got %,d"
              .formatted(Plural.of(deferred.byteSize(), "byte"), deviceMemory.byteSize()));
    }
    queue(new Compute(deferred, deviceMemory));
  }

  private static void checkSizes(MemorySegment from, MemorySegment to) {
    if (from.byteSize() != to.byteSize()) {
      throw new IllegalArgumentException(
          "device copy: expected memory of one size, but got %s to be copied to %,d"
              .formatted(Plural.of(from.byteSize(), "byte"), to.byteSize()));
    }
    if (to.isReadOnly()) {
      throw new IllegalArgumentException(
          "device copy: expected memory to write to, but the destination is read-only");
    }
  }

  private MemorySegment staging(long bytes) {
    if (staging.byteSize() < bytes) {
      staging = Arena.ofAuto().allocate(bytes, 64);
    }
    return staging.asSlice(0, bytes);
  }

  /** Waits for what was queued, whatever interruptions there are; closing ends it. */
  private void awaitAll() {
    boolean interrupted = false;
    try (DeviceEvent done = record()) {
      while (true) {
        try {
          if (done.await(Long.MAX_VALUE)) {
            return;
          }
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  public DeviceEvent record() {
    HostEvent event = new HostEvent(device.name());
    queue(new Mark(event, System.nanoTime()));
    return event;
  }

  @Override
  public void waitFor(DeviceEvent event) {
    queue(new Wait(event));
  }

  private void queue(Task task) {
    lock.lock();
    try {
      if (closed) {
        throw closedStream();
      }
      queue.addLast(task);
      if (thread == null) {
        thread = Thread.ofPlatform().name(threadName).daemon(true).start(this::run);
      }
      queued.signal();
    } finally {
      lock.unlock();
    }
  }

  private DeviceException closedStream() {
    return new DeviceException(
        device.name(), "expected a stream that is open, but it was closed", null);
  }

  // ---- what the thread does ---------------------------------------------------------------------

  private void run() {
    for (Task task = next(); task != null; task = next()) {
      try {
        perform(task);
      } catch (InterruptedException e) {
        fail(closedStream()); // only closing interrupts
      } catch (DeviceException e) {
        fail(e);
      } catch (Throwable e) {
        fail(new DeviceException(device.name(), "a copy failed: " + e, e));
      }
      if (task instanceof Mark mark) {
        mark.event.settle(doneNs, failure);
      }
    }
  }

  private void fail(DeviceException cause) {
    if (failure == null) {
      failure = cause;
    }
  }

  /** What was queued next, waited for; null when the stream was closed and nothing is left. */
  private @Nullable Task next() {
    lock.lock();
    try {
      while (queue.isEmpty() && !closed) {
        try {
          queued.await();
        } catch (InterruptedException e) {
          continue; // closed, as the condition says
        }
      }
      if (closed) {
        fail(closedStream()); // what is left is dropped, its events are told
      }
      return queue.pollFirst();
    } finally {
      lock.unlock();
    }
  }

  private void perform(Task task) throws InterruptedException {
    if (failure != null) {
      return;
    }
    switch (task) {
      case Copy copy -> {
        long endNs = bus.carry(later(doneNs, copy.queuedNs), copy.from.byteSize());
        try {
          copy(copy.from, copy.to);
          doneNs = later(endNs, System.nanoTime());
          waitUntil(endNs);
        } catch (InterruptedException e) {
          bus.breakOff(endNs);
          throw e;
        }
      }
      case Compute compute -> {
        compute.deferred.copyInto(compute.to, 0);
        doneNs = later(doneNs, System.nanoTime());
      }
      case Mark mark -> doneNs = later(doneNs, mark.queuedNs);
      case Wait wait -> {
        while (!wait.event.await(TimeUnit.SECONDS.toNanos(1))) {
          if (closed) {
            throw new InterruptedException("closed");
          }
        }
        doneNs = later(doneNs, System.nanoTime());
      }
    }
  }

  private void copy(MemorySegment from, MemorySegment to) throws InterruptedException {
    long bytes = from.byteSize();
    for (long at = 0; at < bytes; at += SLICE_BYTES) {
      if (closed) {
        throw new InterruptedException("closed");
      }
      MemorySegment.copy(from, at, to, at, Math.min(SLICE_BYTES, bytes - at));
    }
  }

  private void waitUntil(long endNs) throws InterruptedException {
    for (long leftNs = endNs - System.nanoTime(); leftNs > 0; leftNs = endNs - System.nanoTime()) {
      if (closed) {
        throw new InterruptedException("closed");
      }
      LockSupport.parkNanos(this, leftNs);
    }
  }

  private static long later(long oneNs, long otherNs) {
    return oneNs - otherNs > 0 ? oneNs : otherNs;
  }

  // ---- closing ----------------------------------------------------------------------------------

  @Override
  public void close() {
    Thread running;
    lock.lock();
    try {
      closed = true;
      running = thread;
      queued.signalAll();
    } finally {
      lock.unlock();
    }
    boolean interrupted = false;
    while (running != null && running.isAlive()) {
      running.interrupt(); // it may wait for the bus, or for an event of another stream
      try {
        running.join(20);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    onClose.accept(this);
  }

  @Override
  public String toString() {
    return threadName;
  }

  /** A mark in the stream; its time is that of the stream. */
  private static final class HostEvent implements DeviceEvent {
    private final String device;
    private boolean settled;
    private long atNs;
    private @Nullable DeviceException failure;

    HostEvent(String device) {
      this.device = device;
    }

    synchronized void settle(long timeNs, @Nullable DeviceException cause) {
      settled = true;
      atNs = timeNs;
      failure = cause;
      notifyAll();
    }

    @Override
    public synchronized boolean isDone() {
      return settled;
    }

    @Override
    public synchronized boolean await(long timeoutNs) throws InterruptedException {
      long startNs = System.nanoTime();
      while (!settled) {
        long leftNs = timeoutNs - (System.nanoTime() - startNs);
        if (leftNs <= 0) {
          return false;
        }
        TimeUnit.NANOSECONDS.timedWait(this, leftNs);
      }
      if (failure != null) {
        throw new DeviceException(failure.device(), failure.reason(), failure);
      }
      return true;
    }

    @Override
    public long nanosSince(DeviceEvent start) {
      if (!(start instanceof HostEvent earlier)) {
        throw new IllegalArgumentException(
            "device " + device + ": expected an event of the same device, but got " + start);
      }
      return time() - earlier.time();
    }

    private synchronized long time() {
      if (!settled) {
        throw new IllegalStateException(
            "device " + device + ": expected an event that is done, but it is not; await it first");
      }
      return atNs;
    }

    @Override
    public void close() {}
  }
}
