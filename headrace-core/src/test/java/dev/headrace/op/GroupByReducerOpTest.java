package dev.headrace.op;

import static dev.headrace.Dataset.UNKNOWN;
import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Dataset;
import dev.headrace.PipelineException;
import dev.headrace.golden.Outcomes;
import dev.headrace.spi.Reducer;
import dev.headrace.testing.NoLeftovers;
import dev.headrace.testing.PipelineContract;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@Timeout(60)
@ExtendWith(NoLeftovers.class)
class GroupByReducerOpTest {

  private static <K> Reducer<K, Long, Long, Long> sum() {
    return new Reducer<>(key -> 0L, (sum, x) -> sum + x, sum -> sum);
  }

  @Test
  void keepsTheContract() {
    PipelineContract.of(
            n ->
                range(60)
                    .map(x -> Outcomes.refusing(17, x), n)
                    .groupByReducer(x -> Outcomes.refusing(5, x) % 7, sum()))
        .check();
  }

  @Test
  void givesTheGroupsInTheOrderOfTheirKeys() {
    assertThat(range(10).groupByReducer(x -> x % 3, sum()).toList()).containsExactly(18L, 12L, 15L);
    assertThat(range(10).groupByReducer(x -> -(x % 3), sum()).toList())
        .containsExactly(15L, 12L, 18L);
    assertThat(range(4).groupByReducer(x -> x % 2 == 0 ? "even" : "a", sum()).toList())
        .containsExactly(4L, 2L);
    assertThat(range(0).groupByReducer(x -> x, sum()).toList()).isEmpty();
  }

  @Test
  void beginsFromTheKeyAndFinishes() {
    Reducer<Long, List<Long>, Long, String> lists =
        new Reducer<>(
            key -> new ArrayList<>(List.of(100 + key)),
            (list, x) -> {
              list.add(x);
              return list;
            },
            list -> "group " + list);
    assertThat(range(5).groupByReducer(x -> x % 2, lists).toList())
        .containsExactly("group [100, 0, 2, 4]", "group [101, 1, 3]");
  }

  @Test
  void aFailureCostsItsElementAndLeavesTheGroup() {
    assertThat(
            Outcomes.of(
                range(6).map(x -> Outcomes.refusing(2, x)).groupByReducer(x -> x % 2, sum())))
        .containsExactly("error", "int64[] [4]", "int64[] [9]", "end");
    Reducer<Long, Long, Long, Long> refusing =
        new Reducer<>(
            key -> 0L, (sum, x) -> sum + Outcomes.refusing(3, x), sum -> Outcomes.refusing(6, sum));
    List<PipelineException> errors = Outcomes.errors(range(6).groupByReducer(x -> x % 2, refusing));
    assertThat(errors).extracting(PipelineException::element).containsExactly("3", "0", "1");
    Reducer<Long, Long, Long, Long> noState = new Reducer<>(key -> null, (s, x) -> s, s -> s);
    assertThat(Outcomes.errors(range(2).groupByReducer(x -> x, noState)).getFirst())
        .hasMessageContaining("expected the initial function to return a state");
  }

  @Test
  void knowsItsCardinality() {
    assertThat(range(5).groupByReducer(x -> x, sum()).cardinality()).isEqualTo(UNKNOWN);
    assertThat(range(0).groupByReducer(x -> x, sum()).cardinality()).isZero();
  }

  @Test
  void failsWithTheSizeNeededWhereGroupsDoNotFit() {
    Dataset<Long> large =
        range(1_000_000)
            .groupByReducer(x -> x, GroupByReducerOpTest.<Long>sum())
            .options(o -> o.heapBudget(1 << 20));
    List<PipelineException> errors = Outcomes.errors(large);
    assertThat(errors).hasSize(1);
    assertThat(errors.getFirst().isTerminal()).isTrue();
    assertThat(errors.getFirst())
        .hasMessageContaining("groupByReducer: expected its groups to fit the memory budget, but")
        .hasMessageContaining(
            "the heap account is full (1,023 kB of 1,024 kB); raise options.heapBudget");
    Reducer<Long, String, Long, String> growing =
        new Reducer<>(key -> "", (text, x) -> text + "0123456789".repeat(20), text -> text);
    assertThat(
            Outcomes.errors(
                range(20_000).groupByReducer(x -> 0L, growing).options(o -> o.heapBudget(1 << 18))))
        .hasSize(1);
  }

  @Test
  void refusesNull() {
    assertThatThrownBy(() -> range(3).groupByReducer(null, GroupByReducerOpTest.<Long>sum()))
        .hasMessage("groupByReducer: expected a function for keys, but got null");
    assertThatThrownBy(() -> range(3).groupByReducer(x -> x, null))
        .hasMessage("groupByReducer: expected a reducer, but got null");
    assertThatThrownBy(() -> new Reducer<>(null, (s, x) -> s, s -> s))
        .hasMessage("Reducer: expected an initial function, but got null");
  }
}
