package dev.headrace.op;

import dev.headrace.data.DType;
import dev.headrace.data.Lease;
import dev.headrace.data.Structure;
import dev.headrace.data.Tensor;
import dev.headrace.device.Device;
import dev.headrace.device.DeviceEvent;
import dev.headrace.device.DeviceException;
import dev.headrace.device.DeviceStream;
import dev.headrace.spi.Cancelled;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Failure;
import dev.headrace.spi.Id;
import dev.headrace.spi.Sizer;
import dev.headrace.spi.TransferMeter;
import dev.headrace.spi.Weighed;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The batches of one pass on their way to a device.
 *
 * <p>One thread sends, the consumer's receives; between them at most as many batches are under way
 * as the ring has places. Where the consumer holds all of them and asks for more, one more passes.
 *
 * <p><b>Threading:</b> {@link #send} by one thread, {@link #receive} and {@link #close} by the
 * consumer's; guarded by the ring's lock.
 *
 * <p><b>Ownership:</b> a batch under way holds its host memory until the copies are done, and its
 * device memory until the consumer has it. Closing gives both back.
 */
final class Transfers {
  private static final String CLOSED = "the pipeline was closed";

  /** Room between tensors: what a device likes for the start of one. */
  private static final long ALIGNMENT = 256;

  /** After this long, whoever waits for a copy looks whether the pipeline still goes on. */
  private static final long LOOK_AGAIN_NS = TimeUnit.MILLISECONDS.toNanos(20);

  private final Context context;
  private final DeviceRing ring;
  private final Device device;
  private final TransferMeter meter;

  /** Whether batches are given back by the consumer; otherwise the collector frees them. */
  private final boolean areLent;

  // Guarded by the ring's lock.
  private final ArrayDeque<Transfer> underWay = new ArrayDeque<>();
  private @Nullable DeviceStream stream;
  private boolean isAskedFor;
  private boolean closed;

  /** The sending thread's own. */
  private boolean warned;

  Transfers(Context context, DeviceRing ring) {
    this.context = context;
    this.ring = ring;
    this.device = ring.device;
    this.meter = context.transfers();
    this.areLent = context.slabs() != null;
  }

  /** A batch whose copies may not have arrived; what a stage holds in its place. */
  static final class Transfer implements Weighed {
    private final Structure<Object> structure;
    private final Tensor[] leaves;
    private final List<Lease> hostMemory = new ArrayList<>();
    private @Nullable Object element;
    private @Nullable Lease lease;
    private @Nullable DeviceEvent begun;
    private volatile @Nullable DeviceEvent done;
    private long bytes;
    private int copies;

    private Transfer(Structure<Object> structure, Tensor[] leaves, Object element) {
      this.structure = structure;
      this.leaves = leaves;
      this.element = element;
      Lease.forEachLease(element, hostMemory::add);
    }

    /** Whether nobody needs to wait for it. */
    private boolean isOver() {
      DeviceEvent end = done;
      return end == null || end.isDone();
    }

    /** Lets go of what was copied, once that is over, and counts it. */
    private synchronized void settle(TransferMeter meter) {
      DeviceEvent start = begun;
      DeviceEvent end = done;
      if (element == null || start == null || end == null || !hasArrived(end)) {
        return;
      }
      meter.arrived(bytes, copies, end.nanosSince(start));
      letGo("it was copied to a device");
    }

    /** A failed one has not: it keeps its memory until the stream is closed. */
    private static boolean hasArrived(DeviceEvent end) {
      try {
        return end.isDone() && end.await(0);
      } catch (DeviceException e) {
        return false;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }

    private void letGo(String why) {
      element = null;
      hostMemory.forEach(host -> host.giveBack(why));
      hostMemory.clear();
    }

    /** Gives everything back; the stream is closed. */
    private synchronized void drop() {
      letGo(CLOSED);
      if (lease != null) {
        lease.giveBack(CLOSED);
      }
      closeEvents();
    }

    private void closeEvents() {
      if (begun != null) {
        begun.close();
      }
      DeviceEvent end = done;
      if (end != null) {
        end.close();
      }
    }

    @Override
    public synchronized long heapBytes() {
      Object held = element;
      return 64 + (held == null ? 0 : Sizer.bytesOf(held));
    }
  }

  // ---- the thread that sends --------------------------------------------------------------------

  /**
   * Begins to copy an element's tensors. Returns what is on its way; or the element itself where
   * there is nothing to copy, because it is no structure, or one of strings; or a failure where a
   * tensor of it cannot be computed.
   *
   * @throws DeviceException if the device cannot; it must not be asked again
   */
  Object send(Object element, Id id) {
    Structure<Object> structure = Structure.find(element).orElse(null);
    Tensor[] leaves = structure == null ? null : leavesOf(structure, element);
    if (structure == null || leaves == null) {
      warnOfStaying(element);
      return element;
    }
    long[] offsets = new long[leaves.length];
    long bytes = lay(leaves, offsets);
    if (bytes == 0) {
      return element;
    }
    Transfer transfer = new Transfer(structure, leaves.clone(), element);
    try {
      for (Tensor leaf : leaves) {
        Tensor _ = leaf.compute();
      }
    } catch (Throwable e) {
      transfer.letGo("it could not be computed");
      return context.failure(id, e);
    }
    settleArrived();
    begin(transfer);
    // From here on the transfer holds the element's memory; if something goes wrong, until close().
    try {
      queue(transfer, leaves, offsets, bytes);
    } catch (DeviceException | Cancelled e) {
      throw e;
    } catch (RuntimeException | OutOfMemoryError e) {
      throw new DeviceException(device.name(), "a copy could not be queued: " + e, e);
    }
    settleArrived(); // what was staged has arrived by now
    return transfer;
  }

  private void queue(Transfer transfer, Tensor[] leaves, long[] offsets, long bytes) {
    MemorySegment room = allocate(transfer, offsets, bytes);
    meter.on(device.name(), device.usedBytes(), device.memoryBytes());
    DeviceStream to = stream();
    transfer.begun = to.record();
    for (int leaf = 0; leaf < leaves.length; leaf++) {
      if (isCopied(leaves[leaf])) {
        copy(to, leaves[leaf], room.asSlice(offsets[leaf], leaves[leaf].byteSize()));
        transfer.bytes += leaves[leaf].byteSize();
        transfer.copies++;
      }
    }
    transfer.done = to.record();
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

  /** The tensors of an element; null where it lacks a part, and so cannot be taken apart. */
  private static Tensor @Nullable [] leavesOf(Structure<Object> structure, Object element) {
    try {
      return structure.leaves(element);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  private static boolean isCopied(Tensor leaf) {
    return leaf.dtype() != DType.STRING && leaf.byteSize() > 0;
  }

  /** Finds a place for each tensor; returns how much memory they take together. */
  private static long lay(Tensor[] leaves, long[] offsets) {
    long bytes = 0;
    for (int leaf = 0; leaf < leaves.length; leaf++) {
      offsets[leaf] = bytes;
      if (isCopied(leaves[leaf])) {
        bytes += (leaves[leaf].byteSize() + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
      }
    }
    return bytes;
  }

  /** Lets go of host memory from which the copies are done, without waiting for the consumer. */
  private void settleArrived() {
    List<Transfer> all;
    ring.lock.lock();
    try {
      all = List.copyOf(underWay);
    } finally {
      ring.lock.unlock();
    }
    all.forEach(transfer -> transfer.settle(meter));
  }

  /** Waits for a place in the ring and takes it; from now on closing looks for the transfer. */
  private void begin(Transfer transfer) {
    long startNs = 0;
    ring.lock.lock();
    try {
      while (!closed && ring.lent >= ring.size && !(isAskedFor && underWay.isEmpty())) {
        startNs = startNs == 0 ? System.nanoTime() : startNs;
        try {
          ring.changed.await();
        } catch (InterruptedException e) {
          context.checkGoing(); // a function may have left it behind; closing is seen by the flag
        }
      }
      checkOpen();
      ring.lent++;
      underWay.addLast(transfer);
    } finally {
      ring.lock.unlock();
      if (startNs != 0) {
        meter.waitedForRoom(System.nanoTime() - startNs);
      }
    }
  }

  private void checkOpen() {
    if (closed) {
      throw new Cancelled(context.path() + ": " + CLOSED);
    }
  }

  private DeviceStream stream() {
    ring.lock.lock();
    try {
      checkOpen();
      DeviceStream opened = stream;
      if (opened == null) {
        opened = device.openStream(context.path());
        stream = opened;
      }
      return opened;
    } finally {
      ring.lock.unlock();
    }
  }

  /** Takes device memory, and makes the tensors of it that the consumer will get. */
  private MemorySegment allocate(Transfer transfer, long[] offsets, long bytes) {
    Lease lease = areLent ? ring.lease(bytes, context.path()) : null;
    MemorySegment room = lease == null ? ring.own(bytes, context::checkGoing) : lease.memory();
    transfer.lease = lease;
    for (int leaf = 0; leaf < transfer.leaves.length; leaf++) {
      Tensor host = transfer.leaves[leaf];
      if (isCopied(host)) {
        transfer.leaves[leaf] =
            lease != null
                ? lease.tensor(host.dtype(), host.shape(), offsets[leaf])
                : Tensor.wrap(
                    host.dtype(), host.shape(), room.asSlice(offsets[leaf], host.byteSize()));
      } else if (host.dtype() != DType.STRING) {
        transfer.leaves[leaf] = Tensor.zeros(host.dtype(), host.shape()); // of no elements
      }
    }
    return room;
  }

  private void copy(DeviceStream to, Tensor leaf, MemorySegment room) {
    // The memory is used after it was borrowed: the element is ours until the copy has arrived.
    leaf.borrow(
        memory -> {
          if (device.isPinned(memory)) {
            to.copyToDevice(memory, room);
            return;
          }
          long startNs = System.nanoTime();
          to.copyToDevice(memory, room);
          meter.staged(System.nanoTime() - startNs);
        });
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
    ring.lock.lock();
    try {
      Transfer oldest = underWay.peekFirst();
      return oldest == null || oldest.isOver();
    } finally {
      ring.lock.unlock();
    }
  }

  /** Waits until a batch has arrived and hands it over; or what went wrong, which ends the pass. */
  Object receive(Transfer transfer, Id id) {
    try {
      await(transfer);
    } catch (DeviceException e) {
      return new Failure(context.path(), id, e, true);
    }
    transfer.settle(meter);
    ring.lock.lock();
    try {
      underWay.remove(transfer);
    } finally {
      ring.lock.unlock();
    }
    if (transfer.lease == null) {
      ring.leave();
    }
    transfer.closeEvents();
    try {
      return transfer.structure.build(transfer.leaves); // now: its constructor may read them
    } catch (Throwable e) {
      if (transfer.lease != null) {
        transfer.lease.giveBack("it could not be put together");
      }
      return context.failure(id, e);
    }
  }

  private void await(Transfer transfer) {
    DeviceEvent end = transfer.done;
    if (end == null) {
      throw new IllegalStateException("a transfer was handed over before its copies were queued");
    }
    boolean mustWait = !end.isDone();
    long startNs = mustWait ? System.nanoTime() : 0;
    try {
      while (!arrived(end)) {
        context.checkGoing();
      }
    } finally {
      if (mustWait) {
        meter.waited(System.nanoTime() - startNs);
      }
    }
  }

  private boolean arrived(DeviceEvent end) {
    try {
      return end.await(LOOK_AGAIN_NS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      context.checkGoing(); // throws if the interruption is the consumer's
      boolean _ = Thread.interrupted(); // else a function of the user left it behind
      return false;
    }
  }

  /** Ends all transfers, closes {@code source}, from which they came, and gives everything back. */
  void close(Cursor source) {
    DeviceStream opened;
    ring.lock.lock();
    try {
      closed = true;
      opened = stream;
      ring.changed.signalAll();
    } finally {
      ring.lock.unlock();
    }
    if (opened != null) {
      opened.close(); // whoever waits for a copy is let go
    }
    source.close();
    List<Transfer> left;
    ring.lock.lock();
    try {
      left = List.copyOf(underWay);
      underWay.clear();
    } finally {
      ring.lock.unlock();
    }
    for (Transfer transfer : left) {
      transfer.drop();
      if (transfer.lease == null) {
        ring.leave();
      }
    }
  }
}
