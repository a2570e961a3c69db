package dev.headrace.op;

import static dev.headrace.Dataset.random;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Dataset;
import dev.headrace.data.Seed;
import dev.headrace.golden.Outcomes;
import dev.headrace.testing.NoLeftovers;
import dev.headrace.testing.PipelineContract;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@Timeout(60)
@ExtendWith(NoLeftovers.class)
class RandomOpTest {

  @Test
  void keepsTheContract() {
    PipelineContract.of(n -> random(Seed.of(3)).map(x -> -x, n).take(21)).check();
    PipelineContract.of(n -> random(Seed.of(3), true).take(11).repeat(2)).epochs(3).check();
  }

  /** What TensorFlow 2.21 gives for {@code random(seed=42)}. */
  @Test
  void everyPassHasTheSameNumbers() {
    assertThat(random(Seed.of(42)).take(3).repeat(2).toList())
        .containsExactly(
            2985944072L, 4132877644L, 929418493L, 2985944072L, 4132877644L, 929418493L);
  }

  /** What TensorFlow 2.21 gives for {@code rerandomize_each_iteration=True}. */
  @Test
  void everyPassHasItsOwnNumbersIfAsked() {
    Dataset<Long> numbers = random(Seed.of(42), true).take(3);
    assertThat(numbers.repeat(3).toList())
        .containsExactly(
            1632911145L,
            3351202991L,
            521718116L,
            978081363L,
            95978499L,
            2394667100L,
            3197014272L,
            3433279255L,
            1103721991L);
    assertThat(Outcomes.ofEpochs(numbers, 2).get(1))
        .startsWith("int64[] [978081363]", "int64[] [95978499]");
  }

  @Test
  void isWithoutEnd() {
    assertThat(random(Seed.of(1)).cardinality()).isEqualTo(Dataset.INFINITE);
  }

  @Test
  void refusesNoSeed() {
    assertThatThrownBy(() -> random(null))
        .hasMessage("random: expected a seed, but got null; Seed.random() differs from run to run");
  }
}
