package dev.headrace.data;

import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Tensors of one type and shape, stacked along a new first dimension; each may be deferred, and is
 * then computed straight into its row.
 *
 * @param rows at least one
 */
public record StackExpression(List<Tensor> rows) implements Expression {
  public StackExpression {
    rows = List.copyOf(rows);
    if (rows.isEmpty()) {
      throw new IllegalArgumentException("stack: expected at least one tensor, but got none");
    }
    Tensor first = rows.getFirst();
    for (int row = 1; row < rows.size(); row++) {
      Tensor other = rows.get(row);
      if (other.dtype() != first.dtype() || !other.shape().equals(first.shape())) {
        throw new IllegalArgumentException(
            "stack: expected rows of %s%s, but row %d is %s%s; resize or pad them first"
                .formatted(
                    first.dtype().tfName(),
                    first.shape(),
                    row,
                    other.dtype().tfName(),
                    other.shape()));
      }
    }
  }

  @Override
  public DType dtype() {
    return rows.getFirst().dtype();
  }

  @Override
  public Shape shape() {
    return rows.getFirst().shape().prepend(rows.size());
  }

  @Override
  public List<Tensor> sources() {
    return rows;
  }

  @Override
  public void evaluateInto(MemorySegment destination) {
    long rowBytes = destination.byteSize() / rows.size();
    for (int row = 0; row < rows.size(); row++) {
      rows.get(row).copyInto(destination, row * rowBytes);
    }
  }

  @Override
  public String describe() {
    return "stack(" + rows.size() + ") ← " + rows.getFirst().describe();
  }
}
