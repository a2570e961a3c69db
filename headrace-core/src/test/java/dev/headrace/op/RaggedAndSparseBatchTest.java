package dev.headrace.op;

import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.data.Ragged;
import dev.headrace.data.Shape;
import dev.headrace.data.Sparse;
import dev.headrace.data.Tensor;
import dev.headrace.golden.Outcomes;
import dev.headrace.spi.Collator;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RaggedAndSparseBatchTest {
  private record Pair(Tensor left, Tensor right) {}

  private static Dataset<Tensor> filled(long count) {
    return range(count).map(x -> Tensor.full(Shape.of(x), x));
  }

  @Test
  void rowsOfUnequalLengthLieBehindEachOther() {
    assertThat(Outcomes.of(filled(4).raggedBatch(3)))
        .containsExactly(
            "int64[3] [1, 2, 2]; int64[4] [0, 0, 1, 3]",
            "int64[3] [3, 3, 3]; int64[2] [0, 3]",
            "end");
    Ragged batch = filled(4).raggedBatch(3, true).toList().getFirst();
    assertThat(batch.rows()).isEqualTo(3);
    assertThat(batch.length(2)).isEqualTo(2);
    assertThat(batch.row(0).elements()).isZero();
    assertThat(batch.row(2).toLongArray()).containsExactly(2, 2);
    assertThat(batch.toList()).hasSize(3);
    assertThatThrownBy(() -> batch.row(3))
        .isInstanceOf(IndexOutOfBoundsException.class)
        .hasMessage("Ragged: expected a row of 0 to 2, but got 3");
    assertThat(filled(4).raggedBatch(3, true).cardinality()).isEqualTo(1);
  }

  @Test
  void raggedRowsMayBeArraysTextsAndMatrices() {
    assertThat(Outcomes.of(range(3).map(x -> new int[x.intValue()]).raggedBatch(3)))
        .containsExactly("int32[3] [0, 0, 0]; int64[4] [0, 0, 1, 3]", "end");
    assertThat(
            Outcomes.of(
                range(1, 3)
                    .map(x -> x == 1 ? Tensor.ofStrings("a") : Tensor.ofStrings("b", "c"))
                    .raggedBatch(2)))
        .containsExactly("string[3] [a, b, c]; int64[3] [0, 1, 3]", "end");
    assertThat(Outcomes.of(range(3).map(x -> Tensor.full(Shape.of(x, 2), x)).raggedBatch(3)))
        .containsExactly("int64[3, 2] [1, 1, 2, 2, 2, 2]; int64[4] [0, 0, 1, 3]", "end");
  }

  @Test
  void raggedRowsComeBackByUnbatch() {
    assertThat(Outcomes.of(filled(4).raggedBatch(3).unbatch(Ragged::toList)))
        .isEqualTo(Outcomes.of(filled(4)));
  }

  @Test
  void structuresAreCollatedByLeaf() {
    Map<String, Ragged> batch =
        filled(3)
            .map(x -> new Pair(x, x.convert(dev.headrace.data.DType.FLOAT32)))
            .batch(3, Collator.<Pair, Ragged>byLeaf(Collator.ragged()))
            .toList()
            .getFirst();
    assertThat(batch).containsOnlyKeys("left", "right");
    assertThat(batch.get("left").values().toLongArray()).containsExactly(1, 2, 2);
    assertThat(batch.get("right").row(1).toFloatArray()).containsExactly(1);
  }

  @Test
  void largeBatchesLiveInSlabs() {
    try (Pipeline<Ragged> pipeline =
        range(8).map(x -> Tensor.full(Shape.of(500), x)).raggedBatch(4).open()) {
      for (Ragged batch : pipeline) {
        assertThat(batch.values().lease()).isNotNull().isSameAs(batch.rowSplits().lease());
        assertThat(batch.row(3).longAt(499) % 4).isEqualTo(3);
      }
    }
  }

  @Test
  void rowsThatDoNotFitCostTheirBatch() {
    assertThat(Outcomes.errors(range(2).raggedBatch(2)).getFirst())
        .hasMessageContaining(
            "raggedBatch: expected tensors with a first dimension, but element 0 of the batch is"
                + " int64[]; use batch for scalars");
    Dataset<Ragged> mixed =
        range(4).map(x -> Tensor.full(Shape.of(1, x / 3 + 1), x)).raggedBatch(2);
    assertThat(Outcomes.of(mixed))
        .containsExactly("int64[2, 1] [0, 1]; int64[3] [0, 1, 2]", "error", "end");
    assertThat(Outcomes.errors(mixed).getFirst())
        .hasMessageContaining(
            "raggedBatch: expected elements that differ in their first dimension only, but element"
                + " 0 is int64[1, 1] and element 1 is int64[1, 2]");
  }

  @Test
  void raggedChecksItsSplits() {
    assertThatThrownBy(() -> new Ragged(Tensor.of(1L, 2L), Tensor.of(0L, 3L)))
        .hasMessageContaining("Ragged: expected row splits that ascend from 0 to 2, but got");
    assertThatThrownBy(() -> new Ragged(Tensor.of(1L, 2L), Tensor.of(0L, 2L, 1L, 2L)))
        .hasMessageContaining("Ragged: expected row splits that ascend from 0 to 2, but got");
    assertThatThrownBy(() -> new Ragged(Tensor.scalar(1L), Tensor.of(new long[] {0})))
        .hasMessage(
            "Ragged: expected values with rows and row splits of int64[n + 1], but got int64[] and"
                + " int64[1]");
  }

  @Test
  void sparseValuesAreAllValuesWithTheirPlaces() {
    // As recorded from tf.data: zeros are values too.
    Dataset<Tensor> rows = range(1, 4).map(x -> Tensor.full(Shape.of(x), x == 2 ? 0 : x));
    assertThat(Outcomes.of(rows.sparseBatch(3, Shape.of(5))))
        .containsExactly(
            "int64[6, 2] [0, 0, 1, 0, 1, 1, 2, 0, 2, 1, 2, 2]; int64[6] [1, 0, 0, 3, 3, 3];"
                + " int64[2] [3, 5]",
            "end");
    Sparse open = rows.sparseBatch(3, Shape.of(Shape.UNKNOWN)).toList().getFirst();
    assertThat(open.denseShape().toLongArray()).containsExactly(3, 3);
    assertThat(open.rows()).isEqualTo(3);
    assertThat(open.row(0).toLongArray()).containsExactly(1, 0, 0);
    assertThatThrownBy(() -> open.row(-1))
        .hasMessage("Sparse: expected a row of 0 to 2, but got -1");
  }

  @Test
  void sparseRowsMayBeTextsAndMatrices() {
    Sparse batch =
        range(2)
            .map(x -> Tensor.of(Shape.of(1, 2), new int[] {1, x.intValue()}))
            .sparseBatch(2, Shape.of(2, 3))
            .toList()
            .getFirst();
    assertThat(batch.indices().toLongArray()).containsExactly(0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0, 1);
    assertThat(batch.row(1).toIntArray()).containsExactly(1, 1, 0, 0, 0, 0);
    Sparse texts =
        range(1, 3)
            .map(x -> x == 1 ? Tensor.ofStrings("a") : Tensor.ofStrings("b", "c"))
            .sparseBatch(2, Shape.of(2))
            .toList()
            .getFirst();
    assertThat(texts.row(0).toStrings()).containsExactly("a", "");
    assertThat(texts.row(1).toStrings()).containsExactly("b", "c");
  }

  @Test
  void sparseRowsThatDoNotFitCostTheirBatch() {
    Dataset<Sparse> batches = filled(4).sparseBatch(2, Shape.of(2));
    assertThat(Outcomes.of(batches).subList(1, 3)).containsExactly("error", "end");
    assertThat(Outcomes.errors(batches).getFirst())
        .hasMessageContaining(
            "sparseBatch: expected elements of type int64 and within [2], but element 1 of the"
                + " batch is int64[3]");
    Shape none = null;
    assertThatThrownBy(() -> filled(4).sparseBatch(2, none))
        .hasMessage("sparseBatch: expected a row shape, but got null");
    assertThatThrownBy(
            () ->
                new Sparse(
                    Tensor.of(new long[] {1}),
                    Tensor.of(new long[] {1}),
                    Tensor.of(new long[] {1})))
        .hasMessageStartingWith("Sparse: expected indices of int64[n, rank]");
  }
}
