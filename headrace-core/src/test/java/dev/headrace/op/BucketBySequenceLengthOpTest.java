package dev.headrace.op;

import static dev.headrace.Dataset.UNKNOWN;
import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Dataset;
import dev.headrace.data.Buckets;
import dev.headrace.data.Padding;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.golden.Outcomes;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is expected here was read off TensorFlow 2.21 with the same elements. */
@Timeout(60)
class BucketBySequenceLengthOpTest {
  private static final long[][] ELEMENTS = {
    {0}, {1, 2, 3, 4}, {5, 6, 7}, {7, 8, 9, 10, 11}, {13, 14, 15, 16, 19, 20}, {21, 22}
  };

  private static Dataset<Tensor> elements() {
    return range(6).map(x -> Tensor.of(ELEMENTS[x.intValue()]));
  }

  private static Dataset<Tensor> bucketed(Buckets buckets) {
    return elements().bucketBySequenceLength(x -> x.elements(), buckets);
  }

  private static final Buckets BUCKETS = Buckets.below(3, 5).batches(2, 2, 2);

  @Test
  void elementsOfSimilarLengthMeet() {
    assertThat(Outcomes.of(bucketed(BUCKETS)))
        .containsExactly(
            "int64[2, 4] [1, 2, 3, 4, 5, 6, 7, 0]",
            "int64[2, 6] [7, 8, 9, 10, 11, 0, 13, 14, 15, 16, 19, 20]",
            "int64[2, 2] [0, 0, 21, 22]",
            "end");
    assertThat(bucketed(BUCKETS).cardinality()).isEqualTo(UNKNOWN);
  }

  @Test
  void bucketsMayHaveOneShapeEach() {
    assertThat(Outcomes.of(bucketed(Buckets.below(4, 7).batches(2, 2, 2).padToBoundary())))
        .containsExactly(
            "int64[2, 3] [0, 0, 0, 5, 6, 7]",
            "int64[2, 6] [1, 2, 3, 4, 0, 0, 7, 8, 9, 10, 11, 0]",
            "int64[1, 3] [21, 22, 0]",
            "int64[1, 6] [13, 14, 15, 16, 19, 20]",
            "end");
  }

  @Test
  void anElementBeyondTheLastBoundaryCostsItself() {
    Dataset<Tensor> buckets = bucketed(BUCKETS.padToBoundary());
    assertThat(Outcomes.of(buckets))
        .containsExactly(
            "int64[2, 4] [1, 2, 3, 4, 5, 6, 7, 0]",
            "error",
            "error",
            "int64[2, 2] [0, 0, 21, 22]",
            "end");
    assertThat(Outcomes.errors(buckets).getFirst())
        .hasMessageContaining(
            "bucketBySequenceLength: expected a length below the last boundary of [3, 5], since all"
                + " is padded to boundaries, but got 5; add a boundary, or drop long elements by"
                + " filter");
  }

  @Test
  void remaindersMayBeDropped() {
    assertThat(Outcomes.of(bucketed(Buckets.below(4).batches(4, 2).dropRemainder())))
        .containsExactly("int64[2, 5] [1, 2, 3, 4, 0, 7, 8, 9, 10, 11]", "end");
  }

  @Test
  void onlyTheFirstDimensionGoesToTheBoundary() {
    assertThat(
            Outcomes.of(
                range(2)
                    .map(
                        x ->
                            Map.of(
                                "a", Tensor.full(Shape.of(x + 1, 2), x),
                                "b", Tensor.full(Shape.of(1), x)))
                    .bucketBySequenceLength(
                        x -> 1,
                        Buckets.below(4)
                            .batches(2, 2)
                            .padToBoundary()
                            .padding(Padding.zeros().shape("b", Shape.of(1)).value("a", -1)))))
        .containsExactly(
            "int64[2, 3, 2] [0, 0, -1, -1, -1, -1, 1, 1, 1, 1, -1, -1]; int64[2, 1] [0, 1]", "end");
  }

  @Test
  void withoutPaddingElementsMustBeAlike() {
    Dataset<Tensor> scalars =
        range(8)
            .map(x -> Tensor.scalar(x))
            .bucketBySequenceLength(
                x -> x.longValue() % 4, Buckets.below(2).batches(2, 3).noPadding());
    assertThat(Outcomes.of(scalars))
        .containsExactly(
            "int64[2] [0, 1]", "int64[2] [4, 5]", "int64[3] [2, 3, 6]", "int64[1] [7]", "end");
    assertThat(Outcomes.of(bucketed(BUCKETS.noPadding())))
        .containsExactly("error", "error", "error", "end");
  }

  @Test
  void failuresArePassedOnAndBelongToNoBucket() {
    assertThat(
            Outcomes.of(
                range(4)
                    .map(x -> Tensor.full(Shape.of(1), Outcomes.refusing(1, x)))
                    .bucketBySequenceLength(x -> null, BUCKETS)))
        .containsExactly("error", "error", "error", "error", "end");
    assertThat(
            Outcomes.of(
                range(4)
                    .map(x -> Tensor.full(Shape.of(1), Outcomes.refusing(1, x)))
                    .bucketBySequenceLength(x -> 1, BUCKETS)))
        .containsExactly("error", "int64[2, 1] [0, 2]", "int64[1, 1] [3]", "end");
  }

  @Test
  void refusesBadArguments() {
    assertThatThrownBy(() -> Buckets.below(3, 3).batches(1, 1, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("bucketBySequenceLength: expected boundaries that ascend, but got [3, 3]");
    assertThatThrownBy(() -> Buckets.below(3, 5).batches(1, 1))
        .hasMessage(
            "bucketBySequenceLength: expected one batch size more than boundaries, but got [1, 1]"
                + " for boundaries [3, 5]");
    assertThatThrownBy(() -> Buckets.below(3).batches(1, 0))
        .hasMessage("bucketBySequenceLength: expected batch sizes of at least 1, but got [1, 0]");
    assertThatThrownBy(() -> BUCKETS.noPadding().padToBoundary())
        .hasMessage(
            "bucketBySequenceLength: expected either padding to the boundary or none, but got both;"
                + " leave one out");
    assertThatThrownBy(() -> elements().bucketBySequenceLength(null, BUCKETS))
        .hasMessage("bucketBySequenceLength: expected a function, but got null");
    assertThatThrownBy(() -> elements().bucketBySequenceLength(x -> 1, null))
        .hasMessage("bucketBySequenceLength: expected buckets, but got null");
  }
}
