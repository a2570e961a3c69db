package dev.headrace.op;

import dev.headrace.spi.Chunk;
import dev.headrace.spi.Id;
import dev.headrace.spi.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The first elements of a pass, kept for later passes.
 *
 * <p><b>Threading:</b> guarded by the {@link KeepingPlaces}, which also account for it.
 */
final class KeptElements {
  private static final int BLOCK = 1024;

  /**
   * A run of elements.
   *
   * @param first how many elements come before it
   * @param before the input's position before it, where that is the same in every pass
   */
  private record Block(long first, Chunk elements, @Nullable State before) {}

  /** Under which sources numbered these elements. */
  private final @Nullable Id prefix;

  private final List<Block> blocks = new ArrayList<>();
  private long size;
  private boolean isDropped;

  /** What was reserved for them. */
  long bytes;

  /** Whether there is nothing after them. */
  boolean isAll;

  KeptElements(@Nullable Id prefix) {
    this.prefix = prefix;
  }

  long size() {
    return size;
  }

  boolean isDropped() {
    return isDropped;
  }

  /** Whether {@link #add} has a use for the input's position. */
  boolean wantsPosition() {
    return blocks.isEmpty() || blocks.getLast().elements.size() >= BLOCK;
  }

  void add(Chunk chunk, @Nullable State before) {
    if (wantsPosition() || blocks.getLast().elements.inLongs() != chunk.inLongs()) {
      blocks.add(new Block(size, new Chunk(), before));
    }
    Chunk into = blocks.getLast().elements;
    for (int i = 0; i < chunk.size(); i++) {
      into.append(chunk, i);
    }
    size += chunk.size();
  }

  /** Gives some elements from place {@code at} on, with the ids that they have under a prefix. */
  void give(Chunk out, long at, int most, @Nullable Id under) {
    if (at >= size) {
      return;
    }
    Block block = blocks.get(blockOf(at));
    int from = (int) (at - block.first);
    out.append(block.elements, from, Math.min(most, block.elements.size() - from));
    if (!Objects.equals(prefix, under)) {
      int depth = Id.path(prefix).length;
      out.reparent(parent -> moved(parent, depth, under));
    }
  }

  private static @Nullable Id moved(@Nullable Id parent, int depth, @Nullable Id under) {
    long[] path = Id.path(parent);
    Id id = under;
    for (int i = depth; i < path.length; i++) {
      id = new Id(id, path[i]);
    }
    return id;
  }

  /** The input's position at place {@code at} of a pass that began at {@code start}. */
  State position(long at, State start) {
    for (int i = blockOf(at); i >= 0; i--) {
      Block block = blocks.get(i);
      if (block.before != null) {
        return State.skipping(at - block.first, block.before);
      }
    }
    return State.skipping(at, start);
  }

  /** The last block that begins at or before a place; −1 if there is none. */
  private int blockOf(long at) {
    int low = 0;
    int high = blocks.size() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      if (blocks.get(middle).first <= at) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return high;
  }

  void drop() {
    isDropped = true;
    blocks.clear();
    size = 0;
    bytes = 0;
  }
}
