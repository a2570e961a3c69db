package dev.headrace.spi;

import dev.headrace.data.DType;
import dev.headrace.data.HeapLayout;
import dev.headrace.data.Lease;
import dev.headrace.data.Shape;
import dev.headrace.data.SlabPool;
import dev.headrace.data.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Room for the tensors of one batch: a slab for all of them where there is a pool, else memory of
 * their own. Strings have no room here.
 *
 * <p><b>Ownership:</b> who makes it gives it back if the batch cannot be assembled; afterwards the
 * memory belongs to the tensors.
 */
public final class BatchMemory {
  private static final int ALIGNMENT = 64;

  private final DType[] dtypes;
  private final Shape[] shapes;
  private final long[] offsets;
  private final @Nullable MemorySegment[] own;
  private final @Nullable Lease lease;

  /**
   * Room for tensors of these types and shapes.
   *
   * @throws IllegalStateException if they do not fit the budget; nothing was allocated then
   */
  public BatchMemory(DType[] dtypes, Shape[] shapes, BatchBudget budget) {
    this(dtypes, shapes, budget, bytes -> slabsOf(budget).lease(bytes, budget.owner()));
  }

  private BatchMemory(
      DType[] dtypes, Shape[] shapes, BatchBudget budget, LongFunction<@Nullable Lease> lender) {
    this.dtypes = dtypes;
    this.shapes = shapes;
    this.offsets = new long[dtypes.length];
    this.own = new MemorySegment[dtypes.length];
    long fixed = bytes(dtypes, shapes);
    boolean isLent = budget.isLent(fixed);
    budget.admit(textBytes() + (isLent ? 0 : fixed), isLent ? fixed : 0, this::describe);
    long bytes = 0;
    for (int leaf = 0; leaf < dtypes.length; leaf++) {
      offsets[leaf] = bytes;
      bytes += (bytes(leaf) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
    this.lease = isLent ? lender.apply(bytes) : null;
  }

  private static SlabPool slabsOf(BatchBudget budget) {
    return Objects.requireNonNull(budget.slabs());
  }

  /** What the arrays take that texts are put into; the texts themselves are there already. */
  private long textBytes() {
    double texts = 0;
    for (int leaf = 0; leaf < dtypes.length; leaf++) {
      texts += dtypes[leaf].isFixedSize() ? 0 : (double) shapes[leaf].elements();
    }
    return (long) Math.min(texts * HeapLayout.REFERENCE, Long.MAX_VALUE / 2);
  }

  private String describe() {
    List<String> tensors = new ArrayList<>();
    for (int leaf = 0; leaf < dtypes.length; leaf++) {
      tensors.add(dtypes[leaf].tfName() + shapes[leaf]);
    }
    return String.join(", ", tensors);
  }

  /** The bytes that tensors of these types and shapes take together. */
  public static long bytes(DType[] dtypes, Shape[] shapes) {
    double bytes = 0;
    for (int leaf = 0; leaf < dtypes.length; leaf++) {
      bytes +=
          dtypes[leaf].isFixedSize()
              ? (double) shapes[leaf].elements() * dtypes[leaf].byteSize()
              : 0;
    }
    return (long) Math.min(bytes, Long.MAX_VALUE / 2);
  }

  /** Room in a slab, or null where the budget has none left for a batch that can wait. */
  public static @Nullable BatchMemory tryTake(
      DType[] dtypes, Shape[] shapes, SlabPool slabs, String owner) {
    boolean[] refused = new boolean[1];
    BatchMemory memory =
        new BatchMemory(
            dtypes,
            shapes,
            new BatchBudget(slabs, null, owner),
            bytes -> {
              Lease lease = slabs.tryLease(bytes, owner);
              refused[0] = lease == null;
              return lease;
            });
    return refused[0] ? null : memory;
  }

  /** Whether the tensors lie on the heap, and not in a slab. */
  public boolean isOwn() {
    return lease == null;
  }

  private long bytes(int leaf) {
    return shapes[leaf].elements() * dtypes[leaf].byteSize();
  }

  /** The memory of one tensor, to be written. */
  public MemorySegment room(int leaf) {
    if (lease != null) {
      return lease.memory().asSlice(offsets[leaf], bytes(leaf));
    }
    MemorySegment known = own[leaf];
    if (known == null) {
      known = allocate(bytes(leaf));
      own[leaf] = known;
    }
    return known;
  }

  /** Whether the room holds zeros before it is written; a slab holds what was there before. */
  public boolean isZeroed() {
    return lease == null;
  }

  /** The tensor over the memory that was written. */
  public Tensor tensor(int leaf) {
    return lease == null
        ? Tensor.wrap(dtypes[leaf], shapes[leaf], room(leaf))
        : lease.tensor(dtypes[leaf], shapes[leaf], offsets[leaf]);
  }

  /** The tensor over the first {@code rows} rows of the memory that was written. */
  public Tensor firstRows(int leaf, long rows) {
    if (rows == shapes[leaf].dim(0)) {
      return tensor(leaf);
    }
    Shape shape = shapes[leaf].dropFirst().prepend(rows);
    return lease == null
        ? tensor(leaf).slice(0, rows)
        : lease.tensor(dtypes[leaf], shape, offsets[leaf]);
  }

  /** Leaves the slab to who still writes to it, and {@link #free} frees it. */
  public void leave() {
    if (lease != null) {
      Lease _ = lease.keep();
    }
  }

  /** Frees a slab that was left. */
  public void free() {
    if (lease != null) {
      lease.close();
    }
  }

  /** Gives the slab back, if there is one: the batch could not be assembled. */
  public void giveBack() {
    if (lease != null) {
      lease.giveBack("its batch could not be assembled");
    }
  }

  /** Heap memory for what fits an array, collected native memory for the rest. */
  private static MemorySegment allocate(long bytes) {
    return bytes <= Integer.MAX_VALUE - 16
        ? MemorySegment.ofArray(new long[(int) ((bytes + 7) / 8)]).asSlice(0, bytes)
        : Arena.ofAuto().allocate(bytes, ALIGNMENT);
  }
}
