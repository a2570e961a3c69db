package dev.headrace.spi;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import dev.headrace.data.DType;
import dev.headrace.data.Ragged;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Puts tensors whose first dimensions differ one behind the other. */
final class RaggedStacking implements Assembler<Object, Ragged> {
  private static final long serialVersionUID = 1;
  private static final RaggedStacking INSTANCE = new RaggedStacking();

  private RaggedStacking() {}

  @SuppressWarnings("unchecked") // it accepts every element
  static <A> Collator<A, Ragged> instance() {
    return (Collator<A, Ragged>) (Collator<?, Ragged>) INSTANCE;
  }

  @Override
  public String functionName() {
    return "ragged";
  }

  @Override
  public String word() {
    return "raggedBatch";
  }

  @Override
  public Ragged assemble(Chunk elements, BatchBudget budget) {
    Tensor[] rows = Stacking.tensorsOf(elements);
    long total = 0;
    for (int i = 0; i < rows.length; i++) {
      checkRow(rows, i);
      total += rows[i].shape().dim(0);
    }
    DType[] dtypes = {rows[0].dtype(), DType.INT64};
    Shape[] shapes = {rows[0].shape().dropFirst().prepend(total), Shape.of(rows.length + 1L)};
    BatchMemory memory = new BatchMemory(dtypes, shapes, budget);
    try {
      boolean isText = dtypes[0] == DType.STRING;
      MemorySegment values = memory.room(0);
      MemorySegment splits = memory.room(1);
      splits.set(JAVA_LONG_UNALIGNED, 0, 0);
      long at = 0;
      long split = 0;
      for (int i = 0; i < rows.length; i++) {
        if (!isText) {
          rows[i].copyInto(values, at);
          at += rows[i].byteSize();
        }
        split += rows[i].shape().dim(0);
        splits.set(JAVA_LONG_UNALIGNED, 8L * (i + 1), split);
      }
      return new Ragged(
          isText ? Tensor.concatStrings(List.of(rows)) : memory.tensor(0), memory.tensor(1));
    } catch (Throwable e) {
      memory.giveBack();
      throw e;
    }
  }

  private static void checkRow(Tensor[] rows, int index) {
    Tensor first = rows[0];
    Tensor row = rows[index];
    if (row.shape().rank() == 0) {
      throw new IllegalArgumentException(
          "raggedBatch: expected tensors with a first dimension, but element %d of the batch is %s"
                  .formatted(index, row.describe())
              + "; use batch for scalars");
    }
    if (row.dtype() != first.dtype()
        || !row.shape().dropFirst().equals(first.shape().dropFirst())) {
      throw new IllegalArgumentException(
          ("raggedBatch: expected elements that differ in their first dimension only, but element 0"
                  + " is %s and element %d is %s")
              .formatted(first.describe(), index, row.describe()));
    }
  }
}
