package dev.headrace.op;

import static dev.headrace.Dataset.INFINITE;
import static dev.headrace.Dataset.UNKNOWN;
import static dev.headrace.Dataset.range;
import static dev.headrace.spi.Collator.stack;
import static dev.headrace.spi.Collator.toList;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Dataset;
import dev.headrace.PipelineException;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.golden.Outcomes;
import dev.headrace.spi.Fn;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class UnbatchOpTest {
  private record Pair(Tensor left, Tensor right) {}

  @Test
  void everyRowBecomesAnElement() {
    assertThat(Outcomes.of(range(5).map(x -> pair(x)).batch(2).unbatch()))
        .isEqualTo(Outcomes.of(range(5).map(x -> pair(x))));
    assertThat(
            Outcomes.of(
                range(3)
                    .map(x -> Map.of("a", List.of(Tensor.scalar("t" + x), Tensor.scalar(x / 2.0))))
                    .batch(2)
                    .unbatch()))
        .containsExactly(
            "string[] [t0]; double[] [0.0]",
            "string[] [t1]; double[] [0.5]",
            "string[] [t2]; double[] [1.0]",
            "end");
    assertThat(Outcomes.of(range(0).batch(2, stack()).unbatch())).containsExactly("end");
  }

  private static Pair pair(long x) {
    return new Pair(Tensor.scalar((int) x), Tensor.full(Shape.of(2), (float) x));
  }

  @Test
  void batchesWithoutRowsGiveNothing() {
    assertThat(Outcomes.of(range(4).map(x -> Tensor.full(Shape.of(x % 2), x)).unbatch()))
        .containsExactly("int64[] [1]", "int64[] [3]", "end");
  }

  @Test
  void itemsOfOtherBatchesAreSaidByAFunction() {
    assertThat(range(5).batch(2, toList()).unbatch(list -> list).toList())
        .containsExactly(0L, 1L, 2L, 3L, 4L);
    Fn<Long, List<String>> fails = x -> x == 1 ? null : List.of("a" + x, "b" + x);
    assertThat(Outcomes.of(range(3).unbatch(fails)))
        .containsExactly("a0", "b0", "error", "a2", "b2", "end");
    assertThat(Outcomes.errors(range(3).unbatch(fails)).getFirst())
        .hasMessageContaining(
            "unbatch: expected the function to return a list, but it returned null");
    Fn<Long, List<Long>> none = null;
    assertThatThrownBy(() -> range(3).unbatch(none))
        .hasMessage("unbatch: expected a function, but got null");
  }

  @Test
  void batchesThatCannotBeTakenApartFailInPlace() {
    assertThat(
            Outcomes.of(
                range(3)
                    .map(
                        x ->
                            new Pair(
                                Tensor.full(Shape.of(2), x), Tensor.full(Shape.of(2 + x % 2), x)))
                    .unbatch()))
        .containsExactly(
            "int64[] [0]; int64[] [0]",
            "int64[] [0]; int64[] [0]",
            "error",
            "int64[] [2]; int64[] [2]",
            "int64[] [2]; int64[] [2]",
            "end");
    List<PipelineException> errors =
        Outcomes.errors(
            range(3)
                .map(
                    x -> new Pair(Tensor.full(Shape.of(2), x), Tensor.full(Shape.of(2 + x % 2), x)))
                .unbatch());
    assertThat(errors.getFirst().element()).isEqualTo("1");
    assertThat(errors.getFirst())
        .hasMessageContaining(
            "unbatch: expected all tensors to have the same number of rows, but 'right' is int64[3]"
                + " and 'left' is int64[2]");
    assertThat(Outcomes.errors(range(1).map(x -> Tensor.scalar(x)).unbatch()).getFirst())
        .hasMessageContaining("but the element is int64[]");
    assertThat(Outcomes.errors(range(1).unbatch()).getFirst())
        .hasMessageContaining(
            "unbatch: expected a structure (Tensor, a record, Map or List of them), but got"
                + " java.lang.Long; use unbatch(batch -> …) to say what its items are");
  }

  @Test
  void passesFailuresOn() {
    assertThat(Outcomes.of(range(4).map(x -> Outcomes.refusing(1, x)).batch(2, stack()).unbatch()))
        .containsExactly("error", "int64[] [0]", "int64[] [2]", "int64[] [3]", "end");
  }

  @Test
  void rowsHaveIdsUnderTheirBatch() {
    assertThat(
            Outcomes.errors(
                    range(6)
                        .batch(3, stack())
                        .unbatch()
                        .map(x -> Outcomes.refusing(4, x.longValue())))
                .getFirst()
                .element())
        .isEqualTo("3/1");
  }

  @Test
  void readsNoMoreThanIsNeeded() {
    AtomicInteger calls = new AtomicInteger();
    assertThat(
            range(10)
                .map(
                    x -> {
                      calls.incrementAndGet();
                      return Tensor.of(x, x);
                    })
                .synchronous()
                .unbatch()
                .take(3)
                .count())
        .isEqualTo(3);
    assertThat(calls).hasValue(2);
  }

  @Test
  void rowsDoNotKeepTheirBatch() {
    List<Tensor> rows = range(2).map(x -> Tensor.full(Shape.of(2, 3), x)).unbatch().toList();
    assertThat(rows.get(3).segment().byteSize()).isEqualTo(24);
    assertThat(rows.get(3).toLongArray()).containsExactly(1, 1, 1);
  }

  @Test
  void knowsItsCardinality() {
    Dataset<Tensor> batches = range(7).batch(3, stack());
    assertThat(batches.unbatch().cardinality()).isEqualTo(UNKNOWN);
    assertThat(batches.repeat().unbatch().cardinality()).isEqualTo(INFINITE);
  }
}
