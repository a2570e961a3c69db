package dev.headrace.op;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Dataset;
import dev.headrace.spi.Site;
import dev.headrace.testing.NoLeftovers;
import dev.headrace.testing.PipelineContract;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@Timeout(60)
@ExtendWith(NoLeftovers.class)
class EveryNthOpTest {

  private static <T> Dataset<T> everyNth(Dataset<T> input, int n) {
    return Dataset.of(new EveryNthOp(input.op(), n, Site.UNKNOWN));
  }

  private static long refuseSeven(long x) {
    if (x == 7) {
      throw new IllegalArgumentException("refuses 7");
    }
    return x;
  }

  @Test
  void keepsTheContract() {
    PipelineContract.of(n -> everyNth(Dataset.range(40).map(x -> refuseSeven(x), n), 3)).check();
  }

  @Test
  void keepsTheFirstAndEveryNthAfterIt() {
    assertThat(everyNth(Dataset.range(8), 3).toList()).containsExactly(0L, 3L, 6L);
    assertThat(everyNth(Dataset.range(3), 1).toList()).containsExactly(0L, 1L, 2L);
    assertThat(everyNth(Dataset.range(0), 3).toList()).isEmpty();
  }

  @Test
  void knowsItsCardinality() {
    assertThat(everyNth(Dataset.range(8), 3).cardinality()).isEqualTo(3);
    assertThat(everyNth(Dataset.range(8).repeat(), 3).cardinality()).isEqualTo(Dataset.INFINITE);
  }

  @Test
  void refusesLessThanOne() {
    assertThatThrownBy(() -> everyNth(Dataset.range(8), 0))
        .hasMessage("everyNth: expected at least 1, but got 0");
  }
}
