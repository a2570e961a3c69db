package dev.headrace.runtime;

import static dev.headrace.Dataset.AUTOTUNE;
import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.Dataset;
import dev.headrace.Options;
import dev.headrace.Pipeline;
import dev.headrace.profile.KnobChange;
import dev.headrace.testing.NoLeftovers;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@Timeout(120)
@ExtendWith(NoLeftovers.class)
class GovernorTest {

  /** Computes for about two milliseconds, whatever else runs on the machine. */
  private static long compute(long seed) {
    long value = seed;
    for (int i = 0; i < 1_000_000; i++) {
      value = value * 6364136223846793005L + 1442695040888963407L;
      value ^= value >>> 17;
    }
    return value;
  }

  @Test
  void pureComputingNeverHasMoreCallsThanItsBudget() {
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    Dataset<Long> dataset =
        range(1000)
            .map(
                x -> {
                  most.accumulateAndGet(running.incrementAndGet(), Math::max);
                  long result = compute(x);
                  running.decrementAndGet();
                  return result;
                },
                AUTOTUNE)
            .options(Options.defaults().cpuBudget(2));
    assertThat(dataset.count()).isEqualTo(1000);
    assertThat(most).hasValueBetween(1, 2);
  }

  @Test
  void waitingGetsMoreCallsThanCores() throws InterruptedException {
    int wanted = 30;
    CountDownLatch together = new CountDownLatch(wanted);
    Dataset<Long> dataset =
        range(200)
            .map(
                x -> {
                  together.countDown();
                  together.await(); // only many calls at once can pass
                  return x;
                },
                AUTOTUNE)
            .options(Options.defaults().cpuBudget(2));
    try (Pipeline<Long> pipeline = dataset.open()) {
      long count = 0;
      for (Long element : pipeline) {
        assertThat(element).isEqualTo(count++);
      }
      assertThat(count).isEqualTo(200);
      assertThat(pipeline.stats().knobChanges())
          .isNotEmpty()
          .allSatisfy(
              change -> {
                assertThat(change.knob()).isEqualTo("workers");
                assertThat(change.why()).contains("computes");
              });
      assertThat(pipeline.stats().knobChanges())
          .extracting(KnobChange::after)
          .anyMatch(after -> after >= wanted / 2);
    }
  }

  @Test
  void aGivenParallelismIsKept() {
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    Dataset<Long> dataset =
        range(500)
            .map(
                x -> {
                  most.accumulateAndGet(running.incrementAndGet(), Math::max);
                  Thread.onSpinWait();
                  running.decrementAndGet();
                  return x;
                },
                3);
    try (Pipeline<Long> pipeline = dataset.open()) {
      pipeline.iterator().forEachRemaining(x -> {});
      assertThat(pipeline.stats().knobChanges()).isEmpty();
    }
    assertThat(most).hasValueBetween(1, 3);
  }
}
