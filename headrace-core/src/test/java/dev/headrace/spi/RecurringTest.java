package dev.headrace.spi;

import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.Dataset;
import dev.headrace.data.Seed;
import java.util.List;
import org.junit.jupiter.api.Test;

class RecurringTest {
  private static final Seed SEED = Seed.of(1);

  private static boolean isSteady(Dataset<?> dataset) {
    return Recurring.isTheSameInEveryPass(dataset.op(), order -> order != Order.UNORDERED);
  }

  @Test
  void whatDrawsAnewVaries() {
    assertThat(isSteady(range(9).shuffle(3, SEED))).isFalse();
    assertThat(isSteady(range(9).shuffle(3))).isFalse();
    assertThat(isSteady(range(9).globalShuffle(SEED))).isFalse();
    assertThat(isSteady(range(9).randomMap((x, random) -> x, SEED))).isFalse();
    assertThat(isSteady(Dataset.random(SEED, true))).isFalse();
    assertThat(isSteady(range(9).rejectionResample(x -> 0, new double[] {0.5, 0.5}, SEED)))
        .isFalse();
    assertThat(
            isSteady(
                Dataset.sampleFrom(List.of(range(3), range(3)), Weights.of(1, 1), SEED, false)))
        .isFalse();
    assertThat(isSteady(Dataset.generator(() -> List.of(1).iterator()))).isFalse();
    assertThat(isSteady(range(9).map(x -> x, 2, Order.UNORDERED))).isFalse();
    assertThat(isSteady(range(9).filter(x -> true, 2, Order.UNORDERED))).isFalse();
  }

  @Test
  void whatFollowsItsInputsVariesWithAnyOfThem() {
    Dataset<Long> varying = range(9).shuffle(3, SEED);
    assertThat(isSteady(varying.map(x -> x).batch(2))).isFalse();
    assertThat(isSteady(range(9).zip(varying))).isFalse();
    assertThat(isSteady(range(9).concatenate(range(3)).map(x -> x).repeat(2).batch(4))).isTrue();
    assertThat(isSteady(range(9).shuffle(3, SEED, false))).isTrue();
    assertThat(isSteady(range(9).shuffle(1, SEED))).as("of one element").isTrue();
    assertThat(isSteady(Dataset.random(SEED))).isTrue();
    assertThat(isSteady(range(9).map(x -> x, 2))).isTrue();
    assertThat(
            isSteady(
                Dataset.sampleFrom(List.of(range(3), range(3)), new double[] {1, 1}, SEED, false)))
        .isTrue();
  }

  @Test
  void aCacheHoldsWhatItGot() {
    Dataset<Long> held = range(9).shuffle(3, SEED).cache().map(x -> x);
    assertThat(isSteady(held)).isTrue();
    assertThat(isSteady(held.shuffle(3, SEED))).isFalse();
    assertThat(Recurring.isHeldIn(held.op())).isTrue();
    assertThat(Recurring.isHeldIn(range(9).map(x -> x).op())).isFalse();
  }

  @Test
  void withoutAWishForOrderTheOptionsDecide() {
    Op map = range(9).map(x -> x, 2).op();
    assertThat(Recurring.isTheSameInEveryPass(map, order -> order == Order.ORDERED)).isFalse();
  }
}
