package dev.headrace.op;

import dev.headrace.data.DType;
import dev.headrace.data.Lease;
import dev.headrace.data.Structure;
import dev.headrace.data.Tensor;
import dev.headrace.device.Device;
import dev.headrace.device.DeviceEvent;
import dev.headrace.device.DeviceException;
import dev.headrace.device.DeviceStream;
import dev.headrace.spi.Context;
import dev.headrace.spi.Fn;
import dev.headrace.spi.TransferMeter;
import dev.headrace.spi.Weighed;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A batch on its way to a device, which may not have arrived; what a stage holds in its place.
 *
 * <p><b>Threading:</b> filled by the thread that sends, then guarded by its monitor.
 */
final class Transfer implements Weighed {
  private final HostBatch host;
  private final Transfers transfers;
  private final DeviceRing ring;
  private final Device device;
  private final DeviceRing.Holding holding = new DeviceRing.Holding();
  private final List<Lease> leases = new ArrayList<>();

  /** What the functions compute from, kept until they have. */
  private final List<Tensor> computed = new ArrayList<>();

  private final List<MemorySegment> targets = new ArrayList<>();
  private final List<DeviceStream.Computation> computations = new ArrayList<>();

  private Structure<Object> structure;
  private Tensor[] leaves;
  private MemorySegment room = MemorySegment.NULL;
  private @Nullable Lease roomLease;
  private @Nullable Lease resultLease;
  private int copyCount;
  private long copiedBytes;

  private @Nullable DeviceEvent begun;
  private @Nullable DeviceEvent copied;
  private @Nullable DeviceEvent computing;
  private volatile @Nullable DeviceEvent done;

  /** On the consumer's stream, where it was ready for the batch, if it has to wait. */
  private @Nullable Mark ready;

  private volatile long waitedNs;

  private boolean hostIsFree;
  private boolean isQueued;
  private boolean isReceived;
  private volatile boolean settled;

  Transfer(HostBatch host, Transfers transfers, DeviceRing ring) {
    this.host = host;
    this.transfers = transfers;
    this.ring = ring;
    this.device = ring.device;
    this.structure = host.structure();
    this.leaves = host.leaves();
  }

  /** To which device it goes. */
  Transfers transfers() {
    return transfers;
  }

  // ---- the thread that sends --------------------------------------------------------------------

  /** Takes device memory, and makes the tensors that will lie in it, or be computed from it. */
  void take(boolean isLent, Context context) {
    leaves = leaves.clone();
    if (!host.isEmpty()) {
      roomLease = isLent ? lease(host.bytes(), context) : null;
      room = roomLease == null ? ring.own(host.bytes(), context::checkGoing) : roomLease.memory();
    }
    for (int leaf = 0; leaf < leaves.length; leaf++) {
      Tensor tensor = leaves[leaf];
      if (host.isCopied(leaf)) {
        leaves[leaf] = host.cast(leaf, placed(tensor, room, roomLease, host.offset(leaf)));
      } else if (tensor.dtype() != DType.STRING && !host.isThere(leaf)) {
        leaves[leaf] = Tensor.zeros(tensor.dtype(), tensor.shape()); // of no elements
      }
    }
  }

  private Lease lease(long bytes, Context context) {
    Lease lease = ring.lease(bytes, context.path(), holding, transfers::mayComeBack);
    leases.add(lease);
    return lease;
  }

  private Tensor placed(Tensor like, MemorySegment memory, @Nullable Lease lease, long offset) {
    return lease != null
        ? lease.tensor(like.dtype(), like.shape(), offset)
        : Tensor.wrap(
            like.dtype(), like.shape(), memory.asSlice(offset, like.byteSize()), device.place());
  }

  /** Takes memory for what is to be computed: casts, and what the functions say. */
  void apply(List<Fn<Object, Object>> functions, boolean isLent, Context context) throws Exception {
    if (!functions.isEmpty()) {
      call(functions);
    }
    computeDeferred(isLent, context);
  }

  private void call(List<Fn<Object, Object>> functions) throws Exception {
    Object element = structure.build(leaves);
    for (Fn<Object, Object> function : functions) {
      element = Objects.requireNonNull(function.apply(element), "the function returned null");
    }
    Object result = element;
    structure =
        Structure.find(result)
            .orElseThrow(
                () ->
                    new IllegalStateException(
                        "mapOnDevice: expected a tensor, or a record, Map or List of tensors, but"
                            + " the function returned "
                            + result.getClass().getTypeName()
                            + "; map to other types before prefetchToDevice"));
    leaves = structure.leaves(result).clone();
  }

  private void computeDeferred(boolean isLent, Context context) {
    long[] offsets = new long[leaves.length];
    long bytes = 0;
    for (int leaf = 0; leaf < leaves.length; leaf++) {
      offsets[leaf] = bytes;
      if (leaves[leaf].isDeferred()) {
        bytes += (leaves[leaf].byteSize() + 255) / 256 * 256;
      }
    }
    if (bytes == 0) {
      return;
    }
    resultLease = isLent ? lease(bytes, context) : null;
    MemorySegment memory =
        resultLease == null ? ring.own(bytes, context::checkGoing) : resultLease.memory();
    for (int leaf = 0; leaf < leaves.length; leaf++) {
      Tensor tensor = leaves[leaf];
      if (tensor.isDeferred()) {
        computed.add(tensor);
        targets.add(memory.asSlice(offsets[leaf], tensor.byteSize()));
        leaves[leaf] = placed(tensor, memory, resultLease, offsets[leaf]);
      }
    }
  }

  /** Whether there is something to copy. */
  boolean copies() {
    return !host.isEmpty();
  }

