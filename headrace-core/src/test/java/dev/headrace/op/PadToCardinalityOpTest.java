package dev.headrace.op;

import static dev.headrace.Dataset.UNKNOWN;
import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Dataset;
import dev.headrace.PipelineException;
import dev.headrace.data.Padded;
import dev.headrace.data.Tensor;
import dev.headrace.golden.Outcomes;
import dev.headrace.testing.PipelineContract;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PadToCardinalityOpTest {
  @Test
  void keepsTheContract() {
    PipelineContract.of(
            n -> range(9).map(x -> Tensor.scalar(Outcomes.refusing(8, x)), n).padToCardinality(12))
        .check();
    PipelineContract.of(
            n -> range(9).map(x -> Outcomes.refusing(8, x), n).padToCardinality(12, 77L))
        .check();
  }

  @Test
  void addsZerosAndAMask() {
    List<Padded<Map<String, Tensor>>> batches =
        range(1, 4).map(x -> Map.of("a", Tensor.scalar(x))).padToCardinality(5).batch(5).toList();
    assertThat(batches).hasSize(1);
    assertThat(batches.getFirst().value().get("a").toLongArray()).containsExactly(1, 2, 3, 0, 0);
    assertThat(batches.getFirst().valid()).hasToString("bool[5] [true, true, true, false, false]");
  }

  @Test
  void addsWhatItIsGiven() {
    assertThat(range(2).map(x -> "s" + x).padToCardinality(4, "none").map(Padded::value).toList())
        .containsExactly("s0", "s1", "none", "none");
    assertThat(range(0).padToCardinality(2, 9L).map(Padded::value).toList())
        .containsExactly(9L, 9L);
    assertThat(range(2).padToCardinality(2, 9L).map(Padded::value).toList())
        .containsExactly(0L, 1L);
  }

  @Test
  void failuresAreNotCounted() {
    Dataset<Long> failing = range(3).map(x -> Outcomes.refusing(1, x));
    assertThat(Outcomes.of(failing.padToCardinality(4, 9L).map(Padded::value)))
        .containsExactly(
            "int64[] [0]", "error", "int64[] [2]", "int64[] [9]", "int64[] [9]", "end");
  }

  @Test
  void theNumberNeedNotBeKnown() {
    Dataset<Long> unknown = range(5).filter(x -> x % 2 == 0);
    assertThat(unknown.cardinality()).isEqualTo(UNKNOWN);
    assertThat(unknown.padToCardinality(4, 0L).cardinality()).isEqualTo(4);
    assertThat(unknown.padToCardinality(4, 0L).count()).isEqualTo(4);
    assertThat(message(unknown.padToCardinality(2, 0L)))
        .isEqualTo("padToCardinality: expected at most 2 elements, but the dataset has more");
  }

  @Test
  void zerosNeedAStructure() {
    assertThat(message(range(2).padToCardinality(3)))
        .isEqualTo(
            "padToCardinality: expected a structure (Tensor, a record, Map or List of them) to pad"
                + " with zeros, but got java.lang.Long; use padToCardinality(n, padding)");
    assertThat(message(range(0).map(x -> Tensor.scalar(x)).padToCardinality(3)))
        .isEqualTo(
            "padToCardinality: expected an element to pad with zeros like it, but the dataset is"
                + " empty; use padToCardinality(n, padding)");
  }

  private static String message(Dataset<?> dataset) {
    List<PipelineException> errors = Outcomes.errors(dataset);
    assertThat(errors).hasSize(1);
    assertThat(errors.getFirst().isTerminal()).isTrue();
    return String.valueOf(errors.getFirst().getCause().getMessage());
  }

  @Test
  void refusesWhatCannotFit() {
    assertThatThrownBy(() -> range(3).padToCardinality(2, 0L))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("padToCardinality: expected a dataset of at most 2 elements, but got one of 3");
    assertThatThrownBy(() -> range(3).repeat().padToCardinality(2, 0L))
        .hasMessage(
            "padToCardinality: expected a dataset of at most 2 elements, but got one without end");
    assertThatThrownBy(() -> range(0).padToCardinality(-1, 0L))
        .hasMessage("padToCardinality: expected a count of at least 0, but got -1");
  }
}
