package dev.headrace.op;

import static dev.headrace.Dataset.UNKNOWN;
import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Checkpoint;
import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.PipelineException;
import dev.headrace.data.Seed;
import dev.headrace.golden.Outcomes;
import dev.headrace.spi.Collator;
import dev.headrace.spi.Order;
import dev.headrace.testing.PipelineContract;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class FlatMapOpTest {
  @Test
  void keepsTheContract() {
    PipelineContract.of(
            n ->
                range(8)
                    .map(x -> Outcomes.refusing(2, x), n)
                    .flatMap(
                        x ->
                            range(10 * Outcomes.refusing(5, x), 10 * x + x % 4)
                                .map(y -> Outcomes.refusing(31, y))
                                .shuffle(2, Seed.of(x))))
        .check();
  }

  /**
   * Life after life meets the same order: what the second met (2 before 1) is told by a position
   * inside a dataset that the first had opened, and the third keeps to it.
   */
  @Test
  void aResumedOneNotesTheOrderItMeets() {
    List<Object> got = new ArrayList<>();
    CountDownLatch seen = new CountDownLatch(1);
    Checkpoint first;
    try (Pipeline<List<Long>> pipeline = pairs(x -> waitFor(seen, x > 0)).open()) {
      got.addAll(pipeline.iterator().next());
      first = pipeline.checkpoint();
      seen.countDown();
    }
    CountDownLatch refused = new CountDownLatch(1);
    Checkpoint second;
    try (Pipeline<List<Long>> pipeline = pairs(x -> waitFor(refused, x == 1)).open(first)) {
      Iterator<List<Long>> iterator = pipeline.iterator();
      assertThatThrownBy(iterator::next).isInstanceOf(PipelineException.class);
      second = pipeline.checkpoint();
      refused.countDown();
    }
    CountDownLatch done = new CountDownLatch(1);
    Dataset<List<Long>> others =
        pairs(
            x -> {
              waitFor(done, x == 2);
              if (x == 1) {
                done.countDown();
              }
            });
    try (Pipeline<List<Long>> pipeline = others.open(second)) {
      pipeline.forEach(got::addAll);
    }
    assertThat(got).containsExactlyInAnyOrder(0L, 1L, 10L, 11L, 21L);
  }

  /** 0 1, 10 11 and (20 fails) 21, in batches of 2, in the order in which the action ends. */
  private static Dataset<List<Long>> pairs(Consumer<Long> action) {
    return range(3)
        .map(
            x -> {
              Thread.sleep(2); // as long as that, each is given to a worker of its own
              action.accept(x);
              return x;
            },
            3,
            Order.UNORDERED)
        .flatMap(x -> range(10 * x, 10 * x + 2).map(y -> Outcomes.refusing(20, y)))
        .batch(2, Collator.toList());
  }

  private static void waitFor(CountDownLatch latch, boolean does) {
    try {
      if (does) {
        latch.await();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void givesOneDatasetAfterTheOther() {
    assertThat(range(4).flatMap(x -> range(x)).toList()).containsExactly(0L, 0L, 1L, 0L, 1L, 2L);
    assertThat(range(0).flatMap(x -> range(5)).toList()).isEmpty();
    assertThat(range(5).flatMap(x -> range(0)).toList()).isEmpty();
    assertThat(range(3).flatMap(x -> range(x, x + 1).repeat()).take(4).toList())
        .containsExactly(0L, 0L, 0L, 0L);
  }

  @Test
  void isAnInterleaveOfOneAtATime() {
    assertThat(range(30).flatMap(x -> range(x * 100, x * 100 + x * 17 % 50)).toList())
        .isEqualTo(range(30).interleave(x -> range(x * 100, x * 100 + x * 17 % 50), 1, 3).toList());
  }

  @Test
  void knowsItsCardinalityOnlyWhereThereIsNothing() {
    assertThat(range(4).flatMap(x -> range(x)).cardinality()).isEqualTo(UNKNOWN);
    assertThat(range(0).flatMap(x -> range(x)).cardinality()).isZero();
    assertThat(range(4).repeat().flatMap(x -> range(x)).cardinality()).isEqualTo(UNKNOWN);
  }

  @Test
  void aFailureCostsOneDatasetOrOneElement() {
    assertThat(
            Outcomes.of(
                range(4)
                    .map(x -> Outcomes.refusing(0, x))
                    .flatMap(x -> range(Outcomes.refusing(1, x)).map(y -> 6 / (y - x + 2)))))
        .containsExactly(
            "error",
            "error",
            "error",
            "int64[] [6]",
            "int64[] [-6]",
            "error",
            "int64[] [6]",
            "end");
  }

  @Test
  void anElementIsNamedAfterBothOrdinals() {
    List<PipelineException> errors =
        Outcomes.errors(
            range(3)
                .flatMap(x -> range(4).map(y -> Outcomes.refusing(12, 10 * x + y)))
                .flatMap(x -> x == 20 ? nothing() : range(1)));
    assertThat(errors).extracting(PipelineException::element).containsExactly("1/2", "2/0");
    assertThat(errors.getLast())
        .hasMessageContaining("expected the function to return a dataset, but it returned null");
  }

  @SuppressWarnings("NullAway") // what a careless function does
  private static Dataset<Long> nothing() {
    return null;
  }

  @Test
  void callsTheFunctionOnlyForWhatIsAskedFor() {
    AtomicInteger calls = new AtomicInteger();
    AtomicInteger made = new AtomicInteger();
    assertThat(
            range(100)
                .flatMap(
                    x -> {
                      calls.incrementAndGet();
                      return range(3).map(y -> made.incrementAndGet());
                    })
                .take(4)
                .count())
        .isEqualTo(4);
    assertThat(calls).hasValue(2);
    assertThat(made).hasValue(4);
  }

  @Test
  @SuppressWarnings("NullAway") // what is refused
  void refusesNoFunction() {
    assertThatThrownBy(() -> range(3).flatMap(null))
        .hasMessage("flatMap: expected a function, but got null");
  }
}
