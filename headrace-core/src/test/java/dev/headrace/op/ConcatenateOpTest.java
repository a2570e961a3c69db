package dev.headrace.op;

import static dev.headrace.Dataset.INFINITE;
import static dev.headrace.Dataset.UNKNOWN;
import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Dataset;
import dev.headrace.PipelineException;
import dev.headrace.data.Seed;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.golden.Outcomes;
import dev.headrace.spi.Site;
import dev.headrace.testing.PipelineContract;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ConcatenateOpTest {
  @Test
  void keepsTheContract() {
    PipelineContract.of(
            n ->
                range(9)
                    .map(x -> Outcomes.refusing(3, x), n)
                    .concatenate(range(0), range(6).map(x -> Outcomes.refusing(5, x), n))
                    .repeat(2))
        .check();
  }

  @Test
  void givesOneAfterTheOther() {
    assertThat(range(2).concatenate(range(7, 9)).toList()).containsExactly(0L, 1L, 7L, 8L);
    assertThat(range(2).concatenate().toList()).containsExactly(0L, 1L);
    assertThat(range(0).concatenate(range(0), range(1), range(0)).toList()).containsExactly(0L);
    assertThat(range(2).repeat().concatenate(range(7, 9)).take(5).toList())
        .containsExactly(0L, 1L, 0L, 1L, 0L);
  }

  @Test
  void adatasetMayBeItsOwnSuccessor() {
    Dataset<Integer> random =
        range(3).randomMap((x, numbers) -> numbers.nextInt(), Seed.of(1)).cache();
    List<Integer> both = random.concatenate(random).toList();
    assertThat(both).hasSize(6);
    assertThat(both.subList(3, 6)).isNotEqualTo(both.subList(0, 3));
  }

  @Test
  void knowsItsCardinality() {
    assertThat(range(3).concatenate(range(2), range(0)).cardinality()).isEqualTo(5);
    assertThat(range(3).concatenate(range(2).filter(x -> true)).cardinality()).isEqualTo(UNKNOWN);
    assertThat(range(3).filter(x -> true).concatenate(range(2).repeat()).cardinality())
        .isEqualTo(INFINITE);
    assertThat(range(Long.MAX_VALUE).concatenate(range(9)).cardinality()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void namesElementsByTheirDataset() {
    assertThat(Outcomes.errors(range(3).concatenate(range(3)).map(x -> Outcomes.refusing(2, x))))
        .extracting(PipelineException::element)
        .containsExactly("0/2", "1/2");
  }

  @Test
  void asksForNoMoreThanItNeeds() {
    AtomicInteger first = new AtomicInteger();
    AtomicInteger second = new AtomicInteger();
    assertThat(
            range(3)
                .map(x -> first.incrementAndGet(), 4)
                .concatenate(range(100).map(x -> second.incrementAndGet(), 4))
                .take(5)
                .count())
        .isEqualTo(5);
    assertThat(first).hasValue(3);
    assertThat(second).hasValue(2);
  }

  @Test
  void batchesKeepTheirMemory() {
    Dataset<Tensor> batches = range(8).map(x -> Tensor.full(Shape.of(4096), x)).batch(4);
    try (var pipeline = batches.concatenate(batches).open()) {
      long sum = 0;
      for (Tensor batch : pipeline) {
        sum += batch.longAt(0);
      }
      assertThat(sum).isEqualTo(8);
      assertThat(pipeline.stats().memory().nativePeakBytes()).isPositive();
    }
  }

  @Test
  void refusesNothing() {
    assertThatThrownBy(() -> new ConcatenateOp(List.of(), Site.UNKNOWN))
        .hasMessage("concatenate: expected at least 1 dataset, but got none");
  }
}
