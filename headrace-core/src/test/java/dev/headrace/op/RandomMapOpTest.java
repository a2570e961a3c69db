package dev.headrace.op;

import static dev.headrace.Dataset.AUTOTUNE;
import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.PipelineException;
import dev.headrace.data.Seed;
import dev.headrace.golden.Outcomes;
import dev.headrace.spi.RandomFn;
import dev.headrace.testing.PipelineContract;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class RandomMapOpTest {
  private static final Seed SEED = Seed.of(42);
  private static final RandomFn<Long, Long> DRAW = (x, random) -> random.nextLong();

  @Test
  void keepsTheContract() {
    PipelineContract.of(
            n ->
                range(40)
                    .randomMap((x, random) -> Outcomes.refusing(9, x) + random.nextInt(), SEED, n))
        .check();
    PipelineContract.of(n -> range(9).randomMap(DRAW, SEED).repeat(3).shuffle(5, SEED)).check();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 8, AUTOTUNE})
  void valuesDoNotDependOnThreads(int parallelism) {
    assertThat(range(2000).randomMap(DRAW, SEED, parallelism).toList())
        .isEqualTo(range(2000).randomMap(DRAW, SEED).toList());
  }

  @Test
  void valuesDoNotDependOnPrefetching() {
    List<Long> plain = range(500).map(x -> x).randomMap(DRAW, SEED).toList();
    assertThat(range(500).prefetch(3).map(x -> x, 2).prefetch(7).randomMap(DRAW, SEED, 2).toList())
        .isEqualTo(plain);
    assertThat(range(500).map(x -> x).randomMap(DRAW, SEED).prefetch(AUTOTUNE).toList())
        .isEqualTo(plain);
  }

  @Test
  void valuesAreTheElementsOwn() {
    List<Long> all = range(100).randomMap(DRAW, SEED).toList();
    assertThat(new HashSet<>(all)).hasSize(100);
    assertThat(range(50).randomMap(DRAW, SEED).toList()).isEqualTo(all.subList(0, 50));
    assertThat(range(100).randomMap(DRAW, SEED).shuffle(30, Seed.of(1)).toList())
        .containsExactlyInAnyOrderElementsOf(all);
  }

  @Test
  void epochsAndRepetitionsDiffer() {
    List<List<Long>> epochs = epochs(range(20).randomMap(DRAW, SEED), 3);
    assertThat(new HashSet<>(epochs)).hasSize(3);
    List<Long> repeated = range(20).randomMap(DRAW, SEED).repeat(3).toList();
    assertThat(new HashSet<>(repeated)).hasSize(60);
    List<Long> repeatedBefore = range(20).repeat(3).randomMap(DRAW, SEED).toList();
    assertThat(new HashSet<>(repeatedBefore)).hasSize(60);
    assertThat(epochs(range(20).randomMap(DRAW, SEED, 4), 3)).isEqualTo(epochs);
  }

  @Test
  void seedsAndPlacesDiffer() {
    assertThat(range(20).randomMap(DRAW, Seed.of(1)).toList())
        .isNotEqualTo(range(20).randomMap(DRAW, Seed.of(2)).toList());
    List<Long> twice =
        range(20)
            .randomMap((x, random) -> random.nextLong(), SEED)
            .randomMap((x, random) -> x ^ random.nextLong(), SEED)
            .toList();
    assertThat(twice).doesNotContain(0L);
  }

  @Test
  void aFunctionThatThrowsOrReturnsNullCostsItsElement() {
    assertThat(
            Outcomes.of(
                range(4).randomMap((x, random) -> x == 1 ? null : Outcomes.refusing(2, x), SEED)))
        .containsExactly("int64[] [0]", "error", "error", "int64[] [3]", "end");
    List<PipelineException> errors =
        Outcomes.errors(range(2).randomMap((x, random) -> x == 1 ? null : x, SEED, 2));
    assertThat(errors).hasSize(1);
    assertThat(errors.getFirst())
        .hasMessageContaining("element 1 of epoch 0 failed")
        .hasMessageContaining("expected the function to return an element, but it returned null");
  }

  @Test
  void refusesBadArguments() {
    RandomFn<Long, Long> none = null;
    assertThatThrownBy(() -> range(3).randomMap(none, SEED))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("randomMap: expected a function, but got null");
    assertThatThrownBy(() -> range(3).randomMap(DRAW, null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("randomMap: expected a seed, but got null");
    assertThatThrownBy(() -> range(3).randomMap(DRAW, SEED, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(
            "randomMap: expected a parallelism of at least 1 or AUTOTUNE, but got 0");
  }

  private static List<List<Long>> epochs(Dataset<Long> dataset, int count) {
    List<List<Long>> all = new ArrayList<>();
    try (Pipeline<Long> pipeline = dataset.open()) {
      for (int epoch = 0; epoch < count; epoch++) {
        List<Long> elements = new ArrayList<>();
        pipeline.iterator().forEachRemaining(elements::add);
        all.add(elements);
      }
    }
    return all;
  }
}
