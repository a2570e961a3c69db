package dev.headrace.op;

import dev.headrace.data.Place;
import dev.headrace.data.Tensor;
import dev.headrace.device.Device;
import dev.headrace.device.DeviceException;
import dev.headrace.device.DeviceStream;
import dev.headrace.spi.Cancelled;
import dev.headrace.spi.Context;
import dev.headrace.spi.Deferral;
import dev.headrace.spi.Failure;
import dev.headrace.spi.Fn;
import dev.headrace.spi.Id;
import dev.headrace.spi.ThreadClock;
import dev.headrace.spi.TransferMeter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The batches of one pass on their way to a device, and through what is computed on them there.
 *
 * <p>One thread sends, the consumer's receives; between them at most as many batches are under way
 * as the ring has places. Where the consumer holds all of them and asks for more, one more passes.
 *
 * <p><b>Threading:</b> {@link #send} by one thread, {@link #queue} by one, {@link #receive}, {@link
 * #stop} and {@link #close} by the consumer's; guarded by the ring's lock.
 *
 * <p><b>Ownership:</b> a batch under way holds its host memory until the copies are done, and its
 * device memory until the consumer has it. Closing gives both back.
 */
final class Transfers {
  /* Who waits for whom. Copies have a stream of their own, and so have the functions, so that batch
   * n+1 is copied while the functions of batch n run. A stream that is to write to memory which the
   * consumer had waits for the consumer's stream (DeviceRing.awaitLastUse), and the consumer's
   * stream waits for the batch: the host waits for neither. It only looks, in passing, which events
   * are done, to give host memory back and to count. Where the consumer is the host itself it must
   * wait, in receive(). */

  static final String CLOSED = "the pipeline was closed";

  /** After this long, a thread that waits for a copy looks whether the pipeline still goes on. */
  private static final long LOOK_AGAIN_NS = TimeUnit.MILLISECONDS.toNanos(20);

  /** Between two looks at a batch that the consumer's stream waits for. */
  private static final long SHORTEST_NAP_NS = 10_000;

  private static final long LONGEST_NAP_NS = 100_000;

  private final Context context;
  private final DeviceRing ring;
  private final Device device;
  private final List<Fn<Object, Object>> functions;
  private final boolean casts;
  private final TransferMeter meter;

  /** Whether batches are given back by the consumer; otherwise the collector frees them. */
  private final boolean areLent;

  // Guarded by the ring's lock.
  private final ArrayDeque<Transfer> underWay = new ArrayDeque<>();

  /** With the consumer, but not known to have arrived: its stream waits for them. */
  private final ArrayDeque<Transfer> awaited = new ArrayDeque<>();

  private @Nullable DeviceStream copies;
  private @Nullable DeviceStream computations;
  private boolean isAskedFor;
  private boolean closed;

  /** The consumer's own. */
  private final StepClock steps = new StepClock();

  /** Of the thread that prepares. */
  private boolean warned;

  /**
   * The way to the ring's device.
   *
   * @param casts whether what was only cast is cast there
   */
  Transfers(Context context, DeviceRing ring, List<Fn<Object, Object>> functions, boolean casts) {
    this.context = context;
    this.ring = ring;
    this.device = ring.device;
    this.functions = functions;
    this.casts = casts;
    this.meter = context.transfers();
    this.areLent = context.slabs() != null;
  }

  // ---- the thread that sends --------------------------------------------------------------------

  /** Whether a tensor of the element lies on the device. */
  boolean hasAlready(Object element) {
    Place place = device.place();
    if (place != null) {
      for (Tensor tensor : Deferral.tensorsOf(element)) {
        if (tensor.place() == place) {
          return true;
        }
      }
    }
    return false;
  }

  /**
   * Makes ready to copy an element's tensors. Returns what is to be {@link #queue queued}; or the
   * element itself where there is nothing to do, because it is no structure, or one of strings; or
   * a failure where a tensor of it cannot be computed, or a function fails.
   *
   * @throws DeviceException if the device cannot; it must not be asked again
   */
  Object send(Object element, Id id) {
    HostBatch batch = HostBatch.of(device, element, casts);
    if (batch == null) {
      warnOfStaying(element);
      return element;
    }
    if (batch.isEmpty() && functions.isEmpty()) {
      return element;
    }
    settleArrived();
    boundWhatIsAwaited();
    Transfer transfer = new Transfer(batch, this, ring);
    begin(transfer);
    try {
      long startNs = System.nanoTime();
      if (batch.settle(bytes -> ring.stage(bytes, context.path()))) {
        meter.staged(System.nanoTime() - startNs);
      }
      transfer.take(areLent, context);
      transfer.apply(functions, areLent, context);
    } catch (DeviceException | Cancelled e) {
      throw e; // from here on the transfer holds the element's memory, until close()
    } catch (Throwable e) {
      leaveOut(transfer);
      return context.failure(id, e);
    }
    try {
      if (transfer.computes()) {
        transfer.prepare(computingStream());
      }
    } catch (DeviceException | Cancelled e) {
      throw e;
    } catch (Throwable e) {
      // Nothing was queued, but the stream may hold what was prepared: the pass ends.
      throw new DeviceException(
          device.name(),
          "what is to be computed there could not be prepared: %s; compute() it on the host, before prefetchToDevice"
              .formatted(e.getMessage() == null ? e : e.getMessage()),
          e);
    }
    return transfer;
  }

  /**
   * Begins to copy, and queues what is computed after that.
   *
   * @throws DeviceException if the device cannot; it must not be asked again
   */
  void queue(Transfer transfer) {
    try {
      meter.on(device.name(), device.usedBytes(), device.memoryBytes(), ring.isShortOfRoom());
      if (transfer.copies()) {
        transfer.copy(copyStream(), meter);
      }
      if (transfer.computes()) {
        transfer.compute(computingStream());
      }
      transfer.queued();
    } catch (DeviceException | Cancelled e) {
      throw e;
    } catch (RuntimeException | OutOfMemoryError e) {
      throw new DeviceException(device.name(), "a batch could not be sent: " + e, e);
    }
    settleArrived(); // what was staged has arrived by now
  }

  private void warnOfStaying(Object element) {
    if (!warned) {
      warned = true;
      context.warn(
          ("%s: elements of type %s are no structures of tensors and stay on the host; map them to"
                  + " a tensor, or to a record, Map or List of tensors")
              .formatted(context.path(), element.getClass().getTypeName()));
    }
  }

  /** Nothing was queued for it: gives its memory and its place in the ring back. */
  private void leaveOut(Transfer transfer) {
    ring.lock.lock();
    try {
      underWay.remove(transfer);
    } finally {
      ring.lock.unlock();
    }
    transfer.drop("it could not be computed");
    transfer.leave();
  }

  /** Lets go of memory from which the copies are done, without waiting for the consumer. */
  private void settleArrived() {
    List<Transfer> all = new ArrayList<>();
    ring.lock.lock();
    try {
      all.addAll(awaited);
      all.addAll(underWay);
    } finally {
      ring.lock.unlock();
    }
    for (Transfer transfer : all) {
      if (transfer.settle(meter)) {
        lengthenRing(transfer);
      }
    }
    ring.lock.lock();
    try {
      while (!awaited.isEmpty() && awaited.peekFirst().isSettled()) {
        awaited.removeFirst();
      }
    } finally {
      ring.lock.unlock();
    }
  }

  /** A consumer that only queues work runs ahead of its device: but not by very much. */
  private void boundWhatIsAwaited() {
    while (true) {
      Transfer oldest;
      ring.lock.lock();
      try {
        oldest = closed || awaited.size() < 2 * ring.size + 2 ? null : awaited.peekFirst();
      } finally {
        ring.lock.unlock();
      }
      if (oldest == null) {
        return;
      }
      long startNs = System.nanoTime();
      awaitSettled(oldest);
      long waitedNs = System.nanoTime() - startNs;
      ThreadClock.waited(waitedNs);
      meter.waitedForRoom(waitedNs);
      settleArrived();
    }
  }

  /** Looks again and again whether a batch has arrived that the consumer has already. */
  private void awaitSettled(Transfer transfer) {
    for (long napNs = SHORTEST_NAP_NS; ; napNs = Math.min(2 * napNs, LONGEST_NAP_NS)) {
      transfer.settle(meter);
      if (transfer.isSettled()) {
        return;
      }
      transfer.checkSound();
      context.checkGoing();
      LockSupport.parkNanos(this, napNs);
    }
  }

  /** Waits for a place in the ring and takes it; from now on closing looks for the transfer. */
  private void begin(Transfer transfer) {
    long startNs = 0;
    ring.lock.lock();
    try {
      while (!closed && ring.lent >= ring.size && !(isAskedFor && underWay.isEmpty())) {
        startNs = startNs == 0 ? System.nanoTime() : startNs;
        ring.foundFull();
        try {
          ring.changed.await();
        } catch (InterruptedException e) {
          wasInterrupted();
        }
      }
      checkOpen();
      ring.lent++;
      underWay.addLast(transfer);
    } finally {
      ring.lock.unlock();
      if (startNs != 0) {
        long waitedNs = System.nanoTime() - startNs;
        ThreadClock.waited(waitedNs);
        meter.waitedForRoom(waitedNs);
      }
    }
  }

  /**
   * Whether the memory of another batch may still come back: not where the consumer waits for the
   * only one that is under way, because it then keeps all others.
   */
  boolean mayComeBack() {
    ring.lock.lock();
    try {
      checkOpen();
      return !(isAskedFor && underWay.size() <= 1);
    } finally {
      ring.lock.unlock();
    }
  }

  private void checkOpen() {
    if (closed) {
      throw new Cancelled(context.path() + ": " + CLOSED);
    }
  }

  private DeviceStream copyStream() {
    ring.lock.lock();
    try {
      checkOpen();
      DeviceStream opened = copies;
      if (opened == null) {
        opened = device.openStream(context.path());
        copies = opened;
      }
      return opened;
    } finally {
      ring.lock.unlock();
    }
  }

  private DeviceStream computingStream() {
    ring.lock.lock();
    try {
      checkOpen();
      DeviceStream opened = computations;
      if (opened == null) {
        opened = device.openStream(context.path() + " functions");
        computations = opened;
      }
      return opened;
    } finally {
      ring.lock.unlock();
    }
  }

  // ---- the consumer -----------------------------------------------------------------------------

  /** Says whether the consumer waits for an element. */
  void ask(boolean waits) {
    ring.lock.lock();
    try {
      isAskedFor = waits;
      if (waits) {
        ring.changed.signalAll();
      }
    } finally {
      ring.lock.unlock();
    }
  }

  /** Whether the oldest batch under way can be received without waiting. */
  boolean isReady() {
    if (device.consumer() != null) {
      return true;
    }
    ring.lock.lock();
    try {
      Transfer oldest = underWay.peekFirst();
      return oldest == null || oldest.isOver();
    } finally {
      ring.lock.unlock();
    }
  }

  /** Hands a batch over, once it has arrived for the consumer; or what ended the pass. */
  Object receive(Transfer transfer, Id id) {
    DeviceStream consumer = device.consumer();
    try {
      if (consumer == null) {
        await(transfer);
      } else {
        settleArrived();
        checkAwaited();
        Mark ended = ring.takeLatestUse();
        Mark ready = whereReady(transfer, ended, consumer);
        if (ready != null) {
          transfer.awaitOn(consumer, ready);
        }
        steps.begins(transfer, ended, ready, meter);
      }
    } catch (DeviceException e) {
      return new Failure(context.path(), id, e, true);
    }
    transfer.settle(meter);
    ring.lock.lock();
    try {
      underWay.remove(transfer);
      if (!transfer.isSettled()) {
        awaited.addLast(transfer);
      }
    } finally {
      ring.lock.unlock();
    }
    transfer.handOver();
    transfer.leave();
    try {
      return transfer.build(); // now: its constructor may read the tensors
    } catch (Throwable e) {
      transfer.giveBack("it could not be put together");
      return context.failure(id, e);
    }
  }

  /**
   * Where the consumer's stream is ready for a batch: where it was through with the one before, or
   * here, if it has waited for the input since. Null where it is not needed.
   */
  private @Nullable Mark whereReady(
      Transfer transfer, @Nullable Mark ended, DeviceStream consumer) {
    if (ended != null && !ended.event().isDone()) {
      return ended.held();
    }
    return transfer.hasArrived() && !steps.wantsAnother() ? null : new Mark(consumer.record());
  }

  /** Waits for what the consumer's stream still waits for, to learn how it ended. */
  @Nullable DeviceException end() {
    List<Transfer> left;
    ring.lock.lock();
    try {
      left = List.copyOf(awaited);
    } finally {
      ring.lock.unlock();
    }
    try {
      for (Transfer transfer : left) {
        awaitSettled(transfer);
      }
      settleArrived();
      return null;
    } catch (DeviceException e) {
      return e;
    }
  }

  private void checkAwaited() {
    List<Transfer> left;
    ring.lock.lock();
    try {
      left = List.copyOf(awaited);
    } finally {
      ring.lock.unlock();
    }
    left.forEach(Transfer::checkSound);
  }

  private void await(Transfer transfer) {
    boolean mustWait = !transfer.isOver();
    long startNs = mustWait ? System.nanoTime() : 0;
    try {
      while (!arrived(transfer)) {
        context.checkGoing();
      }
    } finally {
      if (mustWait) {
        lengthenRing(transfer);
        long waitedNs = System.nanoTime() - startNs;
        ThreadClock.waited(waitedNs);
        meter.waited(waitedNs);
      }
    }
  }

  private void lengthenRing(Transfer transfer) {
    int before = ring.foundEmpty(transfer.deviceBytes());
    if (before > 0) {
      context.turned("buffer", before, before + 1, "it was full, and then it ran empty");
    }
  }

  private boolean arrived(Transfer transfer) {
    try {
      return transfer.await(LOOK_AGAIN_NS);
    } catch (InterruptedException e) {
      wasInterrupted();
      return false;
    }
  }

  private void wasInterrupted() {
    Thread.currentThread().interrupt();
    context.checkGoing(); // throws if the interruption is the consumer's
    boolean _ = Thread.interrupted(); // else a function of the user left it behind
  }

  /** Ends all transfers and lets go the threads that wait for one. */
  void stop() {
    List<DeviceStream> opened = new ArrayList<>();
    ring.lock.lock();
    try {
      closed = true;
      if (copies != null) {
        opened.add(copies);
      }
      if (computations != null) {
        opened.add(computations);
      }
      ring.changed.signalAll();
    } finally {
      ring.lock.unlock();
    }
    opened.forEach(DeviceStream::close);
  }

  /** Gives everything back, once it was stopped and nothing is sent any more. */
  void close() {
    settleArrived();
    List<Transfer> left;
    List<Transfer> over;
    ring.lock.lock();
    try {
      left = List.copyOf(underWay);
      over = List.copyOf(awaited);
      underWay.clear();
      awaited.clear();
    } finally {
      ring.lock.unlock();
    }
    over.forEach(Transfer::letGo); // the consumer has their device memory
    steps.close();
    for (Transfer transfer : left) {
      transfer.drop(CLOSED);
      transfer.leave();
    }
  }
}