  boolean computes() {
    return !computed.isEmpty();
  }

  /** Queues the copies. */
  void copy(DeviceStream stream, TransferMeter meter) {
    if (roomLease != null) {
      ring.awaitLastUse(roomLease, stream);
    }
    begun = stream.record();
    copyCount = host.copyTo(stream, room, meter);
    copiedBytes = host.copiedBytes();
    copied = stream.record();
    done = copied;
  }

  /** Does what the host has to do for the functions. */
  void prepare(DeviceStream stream) {
    for (int i = 0; i < computed.size(); i++) {
      computations.add(stream.prepare(computed.get(i), targets.get(i)));
    }
  }

  /** Queues what the functions said, after the copies. */
  void compute(DeviceStream stream) {
    DeviceEvent before = copied;
    if (before != null) {
      stream.waitFor(before);
    }
    if (resultLease != null) {
      ring.awaitLastUse(resultLease, stream);
    }
    computing = stream.record();
    computations.forEach(DeviceStream.Computation::queue);
    computations.clear();
    done = stream.record();
  }

  /** All that is to happen on the device was queued. */
  synchronized void queued() {
    isQueued = true;
  }

  // ---- while it is under way --------------------------------------------------------------------

  /** Whether no thread needs to wait for it. */
  boolean isOver() {
    DeviceEvent end = done;
    return end == null || end.isDone();
  }

  /** Whether it is there, and sound. */
  boolean hasArrived() {
    DeviceEvent end = done;
    return end == null || hasArrived(end);
  }

  /** Waits until it has arrived; only until {@link #receive} was called. */
  boolean await(long timeoutNs) throws InterruptedException {
    DeviceEvent end = done;
    return end == null || end.await(timeoutNs);
  }

  /**
   * Makes the consumer's stream wait for it, unless it is there.
   *
   * @param mark where the stream is ready for it
   */
  synchronized void awaitOn(DeviceStream consumer, Mark mark) {
    DeviceEvent end = done;
    if (end == null || hasArrived(end)) {
      return;
    }
    ready = mark.held();
    consumer.waitFor(end);
  }

  /** How long the consumer's stream waited for it, once it is settled. */
  long waitedNs() {
    return waitedNs;
  }

  /** Throws what went wrong, if something did. */
  synchronized void checkSound() {
    DeviceEvent end = done;
    if (!settled && end != null && end.isDone()) {
      try {
        boolean _ = end.await(0);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Lets go of what is not needed any more, and counts what has arrived.
   *
   * @return whether it is known from now on that the consumer's stream waited for it
   */
  synchronized boolean settle(TransferMeter meter) {
    if (settled || !isQueued) {
      return false;
    }
    DeviceEvent end = done;
    if (!hostIsFree && copied != null && hasArrived(copied)) {
      hostIsFree = true;
      host.letGo("it was copied to a device");
    }
    // The consumer's event is before the end of what it waits for, unless it came late.
    DeviceEvent waited = ready == null ? null : ready.event();
    if ((end != null && !hasArrived(end)) || (waited != null && !hasArrived(waited))) {
      return false;
    }
    settled = true;
    if (begun != null && copied != null) {
      meter.arrived(copiedBytes, copyCount, copied.nanosSince(begun));
    }
    if (computing != null && end != null) {
      meter.computed(end.nanosSince(computing));
    }
    if (waited != null && end != null) {
      waitedNs = Math.max(0, end.nanosSince(waited));
      meter.waited(waitedNs);
    }
    host.letGo("it was copied to a device");
    computed.clear();
    if (isReceived) {
      closeEvents();
    }
    if (roomLease != null && Stream.of(leaves).noneMatch(leaf -> leaf.lease() == roomLease)) {
      ring.giveBackUnseen(roomLease, "it was computed on");
    }
    return waitedNs > 0;
  }

  /** A failed one has not: it keeps its memory until the stream is closed. */
  static boolean hasArrived(DeviceEvent event) {
    try {
      return event.isDone() && event.await(0);
    } catch (DeviceException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  boolean isSettled() {
    return settled;
  }

  // ---- when it is over --------------------------------------------------------------------------

  /** The consumer has it from now on. */
  synchronized void handOver() {
    isReceived = true;
    if (settled) {
      closeEvents();
    }
    ring.handOver(holding);
  }

  /** Leaves its place in the ring as soon as no memory of it is out. */
  void leave() {
    ring.leave(holding);
  }

  /** How much memory of the device it takes. */
  long deviceBytes() {
    return leases.stream().mapToLong(Lease::byteSize).sum();
  }

  Object build() {
    return structure.build(leaves);
  }

  /** Gives the device memory back. */
  void giveBack(String why) {
    leases.forEach(lease -> lease.giveBack(why));
  }

  /** Lets go of host memory and events; nothing is under way any more. */
  synchronized void letGo() {
    host.letGo("it was copied to a device");
    computed.clear();
    closeEvents();
  }

  private void closeEvents() {
    DeviceEvent end = done;
    for (DeviceEvent event :
        new @Nullable DeviceEvent[] {begun, copied, computing, end == copied ? null : end}) {
      if (event != null) {
        event.close();
      }
    }
    if (ready != null) {
      ready.close();
      ready = null;
    }
    begun = null;
    copied = null;
    computing = null;
    done = null;
  }

  /** Gives everything back; nothing is under way any more. */
  synchronized void drop(String why) {
    host.letGo(why);
    giveBack(why);
    letGo();
  }

  @Override
  public synchronized long heapBytes() {
    return 64 + host.heapBytes();
  }
}
