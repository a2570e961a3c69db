package dev.headrace.testing;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import dev.headrace.Dataset;
import dev.headrace.data.Seed;
import dev.headrace.spi.Collator;
import dev.headrace.spi.Order;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@Timeout(60)
@ExtendWith(NoLeftovers.class)
class DeterminismCheckTest {

  @Test
  void findsNothingWhereFunctionsAreFunctions() {
    DeterminismCheck.Result result =
        DeterminismCheck.of(
                Dataset.range(500)
                    .map(x -> 1000 / (x - 77), Dataset.AUTOTUNE)
                    .randomMap((x, random) -> x + random.nextInt(), Seed.of(2), 3)
                    .shuffle(50, Seed.of(1))
                    .batch(7, Collator.stack())
                    .prefetch(2))
            .epochs(2)
            .run();
    assertThat(result.difference()).isNull();
    assertThat(result.isDeterministic()).isTrue();
    assertThat(result.compared()).isEqualTo(2 * 73); // 72 batches and the failure
    assertThat(result.hash()).hasSize(32);
  }

  @Test
  void namesTheFirstDifferenceOfAFunctionWithState() {
    AtomicLong calls = new AtomicLong();
    DeterminismCheck.Result result =
        DeterminismCheck.of(Dataset.range(300).map(x -> calls.getAndIncrement(), 4)).run();
    DeterminismCheck.Difference difference = Objects.requireNonNull(result.difference());
    assertThat(difference.epoch()).isZero();
    assertThat(result.compared()).isEqualTo(difference.index());
    assertThat(difference.toString()).startsWith("epoch 0, element ").contains("with many");
  }

  @Test
  void namesAShuffleWithoutASeed() {
    DeterminismCheck check =
        DeterminismCheck.of(Dataset.range(300).shuffle(100).named("mix").map(x -> x, 4));

    assertThat(check.run().isDeterministic()).isFalse();
    assertThat(check.knownCauses())
        .singleElement(as(STRING))
        .matches(
            "shuffle 'mix' \\(DeterminismCheckTest.java:\\d+\\) has no seed, so every run has"
                + " another order; write .shuffle\\(100, Seed.of\\(…\\)\\)");
    assertThat(
            DeterminismCheck.of(Dataset.range(300).map(x -> x, 4, Order.UNORDERED)).knownCauses())
        .singleElement(as(STRING))
        .endsWith("was told not to keep order");
    assertThat(
            DeterminismCheck.of(Dataset.range(3).shuffle(1).shuffle(9, Seed.of(1))).knownCauses())
        .isEmpty();
  }

  @Test
  void canAskWhetherASequentialFunctionCouldBeParallel() {
    Thread consumer = Thread.currentThread();
    Dataset<Boolean> onWhichThread = Dataset.range(20).map(x -> Thread.currentThread() == consumer);
    assertThat(DeterminismCheck.of(onWhichThread).run().isDeterministic()).isTrue();
    assertThat(DeterminismCheck.of(onWhichThread).alsoSequential().run().difference())
        .isEqualTo(new DeterminismCheck.Difference(0, 0, "true", "false"));
  }

  @Test
  void looksAtSoManyElements() {
    assertThat(DeterminismCheck.of(Dataset.range(3).repeat()).elements(100).run().compared())
        .isEqualTo(100);
    assertThatThrownBy(() -> DeterminismCheck.of(Dataset.range(3)).threads(1))
        .hasMessage("check-determinism: expected at least 2 threads, but got 1");
  }
}
