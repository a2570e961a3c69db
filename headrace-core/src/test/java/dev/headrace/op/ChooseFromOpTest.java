package dev.headrace.op;

import static dev.headrace.Dataset.INFINITE;
import static dev.headrace.Dataset.UNKNOWN;
import static dev.headrace.Dataset.chooseFrom;
import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Dataset;
import dev.headrace.PipelineException;
import dev.headrace.golden.Outcomes;
import dev.headrace.testing.NoLeftovers;
import dev.headrace.testing.PipelineContract;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@Timeout(60)
@ExtendWith(NoLeftovers.class)
class ChooseFromOpTest {
  private static final List<Dataset<Long>> THREE =
      List.of(range(0, 3), range(10, 12), range(20, 26));

  private static Dataset<Long> listed(long... values) {
    return range(values.length).map(i -> values[Math.toIntExact(i)]);
  }

  @Test
  void keepsTheContract() {
    PipelineContract.of(
            n ->
                chooseFrom(
                    List.of(range(20).map(x -> Outcomes.refusing(4, x), n), range(100, 130)),
                    range(50).map(x -> Outcomes.refusing(9, x) % 3, n)))
        .check();
  }

  @Test
  void takesTheChosenOnes() {
    assertThat(chooseFrom(THREE, listed(2, 0, 2, 1)).toList()).containsExactly(20L, 0L, 21L, 10L);
    assertThat(chooseFrom(THREE, range(0)).toList()).isEmpty();
  }

  @Test
  void endsAtTheChoiceOfAnEndedDatasetOrPassesOverIt() {
    Dataset<Long> choices = listed(1, 1, 0, 1, 0);
    assertThat(chooseFrom(THREE, choices).toList()).containsExactly(10L, 11L, 0L);
    assertThat(chooseFrom(THREE, choices, false).toList()).containsExactly(10L, 11L, 0L, 1L);
    assertThat(chooseFrom(List.of(range(2)), range(1).map(x -> 0L).repeat(), false).toList())
        .containsExactly(0L, 1L);
  }

  @Test
  void aChoiceOfNoDatasetIsAFailureInItsPlace() {
    Dataset<Long> chosen = chooseFrom(THREE, listed(0, 3, -1, 0));
    assertThat(Outcomes.of(chosen))
        .containsExactly("int64[] [0]", "error", "error", "int64[] [1]", "end");
    List<PipelineException> errors = Outcomes.errors(chosen);
    assertThat(errors.getFirst())
        .hasMessageContaining(
            "chooseFrom: expected the number of a dataset, from 0 to 2, but got 3");
    assertThat(errors).extracting(PipelineException::element).containsExactly("3/1", "3/2");
  }

  @Test
  void aFailedElementUsesUpItsTurn() {
    Dataset<Long> failing = range(3).map(x -> Outcomes.refusing(0, x));
    assertThat(Outcomes.of(chooseFrom(List.of(failing, range(10, 13)), listed(0, 1, 0, 1))))
        .containsExactly("error", "int64[] [10]", "int64[] [1]", "int64[] [11]", "end");
  }

  @Test
  void namesElementsByTheirDataset() {
    assertThat(
            Outcomes.errors(chooseFrom(THREE, listed(2, 0, 2)).map(x -> Outcomes.refusing(x, x))))
        .extracting(PipelineException::element)
        .containsExactly("2/0", "0/0", "2/1");
  }

  @Test
  void readsNoMoreThanIsAskedFor() {
    AtomicInteger calls = new AtomicInteger();
    AtomicInteger choices = new AtomicInteger();
    Dataset<Long> counted = range(100).map(x -> x + 0 * calls.incrementAndGet());
    Dataset<Long> chosen =
        chooseFrom(
            List.of(counted, counted), range(100).map(x -> x % 2 + 0 * choices.incrementAndGet()));
    assertThat(chosen.take(7).toList()).hasSize(7);
    assertThat(calls).hasValue(7);
    assertThat(choices).hasValue(7);
  }

  @Test
  void knowsItsCardinality() {
    assertThat(chooseFrom(THREE, range(5)).cardinality()).isEqualTo(UNKNOWN);
    assertThat(chooseFrom(THREE, range(0)).cardinality()).isZero();
    assertThat(chooseFrom(List.of(range(2).repeat()), range(1).repeat()).cardinality())
        .isEqualTo(INFINITE);
  }

  @Test
  void refusesNothingToChooseFrom() {
    assertThatThrownBy(() -> chooseFrom(List.<Dataset<Long>>of(), range(1)))
        .hasMessage("chooseFrom: expected at least one dataset to choose from, but got none");
    assertThatThrownBy(() -> chooseFrom(THREE, null))
        .hasMessage("chooseFrom: expected a dataset of choices, but got null");
  }
}
