package dev.headrace.op;

import static dev.headrace.Dataset.INFINITE;
import static dev.headrace.Dataset.UNKNOWN;
import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.data.Indexed;
import dev.headrace.golden.Outcomes;
import dev.headrace.testing.PipelineContract;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class EnumerateOpTest {
  @Test
  void keepsTheContract() {
    PipelineContract.of(n -> range(20).map(x -> Outcomes.refusing(3, x), n).enumerate(-2)).check();
  }

  @Test
  void numbersFromTheStart() {
    assertThat(range(10, 12).enumerate().toList())
        .containsExactly(new Indexed<>(0, 10L), new Indexed<>(1, 11L));
    assertThat(range(2).map(x -> "abc".charAt(x.intValue()), 2).enumerate(5).toList())
        .containsExactly(new Indexed<>(5, 'a'), new Indexed<>(6, 'b'));
    assertThat(range(0).enumerate().toList()).isEmpty();
    assertThat(range(9).enumerate().skip(7).first()).hasValue(new Indexed<>(7, 7L));
  }

  @Test
  void aFailureUsesUpItsNumber() {
    assertThat(Outcomes.of(range(3).map(x -> Outcomes.refusing(1, x)).enumerate()))
        .containsExactly("int64[] [0]; int64[] [0]", "error", "int64[] [2]; int64[] [2]", "end");
  }

  @Test
  void knowsItsCardinality() {
    assertThat(range(3).enumerate().cardinality()).isEqualTo(3);
    assertThat(range(3).repeat().enumerate().cardinality()).isEqualTo(INFINITE);
    assertThat(range(3).filter(x -> true).enumerate().cardinality()).isEqualTo(UNKNOWN);
  }
}
