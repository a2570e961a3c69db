package dev.headrace.spi;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import dev.headrace.data.DType;
import dev.headrace.data.Shape;
import dev.headrace.data.Sparse;
import dev.headrace.data.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Makes one sparse tensor of dense ones, whose values, zeros too, are all its values. */
final class SparseStacking implements Assembler<Object, Sparse> {
  private static final long serialVersionUID = 1;

  private final transient Shape rowShape;

  SparseStacking(Shape rowShape) {
    this.rowShape =
        Objects.requireNonNull(rowShape, "sparseBatch: expected a row shape, but got null");
  }

  @Override
  public String functionName() {
    return "sparse(" + rowShape + ")";
  }

  @Override
  public Object identity() {
    return rowShape;
  }

  @Override
  public String word() {
    return "sparseBatch";
  }

  @Override
  public Sparse assemble(Chunk elements, BatchBudget budget) {
    Tensor[] rows = Stacking.tensorsOf(elements);
    int rank = rowShape.rank();
    long total = 0;
    long[] dense = new long[rank + 1];
    dense[0] = rows.length;
    for (int d = 0; d < rank; d++) {
      dense[d + 1] = Math.max(0, rowShape.dim(d));
    }
    for (int i = 0; i < rows.length; i++) {
      checkRow(rows, i);
      total += rows[i].elements();
      for (int d = 0; d < rank; d++) {
        dense[d + 1] = Math.max(dense[d + 1], rows[i].shape().dim(d));
      }
    }
    DType[] dtypes = {DType.INT64, rows[0].dtype(), DType.INT64};
    Shape[] shapes = {Shape.of(total, rank + 1L), Shape.of(total), Shape.of(rank + 1L)};
    BatchMemory memory = new BatchMemory(dtypes, shapes, budget);
    try {
      writeIndices(rows, memory.room(0));
      MemorySegment denseRoom = memory.room(2);
      for (int d = 0; d <= rank; d++) {
        denseRoom.set(JAVA_LONG_UNALIGNED, 8L * d, dense[d]);
      }
      return new Sparse(memory.tensor(0), values(rows, memory), memory.tensor(2));
    } catch (Throwable e) {
      memory.giveBack();
      throw e;
    }
  }

  private void checkRow(Tensor[] rows, int index) {
    Tensor row = rows[index];
    boolean fits = row.dtype() == rows[0].dtype() && row.shape().rank() == rowShape.rank();
    for (int d = 0; fits && d < rowShape.rank(); d++) {
      fits = rowShape.dim(d) == Shape.UNKNOWN || row.shape().dim(d) <= rowShape.dim(d);
    }
    if (!fits) {
      throw new IllegalArgumentException(
          "sparseBatch: expected elements of type %s and within %s, but element %d of the batch is %s"
              .formatted(rows[0].dtype().tfName(), rowShape, index, row.describe()));
    }
  }

  private static void writeIndices(Tensor[] rows, MemorySegment room) {
    long at = 0;
    for (int i = 0; i < rows.length; i++) {
      Shape shape = rows[i].shape();
      int rank = shape.rank();
      long[] index = new long[rank];
      for (long n = 0; n < rows[i].elements(); n++) {
        room.set(JAVA_LONG_UNALIGNED, at, i);
        at += 8;
        for (long each : index) {
          room.set(JAVA_LONG_UNALIGNED, at, each);
          at += 8;
        }
        for (int d = rank - 1; d >= 0 && ++index[d] == shape.dim(d); d--) {
          index[d] = 0;
        }
      }
    }
  }

  private static Tensor values(Tensor[] rows, BatchMemory memory) {
    if (rows[0].dtype() == DType.STRING) {
      List<Tensor> flat = new ArrayList<>();
      for (Tensor row : rows) {
        flat.add(row.reshape(Shape.of(row.elements())));
      }
      return Tensor.concatStrings(flat);
    }
    MemorySegment room = memory.room(1);
    long at = 0;
    for (Tensor row : rows) {
      row.copyInto(room, at);
      at += row.byteSize();
    }
    return memory.tensor(1);
  }
}
