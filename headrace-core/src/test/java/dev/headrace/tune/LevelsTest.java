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
    assertThat(levels.better(16, 16, SECOND))
        .isEqualTo(new Levels.Better(4, "1,000 elements a second with 4, 950 with 16"));
  }

  @Test
  void fewerWorkersThatWereSlowerAreNot() {
    levels.saw(4, 1000, SECOND, 0);
    levels.saw(16, 1000, SECOND, SECOND);
    assertThat(levels.better(16, 16, SECOND)).isNull();
  }

  @Test
  void aGlimpseSaysNothing() {
    levels.saw(4, 1000, SECOND / 100.0, 0);
    levels.saw(16, 100, SECOND, SECOND);
    assertThat(levels.better(16, 16, SECOND)).isNull();
  }

  @Test
  void whatWasLongAgoSaysNothing() {
    levels.saw(4, 1000, SECOND, 0);
    levels.saw(16, 1000, SECOND, 60 * SECOND);
    assertThat(levels.better(16, 16, 60 * SECOND)).isNull();
  }

  @Test
  void newTimesCountMoreThanOldOnes() {
    levels.saw(4, 1000, SECOND, 0);
    levels.saw(4, 40_000, 10 * SECOND, 10 * SECOND);
    levels.saw(16, 3800, SECOND, 11 * SECOND);
    assertThat(levels.better(16, 16, 11 * SECOND)).isNotNull();
  }

  @Test
  void thoseThatWentComeBackIfTheWorldHasBecomeSlowerForAll() {
    levels.saw(4, 1000, SECOND, 0);
    levels.saw(16, 500, SECOND, SECOND);
    assertThat(levels.better(16, 16, SECOND)).isNotNull();
    levels.saw(4, 60, SECOND / 4.0, 2 * SECOND);
    assertThat(levels.better(4, 4, 2 * SECOND))
        .isEqualTo(new Levels.Better(16, "tried: 240 elements a second with 4, 500 with 16"));
    levels.saw(16, 500, SECOND, 3 * SECOND);
    assertThat(levels.better(16, 16, 3 * SECOND)).as("not the same trial again").isNull();
  }

  @Test
  void fewerThatNobodyHasSeenMayBeWorthATrial() {
    levels.saw(16, 500, SECOND, SECOND);
    assertThat(levels.better(16, 12, SECOND))
        .isEqualTo(
            new Levels.Better(12, "a trial: most of their time they are ready, without a core"));
    levels.saw(12, 500, SECOND, 2 * SECOND);
    assertThat(levels.better(12, 9, 2 * SECOND))
        .as("not faster")
        .extracting("workers")
        .isEqualTo(16);
    levels.saw(16, 500, SECOND, 3 * SECOND);
    assertThat(levels.better(16, 12, 3 * SECOND)).as("not again so soon").isNull();
  }

  @Test
  void aTrialOfSlowCallsEndsByTime() {
    levels.saw(2, 30, SECOND, 0);
    levels.saw(8, 25, SECOND, SECOND);
    assertThat(levels.better(8, 8, SECOND)).isNotNull();
    levels.saw(2, 5, SECOND, 2 * SECOND);
    assertThat(levels.better(2, 2, 2 * SECOND)).extracting("workers").isEqualTo(8);
  }

  @Test
  void aTrialThatGoesWellIsNotRepeated() {
    levels.saw(4, 1000, SECOND, 0);
    levels.saw(16, 900, SECOND, SECOND);
    assertThat(levels.better(16, 16, SECOND)).isNotNull();
    levels.saw(4, 300, SECOND / 4.0, 2 * SECOND);
    assertThat(levels.better(4, 4, 2 * SECOND)).as("too early to say").isNull();
    levels.saw(4, 1000, SECOND, 3 * SECOND);
    assertThat(levels.better(4, 4, 3 * SECOND)).isNull();
    levels.saw(4, 100, SECOND, 4 * SECOND);
    assertThat(levels.better(4, 4, 4 * SECOND)).as("it is over").isNull();
  }
}
