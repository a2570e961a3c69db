package dev.headrace.op;

import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.testing.PipelineContract;
import java.util.List;
import org.junit.jupiter.api.Test;

class RangeOpTest {

  @Test
  void keepsTheContract() {
    PipelineContract.of(n -> range(3, 40, 7)).check();
    PipelineContract.of(n -> range(0)).check();
  }

  @Test
  void countsUpDownAndByAStep() {
    assertThat(range(4).toList()).containsExactly(0L, 1L, 2L, 3L);
    assertThat(range(-1, 2).toList()).containsExactly(-1L, 0L, 1L);
    assertThat(range(10, 0, -4).toList()).containsExactly(10L, 6L, 2L);
    assertThat(range(0, 10, 100).toList()).containsExactly(0L);
  }

  @Test
  void isEmptyWhereTheStepLeadsAway() {
    assertThat(range(0).toList()).isEmpty();
    assertThat(range(-3).toList()).isEmpty();
    assertThat(range(0, 5, -1).toList()).isEmpty();
    assertThat(range(5, 0, 1).toList()).isEmpty();
    assertThat(range(5, 0, 1).cardinality()).isZero();
  }

  @Test
  void reachesTheEndsOfLong() {
    assertThat(range(Long.MAX_VALUE - 2, Long.MAX_VALUE).toList())
        .containsExactly(Long.MAX_VALUE - 2, Long.MAX_VALUE - 1);
    assertThat(range(Long.MIN_VALUE, Long.MAX_VALUE, Long.MAX_VALUE).toList())
        .containsExactly(Long.MIN_VALUE, -1L, Long.MAX_VALUE - 1);
    assertThat(range(Long.MAX_VALUE, Long.MIN_VALUE, Long.MIN_VALUE).toList())
        .containsExactly(Long.MAX_VALUE, -1L);
    assertThat(range(Long.MIN_VALUE, Long.MAX_VALUE).cardinality()).isEqualTo(Long.MAX_VALUE);
    assertThat(range(Long.MIN_VALUE, Long.MAX_VALUE).take(2).toList())
        .isEqualTo(List.of(Long.MIN_VALUE, Long.MIN_VALUE + 1));
  }

  @Test
  void refusesAStepOfZero() {
    assertThatThrownBy(() -> range(0, 5, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "range(0, 5, 0): expected a step other than 0; use 1 to count up, -1 to count down");
  }
}
