package dev.headrace.spi;

import dev.headrace.data.DType;
import dev.headrace.data.Lease;
import dev.headrace.data.Shape;
import dev.headrace.data.SlabPool;
import dev.headrace.data.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Puts tensors, or what can be seen as tensors, one behind the other under a leading dimension. */
public final class Stacking implements Collator<Object, Tensor>, FunctionIdentity.Named {
  private static final long serialVersionUID = 1;
  private static final Stacking INSTANCE = new Stacking();

  /** Batches below this size are cheaper as garbage than as leases. */
  private static final long LEAST_SLAB_BYTES = 4096;

  private static final int ALIGNMENT = 64;

  private Stacking() {}

  @SuppressWarnings("unchecked") // it accepts every element
  static <A> Collator<A, Tensor> instance() {
    return (Collator<A, Tensor>) (Collator<?, Tensor>) INSTANCE;
  }

  /** Whether a collator is this one, so that longs need not be boxed for it. */
  public static boolean isIt(@Nullable Object collator) {
    return collator == INSTANCE;
  }

  @Override
  public String functionName() {
    return "stack";
  }

  @Override
  public Tensor collate(List<Object> elements) {
    Tensor[] rows = new Tensor[elements.size()];
    for (int i = 0; i < rows.length; i++) {
      rows[i] = tensorOf(elements.get(i));
    }
    return stack(new Tensor[][] {rows}, List.of(""), null, "stack")[0];
  }

  /** A scalar or array as a tensor. */
  public static Tensor tensorOf(Object value) {
    return switch (value) {
      case Tensor tensor -> tensor;
      case Long number -> Tensor.scalar(number);
      case Integer number -> Tensor.scalar(number);
      case Float number -> Tensor.scalar(number);
      case Double number -> Tensor.scalar(number);
      case Boolean flag -> Tensor.scalar(flag);
      case String text -> Tensor.scalar(text);
      case byte[] bytes -> Tensor.scalar(bytes);
      case long[] numbers -> Tensor.of(numbers);
      case int[] numbers -> Tensor.of(numbers);
      case float[] numbers -> Tensor.of(numbers);
      case double[] numbers -> Tensor.of(numbers);
      default ->
          throw new IllegalArgumentException(
              "stack: expected numbers, booleans, texts, byte arrays, arrays of numbers or tensors,"
                  + " but got "
                  + value.getClass().getName()
                  + "; give batch a collator of your own");
    };
  }

  /** A batch of longs. */
  public static Tensor stack(long[] values, int count, @Nullable SlabPool slabs, String owner) {
    long bytes = 8L * count;
    if (slabs == null || bytes < LEAST_SLAB_BYTES) {
      return Tensor.wrap(Shape.of(count), Arrays.copyOf(values, count));
    }
    Lease lease = slabs.lease(bytes, owner);
    MemorySegment.copy(MemorySegment.ofArray(values), 0, lease.memory(), 0, bytes);
    return lease.tensor(DType.INT64, Shape.of(count), 0);
  }

  /**
   * Stacks the rows of several leaves; deferred rows are evaluated straight into their place.
   *
   * @param rows by leaf, then by row
   * @param names of the leaves, for messages
   * @param slabs where the batch may live, or null for memory of its own
   */
  public static Tensor[] stack(
      Tensor[][] rows, List<String> names, @Nullable SlabPool slabs, String owner) {
    int leaves = rows.length;
    Shape[] shapes = new Shape[leaves];
    long[] offsets = new long[leaves];
    long bytes = 0;
    for (int leaf = 0; leaf < leaves; leaf++) {
      checkAlike(rows[leaf], names.get(leaf));
      shapes[leaf] = rows[leaf][0].shape().prepend(rows[leaf].length);
      if (rows[leaf][0].dtype() != DType.STRING) {
        offsets[leaf] = bytes;
        long rowBytes = rows[leaf][0].byteSize() * rows[leaf].length;
        bytes += (rowBytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
      }
    }
    Lease lease = slabs == null || bytes < LEAST_SLAB_BYTES ? null : slabs.lease(bytes, owner);
    try {
      Tensor[] stacked = new Tensor[leaves];
      for (int leaf = 0; leaf < leaves; leaf++) {
        stacked[leaf] = stackLeaf(rows[leaf], shapes[leaf], lease, offsets[leaf]);
      }
      return stacked;
    } catch (Throwable e) {
      if (lease != null) {
        lease.giveBack("its batch could not be assembled");
      }
      throw e;
    }
  }

  private static Tensor stackLeaf(Tensor[] rows, Shape shape, @Nullable Lease lease, long offset) {
    DType dtype = rows[0].dtype();
    if (dtype == DType.STRING) {
      return Tensor.stackStrings(List.of(rows));
    }
    long rowBytes = rows[0].byteSize();
    MemorySegment memory = lease == null ? ownMemory(rowBytes * rows.length) : lease.memory();
    for (int i = 0; i < rows.length; i++) {
      rows[i].copyInto(memory, (lease == null ? 0 : offset) + i * rowBytes);
    }
    return lease == null ? Tensor.wrap(dtype, shape, memory) : lease.tensor(dtype, shape, offset);
  }

  /** Heap memory for what fits an array, collected native memory for the rest. */
  private static MemorySegment ownMemory(long bytes) {
    return bytes <= Integer.MAX_VALUE - 16
        ? MemorySegment.ofArray(new long[(int) ((bytes + 7) / 8)]).asSlice(0, bytes)
        : java.lang.foreign.Arena.ofAuto().allocate(bytes, ALIGNMENT);
  }

  private static void checkAlike(Tensor[] rows, String name) {
    Tensor first = rows[0];
    for (int i = 1; i < rows.length; i++) {
      if (rows[i].dtype() != first.dtype() || !rows[i].shape().equals(first.shape())) {
        throw new IllegalArgumentException(
            "batch: expected all elements to be alike, but %selement 0 is %s%s and element %d is"
                    .formatted(
                        name.isEmpty() ? "" : "in '" + name + "' ",
                        first.dtype().tfName(),
                        first.shape(),
                        i)
                + " %s%s; bring them to one shape first, or use a collator"
                    .formatted(rows[i].dtype().tfName(), rows[i].shape()));
      }
    }
  }
}
