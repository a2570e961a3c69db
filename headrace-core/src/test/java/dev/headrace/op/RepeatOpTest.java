package dev.headrace.op;

import static dev.headrace.Dataset.INFINITE;
import static dev.headrace.Dataset.UNKNOWN;
import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.PipelineException;
import dev.headrace.golden.Outcomes;
import dev.headrace.testing.PipelineContract;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RepeatOpTest {

  @Test
  void keepsTheContract() {
    PipelineContract.of(n -> range(5).map(x -> Outcomes.refusing(2, x), n).repeat(3)).check();
    PipelineContract.of(n -> range(3).repeat(2).map(x -> x, n).repeat(2)).check();
    PipelineContract.of(n -> range(3).map(x -> x, n).repeat().take(10)).check();
  }

  @Test
  void givesItsInputOverAndOver() {
    assertThat(range(2).repeat(3).toList()).containsExactly(0L, 1L, 0L, 1L, 0L, 1L);
    assertThat(range(2).repeat(1).toList()).containsExactly(0L, 1L);
    assertThat(range(2).repeat().take(5).toList()).containsExactly(0L, 1L, 0L, 1L, 0L);
    assertThat(range(2).repeat(2).repeat(2).count()).isEqualTo(8);
  }

  @Test
  void endsWhereThereIsNothingToRepeat() {
    assertThat(range(0).repeat().toList()).isEmpty();
    assertThat(range(0).repeat(1_000_000).toList()).isEmpty();
    assertThat(range(5).repeat(0).toList()).isEmpty();
    assertThat(range(5).filter(x -> false).repeat().toList()).isEmpty();
    assertThat(range(5).filter(x -> false, 2).prefetch(2).repeat().toList()).isEmpty();
  }

  @Test
  void knowsItsCardinality() {
    assertThat(range(5).repeat(3).cardinality()).isEqualTo(15);
    assertThat(range(5).repeat(0).cardinality()).isZero();
    assertThat(range(5).repeat().cardinality()).isEqualTo(INFINITE);
    assertThat(range(0).repeat().cardinality()).isZero();
    assertThat(range(5).repeat().repeat(2).cardinality()).isEqualTo(INFINITE);
    assertThat(range(5).filter(x -> true).repeat(2).cardinality()).isEqualTo(UNKNOWN);
    assertThat(range(Long.MAX_VALUE).repeat(3).cardinality()).isEqualTo(Long.MAX_VALUE);
    assertThat(range(1L << 33).repeat(1L << 33).cardinality()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void failuresNameTheRepetition() {
    List<PipelineException> errors = Outcomes.errors(range(3).map(x -> 1 / (x - 1)).repeat(2));
    assertThat(errors).extracting(PipelineException::element).containsExactly("0/1", "1/1");
  }

  @Test
  void goesOnForEverWhereEveryElementFails() {
    List<PipelineException> errors =
        Outcomes.errors(range(2).map(x -> Outcomes.refusing(x, x)).repeat(3));
    assertThat(errors).hasSize(6);
  }

  @Test
  void refusesANegativeCount() {
    assertThatThrownBy(() -> range(3).repeat(-2))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("repeat: expected a count of at least 0, or -1 for no end, but got -2");
  }
}
