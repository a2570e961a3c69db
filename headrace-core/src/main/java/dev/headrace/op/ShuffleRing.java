package dev.headrace.op;

import dev.headrace.spi.Chunk;
import dev.headrace.spi.Id;
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

  private static final int LEAST = 64;
  private static final int FEW = 16_384;
  private static final int BOXED_BYTES = 24;

  private final int capacity;
  private int slots;

  /** Value and ordinal of each slot while all values are longs; only ordinals after that. */
  private long[] pairs = {};

  private @Nullable Object[] items = {};
  private boolean inLongs = true;

  /** The parent of all ids, or of each where they differ. */
  private @Nullable Id parent;

  private @Nullable Id @Nullable [] parents;
  private boolean used;

  ShuffleRing(int capacity) {
    this.capacity = capacity;
  }

  void put(int slot, Chunk from, int index) {
    if (slot >= slots) {
      grow(slot);
    }
    Id itsParent = from.parentOf(index);
    if (itsParent != parent || parents != null) {
      putParent(slot, itsParent);
    }
    used = true;
    pairs[2 * slot + 1] = from.ordinalOf(index);
    if (inLongs && from.inLongs()) {
      pairs[2 * slot] = from.longs()[index];
    } else {
      leaveLongs();
      items[slot] = from.item(index);
    }
  }

  /** Appends what is in a slot to a chunk. */
  void give(int slot, Chunk out) {
    Id[] all = parents;
    Id itsParent = all == null ? parent : all[slot];
    if (inLongs) {
      out.addLong(pairs[2 * slot], itsParent, pairs[2 * slot + 1]);
    } else {
      Object item = items[slot];
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
      if (from != to) {
        items[to] = item;
      }
    }
  }

  void clear() {
    pairs = new long[0];
    items = new Object[0];
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

  private long bytesOf(int count, boolean longs) {
    return (long) count * (SLOT_BYTES + (longs ? 0 : 8) + (parents == null ? 0 : 8));
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
    }
    Id[] all = parents;
    if (all != null) {
      parents = Arrays.copyOf(all, slots);
    }
  }
}
