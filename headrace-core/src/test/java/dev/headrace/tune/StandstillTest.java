package dev.headrace.tune;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StandstillTest {
  private static final long MS = 1_000_000;
  private final Standstill standstill = new Standstill(0);

  private void standFor(long fromMs, long ms) {
    standstill.begins(fromMs * MS);
    standstill.begins((fromMs + ms / 2) * MS); // by another worker
    standstill.ends((fromMs + ms) * MS);
  }

  @Test
  void isWorthMoreIfWorkersStoodStillAndWereWaitedFor() {
    assertThat(standstill.wasSeen()).isFalse();
    standFor(10, 30);
    assertThat(standstill.wasSeen()).isTrue();
    assertThat(standstill.isWorthMore(100 * MS, 20 * MS)).isTrue();
  }

  @Test
  void isNotForAMoment() {
    standFor(10, 30);
    assertThat(standstill.isWorthMore(100 * MS, MS)).as("hardly waited for").isFalse();
    assertThat(standstill.isWorthMore(9_000 * MS, 2_000 * MS)).as("hardly stood").isFalse();
  }

  @Test
  void countsWhatIsStillGoingOn() {
    standstill.begins(10 * MS);
    assertThat(standstill.isWorthMore(100 * MS, 50 * MS)).isTrue();
  }

  @Test
  void beginsAnewWithAnotherRoom() {
    standFor(10, 30);
    standstill.turned(100 * MS, 50 * MS);
    assertThat(standstill.wasSeen()).isFalse();
    standFor(110, 30);
    assertThat(standstill.isWorthMore(200 * MS, 50 * MS)).as("nobody waited since").isFalse();
    assertThat(standstill.isWorthMore(200 * MS, 60 * MS)).isTrue();
  }
}
