package dev.headrace.data;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SeedTest {

  @Test
  void isTakenAsPythonTakesIt() {
    assertThat(Seed.of(42)).isEqualTo(new Seed(87_654_321, 42));
    assertThat(Seed.of(123_456_789_012L)).isEqualTo(new Seed(87_654_321, 1_050_221_133));
    assertThat(Seed.of(-5)).isEqualTo(new Seed(87_654_321, 2_147_483_642));
    assertThat(Seed.of(0, 0)).isEqualTo(new Seed(0, Integer.MAX_VALUE));
    assertThat(Seed.of(7, 0)).isEqualTo(new Seed(7, 0));
  }

  @Test
  void differsFromCallToCallWhereItIsDrawn() {
    assertThat(Seed.random()).isNotEqualTo(Seed.random());
  }
}
