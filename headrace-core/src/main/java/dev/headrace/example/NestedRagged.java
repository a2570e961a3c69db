package dev.headrace.example;

import dev.headrace.data.DType;
import dev.headrace.data.Tensor;
import java.util.List;

/**
 * Rows of rows of unequal length: TensorFlow's {@code RaggedTensor} with several ragged dimensions.
 *
 * @param values all values along the first dimension
 * @param rowSplits int64, outermost first: row <em>i</em> of one level is from {@code splits[i]} to
 *     {@code splits[i + 1]} of the level below it, the last level's of the values
 */
public record NestedRagged(Tensor values, List<Tensor> rowSplits) {

  public NestedRagged {
    rowSplits = List.copyOf(rowSplits);
    for (int level = 0; level < rowSplits.size(); level++) {
      Tensor splits = rowSplits.get(level);
      long below =
          level + 1 == rowSplits.size()
              ? values.shape().dim(0)
              : rowSplits.get(level + 1).elements() - 1;
      if (splits.dtype() != DType.INT64
          || splits.shape().rank() != 1
          || splits.elements() == 0
          || splits.longAt(splits.elements() - 1) != below) {
        throw new IllegalArgumentException(
            "NestedRagged: expected row splits of level %d that end at %d, but got %s"
                .formatted(level, below, splits));
      }
    }
  }
}
