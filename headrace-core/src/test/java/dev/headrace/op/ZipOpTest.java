package dev.headrace.op;

import static dev.headrace.Dataset.INFINITE;
import static dev.headrace.Dataset.UNKNOWN;
import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Dataset;
import dev.headrace.PipelineException;
import dev.headrace.data.Pair;
import dev.headrace.data.Seed;
import dev.headrace.data.Tensor;
import dev.headrace.golden.Outcomes;
import dev.headrace.spi.Fn;
import dev.headrace.testing.PipelineContract;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ZipOpTest {
  @Test
  void keepsTheContract() {
    PipelineContract.of(
            n ->
                range(15)
                    .map(x -> Outcomes.refusing(3, x), n)
                    .zip(range(12).map(x -> Outcomes.refusing(5, x), n).prefetch(2)))
        .check();
  }

  @Test
  void theShortestWins() {
    assertThat(range(2).zip(range(5, 9)).toList())
        .containsExactly(new Pair<>(0L, 5L), new Pair<>(1L, 6L));
    assertThat(range(9).zip(range(2), (a, b) -> 10 * a + b).toList()).containsExactly(0L, 11L);
    assertThat(range(9).zip(range(0)).toList()).isEmpty();
    assertThat(range(2).repeat().zip(range(3), (a, b) -> a - b).toList())
        .containsExactly(0L, 0L, -2L);
    assertThat(Dataset.zip(List.of(range(2), range(3).map(x -> "s" + x), range(4))).toList())
        .containsExactly(List.of(0L, "s0", 0L), List.of(1L, "s1", 1L));
  }

  @Test
  void pairsOfTensorsAreStructures() {
    Pair<Tensor, Tensor> batch =
        range(4)
            .map(x -> Tensor.scalar(x))
            .zip(range(4).map(x -> Tensor.scalar(x / 2f)))
            .batch(4)
            .singleElement();
    assertThat(batch.first().toLongArray()).containsExactly(0, 1, 2, 3);
    assertThat(batch.second().shape().toString()).isEqualTo("[4]");
  }

  @Test
  void aDatasetMayBeZippedWithItself() {
    Dataset<Long> cached = range(5).shuffle(5, Seed.of(3)).cache();
    assertThat(cached.zip(cached, (a, b) -> a - b).toList()).containsOnly(0L).hasSize(5);
    Dataset<Integer> random = range(5).randomMap((x, numbers) -> numbers.nextInt(), Seed.of(3));
    assertThat(random.zip(random, (a, b) -> a.equals(b)).toList()).containsOnly(false);
    assertThat(random.cache().zip(random.cache(), (a, b) -> a.equals(b)).toList())
        .containsOnly(false);
  }

  @Test
  void failuresStayInTheirRow() {
    assertThat(
            Outcomes.of(
                range(5)
                    .map(x -> Outcomes.refusing(1, x))
                    .zip(range(5).map(x -> Outcomes.refusing(3, x)), (a, b) -> 10 * a + b)))
        .containsExactly("int64[] [0]", "error", "int64[] [22]", "error", "int64[] [44]", "end");
    assertThat(Outcomes.of(range(3).zip(range(3), (a, b) -> 6 / (a + b - 2))))
        .containsExactly("int64[] [-3]", "error", "int64[] [3]", "end");
  }

  @Test
  void twoFailuresInARowAreOneError() {
    List<PipelineException> errors =
        Outcomes.errors(
            range(3)
                .map(x -> Outcomes.refusing(1, x))
                .zip(range(10, 13).map(x -> Outcomes.refusing(11, x))));
    assertThat(errors).hasSize(1);
    assertThat(errors.getFirst().getCause()).hasMessage("refuses 1");
    assertThat(errors.getFirst().getSuppressed())
        .singleElement()
        .isInstanceOfSatisfying(
            Throwable.class, other -> assertThat(other).hasMessage("refuses 11"));
  }

  @Test
  void exceptionsOfTheUserAreLeftAsTheyAre() {
    RuntimeException left = new IllegalStateException("left");
    RuntimeException right = new IllegalStateException("right");
    Dataset<Long> rows =
        range(100)
            .<Long>map(
                x -> {
                  throw left;
                })
            .zip(
                range(100)
                    .<Long>map(
                        x -> {
                          throw right;
                        }),
                (a, b) -> a);
    List<PipelineException> errors = Outcomes.errors(rows);
    assertThat(errors).hasSize(100);
    assertThat(errors)
        .allSatisfy(
            error -> {
              assertThat(error.getCause()).isSameAs(left);
              assertThat(error.getSuppressed()).containsExactly(right);
            });
    assertThat(left.getSuppressed()).isEmpty();
    assertThat(right.getSuppressed()).isEmpty();
  }

  @Test
  void anExceptionThatBothSidesShareIsToldOnce() {
    RuntimeException shared = new IllegalStateException("shared");
    Fn<Long, Long> failing =
        x -> {
          throw shared;
        };
    List<PipelineException> errors =
        Outcomes.errors(range(3).map(failing).zip(range(3).map(failing)));
    assertThat(errors).hasSize(3).allMatch(error -> error.getSuppressed().length == 0);
    assertThat(shared.getSuppressed()).isEmpty();
  }

  @Test
  void aTerminalFailureWins() {
    List<PipelineException> errors =
        Outcomes.errors(
            range(1).map(x -> Outcomes.refusing(0, x)).zip(Dataset.listFiles("/nowhere/*")));
    assertThat(errors).hasSize(1);
    assertThat(errors.getFirst().isTerminal()).isTrue();
  }

  @Test
  void elementsAreNamedByTheLeft() {
    assertThat(
            Outcomes.errors(
                range(9)
                    .filter(x -> x > 4)
                    .zip(range(9))
                    .map(pair -> Outcomes.refusing(6, pair.first()))))
        .extracting(PipelineException::element)
        .containsExactly("6");
  }

  @Test
  void knowsItsCardinality() {
    assertThat(range(3).zip(range(5)).cardinality()).isEqualTo(3);
    assertThat(range(3).zip(range(5).repeat()).cardinality()).isEqualTo(3);
    assertThat(range(3).repeat().zip(range(5).repeat()).cardinality()).isEqualTo(INFINITE);
    assertThat(range(3).zip(range(5).filter(x -> true)).cardinality()).isEqualTo(UNKNOWN);
  }

  @Test
  void asksForNoMoreThanItNeeds() {
    AtomicInteger left = new AtomicInteger();
    AtomicInteger right = new AtomicInteger();
    assertThat(
            range(100)
                .map(x -> left.incrementAndGet(), 4)
                .zip(range(100).map(x -> right.incrementAndGet(), 4))
                .take(3)
                .count())
        .isEqualTo(3);
    assertThat(left).hasValue(3);
    assertThat(right).hasValue(3);
  }

  @Test
  @SuppressWarnings("NullAway") // what is refused
  void refusesNothing() {
    assertThatThrownBy(() -> Dataset.zip(List.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("zip: expected at least 1 dataset, but got 0");
    assertThatThrownBy(() -> range(3).zip(range(3), null))
        .hasMessage("zip: expected a function, but got null");
  }
}
