package dev.headrace.spi;

import dev.headrace.data.SlabPool;
import org.jspecify.annotations.Nullable;

/**
 * Where a batch may live, and what it may take.
 *
 * <p>{@link BatchMemory} asks it before it allocates. A batch that is no larger than a chunk or two
 * always passes, because the oldest batch must not wait for others. A larger one must fit the
 * budget, or it fails with its size.
 *
 * <p><b>Threading:</b> by one thread at a time, as the cursor that makes the batch.
 *
 * @param slabs where the batch may live, or null for memory of its own
 * @param heap charged with memory of its own, given back by the operator once the batch was handed
 *     on; null where nothing is charged
 * @param owner who asks, as leak reports name it
 */
public record BatchBudget(@Nullable SlabPool slabs, @Nullable Holding heap, String owner) {

  /** Memory of its own without a limit, for batches that are made outside of a pipeline. */
  public static BatchBudget unlimited(String owner) {
    return new BatchBudget(null, null, owner);
  }

  /** The same batch in memory of its own. */
  BatchBudget onHeap() {
    return new BatchBudget(null, heap, owner);
  }

  /** Whether a batch of so many bytes lives in a slab. */
  boolean isLent(long bytes) {
    return slabs != null && bytes >= slabs.leastBytes();
  }

  /**
   * Admits a batch, or throws an exception that tells its size.
   *
   * @param ownBytes what it takes on the heap
   * @param slabBytes what it takes of a slab
   * @param what it is, for the message
   */
  void admit(long ownBytes, long slabBytes, Described what) {
    SlabPool pool = slabs;
    if (pool != null && slabBytes > Holding.LITTLE_BYTES && slabBytes > pool.mostBytes()) {
      throw tooLarge(slabBytes, what, pool.holds(), pool.option());
    }
    Holding holding = heap;
    if (holding != null && ownBytes > Holding.LITTLE_BYTES && !holding.take(ownBytes)) {
      throw tooLarge(ownBytes, what, holding.holds(), holding.option());
    }
  }

  private static IllegalStateException tooLarge(
      long bytes, Described what, String holds, String option) {
    return new IllegalStateException(
        ("batch: expected a batch that fits the memory budget, but %s takes %,d bytes and %s; make"
                + " batches smaller, cut or drop long elements, or raise %s")
            .formatted(what.describe(), bytes, holds, option));
  }

  /** What a batch is, told only where it does not fit. */
  @FunctionalInterface
  interface Described {
    String describe();
  }
}
