package dev.headrace.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CostTest {
  private static double variation(Cost cost) {
    double mean = cost.mean();
    double squares =
        IntStream.of(cost.micros())
            .mapToDouble(one -> (one - mean) * (one - mean))
            .average()
            .orElse(0);
    return Math.sqrt(squares) / mean;
  }

  @Test
  void lognormalCostsHaveTheMeanAndMostOfTheVariationAskedFor() {
    Cost mild = Cost.lognormal(8_000, 1.5, 384, new SplittableRandom(1));
    Cost wild = Cost.lognormal(5_000, 3, 256, new SplittableRandom(1));
    assertThat(mild.mean()).isEqualTo(8_000, within(1.0));
    assertThat(wild.mean()).isEqualTo(5_000, within(1.0));
    // A table ends where its last place is; what lies beyond is missing.
    assertThat(variation(mild)).isBetween(1.2, 1.6);
    assertThat(variation(wild)).isBetween(1.9, 3.1);
  }

  @Test
  void aFewOfHeavyTailedCostsAreMostOfTheSum() {
    Cost cost = Cost.pareto(120, 1.2, 1_000, 768, new SplittableRandom(1));
    assertThat(cost.mean()).isEqualTo(120, within(2.0));
    int[] sorted = IntStream.of(cost.micros()).sorted().toArray();
    assertThat(IntStream.of(sorted).skip(700).sum()).isGreaterThan(IntStream.of(sorted).sum() / 3);
  }

  @Test
  void theSameSeedGivesTheSameCostsAndEveryElementItsOwn() {
    Cost cost = Cost.between(200, 2_200, 320, new SplittableRandom(7));
    assertThat(cost).isEqualTo(Cost.between(200, 2_200, 320, new SplittableRandom(7)));
    assertThat(cost).isNotEqualTo(Cost.between(200, 2_200, 320, new SplittableRandom(8)));
    assertThat(cost.of(3)).isEqualTo(cost.of(323)).isEqualTo(cost.micros()[3]);
    assertThat(IntStream.of(cost.micros())).allMatch(one -> one >= 200 && one <= 2_200);
  }
}
