package dev.headrace.profile;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ProfileTest {
  @Test
  void whatMayBeKeptOnTheHeapLeavesBatchesTheirsWhereTheBudgetIsOne() {
    Profile.Memory apart = new Profile.Memory(100, 300, 1000, 50, 400, 800, Long.MAX_VALUE);
    assertThat(apart.roomOnHeap()).isEqualTo(900);
    Profile.Memory together = new Profile.Memory(100, 300, 1000, 50, 400, 800, 1000);
    assertThat(together.roomOnHeap()).isEqualTo(1000 - 400 - 100);
    Profile.Memory plenty = new Profile.Memory(100, 300, 1000, 50, 400, 800, 5000);
    assertThat(plenty.roomOnHeap()).isEqualTo(900);
  }
}
