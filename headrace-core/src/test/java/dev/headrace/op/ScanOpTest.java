package dev.headrace.op;

import static dev.headrace.Dataset.INFINITE;
import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Checkpoint;
import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.data.Tensor;
import dev.headrace.golden.Outcomes;
import dev.headrace.spi.Scanned;
import dev.headrace.testing.NoLeftovers;
import dev.headrace.testing.PipelineContract;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@Timeout(60)
@ExtendWith(NoLeftovers.class)
class ScanOpTest {
  private record Window(List<Long> last, String text) {}

  /** Not a value that a checkpoint can carry. */
  private static final class Counter {
    private long count;
  }

  private static Dataset<Long> sums(Dataset<Long> input) {
    return input.scan(0L, (sum, x) -> new Scanned<>(sum + x, sum + x));
  }

  @Test
  void keepsTheContract() {
    PipelineContract.of(n -> sums(range(40).map(x -> Outcomes.refusing(9, x), n))).check();
    PipelineContract.of(
            n ->
                range(20)
                    .scan(
                        new Window(List.of(), ""),
                        (window, x) ->
                            new Scanned<>(
                                new Window(List.of(x), window.text() + x % 3),
                                window.last() + window.text()))
                    .prefetch(3))
        .check();
  }

  @Test
  void carriesTheStateFromElementToElement() {
    assertThat(sums(range(6)).toList()).containsExactly(0L, 1L, 3L, 6L, 10L, 15L);
    assertThat(sums(range(0)).toList()).isEmpty();
    assertThat(range(3).scan("", (text, x) -> new Scanned<>(text + x, text)).toList())
        .containsExactly("", "0", "01");
  }

  @Test
  void aFailingCallLeavesTheStateAsItWas() {
    assertThat(
            Outcomes.of(
                range(6).scan(0L, (s, x) -> new Scanned<>(s + 1, s + Outcomes.refusing(2, x)))))
        .containsExactly(
            "int64[] [0]",
            "int64[] [2]",
            "error",
            "int64[] [5]",
            "int64[] [7]",
            "int64[] [9]",
            "end");
    assertThat(Outcomes.errors(range(2).scan(0L, (sum, x) -> null)).getFirst())
        .hasMessageContaining(
            "expected the function to return a state and a result, but it returned null");
    assertThat(Outcomes.errors(range(1).scan(0L, (sum, x) -> new Scanned<>(null, x))).getFirst())
        .hasMessageContaining("scan: expected a state, but the function gave null");
  }

  @Test
  void failuresOfTheInputAreNotFedToTheFunction() {
    assertThat(Outcomes.of(sums(range(4).map(x -> Outcomes.refusing(1, x)))))
        .containsExactly("int64[] [0]", "error", "int64[] [2]", "int64[] [5]", "end");
  }

  @Test
  void everyPassBeginsWithTheInitialState() {
    assertThat(sums(range(3)).repeat(2).toList()).containsExactly(0L, 1L, 3L, 0L, 1L, 3L);
    Dataset<Long> inPlace =
        range(3)
            .scan(
                new long[1],
                (sum, x) -> {
                  sum[0] += x;
                  return new Scanned<>(sum, sum[0]);
                });
    assertThat(inPlace.repeat(2).toList()).containsExactly(0L, 1L, 3L, 0L, 1L, 3L);
    assertThat(inPlace.explain()).contains("initial=long[]#").doesNotContain("@");
  }

  @Test
  void readsNoMoreThanIsAskedFor() {
    AtomicInteger calls = new AtomicInteger();
    assertThat(sums(range(100).map(x -> x + 0 * calls.incrementAndGet(), 4)).take(5).toList())
        .hasSize(5);
    assertThat(calls).hasValue(5);
  }

  @Test
  void knowsItsCardinality() {
    assertThat(sums(range(5)).cardinality()).isEqualTo(5);
    assertThat(sums(range(5).repeat()).cardinality()).isEqualTo(INFINITE);
  }

  @Test
  void aStateThatCannotBeWrittenOnlyStopsCheckpoints() {
    Dataset<Long> counted =
        range(5)
            .scan(
                new Counter(),
                (counter, x) -> {
                  counter.count++;
                  return new Scanned<>(counter, counter.count);
                })
            .prefetch(2);
    assertThat(counted.toList()).containsExactly(1L, 2L, 3L, 4L, 5L);
    try (Pipeline<Long> pipeline = counted.open()) {
      pipeline.iterator().next();
      assertThatThrownBy(() -> pipeline.checkpoint().toString())
          .isInstanceOf(IllegalStateException.class)
          .hasMessageMatching(
              "scan \\(ScanOpTest\\.java:\\d+\\) ← range: expected the state to be a structure or a"
                  + " plain value, so that a checkpoint can carry it, but got"
                  + " dev\\.headrace\\.op\\.ScanOpTest\\$Counter; use a record, map or list of"
                  + " tensors, numbers and texts");
    }
  }

  @Test
  void carriesMapsInCheckpoints() {
    Dataset<Map<String, Object>> maps =
        range(4)
            .scan(
                Map.<String, Object>of("n", 1L),
                (map, x) -> new Scanned<>(new TreeMap<>(map), map));
    try (Pipeline<Map<String, Object>> pipeline = maps.open()) {
      Iterator<Map<String, Object>> epoch = pipeline.iterator();
      epoch.next();
      Checkpoint checkpoint = Checkpoint.parse(pipeline.checkpoint().toString());
      try (Pipeline<Map<String, Object>> resumed = maps.open(checkpoint)) {
        assertThat(resumed.iterator().next()).isEqualTo(Map.of("n", 1L));
      }
    }
  }

  @Test
  void refusesNull() {
    assertThatThrownBy(() -> range(3).scan(0L, null))
        .hasMessage("scan: expected a function, but got null");
    assertThatThrownBy(() -> range(3).scan(null, (sum, x) -> new Scanned<>(x, x)))
        .hasMessage("scan: expected an initial state, but got null");
  }

  /** A state that counts how often it is read to be written down. */
  private record Model(Tensor weights) {
    static final AtomicInteger READS = new AtomicInteger();

    @Override
    public Tensor weights() {
      READS.incrementAndGet();
      return weights;
    }
  }

  @Test
  void aStateThatCannotChangeIsWrittenOnlyWhenACheckpointIs() {
    Dataset<Long> scanned =
        range(200)
            .scan(
                new Model(Tensor.of(0f, 0f)),
                (model, x) -> new Scanned<>(new Model(Tensor.of(x, 1f)), x))
            .prefetch(1);
    try (Pipeline<Long> pipeline = scanned.open()) {
      Iterator<Long> elements = pipeline.iterator();
      elements.next();
      int before = Model.READS.get();
      for (int i = 1; i < 150; i++) {
        elements.next();
      }
      assertThat(Model.READS.get()).isEqualTo(before);
      Checkpoint checkpoint = pipeline.checkpoint();
      assertThat(Model.READS.get()).isEqualTo(before);
      assertThat(checkpoint.toString()).contains("\"value\"");
      assertThat(Model.READS.get()).isGreaterThan(before);
    }
  }

  @Test
  void aStateThatTheFunctionChangesIsSavedAsItWas() {
    Function<Dataset<Long>, Dataset<String>> counting =
        input ->
            input
                .scan(
                    new long[3],
                    (counts, x) -> {
                      counts[(int) (x % 3)]++;
                      return new Scanned<>(counts, Arrays.toString(counts));
                    })
                .prefetch(2);
    PipelineContract.of(n -> counting.apply(range(30).map(x -> x, n))).check();
  }
}
