package dev.headrace;

import static dev.headrace.Dataset.AUTOTUNE;
import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.data.Seed;
import dev.headrace.data.Tensor;
import dev.headrace.golden.Outcomes;
import dev.headrace.spi.Collator;
import dev.headrace.spi.Fn;
import dev.headrace.testing.NoLeftovers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@Timeout(60)
@ExtendWith(NoLeftovers.class)
class DatasetTest {

  @Test
  void nothingRunsBeforeAnElementIsAskedFor() {
    AtomicInteger calls = new AtomicInteger();
    Dataset<Integer> dataset =
        range(10)
            .map(x -> calls.incrementAndGet(), 4)
            .prefetch(3)
            .shuffle(3)
            .options(Options.defaults());
    assertThat(dataset.explain()).isNotEmpty();
    assertThat(dataset.fingerprint()).isNotEmpty();
    assertThat(dataset.cardinality()).isEqualTo(10);
    dataset.open().close();
    assertThat(calls).hasValue(0);
  }

  @Test
  void aVerbLeavesItsDatasetAsItWas() {
    Dataset<Long> base = range(4);
    Dataset<Long> doubled = base.map(x -> 2 * x);
    assertThat(base.take(2).toList()).containsExactly(0L, 1L);
    assertThat(doubled.toList()).containsExactly(0L, 2L, 4L, 6L);
    assertThat(base.toList()).containsExactly(0L, 1L, 2L, 3L);
    assertThat(base.options(Options.defaults().debug()).options()).isNotSameAs(base.options());
  }

  @Test
  void terminalVerbsRunOnePass() {
    Dataset<Long> dataset = range(5).map(x -> x * x, 2);
    List<Long> seen = new ArrayList<>();
    dataset.forEach(seen::add);
    assertThat(seen).containsExactly(0L, 1L, 4L, 9L, 16L);
    assertThat(dataset.toList()).isEqualTo(seen);
    assertThat(dataset.count()).isEqualTo(5);
    assertThat(dataset.first()).hasValue(0L);
    assertThat(dataset.show(2)).isEqualTo("0%n1%n".formatted());
    try (Stream<Long> stream = dataset.stream()) {
      assertThat(stream.filter(x -> x > 3)).containsExactly(4L, 9L, 16L);
    }
  }

  @Test
  void aStreamMayBeLeftEarly() {
    try (Stream<Long> stream = range(1000).map(x -> x, 4).prefetch(4).stream()) {
      assertThat(stream.limit(3)).containsExactly(0L, 1L, 2L);
    }
  }

  @Test
  void batchesOfAListAndAStreamAreTheCallersToKeep() {
    Dataset<Tensor> dataset = range(4096).batch(1024, Collator.stack());
    List<Tensor> batches = dataset.toList();
    assertThat(batches)
        .extracting(batch -> batch.longAt(0))
        .containsExactly(0L, 1024L, 2048L, 3072L);
    try (Stream<Tensor> stream = dataset.stream()) {
      List<Tensor> streamed = stream.toList();
      assertThat(streamed.getFirst().longAt(5)).isEqualTo(5);
    }
  }

