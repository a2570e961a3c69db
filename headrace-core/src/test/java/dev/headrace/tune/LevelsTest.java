package dev.headrace.tune;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LevelsTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final Levels levels = new Levels();

  @Test
  void fewerWorkersThatWereFasterAreBetter() {
    levels.saw(4, 1000, SECOND, 0);
    levels.saw(16, 950, SECOND, SECOND);
    assertThat(levels.fewerAndFaster(16, SECOND)).isEqualTo(4);
    assertThat(levels.rate(4)).isEqualTo(1000);
  }

  @Test
  void fewerWorkersThatWereSlowerAreNot() {
    levels.saw(4, 1000, SECOND, 0);
    levels.saw(16, 1000, SECOND, SECOND);
    assertThat(levels.fewerAndFaster(16, SECOND)).isEqualTo(16);
  }

  @Test
  void aGlimpseSaysNothing() {
    levels.saw(4, 1000, SECOND / 100.0, 0);
    levels.saw(16, 100, SECOND, SECOND);
    assertThat(levels.fewerAndFaster(16, SECOND)).isEqualTo(16);
  }

  @Test
  void whatWasLongAgoSaysNothing() {
    levels.saw(4, 1000, SECOND, 0);
    levels.saw(16, 1000, SECOND, 60 * SECOND);
    assertThat(levels.fewerAndFaster(16, 60 * SECOND)).isEqualTo(16);
  }

  @Test
  void newTimesCountMoreThanOldOnes() {
    levels.saw(4, 1000, SECOND, 0);
    levels.saw(4, 40_000, 10 * SECOND, 10 * SECOND);
    assertThat(levels.rate(4)).isGreaterThan(3900);
  }
}
