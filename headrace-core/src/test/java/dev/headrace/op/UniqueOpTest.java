package dev.headrace.op;

import static dev.headrace.Dataset.UNKNOWN;
import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Dataset;
import dev.headrace.PipelineException;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.golden.Outcomes;
import dev.headrace.testing.NoLeftovers;
import dev.headrace.testing.PipelineContract;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@Timeout(60)
@ExtendWith(NoLeftovers.class)
class UniqueOpTest {
  private record Row(Tensor tokens, String label, long[] weights) {}

  @Test
  void keepsTheContract() {
    PipelineContract.of(n -> range(60).map(x -> Outcomes.refusing(17, x) % 25, n).unique()).check();
    PipelineContract.of(
            n -> range(60).map(x -> Tensor.full(Shape.of(x % 6), x % 4), n).unique().prefetch(n))
        .check();
  }

  @Test
  void keepsTheFirstOfEqualElements() {
    assertThat(range(10).map(x -> x * x % 10).unique().toList())
        .containsExactly(0L, 1L, 4L, 9L, 6L, 5L);
    assertThat(range(0).unique().toList()).isEmpty();
    assertThat(range(50_000).map(x -> x / 49_999).unique().toList()).containsExactly(0L, 1L);
    assertThat(range(10).map(x -> "" + x % 3).unique().toList()).containsExactly("0", "1", "2");
  }

  @Test
  void comparesKeysWhereAFunctionGivesThem() {
    assertThat(range(10).unique(x -> x % 4).toList()).containsExactly(0L, 1L, 2L, 3L);
    assertThat(range(6).unique(x -> new byte[] {(byte) (x / 2)}).toList())
        .containsExactly(0L, 2L, 4L);
  }

  @Test
  void comparesTensorsAndArraysByContent() {
    assertThat(count(x -> Tensor.of(x % 3, 7))).isEqualTo(3);
    assertThat(count(x -> Tensor.full(Shape.of(100), x % 3))).isEqualTo(3);
    assertThat(count(x -> Tensor.full(Shape.of(1 + x % 2), 0L))).isEqualTo(2);
    assertThat(count(x -> x % 2 == 0 ? Tensor.scalar(1) : Tensor.scalar(1L))).isEqualTo(2);
    assertThat(count(x -> new byte[] {1, (byte) (x % 3)})).isEqualTo(3);
    assertThat(count(x -> new short[] {(short) (x % 3)})).isEqualTo(3);
    assertThat(count(x -> new String[] {"a", "" + x % 3})).isEqualTo(3);
    assertThat(count(x -> new Row(Tensor.of(x % 3), "a", new long[] {x % 2}))).isEqualTo(6);
    assertThat(count(x -> Map.of("t", Tensor.of(x % 3)))).isEqualTo(3);
    assertThat(count(x -> List.of(Tensor.of(x % 3), x % 2))).isEqualTo(6);
  }

  private static long count(dev.headrace.spi.Fn<Long, Object> function) {
    return range(24).map(function).unique().count();
  }

  @Test
  void failuresAreKeptEachInItsPlace() {
    assertThat(Outcomes.of(range(6).map(x -> Outcomes.refusing(3, x) % 2).unique()))
        .containsExactly("int64[] [0]", "int64[] [1]", "error", "end");
    assertThat(Outcomes.of(range(4).unique(x -> Outcomes.refusing(1, x) * 0)))
        .containsExactly("int64[] [0]", "error", "end");
    assertThat(Outcomes.errors(range(2).unique(x -> null)).getFirst())
        .hasMessageContaining("expected the function to return a key, but it returned null");
  }

  @Test
  void keepsTheIds() {
    assertThat(Outcomes.errors(range(9).unique(x -> x / 3).map(x -> Outcomes.refusing(x, x))))
        .extracting(PipelineException::element)
        .containsExactly("0", "3", "6");
  }

  @Test
  void everyPassBeginsAnew() {
    assertThat(range(4).map(x -> x / 2).unique().repeat(2).toList())
        .containsExactly(0L, 1L, 0L, 1L);
    assertThat(range(4).repeat(2).unique().toList()).containsExactly(0L, 1L, 2L, 3L);
  }

  @Test
  void readsNoMoreThanIsAskedFor() {
    AtomicInteger calls = new AtomicInteger();
    assertThat(range(100).map(x -> x + 0 * calls.incrementAndGet()).unique().take(5).toList())
        .hasSize(5);
    assertThat(calls).hasValue(5);
  }

  @Test
  void knowsItsCardinality() {
    assertThat(range(5).unique().cardinality()).isEqualTo(UNKNOWN);
    assertThat(range(0).unique().cardinality()).isZero();
  }

  @Test
  void failsWithTheSizeNeededWhereKeysDoNotFit() {
    Dataset<Long> large =
        range(1_000_000).unique().options(o -> o.heapBudget(1 << 20).spill(false));
    List<PipelineException> errors = Outcomes.errors(large);
    assertThat(errors).hasSize(1);
    assertThat(errors.getFirst().isTerminal()).isTrue();
    assertThat(errors.getFirst())
        .hasMessageMatching(
            "(?s)unique .*unique: expected the keys it has met to fit the memory budget, but"
                + " [\\d,]+ of them need [\\d,]+ bytes and the heap account is full \\(1,023 kB of"
                + " 1,024 kB\\); raise options\\.heapBudget, or give a smaller key: unique\\(x ->"
                + " …\\); it could not go to disk: spilling is off: leave out"
                + " options\\.spill\\(false\\)");
  }

  @Test
  void refusesNull() {
    assertThatThrownBy(() -> range(3).unique(null))
        .hasMessage("unique: expected a function for keys, but got null");
  }

  private record Unreadable(long number) {
    public long number() {
      throw new IllegalStateException("no number");
    }
  }

  @Test
  void recordsThatCannotBeReadFailAndAreNotTakenForEqual() {
    List<PipelineException> errors = Outcomes.errors(range(3).map(Unreadable::new).unique());
    assertThat(errors).hasSize(3);
    assertThat(errors.getFirst()).hasMessageContaining("Unreadable: cannot read number");
  }
}
