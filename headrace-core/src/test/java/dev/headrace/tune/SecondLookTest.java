package dev.headrace.tune;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SecondLookTest {
  private static final int CORES = 4;
  private static final double CALL_NS = 2e6;
  private final SecondLook look = new SecondLook();

  private boolean isDue(double seconds, int workers, double computing) {
    return look.isDue(ns(seconds), workers, CORES, computing, CALL_NS);
  }

  private static long ns(double seconds) {
    return (long) (seconds * TimeUnit.SECONDS.toNanos(1));
  }

  @Test
  void comesOnceTheCodeIsCompiledAndThenSeldom() {
    assertThat(isDue(0, 40, 4)).isFalse();
    assertThat(isDue(1, 40, 4)).isFalse();
    assertThat(isDue(2, 40, 4)).isTrue();
    assertThat(isDue(3, 40, 4)).isFalse();
    assertThat(isDue(20, 40, 4)).isFalse();
    assertThat(isDue(40, 40, 4)).isTrue();
  }

  @Test
  void isForMoreWorkersThanCoresThatKeepTheCoresBusy() {
    assertThat(isDue(0, CORES, 4)).isFalse();
    assertThat(isDue(2, CORES, 4)).isFalse();
    assertThat(isDue(3, 40, 1)).isFalse();
    assertThat(isDue(4, 40, 3)).isTrue();
  }

  @Test
  void isNotForLongCalls() {
    assertThat(look.isDue(ns(0), 40, CORES, 4, 100e6)).isFalse();
    assertThat(look.isDue(ns(5), 40, CORES, 4, 100e6)).isFalse();
  }

  @Test
  void leavesNewWorkersTime() {
    assertThat(isDue(0, 40, 4)).isFalse();
    look.grew(ns(1.2));
    assertThat(isDue(2, 40, 4)).isFalse();
    assertThat(isDue(3, 40, 4)).isTrue();
  }
}
