package dev.headrace.op;

import static dev.headrace.Dataset.INFINITE;
import static dev.headrace.Dataset.UNKNOWN;
import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Checkpoint;
import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.golden.Outcomes;
import dev.headrace.spi.Collator;
import dev.headrace.testing.PipelineContract;
import java.util.Iterator;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class TakeOpTest {

  @Test
  void keepsTheContract() {
    PipelineContract.of(n -> range(20).map(x -> Outcomes.refusing(3, x), n).take(9)).check();
  }

  @Test
  void takesSomeNoneOrAll() {
    assertThat(range(10).take(3).toList()).containsExactly(0L, 1L, 2L);
    assertThat(range(10).take(0).toList()).isEmpty();
    assertThat(range(2).take(9).toList()).containsExactly(0L, 1L);
    assertThat(range(2).take(-1).toList()).containsExactly(0L, 1L);
    assertThat(range(0).take(5).toList()).isEmpty();
    assertThat(range(10).take(7).take(2).toList()).containsExactly(0L, 1L);
  }

  @Test
  void knowsItsCardinality() {
    assertThat(range(10).take(3).cardinality()).isEqualTo(3);
    assertThat(range(10).take(30).cardinality()).isEqualTo(10);
    assertThat(range(10).repeat().take(3).cardinality()).isEqualTo(3);
    assertThat(range(10).repeat().take(-1).cardinality()).isEqualTo(INFINITE);
    assertThat(range(10).filter(x -> true).take(3).cardinality()).isEqualTo(UNKNOWN);
    assertThat(range(10).filter(x -> true).take(0).cardinality()).isZero();
  }

  @Test
  void doesNotCountFailures() {
    assertThat(Outcomes.of(range(10).map(x -> 10 / (x - 1)).take(3)))
        .containsExactly("int64[] [-10]", "error", "int64[] [10]", "int64[] [5]", "end");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 16, -1})
  void asksNoMoreOfAParallelMapThanItTakes(int parallelism) {
    for (int run = 0; run < 20; run++) {
      AtomicInteger calls = new AtomicInteger();
      assertThat(range(1000).map(x -> calls.incrementAndGet(), parallelism).take(5).count())
          .isEqualTo(5);
      assertThat(calls).hasValue(5);
    }
  }

  @Test
  void asksNoMoreThroughPrefetchBatchAndRepeatedTakes() {
    AtomicInteger calls = new AtomicInteger();
    assertThat(range(1000).map(x -> calls.incrementAndGet(), 4).prefetch(3).take(5).count())
        .isEqualTo(5);
    assertThat(calls).hasValue(5);
    calls.set(0);
    assertThat(
            range(1000)
                .map(x -> (long) calls.incrementAndGet(), 4)
                .prefetch(50)
                .batch(3, Collator.stack())
                .prefetch(50)
                .take(2)
                .count())
        .isEqualTo(2);
    assertThat(calls).hasValue(6);
    calls.set(0);
    assertThat(range(1000).map(x -> calls.incrementAndGet(), 4).take(7).prefetch(9).take(2).count())
        .isEqualTo(2);
    assertThat(calls).hasValue(2);
  }

  @Test
  void asksForOneMoreForEachFailure() {
    for (int run = 0; run < 20; run++) {
      AtomicInteger calls = new AtomicInteger();
      assertThat(
              Outcomes.of(
                  range(1000)
                      .map(
                          x -> {
                            calls.incrementAndGet();
                            return 12 / (x - 2);
                          },
                          4)
                      .prefetch(2)
                      .take(4)))
          .containsExactly(
              "int64[] [-6]", "int64[] [-12]", "error", "int64[] [12]", "int64[] [6]", "end");
      assertThat(calls).hasValue(5);
    }
  }

  @Test
  void asksNoMoreAfterItWasResumed() {
    AtomicInteger highest = new AtomicInteger();
    Dataset<Long> dataset =
        range(1000)
            .map(
                x -> {
                  highest.accumulateAndGet(x.intValue(), Math::max);
                  return x;
                },
                4)
            .take(20);
    Checkpoint checkpoint;
    try (Pipeline<Long> pipeline = dataset.open()) {
      Iterator<Long> elements = pipeline.iterator();
      for (int i = 0; i < 15; i++) {
        elements.next();
      }
      checkpoint = pipeline.checkpoint();
    }
    highest.set(0);
    try (Pipeline<Long> pipeline = dataset.open(checkpoint)) {
      assertThat(pipeline).containsExactly(15L, 16L, 17L, 18L, 19L);
    }
    assertThat(highest).hasValueLessThan(25); // chunks are re-read from their start, no further
  }

  @Test
  void takingNothingCallsNothing() {
    AtomicInteger calls = new AtomicInteger();
    assertThat(range(10).map(x -> calls.incrementAndGet(), 4).prefetch(2).take(0).count()).isZero();
    assertThat(calls).hasValue(0);
  }

  @Test
  void theFirstElementCostsOneCall() {
    AtomicInteger calls = new AtomicInteger();
    assertThat(range(1000).map(x -> calls.incrementAndGet(), 8).prefetch(8).first()).hasValue(1);
    assertThat(calls).hasValue(1);
    assertThat(range(0).first()).isEmpty();
  }

  @Test
  void refusesANegativeCount() {
    assertThatThrownBy(() -> range(3).take(-2))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("take: expected a count of at least 0, or -1 for all, but got -2");
  }
}
