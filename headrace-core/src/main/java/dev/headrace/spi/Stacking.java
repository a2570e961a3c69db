package dev.headrace.spi;

import dev.headrace.data.DType;
import dev.headrace.data.LeafValues;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Puts tensors, or what can be seen as tensors, one behind the other under a leading dimension. */
public final class Stacking implements Assembler<Object, Tensor> {
  private static final long serialVersionUID = 1;
  private static final Stacking INSTANCE = new Stacking();

  private Stacking() {}

  @SuppressWarnings("unchecked") // it accepts every element
  static <A> Collator<A, Tensor> instance() {
    return (Collator<A, Tensor>) (Collator<?, Tensor>) INSTANCE;
  }

  /** Whether a collator is the one that stacks. */
  public static boolean isStacking(@Nullable Object collator) {
    return collator == INSTANCE;
  }

  @Override
  public String functionName() {
    return "stack";
  }

  @Override
  public Tensor assemble(Chunk elements, BatchBudget budget) {
    if (elements.inLongs()) {
      return ofLongs(elements, budget);
    }
    return stack(new Tensor[][] {tensorsOf(elements)}, List.of(""), budget)[0];
  }

  /** The elements of a chunk as tensors. */
  static Tensor[] tensorsOf(Chunk elements) {
    Tensor[] rows = new Tensor[elements.size()];
    for (int i = 0; i < rows.length; i++) {
      rows[i] = tensorOf(elements.item(i));
    }
    return rows;
  }

  /** A scalar or array as a tensor. */
  public static Tensor tensorOf(Object value) {
    Tensor tensor = LeafValues.tensorOf(value);
    if (tensor == null) {
      throw new IllegalArgumentException(
          "stack: expected numbers, booleans, texts, byte arrays, arrays of numbers or tensors,"
              + " but got "
              + value.getClass().getName()
              + "; use batch(n) for records, maps and lists of them, or a collator of your own");
    }
    return tensor;
  }

  /** The batch of a chunk of longs. */
  public static Tensor ofLongs(Chunk elements, BatchBudget budget) {
    long[] values = elements.longs();
    int count = elements.size();
    long bytes = 8L * count;
    if (!budget.isLent(bytes)) {
      budget.admit(bytes, 0, () -> "int64[" + count + "]");
      return Tensor.wrap(Shape.of(count), Arrays.copyOf(values, count));
    }
    BatchMemory memory =
        new BatchMemory(new DType[] {DType.INT64}, new Shape[] {Shape.of(count)}, budget);
    MemorySegment.copy(MemorySegment.ofArray(values), 0, memory.room(0), 0, bytes);
    return memory.tensor(0);
  }

  /**
   * Stacks the rows of several leaves; deferred rows are evaluated straight into their place.
   *
   * @param rows by leaf, then by row
   * @param names of the leaves, for messages
   * @param budget where the batch may live
   */
  public static Tensor[] stack(Tensor[][] rows, List<String> names, BatchBudget budget) {
    int leaves = rows.length;
    DType[] dtypes = new DType[leaves];
    Shape[] shapes = new Shape[leaves];
    for (int leaf = 0; leaf < leaves; leaf++) {
      checkAlike(rows[leaf], names.get(leaf));
      dtypes[leaf] = rows[leaf][0].dtype();
      shapes[leaf] = rows[leaf][0].shape().prepend(rows[leaf].length);
    }
    BatchMemory memory = new BatchMemory(dtypes, shapes, budget);
    try {
      Tensor[] stacked = new Tensor[leaves];
      for (int leaf = 0; leaf < leaves; leaf++) {
        stacked[leaf] = stackLeaf(rows[leaf], memory, leaf);
      }
      return stacked;
    } catch (Throwable e) {
      memory.giveBack();
      throw e;
    }
  }

  private static Tensor stackLeaf(Tensor[] rows, BatchMemory memory, int leaf) {
    if (rows[0].dtype() == DType.STRING) {
      return Tensor.stackStrings(List.of(rows));
    }
    MemorySegment room = memory.room(leaf);
    long rowBytes = rows[0].byteSize();
    for (int i = 0; i < rows.length; i++) {
      rows[i].copyInto(room, i * rowBytes);
    }
    return memory.tensor(leaf);
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
