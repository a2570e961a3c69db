package dev.headrace.op;

import static dev.headrace.Dataset.UNKNOWN;
import static dev.headrace.Dataset.range;
import static dev.headrace.spi.Collator.stack;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.golden.Outcomes;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RebatchOpTest {
  private record Pair(Tensor left, Tensor right) {}

  private static Dataset<Pair> pairs(long count, int batch) {
    return range(count)
        .map(x -> new Pair(Tensor.scalar("t" + x), Tensor.of(x.intValue(), -x.intValue())))
        .batch(batch);
  }

  @Test
  void givesWhatUnbatchAndBatchGive() {
    for (int from : new int[] {1, 3, 4, 20}) {
      for (int to : new int[] {1, 2, 3, 7, 20}) {
        assertThat(Outcomes.of(pairs(13, from).rebatch(to)))
            .isEqualTo(Outcomes.of(pairs(13, from).unbatch().batch(to)));
        assertThat(Outcomes.of(pairs(13, from).rebatch(to, true)))
            .isEqualTo(Outcomes.of(pairs(13, from).unbatch().batch(to, true)));
      }
    }
    assertThat(Outcomes.of(range(0).batch(2, stack()).rebatch(3))).containsExactly("end");
  }

  @Test
  void sizesAreTakenInTurn() {
    assertThat(Outcomes.of(range(10).batch(4, stack()).rebatch(List.of(1, 3), true)))
        .containsExactly(
            "int64[1] [0]",
            "int64[3] [1, 2, 3]",
            "int64[1] [4]",
            "int64[3] [5, 6, 7]",
            "int64[1] [8]",
            "end");
  }

  @Test
  void batchesWithoutRowsArePassedOver() {
    assertThat(Outcomes.of(range(6).map(x -> Tensor.full(Shape.of(x % 2), x)).rebatch(2)))
        .containsExactly("int64[2] [1, 3]", "int64[1] [5]", "end");
  }

  @Test
  void aBatchOfTheRightSizeIsHandedOn() {
    List<Tensor> made = new ArrayList<>();
    List<Tensor> given =
        range(3)
            .map(
                x -> {
                  Tensor batch = Tensor.of(x, x);
                  made.add(batch);
                  return batch;
                })
            .rebatch(2)
            .toList();
    assertThat(given).isEqualTo(made); // tensors are equal only if they are the same
  }

  @Test
  void largeBatchesLiveInSlabs() {
    try (Pipeline<Tensor> pipeline =
        range(9).map(x -> Tensor.full(Shape.of(500), x)).batch(3).rebatch(2).open()) {
      long first = 0;
      for (Tensor batch : pipeline) {
        assertThat(batch.longAt(0)).isEqualTo(first);
        assertThat(batch.lease() != null).isEqualTo(first < 8);
        first += 2;
      }
    }
  }

  @Test
  void aFailedBatchCostsThatBatch() {
    assertThat(Outcomes.of(range(5).map(x -> Tensor.of(Outcomes.refusing(1, x), x)).rebatch(3)))
        .containsExactly(
            "error", "int64[3] [0, 0, 2]", "int64[3] [2, 3, 3]", "int64[2] [4, 4]", "end");
    Dataset<Pair> uneven =
        range(3)
            .map(x -> new Pair(Tensor.of(x, x), Tensor.full(Shape.of(2 + x % 2), x)))
            .rebatch(4);
    assertThat(Outcomes.of(uneven))
        .containsExactly("error", "int64[4] [0, 0, 2, 2]; int64[4] [0, 0, 2, 2]", "end");
    assertThat(Outcomes.errors(uneven).getFirst())
        .hasMessageContaining(
            "rebatch: expected tensors with the same number of rows, but got 'right' of int64[3]"
                + " beside int64[2]");
    assertThat(Outcomes.errors(range(1).rebatch(2)).getFirst())
        .hasMessageContaining(
            "rebatch: expected a structure (Tensor, a record, Map or List of them), but got"
                + " java.lang.Long; use unbatch(items -> items) and batch for lists");
  }

  @Test
  void unequalRowsCostTheBatchTheyWouldMake() {
    Dataset<Tensor> mixed =
        range(4).map(x -> Tensor.full(Shape.of(3, x == 1 ? 2 : 1), x)).rebatch(2);
    assertThat(Outcomes.of(mixed))
        .containsExactly(
            "int64[2, 1] [0, 0]",
            "error",
            "int64[2, 2] [1, 1, 1, 1]",
            "int64[2, 1] [2, 2]",
            "int64[2, 1] [2, 3]",
            "int64[2, 1] [3, 3]",
            "end");
    assertThat(Outcomes.errors(mixed).getFirst())
        .hasMessageContaining(
            "rebatch: expected batches whose rows are alike, but got Tensor of [int64[3, 1]] and"
                + " Tensor of [int64[3, 2]]");
  }

  @Test
  void refusesBadSizesAndKnowsItsCardinality() {
    Dataset<Tensor> batches = range(7).batch(3, stack());
    assertThat(batches.rebatch(2).cardinality()).isEqualTo(UNKNOWN);
    assertThat(batches.repeat().rebatch(2).cardinality()).isEqualTo(UNKNOWN);
    for (int[] sizes : new int[][] {{}, {0}, {2, -1}}) {
      assertThatThrownBy(() -> batches.rebatch(sizes))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("rebatch: expected sizes of at least 1, but got [");
    }
  }
}
