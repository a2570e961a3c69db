package dev.headrace.runtime;

import dev.headrace.spi.Chunk;
import dev.headrace.spi.State;
import org.jspecify.annotations.Nullable;

/** A chunk on its way through a stage. Guarded by the crew's lock, but for the chunk's content. */
final class Slot {
  /** The input's position before the chunk was pulled. */
  final State before;

  /** The elements; let go once they are handed over, because positions may keep the slot. */
  Chunk chunk;

  /** How many elements the input gave for it; while it is being pulled, minus how many it may. */
  int length;

  /** How many of its results were handed over. */
  int taken;

  /** How many results had been handed over in an earlier life, and are not in the chunk. */
  int takenBefore;

  /** Whether it is of an earlier life, whose order is kept to: it must not be split. */
  boolean isRestored;

  boolean done;
  boolean handedOver;

  /** Whether a thread is pulling it or working on it. */
  boolean inHand;

  /** What ended the stage while this was in hand: it is handed over as a terminal failure. */
  @Nullable Throwable brokenBy;

  long heapBytes;

  /** Bytes that will be taken for batches in it. */
  long promisedBytes;

  /** The slot pulled after this one. */
  @Nullable Slot next;

  /** The slot handed over after this one, where order is not kept. */
  volatile @Nullable Slot handedOverNext;

  Slot(State before, Chunk chunk) {
    this.before = before;
    this.chunk = chunk;
  }

  int left() {
    if (brokenBy != null) {
      return handedOver ? 0 : 1;
    }
    return chunk.size() - (taken - takenBefore);
  }
}
