package dev.headrace.op;

import static dev.headrace.Dataset.fromTensorSlices;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Checkpoint;
import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.spi.Access;
import dev.headrace.testing.NoLeftovers;
import dev.headrace.testing.PipelineContract;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@Timeout(60)
@ExtendWith(NoLeftovers.class)
class FromTensorSlicesOpTest {
  private record Labelled(Tensor image, Tensor label) {}

  @Test
  void keepsTheContract() {
    Tensor images = Tensor.uniform(Shape.of(20, 3), 7);
    Tensor labels = Tensor.full(Shape.of(20), 1L);
    PipelineContract.of(n -> fromTensorSlices(new Labelled(images, labels)).map(x -> x, n).batch(6))
        .check();
    PipelineContract.of(n -> fromTensorSlices(Tensor.of(new long[0]))).check();
  }

  @Test
  void keepsTheStructure() {
    Labelled all =
        new Labelled(
            Tensor.of(Shape.of(2, 2), new float[] {1, 2, 3, 4}), Tensor.ofStrings("a", "b"));
    List<Labelled> rows = fromTensorSlices(all).toList();
    assertThat(rows).hasSize(2);
    assertThat(rows.get(1).image().toFloatArray()).containsExactly(3, 4);
    assertThat(rows.get(1).label().stringValue()).isEqualTo("b");
    Map<String, Tensor> map = fromTensorSlices(Map.of("x", Tensor.of(7, 8))).toList().get(1);
    assertThat(map.get("x").intValue()).isEqualTo(8);
    assertThat(fromTensorSlices(List.of(Tensor.of(7, 8), Tensor.of(1L, 2L))).toList()).hasSize(2);
  }

  @Test
  void rowsAreViews() {
    float[] memory = {1, 2, 3, 4};
    Tensor row = fromTensorSlices(Tensor.wrap(Shape.of(2, 2), memory)).toList().get(1);
    memory[3] = 9;
    assertThat(row.toFloatArray()).containsExactly(3, 9);
  }

  @Test
  void aBatchOfRowsIsTheTensor() {
    Tensor all = Tensor.uniform(Shape.of(8, 5), 3);
    assertThat(fromTensorSlices(all).batch(8).first().orElseThrow().contentEquals(all)).isTrue();
    assertThat(fromTensorSlices(all.scale(2)).batch(8).first().orElseThrow().contentEquals(all))
        .isFalse();
  }

  @Test
  void givesRowsByIndex() throws Exception {
    Dataset<Tensor> rows = fromTensorSlices(Tensor.of(5, 6, 7));
    assertThat(rows.cardinality()).isEqualTo(3);
    try (Access access = rows.op().access()) {
      assertThat(access.size()).isEqualTo(3);
      assertThat(((Tensor) access.at(2)).intValue()).isEqualTo(7);
      assertThatThrownBy(() -> access.at(3)).isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  @Test
  void refusesAPositionBeyondTheRows() {
    Checkpoint checkpoint;
    try (Pipeline<Tensor> pipeline = fromTensorSlices(Tensor.of(5, 6, 7, 8, 9)).open()) {
      var rows = pipeline.iterator();
      for (int i = 0; i < 5; i++) {
        rows.next();
      }
      checkpoint = pipeline.checkpoint();
    }
    String shape = fromTensorSlices(Tensor.of(5, 6)).explain();
    assertThat(shape).contains("int32[2]");
    try (Pipeline<Tensor> pipeline = fromTensorSlices(Tensor.of(5, 6)).open(checkpoint)) {
      assertThatThrownBy(() -> pipeline.iterator().next())
          .hasMessageContaining(
              "checkpoint: expected a position from 0 to 2 for fromTensorSlices, but got");
    }
  }

  @Test
  void refusesWhatHasNoRows() {
    assertThatThrownBy(() -> fromTensorSlices(Tensor.scalar(1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "fromTensorSlices: expected a tensor with rows, but got the scalar int32[]; use"
                + " fromTensors for one element");
    assertThatThrownBy(() -> fromTensorSlices(new Labelled(Tensor.of(1, 2, 3), Tensor.of(1L, 2L))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "fromTensorSlices.label: expected 3 rows, as image has, but got int64[2]; all tensors"
                + " must have the same first dimension");
    assertThatThrownBy(() -> fromTensorSlices("text"))
        .hasMessage(
            "fromTensorSlices: expected a Tensor, or a record, Map<String, …> or List of them, but"
                + " got java.lang.String; use Dataset.fromList(…) for elements of other types");
  }

  @Test
  void refusesPartsOfABatchThatWillBeGivenBack() {
    try (Pipeline<Tensor> pipeline = Dataset.of(Tensor.full(Shape.of(4000), 1f)).batch(1).open()) {
      Tensor batch = pipeline.iterator().next();
      assertThatThrownBy(() -> fromTensorSlices(batch))
          .hasMessageContaining(
              "expected a tensor with memory of its own, but got part of a batch");
    }
  }
}
