package dev.headrace.data;

import java.util.ArrayList;
import java.util.List;

/**
 * Rows of unequal length, one behind the other: TensorFlow's {@code RaggedTensor} with one ragged
 * dimension.
 *
 * @param values all rows along the first dimension
 * @param rowSplits int64: row <em>i</em> is {@code values} from {@code rowSplits[i]} to {@code
 *     rowSplits[i + 1]}
 */
public record Ragged(Tensor values, Tensor rowSplits) {

  public Ragged {
    if (rowSplits.dtype() != DType.INT64
        || rowSplits.shape().rank() != 1
        || rowSplits.elements() == 0
        || values.shape().rank() == 0) {
      throw new IllegalArgumentException(
          "Ragged: expected values with rows and row splits of int64[n + 1], but got %s and %s"
              .formatted(values.describe(), rowSplits.describe()));
    }
    long at = rowSplits.longAt(0);
    boolean ascends = at == 0;
    for (long i = 1; i < rowSplits.elements(); i++) {
      long next = rowSplits.longAt(i);
      ascends &= at <= next;
      at = next;
    }
    if (!ascends || at != values.shape().dim(0)) {
      throw new IllegalArgumentException(
          "Ragged: expected row splits that ascend from 0 to %d, but got %s"
              .formatted(values.shape().dim(0), rowSplits));
    }
  }

  /** The number of rows. */
  public long rows() {
    return rowSplits.elements() - 1;
  }

  /** The length of a row. */
  public long length(long index) {
    checkRow(index);
    return rowSplits.longAt(index + 1) - rowSplits.longAt(index);
  }

  /** A row; not copied. */
  public Tensor row(long index) {
    checkRow(index);
    return values.slice(rowSplits.longAt(index), rowSplits.longAt(index + 1));
  }

  /** All rows; not copied. */
  public List<Tensor> toList() {
    List<Tensor> rows = new ArrayList<>();
    for (long i = 0; i < rows(); i++) {
      rows.add(row(i));
    }
    return List.copyOf(rows);
  }

  private void checkRow(long index) {
    if (index < 0 || index >= rows()) {
      throw new IndexOutOfBoundsException(
          "Ragged: expected a row of 0 to %d, but got %d".formatted(rows() - 1, index));
    }
  }
}
