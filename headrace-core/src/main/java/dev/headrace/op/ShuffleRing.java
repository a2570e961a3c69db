package dev.headrace.op;

import dev.headrace.data.HeapLayout;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Id;
import dev.headrace.spi.Spill;
import dev.headrace.spi.Weigher;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The slots of a shuffle's buffer: values with their ids.
 *
 * <p>Longs stand beside their ordinals in one array, so that a random slot costs one cache line.
 * Grows with what is put in it, up to its capacity.
 */
final class ShuffleRing {
  static final int SLOT_BYTES = 16;

  /** Weights are kept in units of an object's alignment. */
  private static final int UNIT = 8;

  private static final int LEAST = 64;
  private static final int FEW = 16_384;
  private static final int BOXED_BYTES = 24;

  /** In the place of an item that is on disk. */
  private enum Marker {
    ON_DISK
  }

  private final int capacity;
  private int slots;

  /**
   * Value and ordinal of each slot while all values are longs; after that only ordinals, and the
   * addresses of items that are on disk.
   */
  private long[] pairs = {};

  private @Nullable Object[] items = {};

  /** What each item was charged for, in units; empty while all values are longs. */
  private int[] weights = {};

  private boolean inLongs = true;

  /** The parent of all ids, or of each where they differ. */
  private @Nullable Id parent;

  private @Nullable Id @Nullable [] parents;
  private boolean used;

  ShuffleRing(int capacity) {
    this.capacity = capacity;
  }

  /** Puts an element into a slot, and notes the bytes that it was charged for. */
  void put(int slot, Chunk from, int index, long bytes) {
    putId(slot, from, index);
    if (inLongs && from.inLongs()) {
      pairs[2 * slot] = from.longs()[index];
    } else {
      leaveLongs();
      items[slot] = from.item(index);
      weights[slot] = (int) Math.min(Integer.MAX_VALUE, bytes / UNIT);
    }
  }

  /** Puts an element that was written to disk into a slot. */
  void putOnDisk(int slot, Chunk from, int index, long address) {
    putId(slot, from, index);
    leaveLongs();
    moveToDisk(slot, address);
  }

  /** Forgets an element that was written to disk since. */
  void moveToDisk(int slot, long address) {
    pairs[2 * slot] = address;
    items[slot] = Marker.ON_DISK;
    weights[slot] = 0;
  }

  /** The element in a slot if it can be written to disk, so that there is more room. */
  @Nullable Object itemToMove(int slot) {
    Object item = inLongs ? null : items[slot];
    return item instanceof Marker ? null : item;
  }

  private void putId(int slot, Chunk from, int index) {
    if (slot >= slots) {
      grow(slot);
    }
    Id itsParent = from.parentOf(index);
    if (itsParent != parent || parents != null) {
      putParent(slot, itsParent);
    }
    used = true;
    pairs[2 * slot + 1] = from.ordinalOf(index);
  }

  /** What an element would be charged for, in units that {@link #bytesOf(int)} gives back. */
  long charge(Chunk from, int index) {
    if (inLongs && from.inLongs()) {
      return 0; // it lies in the ring's own array
    }
    long bytes = from.inLongs() ? BOXED_BYTES : Weigher.bytesOf(from.item(index));
    return Math.min(Integer.MAX_VALUE, bytes / UNIT) * UNIT;
  }

  /** What the element in a slot was charged for. */
  long bytesOf(int slot) {
    return inLongs ? 0 : (long) weights[slot] * UNIT;
  }

  /** Appends what is in a slot to a chunk. */
  void give(int slot, Chunk out, Spill spill) {
    Id[] all = parents;
    Id itsParent = all == null ? parent : all[slot];
    if (inLongs) {
      out.addLong(pairs[2 * slot], itsParent, pairs[2 * slot + 1]);
    } else {
      Object item = items[slot];
      if (item instanceof Marker) {
        item = spill.take(pairs[2 * slot]);
      }
      if (item != null) {
        out.add(item, itsParent, pairs[2 * slot + 1]);
      }
    }
  }

  /** Moves what is in one slot to another, and forgets it in the first. */
  void move(int from, int to) {
    pairs[2 * to] = pairs[2 * from];
    pairs[2 * to + 1] = pairs[2 * from + 1];
    Id[] all = parents;
    if (all != null) {
      all[to] = all[from];
    }
    if (!inLongs) {
      Object item = items[from];
      items[from] = null; // first: both may be the same slot
      int weight = weights[from];
      weights[from] = 0;
      if (from != to) {
        items[to] = item;
        weights[to] = weight;
      }
    }
  }

  void clear() {
    pairs = new long[0];
    items = new Object[0];
    weights = new int[0];
    slots = 0;
  }

  private void putParent(int slot, @Nullable Id itsParent) {
    Id[] all = parents;
    if (all == null) {
      if (!used) {
        parent = itsParent;
        return;
      }
      all = new Id[slots];
      Arrays.fill(all, parent);
      parents = all;
    }
    all[slot] = itsParent;
  }

  private void leaveLongs() {
    if (inLongs) {
      items = new Object[slots];
      weights = new int[slots]; // what was boxed is charged with the ring
      if (used) {
        for (int slot = 0; slot < slots; slot++) {
          items[slot] = pairs[2 * slot];
        }
      }
      inLongs = false;
    }
  }

  /**
   * The bytes that will be allocated before the slots below {@code end} are all there, to hold
   * elements of this lane.
   */
  long bytesToHold(int end, boolean longs) {
    boolean stays = !inLongs || longs;
    if (end <= slots && stays) {
      return 0;
    }
    long boxed = stays ? 0 : (long) BOXED_BYTES * slots;
    return bytesOf(end > slots ? slotsFor(end - 1) : slots, inLongs && longs) + boxed;
  }

  /** What the ring's own arrays take. */
  long bytes() {
    return slots == 0 ? 0 : bytesOf(slots, inLongs);
  }

  private long bytesOf(int count, boolean longs) {
    return HeapLayout.array(2L * count, 8)
        + (longs ? 0 : HeapLayout.references(count) + HeapLayout.array(count, 4))
        + (parents == null ? 0 : HeapLayout.references(count));
  }

  /** Allocates what {@link #bytesToHold} tells. */
  void prepare(int end, boolean longs) {
    if (end > slots) {
      grow(end - 1);
    }
    if (!longs) {
      leaveLongs();
    }
  }

  /** Four times as many while that is little, then half as many again. */
  private int slotsFor(int slot) {
    long wished = slot < FEW ? 4L * slot : slot + (slot >> 1) + 1L;
    return (int) Math.min(capacity, Math.max(LEAST, wished));
  }

  private void grow(int slot) {
    slots = slotsFor(slot);
    pairs = Arrays.copyOf(pairs, 2 * slots);
    if (!inLongs) {
      items = Arrays.copyOf(items, slots);
      weights = Arrays.copyOf(weights, slots);
    }
    Id[] all = parents;
    if (all != null) {
      parents = Arrays.copyOf(all, slots);
    }
  }
}
