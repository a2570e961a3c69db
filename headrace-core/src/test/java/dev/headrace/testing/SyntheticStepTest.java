package dev.headrace.testing;

import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.headrace.Training;
import dev.headrace.data.Seed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SyntheticStepTest {
  private static final Duration STEP = Duration.ofMillis(4);
  private final HandClock clock = new HandClock();
  private final List<Long> passed = new ArrayList<>();

  /** A step in the time of a clock that is turned by hand. */
  private SyntheticStep byHand() {
    return new SyntheticStep(
        STEP,
        0,
        null,
        clock,
        ns -> {
          passed.add(ns);
          clock.advance(Duration.ofNanos(ns));
        });
  }

  @Test
  void utilisationIsTheShareOfStepsAfterTheFirstBatch() {
    SyntheticStep step = byHand();
    assertThat(step.utilisation()).isZero();
    clock.advance(Duration.ofSeconds(9)); // waiting for the first batch does not count
    step.step("batch");
    assertThat(step.utilisation()).isEqualTo(1);
    clock.advance(STEP.multipliedBy(2));
    step.step("batch");
    assertThat(step.utilisation()).isEqualTo(0.5);
    assertThat(step.steps()).isEqualTo(2);
    assertThat(step.asked()).isEqualTo(STEP.multipliedBy(2));
    assertThat(step.elapsed()).isEqualTo(STEP.multipliedBy(4));
    assertThat(step).hasToString("2 steps of PT0.004S: accelerator utilisation 50.0 %");
  }

  @Test
  void aStepThatTookLongerThanAskedCountsAgainstIt() {
    SyntheticStep late =
        new SyntheticStep(
            STEP, 0, null, clock, ns -> clock.advance(Duration.ofNanos(ns).multipliedBy(4)));
    late.step("batch");
    assertThat(late.utilisation()).isEqualTo(0.25);
  }

  @Test
  void jitterHasTheMeanAndTheVariationAskedFor() {
    SyntheticStep step = byHand().withJitter(0.5, Seed.of(1));
    for (int i = 0; i < 20_000; i++) {
      step.step("batch");
    }
    double mean = passed.stream().mapToLong(ns -> ns).average().orElseThrow();
    double variance =
        passed.stream().mapToDouble(ns -> (ns - mean) * (ns - mean)).average().orElseThrow();
    assertThat(mean / STEP.toNanos()).isCloseTo(1, within(0.02));
    assertThat(Math.sqrt(variance) / mean).isCloseTo(0.5, within(0.03));
    assertThat(passed).allMatch(ns -> ns > 0);
    assertThat(step.utilisation()).isEqualTo(1);
  }

  @Test
  void jitterIsTheSameForTheSameSeed() {
    SyntheticStep.Pastime nothing = ns -> {};
    List<Duration> asked = new ArrayList<>();
    for (long seed : new long[] {1, 1, 2}) {
      SyntheticStep step =
          new SyntheticStep(STEP, 0, null, clock, nothing).withJitter(0.2, Seed.of(seed));
      step.step("batch");
      step.step("batch");
      asked.add(step.asked());
    }
    assertThat(asked.get(1)).isEqualTo(asked.get(0)).isNotEqualTo(asked.get(2));
  }

  @Test
  void realStepsAreNeverShorterThanAsked() {
    for (SyntheticStep step :
        List.of(SyntheticStep.waiting(STEP), SyntheticStep.computing(Duration.ofMillis(1)))) {
      assertThat(Training.fit(step, range(5)).steps()).isEqualTo(5);
      assertThat(step.steps()).isEqualTo(5);
      assertThat(step.elapsed()).isGreaterThanOrEqualTo(step.asked()); // both end on a deadline
      assertThat(step.utilisation()).isBetween(0.0, 1.0);
    }
  }

  @Test
  void anInterruptionDoesNotShortenAStepAndIsKept() {
    SyntheticStep step = SyntheticStep.waiting(STEP);
    Thread.currentThread().interrupt();
    step.step("batch");
    assertThat(Thread.interrupted()).isTrue();
    assertThat(step.elapsed()).isGreaterThanOrEqualTo(STEP);
  }

  @Test
  void refusesWhatHasNoMeaning() {
    assertThatThrownBy(() -> SyntheticStep.waiting(Duration.ofMillis(-1)))
        .hasMessage("SyntheticStep: expected a time of 0 or more, but got PT-0.001S");
    assertThatThrownBy(() -> SyntheticStep.waiting(STEP).withJitter(-1, Seed.of(1)))
        .hasMessage("SyntheticStep.withJitter: expected a ratio of 0 or more, but got -1.0");
  }
}
