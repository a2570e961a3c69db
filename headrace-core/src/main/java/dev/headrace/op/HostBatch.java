package dev.headrace.op;

import dev.headrace.data.Cast;
import dev.headrace.data.DType;
import dev.headrace.data.Lease;
import dev.headrace.data.Structure;
import dev.headrace.data.Tensor;
import dev.headrace.device.Device;
import dev.headrace.device.DeviceStream;
import dev.headrace.spi.TransferMeter;
import dev.headrace.spi.Weigher;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * An element on the host whose tensors are to be copied to a device, and where each of them comes
 * to lie there. Strings, tensors of no elements, and those that are there, are not copied.
 *
 * <p><b>Ownership:</b> the element's memory is this object's until {@link #letGo}.
 */
final class HostBatch {
  /** Room between tensors: what a device likes for the start of one. */
  private static final long ALIGNMENT = 256;

  /** A copy to be made: this memory, to that place of the batch. */
  private record Piece(MemorySegment from, long offset) {}

  private final Device device;
  private final Structure<Object> structure;
  private final Tensor[] leaves;

  /** What is done there to get each tensor from the one that is copied; mostly nothing. */
  private final @Nullable Cast[] casts;

  private final long[] offsets;
  private final List<Lease> leases = new ArrayList<>();
  private final List<Piece> pieces = new ArrayList<>();
  private @Nullable Object element;
  private long bytes;

  private HostBatch(
      Device device,
      Structure<Object> structure,
      Tensor[] leaves,
      Object element,
      boolean castsThere) {
    this.device = device;
    this.structure = structure;
    this.leaves = leaves.clone();
    this.casts = new @Nullable Cast[leaves.length];
    this.offsets = new long[leaves.length];
    this.element = element;
    Lease.forEachLease(element, leases::add);
    for (int leaf = 0; leaf < leaves.length; leaf++) {
      Cast cast = castsThere ? Cast.of(leaves[leaf]) : null;
      if (cast != null) {
        casts[leaf] = cast;
        this.leaves[leaf] = cast.root();
      }
      offsets[leaf] = bytes;
      if (isCopied(leaf)) {
        bytes += (this.leaves[leaf].byteSize() + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
      }
    }
  }

  /**
   * The element as a batch; null where it is no structure, or lacks a part of one.
   *
   * @param castsThere whether what was only cast is copied uncast
   */
  static @Nullable HostBatch of(Device device, Object element, boolean castsThere) {
    Structure<Object> structure = Structure.find(element).orElse(null);
    if (structure == null) {
      return null;
    }
    try {
      return new HostBatch(device, structure, structure.leaves(element), element, castsThere);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  private boolean isCopied(Tensor leaf) {
    return leaf.dtype() != DType.STRING && leaf.byteSize() > 0 && !isThere(leaf);
  }

  /** Whether it lies on the device already. */
  private boolean isThere(Tensor leaf) {
    return leaf.place() != null && leaf.place() == device.place();
  }

  boolean isThere(int leaf) {
    return isThere(leaves[leaf]);
  }

  Structure<Object> structure() {
    return structure;
  }

  Tensor[] leaves() {
    return leaves;
  }

  /** Whether there is nothing to copy. */
  boolean isEmpty() {
    return bytes == 0;
  }

  /** How much device memory it takes. */
  long bytes() {
    return bytes;
  }

  boolean isCopied(int leaf) {
    return isCopied(leaves[leaf]);
  }

  /** The tensor that the element had, deferred if it is cast on the device, from its copy there. */
  Tensor cast(int leaf, Tensor copy) {
    Cast cast = casts[leaf];
    return cast == null ? copy : cast.on(copy);
  }

  /** Where a tensor lies in the batch's device memory. */
  long offset(int leaf) {
    return offsets[leaf];
  }

  /**
   * Decides from where to copy. A batch in one pinned slab is copied as a whole, as it lies. What
   * is not pinned, or not computed yet, is put into pinned memory together, where the device has
   * some; else the device copies it aside by itself.
   *
   * @param pinned gives pinned memory, or null where there is none
   * @return whether it had to be put into pinned memory
   */
  boolean settle(LongFunction<@Nullable Lease> pinned) {
    if (isEmpty()) {
      return false;
    }
    boolean isPinned = true;
    for (Tensor leaf : leaves) {
      isPinned &= !isCopied(leaf) || isPinned(leaf);
    }
    Lease staged = isPinned ? null : pinned.apply(bytes);
    if (staged == null) {
      if (!isOneSlab()) {
        piecesAsTheyAre();
      }
      return false;
    }
    leases.add(staged);
    MemorySegment memory = staged.memory();
    for (int leaf = 0; leaf < leaves.length; leaf++) {
      if (isCopied(leaf)) {
        leaves[leaf].copyInto(memory, offsets[leaf]);
      }
    }
    pieces.add(new Piece(memory, 0));
    return true;
  }

  private boolean isPinned(Tensor leaf) {
    return leaf.place() == null
        && (leaf.isDeferred()
            ? device.isPinned(MemorySegment.ofArray(new byte[0])) // where the heap is, too
            : device.isPinned(leaf.placedMemory()));
  }

  /** One copy for all tensors, where they lie in one slab. */
  private boolean isOneSlab() {
    Lease slab = null;
    for (Tensor leaf : leaves) {
      if (isCopied(leaf)) {
        Lease lease = leaf.lease();
        if (lease == null || (slab != null && slab != lease)) {
          return false;
        }
        slab = lease;
      }
    }
    if (slab == null) {
      return false;
    }
    MemorySegment memory = slab.memory();
    for (int leaf = 0; leaf < leaves.length; leaf++) {
      if (isCopied(leaf)) {
        offsets[leaf] = leaves[leaf].placedMemory().address() - memory.address();
      }
    }
    bytes = memory.byteSize();
    pieces.add(new Piece(memory, 0));
    return true;
  }

  private void piecesAsTheyAre() {
    for (int leaf = 0; leaf < leaves.length; leaf++) {
      if (isCopied(leaf)) {
        pieces.add(new Piece(leaves[leaf].compute().placedMemory(), offsets[leaf]));
      }
    }
  }

  /** Queues the copies to device memory of {@link #bytes}; returns how many there are. */
  int copyTo(DeviceStream stream, MemorySegment room, TransferMeter meter) {
    for (Piece piece : pieces) {
      MemorySegment from = piece.from;
      MemorySegment to = room.asSlice(piece.offset, from.byteSize());
      if (stream.device().isPinned(from)) {
        stream.copyToDevice(from, to);
      } else {
        long startNs = System.nanoTime();
        stream.copyToDevice(from, to);
        meter.unpinned(System.nanoTime() - startNs);
      }
    }
    return pieces.size();
  }

  /** The bytes that the copies carry. */
  long copiedBytes() {
    return pieces.stream().mapToLong(piece -> piece.from.byteSize()).sum();
  }

  /** Gives the element's memory back; only the first call does. */
  void letGo(String why) {
    element = null;
    leases.forEach(lease -> lease.giveBack(why));
    leases.clear();
    pieces.clear();
  }

  long heapBytes() {
    Object held = element;
    return held == null ? 0 : Weigher.bytesOf(held);
  }
}
