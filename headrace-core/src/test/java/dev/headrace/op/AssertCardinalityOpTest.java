package dev.headrace.op;

import static dev.headrace.Dataset.INFINITE;
import static dev.headrace.Dataset.UNKNOWN;
import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.PipelineException;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.golden.Outcomes;
import dev.headrace.testing.PipelineContract;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class AssertCardinalityOpTest {
  @Test
  void keepsTheContract() {
    PipelineContract.of(n -> range(20).map(x -> Outcomes.refusing(3, x), n).assertCardinality(19))
        .check();
  }

  @Test
  void saysTheNumberAndChecksIt() {
    assertThat(range(5).filter(x -> true).assertCardinality(5).cardinality()).isEqualTo(5);
    assertThat(range(5).filter(x -> true).assertCardinality(5).toList()).hasSize(5);
    assertThat(range(0).assertCardinality(0).toList()).isEmpty();
    assertThat(range(5).repeat().assertCardinality(INFINITE).cardinality()).isEqualTo(INFINITE);
    assertThat(range(5).repeat().assertCardinality(INFINITE).take(9).toList()).hasSize(9);
  }

  @Test
  void tooFewOrTooManyEndThePipeline() {
    assertThat(Outcomes.of(range(1).assertCardinality(2))).containsExactly("int64[] [0]", "error");
    assertThat(Outcomes.of(range(3).assertCardinality(1))).containsExactly("int64[] [0]", "error");
    assertThat(message(range(1).assertCardinality(2)))
        .isEqualTo("assertCardinality: expected 2 elements, but the dataset has only 1");
    assertThat(message(range(9).prefetch(3).assertCardinality(1)))
        .isEqualTo("assertCardinality: expected 1 element, but the dataset has at least 2");
    assertThat(message(range(2).assertCardinality(INFINITE)))
        .isEqualTo("assertCardinality: expected no end, but the dataset has only 2");
  }

  private static String message(dev.headrace.Dataset<?> dataset) {
    List<PipelineException> errors = Outcomes.errors(dataset);
    assertThat(errors).hasSize(1);
    assertThat(errors.getFirst().isTerminal()).isTrue();
    return String.valueOf(errors.getFirst().getCause().getMessage());
  }

  @Test
  void failuresAreNotCounted() {
    assertThat(Outcomes.of(range(3).map(x -> Outcomes.refusing(1, x)).assertCardinality(2)))
        .containsExactly("int64[] [0]", "error", "int64[] [2]", "end");
  }

  @Test
  void whatIsNotAskedForIsNotChecked() {
    AtomicInteger calls = new AtomicInteger();
    assertThat(range(9).map(x -> calls.incrementAndGet(), 4).assertCardinality(3).take(3).count())
        .isEqualTo(3);
    assertThat(calls).hasValue(3);
  }

  @Test
  void givesTheMemoryOfABatchTooManyBack() {
    try (var batches =
        range(40).map(x -> Tensor.full(Shape.of(4096), x)).batch(4).assertCardinality(3).open()) {
      assertThat(Outcomes.of(batches.iterator())).hasSize(4).endsWith("error");
    }
  }

  @Test
  void refusesAnUnknownNumber() {
    assertThatThrownBy(() -> range(3).assertCardinality(UNKNOWN))
        .hasMessage(
            "assertCardinality: expected a count of at least 0, or -1 for no end, but got -2");
  }
}
