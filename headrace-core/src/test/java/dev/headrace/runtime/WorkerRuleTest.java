package dev.headrace.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class WorkerRuleTest {

  @Test
  void waitingForACoreIsNobodysTime() {
    assertThat(WorkerRule.cpuShare(50, 0)).isEqualTo(1);
    assertThat(WorkerRule.cpuShare(50, 50)).isEqualTo(0.5);
    assertThat(WorkerRule.cpuShare(10, 40)).isCloseTo(0.2, within(1e-9));
    assertThat(WorkerRule.cpuShare(0, 100)).isZero();
    assertThat(WorkerRule.cpuShare(0, 0)).isEqualTo(1);
  }

  @Test
  void computingGetsTheCoresAndWaitingGetsMore() {
    assertThat(WorkerRule.workers(1, 8, 1000)).isEqualTo(8);
    assertThat(WorkerRule.workers(0.9, 8, 1000)).isEqualTo(8);
    assertThat(WorkerRule.workers(0.5, 8, 1000)).isEqualTo(72);
    assertThat(WorkerRule.workers(0, 8, 1000)).isEqualTo(1000);
    assertThat(WorkerRule.workers(0.01, 8, 4)).isEqualTo(8);
  }

  @Test
  void workersThatQueueForALockAreNoReasonForMore() {
    assertThat(WorkerRule.besideLocks(64, 0.05, 8)).isEqualTo(Integer.MAX_VALUE);
    assertThat(WorkerRule.besideLocks(4, 0.75, 2)).isEqualTo(3);
    assertThat(WorkerRule.besideLocks(4, 0.75, 8)).isEqualTo(8);
    assertThat(WorkerRule.besideLocks(256, 0.9, 8)).isEqualTo(33);
  }
}
