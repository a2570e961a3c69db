package dev.headrace.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ChunkPacerTest {

  @Test
  void beginsWithOneElementAndDoubles() {
    ChunkPacer pacer = new ChunkPacer();
    assertThat(pacer.length()).isEqualTo(1);
    for (int expected = 2; expected <= 1024; expected *= 2) {
      pacer.observe(pacer.length(), 1);
      assertThat(pacer.length()).isEqualTo(expected);
    }
    pacer.observe(1024, 1);
    assertThat(pacer.length()).isEqualTo(1024);
  }

  @Test
  void staysShortWhereElementsTakeLong() {
    ChunkPacer pacer = new ChunkPacer();
    pacer.observe(1, 5_000_000);
    assertThat(pacer.length()).isEqualTo(1);
    pacer.observe(1, 100_000);
    pacer.observe(2, 200_000);
    pacer.observe(4, 500_000);
    assertThat(pacer.length()).isEqualTo(4);
    pacer.observe(4, 40_000_000);
    assertThat(pacer.length()).isEqualTo(1);
  }

  @Test
  void learnsNothingFromNothing() {
    ChunkPacer pacer = new ChunkPacer();
    pacer.observe(0, 0);
    assertThat(pacer.length()).isEqualTo(1);
    pacer.observe(1, 0);
    assertThat(pacer.length()).isEqualTo(2);
  }
}
