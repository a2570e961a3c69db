package dev.headrace.op;

import static dev.headrace.Dataset.counter;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.Dataset;
import dev.headrace.testing.NoLeftovers;
import dev.headrace.testing.PipelineContract;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@Timeout(60)
@ExtendWith(NoLeftovers.class)
class CounterOpTest {

  @Test
  void keepsTheContract() {
    PipelineContract.of(n -> counter(5, -2).map(x -> x + 1, n).take(20)).check();
  }

  @Test
  void countsWithoutEnd() {
    assertThat(counter().take(3).toList()).containsExactly(0L, 1L, 2L);
    assertThat(counter(10, 5).take(3).toList()).containsExactly(10L, 15L, 20L);
    assertThat(counter(1, 0).take(2).toList()).containsExactly(1L, 1L);
    assertThat(counter().cardinality()).isEqualTo(Dataset.INFINITE);
    assertThat(counter().take(7).cardinality()).isEqualTo(7);
  }

  @Test
  void goesOnAtTheOtherEnd() {
    assertThat(counter(Long.MAX_VALUE, 1).take(2).toList())
        .containsExactly(Long.MAX_VALUE, Long.MIN_VALUE);
  }
}
