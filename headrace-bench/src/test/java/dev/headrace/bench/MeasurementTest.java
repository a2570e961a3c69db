package dev.headrace.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class MeasurementTest {
  @Test
  void chainsDeliverWhatTheirNamesSay() {
    assertThat(Chains.run(Chains.range(10_000))).isEqualTo(10);
    assertThat(Chains.run(Chains.maps(5).apply(10_000))).isEqualTo(10);
    assertThat(Chains.run(Chains.filters(5).apply(10_000))).isEqualTo(10);
    assertThat(Chains.run(Chains.takes(5).apply(10_000))).isEqualTo(10);
    assertThat(Chains.run(Chains.shuffle(10_000))).isEqualTo(10);
    assertThat(Chains.run(Chains.parallelMap(10_000))).isEqualTo(10);
    assertThat(Chains.run(Chains.headline(1_280))).isEqualTo(10);
    assertThat(Chains.run(Chains.oneByOne(10))).isEqualTo(10);
  }

  @Test
  void warmingUpRunsEveryShape() {
    Chains.warmUp();
  }

  @Test
  void cpuTimeGoesForward() {
    long before = CpuClock.processNs();
    assertThat(Burn.calibrated().micros(1_000, 1)).isNotZero();
    assertThat(CpuClock.processNs()).isGreaterThan(before);
  }

  @Test
  void aMissingPeerIsToldByName() {
    assertThatThrownBy(() -> TfData.start("no-such-python"))
        .isInstanceOf(PeerUnavailable.class)
        .hasMessageStartingWith("peer tfdata not available: ")
        .hasMessageContaining("no-such-python")
        .hasMessageEndingWith("; rows show no peer");
  }

  @Test
  void scenariosHaveNamesOfTheirOwn() {
    assertThat(Scenario.all())
        .extracting(Scenario::name)
        .containsExactly(
            "overhead",
            "scaling",
            "operators",
            "spill",
            "records",
            "examples",
            "jpeg",
            "doctor",
            "mlperf",
            "autotune",
            "device");
  }
}
