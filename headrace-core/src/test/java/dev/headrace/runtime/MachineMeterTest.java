package dev.headrace.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MachineMeterTest {
  private static final String TWO_CORES =
      """
      cpu  1817675 12344 212524 1301168 2119 0 1132 1757 7 9
      cpu0 907674 5975 104656 654467 477 0 142 861 0 0
      cpu1 910001 6369 107867 646700 1642 0 989 895 0 0
      intr 31416202 0 0\
      """;

  @Test
  void everythingButIdlingAndWaitingForDisksIsComputing() {
    assertThat(MachineMeter.busyNs(TWO_CORES, 2))
        .isEqualTo((1817675L + 12344 + 212524 + 1132 + 1757) * 10_000_000);
  }

  @Test
  void nothingIsToldOfCoresThatAreNotOurs() {
    assertThat(MachineMeter.busyNs(TWO_CORES, 1)).isEqualTo(-1);
    assertThat(MachineMeter.busyNs(TWO_CORES, 3)).isEqualTo(-1);
    assertThat(MachineMeter.busyNs("", 2)).isEqualTo(-1);
  }
}
