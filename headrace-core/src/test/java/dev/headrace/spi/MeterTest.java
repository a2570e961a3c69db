package dev.headrace.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.function.LongUnaryOperator;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a meter makes of calls whose times are known. */
class MeterTest {
  private static final Percentage CLOSE = Percentage.withPercentage(6);

  /** Makes calls that take what is told of each, one element a call; the sum of their times. */
  private static double call(Meter meter, int calls, LongUnaryOperator nsOf) {
    double sum = 0;
    for (int i = 0; i < calls; i++) {
      long ns = nsOf.applyAsLong(i);
      sum += ns;
      if (meter.wantsTime()) {
        meter.time(ns, 0, 1);
      }
      meter.count(1, 0);
    }
    return sum;
  }

  /** As of flatMap: one call in so many opens a dataset, the others only take from it. */
  @ParameterizedTest
  @CsvSource({"2, 8000", "4, 8000", "8, 60000", "16, 100000", "64, 300000", "256, 600000"})
  void burstsAreTimedAsOftenAsTheyHappen(int every, long longNs) {
    Meter meter = new Meter();
    double sum = call(meter, 400_000, i -> i % every == 0 ? longNs : 300);

    assertThat((double) meter.read().totalNs()).isCloseTo(sum, CLOSE);
  }

  @Test
  void longCallsAfterShortOnesAndShortOnesAfterLongOnesCountTheSame() {
    Meter meter = new Meter();
    SplittableRandom random = new SplittableRandom(1);
    double sum = call(meter, 400_000, i -> random.nextInt(10) == 0 ? 40_000 : 100);

    assertThat((double) meter.read().totalNs()).isCloseTo(sum, CLOSE);
  }

  @Test
  void aChangeOfPaceIsSeen() {
    Meter meter = new Meter();
    double before = call(meter, 200_000, i -> 100);
    long seen = meter.read().totalNs();
    double after = call(meter, 20_000, i -> 50_000);

    assertThat((double) seen).isCloseTo(before, CLOSE);
    assertThat((double) meter.read().timed().ns() - seen).isCloseTo(after, CLOSE);
  }

  @Test
  void callsThatTakeLongAreAllTimed() {
    Meter meter = new Meter();
    double sum = call(meter, 1_000, i -> 10_000 + 7 * i);

    assertThat(meter.read().timed().elements()).isEqualTo(1_000);
    assertThat((double) meter.read().timed().ns()).isEqualTo(sum);
  }

  @Test
  void tinyCallsAreTimedRarely() {
    Meter meter = new Meter();
    int timed = 0;
    for (int i = 0; i < 100_000; i++) {
      if (meter.wantsTime()) {
        timed++;
        meter.time(20, 0, 1);
      }
      meter.count(1, 0);
    }
    assertThat(timed).isBetween(300, 600);
  }

  @Test
  void waitingForOtherThreadsIsToldApart() {
    Meter meter = new Meter();
    for (int i = 0; i < 100; i++) {
      assertThat(meter.wantsTime()).isTrue();
      meter.time(50_000, 30_000, 2);
      meter.count(2, 0);
    }
    assertThat(meter.read().timed().ns()).isEqualTo(5_000_000);
    assertThat(meter.read().timed().waitNs()).isEqualTo(3_000_000);
  }
}
