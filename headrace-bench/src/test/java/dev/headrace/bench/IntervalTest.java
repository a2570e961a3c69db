package dev.headrace.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class IntervalTest {
  @Test
  void nineMeasurementsGiveRanksTwoAndEight() {
    assertThat(Interval.of(9, 1, 8, 2, 7, 3, 6, 4, 5)).isEqualTo(new Interval(5, 2, 8));
  }

  @Test
  void fewMeasurementsGiveTheirEnds() {
    assertThat(Interval.of(3, 1, 2)).isEqualTo(new Interval(2, 1, 3));
    assertThat(Interval.of(4)).isEqualTo(new Interval(4, 4, 4));
  }

  @Test
  void ranksAreThoseOfTheBinomialTable() {
    assertThat(Interval.of(upTo(6)).low()).isEqualTo(1);
    assertThat(Interval.of(upTo(12)).low()).isEqualTo(3);
    assertThat(Interval.of(upTo(20)).low()).isEqualTo(6);
    assertThat(Interval.of(upTo(20)).high()).isEqualTo(15);
  }

  @Test
  void anEvenNumberHasTheMiddleOfTwoAsMedian() {
    assertThat(Interval.of(1, 2, 3, 10).median()).isEqualTo(2.5);
  }

  @Test
  void percentilesLieBetweenNeighbours() {
    double[] sorted = {0, 10, 20, 30, 40};
    assertThat(Interval.percentile(sorted, 0)).isEqualTo(0);
    assertThat(Interval.percentile(sorted, 0.6)).isEqualTo(24);
    assertThat(Interval.percentile(sorted, 1)).isEqualTo(40);
  }

  @Test
  void nothingHasNoInterval() {
    assertThatThrownBy(() -> Interval.of()).hasMessageContaining("expected at least one");
  }

  private static double[] upTo(int count) {
    double[] values = new double[count];
    for (int i = 0; i < count; i++) {
      values[i] = i + 1;
    }
    return values;
  }
}
