package dev.headrace.op;

import static dev.headrace.Dataset.AUTOTUNE;
import static dev.headrace.Dataset.UNKNOWN;
import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.PipelineException;
import dev.headrace.golden.Outcomes;
import dev.headrace.spi.Condition;
import dev.headrace.spi.Order;
import dev.headrace.testing.PipelineContract;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class FilterOpTest {

  @Test
  void keepsTheContract() {
    PipelineContract.of(n -> range(60).filter(x -> Outcomes.refusing(30, x) % 3 == 0, n)).check();
    PipelineContract.of(n -> range(60).map(x -> "" + x).filter(x -> x.endsWith("3"))).check();
    PipelineContract.of(n -> range(60).filter(x -> x % 7 == 0, n, Order.UNORDERED))
        .unordered()
        .check();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 8, AUTOTUNE})
  void keepsTheSameInParallel(int parallelism) {
    assertThat(range(5000).filter(x -> x % 37 == 5, parallelism).toList())
        .isEqualTo(LongStream.range(0, 5000).filter(x -> x % 37 == 5).boxed().toList());
  }

  @Test
  void keepsAllSomeOrNone() {
    assertThat(range(4).filter(x -> true).toList()).containsExactly(0L, 1L, 2L, 3L);
    assertThat(range(4).filter(x -> x > 1).toList()).containsExactly(2L, 3L);
    assertThat(range(40_000).filter(x -> x == 39_999).toList()).containsExactly(39_999L);
    assertThat(range(4).filter(x -> false).toList()).isEmpty();
    assertThat(range(4).filter(x -> false, 3).toList()).isEmpty();
    assertThat(range(0).filter(x -> true).toList()).isEmpty();
    assertThat(range(4).filter(x -> true).cardinality()).isEqualTo(UNKNOWN);
  }

  @Test
  void keepsTheIdsOfWhatItKeeps() {
    List<PipelineException> errors =
        Outcomes.errors(range(20).filter(x -> x % 5 == 4).map(x -> Outcomes.refusing(x, x)));
    assertThat(errors).extracting(PipelineException::element).containsExactly("4", "9", "14", "19");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void aConditionThatThrowsCostsItsElement(int parallelism) {
    Condition<Long> refusesSome =
        x -> {
          if (x % 4 == 0) {
            throw new IllegalStateException("cannot tell");
          }
          return x % 2 == 1;
        };
    List<String> expected =
        List.of(
            "error",
            "int64[] [1]",
            "int64[] [3]",
            "error",
            "int64[] [5]",
            "int64[] [7]",
            "error",
            "end");
    assertThat(Outcomes.of(range(9).filter(refusesSome))).isEqualTo(expected);
    assertThat(Outcomes.of(range(9).filter(refusesSome, parallelism))).isEqualTo(expected);
    List<PipelineException> errors = Outcomes.errors(range(9).filter(refusesSome, parallelism));
    assertThat(errors).extracting(PipelineException::element).containsExactly("0", "4", "8");
    assertThat(errors.getFirst())
        .hasMessageMatching(
            "filter \\(FilterOpTest\\.java:\\d+\\) ← range: element 0 of epoch 0 failed:"
                + " java\\.lang\\.IllegalStateException: cannot tell");
  }

  @Test
  void failuresOfItsInputPassThrough() {
    assertThat(Outcomes.of(range(5).map(x -> 6 / (x - 2)).filter(x -> x > 0)))
        .containsExactly("error", "int64[] [6]", "int64[] [3]", "end");
    assertThat(Outcomes.of(range(5).map(x -> 6 / (x - 2), 2).filter(x -> x > 0, 2)))
        .containsExactly("error", "int64[] [6]", "int64[] [3]", "end");
  }

  @Test
  void refusesBadArguments() {
    assertThatThrownBy(() -> range(3).filter(null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("filter: expected a condition, but got null");
    for (int parallelism : new int[] {0, -2}) {
      assertThatThrownBy(() -> range(3).filter(x -> true, parallelism))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "filter: expected a parallelism of at least 1 or AUTOTUNE, but got "
                  + parallelism
                  + "; leave it out to call the function from one thread at a time");
    }
  }
}
