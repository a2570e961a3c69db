package dev.headrace.op;

import static dev.headrace.Dataset.INFINITE;
import static dev.headrace.Dataset.UNKNOWN;
import static dev.headrace.Dataset.range;
import static dev.headrace.spi.Collator.toList;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Checkpoint;
import dev.headrace.Dataset;
import dev.headrace.Options;
import dev.headrace.Pipeline;
import dev.headrace.PipelineException;
import dev.headrace.golden.Outcomes;
import dev.headrace.spi.BiFn;
import dev.headrace.spi.Fn;
import dev.headrace.spi.Plan;
import dev.headrace.testing.PipelineContract;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class GroupByWindowOpTest {
  private static final long[] KEYS = {5, -2, 7, 3, 5, -2, 0, 9};

  @Test
  void keepsTheContract() {
    PipelineContract.of(
            n ->
                range(60)
                    .map(x -> Outcomes.refusing(31, x), n)
                    .groupByWindow(x -> x * x % 7, (key, w) -> w.batch(3, toList()), 4))
        .check();
  }

  @Test
  void whatIsLeftComesInTheOrderOfKeys() {
    assertThat(
            range(8)
                .map(x -> KEYS[x.intValue()])
                .groupByWindow(x -> x, (key, w) -> w.batch(9, toList()), 100)
                .toList())
        .containsExactly(
            List.of(-2L, -2L), List.of(0L), List.of(3L), List.of(5L, 5L), List.of(7L), List.of(9L));
    assertThat(
            range(6)
                .groupByWindow(x -> x % 2 == 0 ? "even" : "a", (key, w) -> w.batch(2, toList()), 2)
                .toList())
        .containsExactly(List.of(0L, 2L), List.of(1L, 3L), List.of(5L), List.of(4L));
    assertThat(range(0).groupByWindow(x -> x, (key, w) -> w, 2).toList()).isEmpty();
  }

  @Test
  void sizesMayDependOnTheKey() {
    assertThat(
            range(8)
                .groupByWindow(x -> x % 2, (key, w) -> w.batch(9, toList()), key -> key + 2)
                .toList())
        .containsExactly(List.of(0L, 2L), List.of(1L, 3L, 5L), List.of(4L, 6L), List.of(7L));
  }

  @Test
  void aWindowMayGiveManyElementsOrNone() {
    assertThat(range(6).groupByWindow(x -> x % 2, (key, w) -> w.repeat(2 * key), 2).toList())
        .containsExactly(1L, 3L, 1L, 3L, 5L, 5L);
  }

  @Test
  void functionsThatFailCostWhatTheyWereCalledFor() {
    assertThat(
            Outcomes.of(
                range(6)
                    .groupByWindow(
                        x -> Outcomes.refusing(2, x) % 2, (key, w) -> w.batch(2, toList()), 2)))
        .containsExactly("error", "[1, 3]", "[0, 4]", "[5]", "end");
    BiFn<Long, Dataset<Long>, Plan<Long>> none = (key, w) -> key == 0 ? null : w;
    Dataset<Long> reduced = range(4).groupByWindow(x -> x % 2, none, 2);
    assertThat(Outcomes.of(reduced)).containsExactly("error", "int64[] [1]", "int64[] [3]", "end");
    assertThat(Outcomes.errors(reduced).getFirst())
        .hasMessageContaining(
            "groupByWindow: expected the function to return a dataset, but it returned null");
    Dataset<Long> sized = range(4).groupByWindow(x -> x % 2, (key, w) -> w, key -> key);
    assertThat(Outcomes.of(sized))
        .containsExactly("error", "int64[] [1]", "error", "int64[] [3]", "end");
    assertThat(Outcomes.errors(sized).getFirst())
        .hasMessageContaining(
            "groupByWindow: expected a window of at least 1 element, but got 0 for key 0");
    Fn<Long, Long> noKey = x -> null;
    assertThat(Outcomes.errors(range(1).groupByWindow(noKey, (key, w) -> w, 1)).getFirst())
        .hasMessageContaining("groupByWindow: expected a key, but got null");
  }

  @Test
  void heldElementsBeyondTheMemoryBudgetFailWithTheSizeNeeded() {
    PipelineException error =
        Outcomes.errors(
                range(100)
                    .map(x -> new byte[1 << 20])
                    .groupByWindow(x -> 1, (key, w) -> w, 40)
                    .options(Options.defaults().heapBudget(8L << 20).spill(false)))
            .getFirst();
    assertThat(error.isTerminal()).isTrue();
    assertThat(error)
        .hasMessageContaining("groupByWindow: expected windows that are not full to fit the memory")
        .hasMessageContaining("of 1 key, ")
        .hasMessageContaining("full windows of these keys need about 40 MB");
  }

  @Test
  void aPositionReadsAgainFromTheOldestHeldElement() {
    AtomicInteger calls = new AtomicInteger();
    Dataset<List<Long>> groups =
        range(1000)
            .map(
                x -> {
                  calls.incrementAndGet();
                  return x;
                })
            .groupByWindow(x -> x / 100, (key, w) -> w.batch(10, toList()), 10);
    List<List<Long>> all = groups.toList();
    Checkpoint at;
    List<List<Long>> some = new ArrayList<>();
    try (Pipeline<List<Long>> pipeline = groups.open()) {
      Iterator<List<Long>> iterator = pipeline.iterator();
      for (int i = 0; i < 50; i++) {
        some.add(iterator.next());
      }
      at = Checkpoint.parse(pipeline.checkpoint().toString());
    }
    calls.set(0);
    try (Pipeline<List<Long>> pipeline = groups.open(at)) {
      pipeline.forEach(some::add);
    }
    assertThat(some).isEqualTo(all);
    // Not from the start. How long the chunk was that is made again depends on the pace.
    assertThat(calls.get()).isBetween(500, 999);
  }

  @Test
  void aKeyThatIsRareDoesNotMakeTheOthersExpensive() {
    Dataset<Long> groups =
        range(200_000)
            .groupByWindow(x -> x % 1000 == 0 ? 1 : 0, (key, w) -> w.take(1), 150)
            .prefetch(4);
    assertThat(groups.count()).isEqualTo(2 + 199_800 / 150);
  }

  @Test
  void knowsItsCardinality() {
    assertThat(range(4).groupByWindow(x -> x, (key, w) -> w, 2).cardinality()).isEqualTo(UNKNOWN);
    assertThat(range(4).repeat().groupByWindow(x -> x, (key, w) -> w, 2).cardinality())
        .isEqualTo(INFINITE);
  }

  @Test
  void refusesBadArguments() {
    assertThatThrownBy(() -> range(4).groupByWindow(x -> x, (key, w) -> w, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("groupByWindow: expected a window of at least 1 element, but got 0");
    Fn<Long, Long> none = null;
    assertThatThrownBy(() -> range(4).groupByWindow(none, (key, w) -> w, 2))
        .hasMessage("groupByWindow: expected a key function, but got null");
    BiFn<Long, Dataset<Long>, Plan<Long>> noReduce = null;
    assertThatThrownBy(() -> range(4).groupByWindow(x -> x, noReduce, 2))
        .hasMessage("groupByWindow: expected a reduce function, but got null");
    assertThatThrownBy(() -> range(4).groupByWindow(x -> x, (key, w) -> w, none))
        .hasMessage("groupByWindow: expected a size, but got null");
  }
}
