package dev.headrace.op;

import static dev.headrace.Dataset.UNKNOWN;
import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.golden.Outcomes;
import dev.headrace.testing.PipelineContract;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TakeWhileOpTest {
  @Test
  void keepsTheContract() {
    PipelineContract.of(
            n ->
                range(30)
                    .map(x -> Outcomes.refusing(3, x), n)
                    .takeWhile(x -> Outcomes.refusing(6, x) < 17))
        .check();
  }

  @Test
  void endsAtTheFirstThatDoesNotHold() {
    assertThat(range(10).takeWhile(x -> x * x < 20).toList()).containsExactly(0L, 1L, 2L, 3L, 4L);
    assertThat(range(10).takeWhile(x -> x % 4 != 3).toList()).containsExactly(0L, 1L, 2L);
    assertThat(range(3).takeWhile(x -> true).toList()).containsExactly(0L, 1L, 2L);
    assertThat(range(3).takeWhile(x -> false).toList()).isEmpty();
    assertThat(range(0).takeWhile(x -> true).toList()).isEmpty();
    assertThat(range(3).repeat().takeWhile(x -> x < 2).toList()).containsExactly(0L, 1L);
  }

  @Test
  void aFailureEndsNothing() {
    assertThat(
            Outcomes.of(
                range(9)
                    .map(x -> Outcomes.refusing(1, x))
                    .takeWhile(x -> Outcomes.refusing(2, x) < 4)))
        .containsExactly("int64[] [0]", "error", "error", "int64[] [3]", "end");
  }

  @Test
  void doesNotKnowItsCardinality() {
    assertThat(range(3).takeWhile(x -> true).cardinality()).isEqualTo(UNKNOWN);
    assertThat(range(3).repeat().takeWhile(x -> true).cardinality()).isEqualTo(UNKNOWN);
  }

  @Test
  void givesTheMemoryOfLaterBatchesBack() {
    try (var batches =
        range(400)
            .map(x -> Tensor.full(Shape.of(2048), x))
            .batch(4)
            .takeWhile(batch -> Outcomes.refusing(16, batch.longAt(0)) < 40)
            .open()) {
      assertThat(Outcomes.of(batches.iterator())).hasSize(11).contains("error");
    }
  }

  @Test
  @SuppressWarnings("NullAway") // what is refused
  void refusesNoCondition() {
    assertThatThrownBy(() -> range(3).takeWhile(null))
        .hasMessage("takeWhile: expected a condition, but got null");
  }
}
