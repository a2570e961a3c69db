package dev.headrace.example;

import dev.headrace.data.DType;
import dev.headrace.data.Ragged;
import dev.headrace.data.Shape;
import dev.headrace.data.Sparse;
import dev.headrace.data.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes of columns what a feature was asked for as.
 *
 * @param feature what was asked for
 * @param values its values
 * @param others the columns of its indices or partitions, in order
 */
record Output(Feature feature, Column values, List<Column> others) {

  /** The columns that a feature needs, added to {@code columns}. */
  static Output of(Feature feature, List<Column> columns) {
    boolean isFixed = feature.form() == Feature.Form.FIXED;
    boolean isShaped = isFixed || feature.form() == Feature.Form.SEQUENCE;
    int stride = isShaped ? Math.toIntExact(feature.shape().elements()) : 1;
    Column values =
        new Column(
            feature.key(), feature.dtype(), isFixed, stride, isFixed ? feature.fallback() : null);
    columns.add(values);
    List<Column> others = new ArrayList<>();
    List<String> keys = new ArrayList<>(feature.indexKeys());
    feature.partitions().forEach(partition -> keys.add(partition.key()));
    for (String key : keys) {
      Column other = new Column(key, DType.INT64, false, 1, null);
      others.add(other);
      if (!key.isEmpty()) {
        columns.add(other);
      }
    }
    return new Output(feature, values, others);
  }

  /** The value of one example, or of a batch of {@code rows}. */
  Object build(int rows, boolean single) {
    return switch (feature.form()) {
      case FIXED -> {
        Shape shape = feature.shape();
        yield values.values.take(single ? shape : shape.prepend(rows));
      }
      case SEQUENCE -> sequence(rows, single);
      case VAR_LEN -> varLen(rows, single);
      case SPARSE -> SparseOutput.build(this, rows, single);
      case RAGGED -> {
        if (!feature.partitions().isEmpty()) {
          yield RaggedOutput.build(this, rows, single);
        }
        Tensor all = values.values.copy();
        yield single ? all : new Ragged(all, Tensor.wrap(Shape.of(rows + 1L), values.splits(rows)));
      }
    };
  }

  private Tensor sequence(int rows, boolean single) {
    int stride = values.stride();
    if (single) {
      return values.values.copy().reshape(feature.shape().prepend(values.values.size / stride));
    }
    int width = values.longestRow(rows);
    checkPadded(rows, width);
    return values.values.padded(
        values.ends(),
        rows,
        width,
        feature.fallback(),
        feature.shape().prepend(width / stride).prepend(rows));
  }

  private void checkPadded(int rows, int width) {
    if ((long) rows * width > Integer.MAX_VALUE - Values.SLACK) {
      throw new IllegalArgumentException(
          "example: feature '%s': expected a padded batch of at most 2^31 values, but %d %s as long as %d; use varLen() or ragged()"
              .formatted(feature.key(), rows, rows == 1 ? "row is" : "rows are", width));
    }
  }

  private Sparse varLen(int rows, boolean single) {
    int count = values.values.size;
    if (single) {
      long[] places = new long[count];
      for (int i = 0; i < count; i++) {
        places[i] = i;
      }
      return new Sparse(
          Tensor.wrap(Shape.of(count, 1), places),
          values.values.copy(),
          Tensor.of(new long[] {count}));
    }
    long[] places = new long[Math.multiplyExact(count, 2)];
    int[] ends = values.ends();
    for (int row = 0, at = 0; row < rows; row++) {
      for (int i = 0; at < ends[row]; at++, i++) {
        places[2 * at] = row;
        places[2 * at + 1] = i;
      }
    }
    return new Sparse(
        Tensor.wrap(Shape.of(count, 2), places),
        values.values.copy(),
        Tensor.of(rows, (long) values.longestRow(rows)));
  }
}