  @Test
  void aFailureEndsATerminalVerbAndClosesThePipeline() {
    Dataset<Long> failing = range(5).map(x -> Outcomes.refusing(2, x), 2).prefetch(2);
    assertThatThrownBy(failing::toList)
        .isInstanceOf(PipelineException.class)
        .hasMessageContaining("element 2 of epoch 0 failed");
    assertThatThrownBy(failing::count).isInstanceOf(PipelineException.class);
    assertThatThrownBy(() -> range(3).forEach(x -> Outcomes.refusing(1, x)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("refuses 1");
  }

  @Test
  void explainsItselfWithTheLinesThatMadeIt() {
    Dataset<Long> dataset =
        range(8).map(DatasetTest::twice, AUTOTUNE).shuffle(4, Seed.of(42)).named("mix").prefetch(2);
    assertThat(dataset.explain().replaceAll("DatasetTest\\.java:\\d+", "L"))
        .isEqualTo(
            """
            prefetch(buffer=2)   (L)
              ← shuffle(buffer=4, seed=Seed[first=87654321, second=42], reshuffle=true) 'mix'   (L)
                ← map(DatasetTest::twice, parallelism=AUTOTUNE)   (L)
                  ← range(start=0, stop=8, step=1)   (L)\
            """);
    assertThat(dataset).hasToString(dataset.explain());
  }

  private static long twice(long x) {
    return 2 * x;
  }

  @Test
  void aNameAppearsInErrors() {
    assertThatThrownBy(() -> range(3).map(x -> Outcomes.refusing(0, x)).named("decode").count())
        .isInstanceOf(PipelineException.class)
        .hasMessageStartingWith("map 'decode' (DatasetTest.java:");
  }

  @Test
  void theFingerprintIsTheSameForTheSamePlan() {
    assertThat(plan(3, 5).fingerprint()).isEqualTo(plan(3, 5).fingerprint());
  }

  private static Dataset<Long> plan(long captured, int buffer) {
    return range(10).map(x -> x + captured).shuffle(buffer, Seed.of(1));
  }

  @Test
  void theFingerprintChangesWithWhatShapesElements() {
    String base = plan(3, 5).fingerprint();
    assertThat(plan(4, 5).fingerprint()).as("a captured value").isNotEqualTo(base);
    assertThat(plan(3, 6).fingerprint()).as("a parameter").isNotEqualTo(base);
    assertThat(plan(3, 5).take(3).fingerprint()).as("an operator more").isNotEqualTo(base);
    assertThat(range(10).map(x -> x + 1).fingerprint())
        .as("another function")
        .isNotEqualTo(range(10).map(x -> x + 2).fingerprint());
    assertThat(range(10).shuffle(3, Seed.of(1)).fingerprint())
        .as("another seed")
        .isNotEqualTo(range(10).shuffle(3, Seed.of(2)).fingerprint());
    assertThat(range(10).batch(2).fingerprint())
        .as("another remainder")
        .isNotEqualTo(range(10).batch(2, true).fingerprint());
    assertThat(range(10).batch(2, Collator.stack()).fingerprint())
        .as("another collator")
        .isNotEqualTo(range(10).batch(2, Collator.toList()).fingerprint());
  }

  @Test
  void theFingerprintDoesNotChangeWithThreadsAndBuffers() {
    Fn<Long, Long> function = x -> x + 1;
    String base = range(10).map(function).fingerprint();
    assertThat(range(10).map(function, 3).fingerprint()).isEqualTo(base);
    assertThat(range(10).map(function, AUTOTUNE).prefetch(AUTOTUNE).fingerprint()).isEqualTo(base);
    assertThat(range(10).prefetch(7).map(function).named("other").fingerprint()).isEqualTo(base);
    assertThat(range(10).map(function).options(Options.defaults().debug()).fingerprint())
        .isEqualTo(base);
  }

  @Test
  void refusesNoOperator() {
    assertThatThrownBy(() -> Dataset.of(null)).isInstanceOf(NullPointerException.class);
  }

  @Test
  void theSingleElementMustBeTheOnlyOne() {
    assertThat(range(7, 8).singleElement()).isEqualTo(7L);
    assertThat(range(9).batch(9, Collator.stack()).singleElement().elements()).isEqualTo(9);
    assertThatThrownBy(() -> range(0).singleElement())
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "singleElement: expected exactly one element, but the dataset is empty; use first() or"
                + " take(1)");
    AtomicInteger calls = new AtomicInteger();
    assertThatThrownBy(() -> range(9).map(x -> calls.incrementAndGet(), 4).singleElement())
        .hasMessageContaining("has more");
    assertThat(calls).hasValue(2);
    assertThatThrownBy(() -> range(1).map(x -> Outcomes.refusing(0, x)).singleElement())
        .isInstanceOf(PipelineException.class);
  }

  @Test
  void appliesAFunctionToItself() {
    assertThat(range(3).apply(numbers -> numbers.map(x -> "n" + x)).toList())
        .containsExactly("n0", "n1", "n2");
  }

  @Test
  void explainsSeveralInputs() {
    assertThat(range(3).zip(range(4)).concatenate(range(5).zip(range(6))).explain())
        .contains("concatenate()", "zip()", "stop=3", "stop=4", "stop=5", "stop=6");
    assertThat(range(3).zip(range(4)).fingerprint())
        .isNotEqualTo(range(4).zip(range(3)).fingerprint());
  }
}
