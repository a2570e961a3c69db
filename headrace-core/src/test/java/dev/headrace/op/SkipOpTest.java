package dev.headrace.op;

import static dev.headrace.Dataset.INFINITE;
import static dev.headrace.Dataset.UNKNOWN;
import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.golden.Outcomes;
import dev.headrace.testing.PipelineContract;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SkipOpTest {
  @Test
  void keepsTheContract() {
    PipelineContract.of(n -> range(20).map(x -> Outcomes.refusing(3, x), n).skip(9)).check();
    PipelineContract.of(n -> range(20).skip(4).map(x -> Outcomes.refusing(7, x), n)).check();
    PipelineContract.of(n -> range(5).map(x -> Outcomes.refusing(3, x), n).skip(9)).check();
  }

  @Test
  void skipsSomeNoneOrAll() {
    assertThat(range(5).skip(3).toList()).containsExactly(3L, 4L);
    assertThat(range(3).skip(0).toList()).containsExactly(0L, 1L, 2L);
    assertThat(range(3).skip(3).toList()).isEmpty();
    assertThat(range(3).skip(9).toList()).isEmpty();
    assertThat(range(3).skip(-1).toList()).isEmpty();
    assertThat(range(3).repeat().skip(-1).toList()).isEmpty();
    assertThat(range(0).skip(2).toList()).isEmpty();
    assertThat(range(3).repeat().skip(1_000_001).take(2).toList()).containsExactly(2L, 0L);
  }

  @Test
  void knowsItsCardinality() {
    assertThat(range(5).skip(3).cardinality()).isEqualTo(2);
    assertThat(range(5).skip(9).cardinality()).isZero();
    assertThat(range(5).skip(-1).cardinality()).isZero();
    assertThat(range(5).repeat().skip(3).cardinality()).isEqualTo(INFINITE);
    assertThat(range(5).repeat().skip(-1).cardinality()).isZero();
    assertThat(range(5).filter(x -> true).skip(3).cardinality()).isEqualTo(UNKNOWN);
  }

  @Test
  void givesWhatTakeLeavesAlsoWhereElementsFail() {
    for (int count = 0; count < 12; count++) {
      List<Long> both = new ArrayList<>();
      for (var part :
          List.of(
              range(10).map(x -> Outcomes.refusing(2, x), 2).take(count),
              range(10).map(x -> Outcomes.refusing(2, x), 2).skip(count))) {
        for (String outcome : Outcomes.of(part)) {
          if (outcome.startsWith("int64")) {
            both.add(Long.parseLong(outcome.replaceAll("int64|[^0-9]", "")));
          }
        }
      }
      assertThat(both).containsExactly(0L, 1L, 3L, 4L, 5L, 6L, 7L, 8L, 9L);
    }
  }

  @Test
  void deliversFailuresOfTheSkippedPartAndDoesNotCountThem() {
    assertThat(Outcomes.of(range(6).map(x -> Outcomes.refusing(1, x)).skip(3)))
        .containsExactly("error", "int64[] [4]", "int64[] [5]", "end");
    assertThat(Outcomes.of(range(3).map(x -> Outcomes.refusing(x, x)).skip(1)))
        .containsExactly("error", "error", "error", "end");
  }

  @Test
  void doesNotMakeWhatIsSkippedWhereNothingCanFail() {
    assertThat(range(Long.MAX_VALUE).skip(1L << 60).first()).hasValue(1L << 60);
    assertThat(range(Long.MAX_VALUE).prefetch(2).skip(1L << 60).skip(3).take(2).toList())
        .containsExactly((1L << 60) + 3, (1L << 60) + 4);
  }

  @Test
  void asksForNoMoreThanItNeeds() {
    AtomicInteger calls = new AtomicInteger();
    assertThat(range(1000).map(x -> calls.incrementAndGet(), 4).skip(5).take(2).count())
        .isEqualTo(2);
    assertThat(calls).hasValue(7);
    calls.set(0);
    assertThat(range(1000).map(x -> calls.incrementAndGet(), 4).skip(-1).count()).isZero();
    assertThat(calls).hasValue(0);
  }

  @Test
  void givesTheMemoryOfSkippedBatchesBack() {
    try (var batches = range(40).map(x -> Tensor.full(Shape.of(4096), x)).batch(4).skip(7).open()) {
      long first = 0;
      for (Tensor batch : batches) {
        first += batch.longAt(0);
      }
      assertThat(first).isEqualTo(28 + 32 + 36);
    }
  }

  @Test
  void refusesANegativeCount() {
    assertThatThrownBy(() -> range(3).skip(-2))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("skip: expected a count of at least 0, or -1 for all, but got -2");
  }
}
