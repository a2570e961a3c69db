package dev.headrace.op;

import static dev.headrace.Dataset.INFINITE;
import static dev.headrace.Dataset.UNKNOWN;
import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.PipelineException;
import dev.headrace.data.Seed;
import dev.headrace.golden.Outcomes;
import dev.headrace.spi.Resampled;
import dev.headrace.testing.PipelineContract;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RepeatOpTest {

  @Test
  void keepsTheContract() {
    PipelineContract.of(n -> range(5).map(x -> Outcomes.refusing(2, x), n).repeat(3)).check();
    PipelineContract.of(n -> range(3).repeat(2).map(x -> x, n).repeat(2)).check();
    PipelineContract.of(n -> range(3).map(x -> x, n).repeat().take(10)).check();
  }

  @Test
  void givesItsInputOverAndOver() {
    assertThat(range(2).repeat(3).toList()).containsExactly(0L, 1L, 0L, 1L, 0L, 1L);
    assertThat(range(2).repeat(1).toList()).containsExactly(0L, 1L);
    assertThat(range(2).repeat().take(5).toList()).containsExactly(0L, 1L, 0L, 1L, 0L);
    assertThat(range(2).repeat(2).repeat(2).count()).isEqualTo(8);
  }

  @Test
  void endsWhereThereIsNothingToRepeat() {
    assertThat(range(0).repeat().toList()).isEmpty();
    assertThat(range(0).repeat(1_000_000).toList()).isEmpty();
    assertThat(range(5).repeat(0).toList()).isEmpty();
    assertThat(range(5).filter(x -> false).repeat().toList()).isEmpty();
    assertThat(range(5).filter(x -> false, 2).prefetch(2).repeat().toList()).isEmpty();
  }

  @Test
  void knowsItsCardinality() {
    assertThat(range(5).repeat(3).cardinality()).isEqualTo(15);
    assertThat(range(5).repeat(0).cardinality()).isZero();
    assertThat(range(5).repeat().cardinality()).isEqualTo(INFINITE);
    assertThat(range(0).repeat().cardinality()).isZero();
    assertThat(range(5).repeat().repeat(2).cardinality()).isEqualTo(INFINITE);
    assertThat(range(5).filter(x -> true).repeat(2).cardinality()).isEqualTo(UNKNOWN);
    assertThat(range(Long.MAX_VALUE).repeat(3).cardinality()).isEqualTo(Long.MAX_VALUE);
    assertThat(range(1L << 33).repeat(1L << 33).cardinality()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void failuresNameTheRepetition() {
    List<PipelineException> errors = Outcomes.errors(range(3).map(x -> 1 / (x - 1)).repeat(2));
    assertThat(errors).extracting(PipelineException::element).containsExactly("0/1", "1/1");
  }

  @Test
  void goesOnForEverWhereEveryElementFails() {
    List<PipelineException> errors =
        Outcomes.errors(range(2).map(x -> Outcomes.refusing(x, x)).repeat(3));
    assertThat(errors).hasSize(6);
  }

  @Test
  void refusesANegativeCount() {
    assertThatThrownBy(() -> range(3).repeat(-2))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("repeat: expected a count of at least 0, or -1 for no end, but got -2");
  }

  @Test
  void everyEpochOfNestedRepetitionsWithoutEndCanBeRead() {
    List<Dataset<Long>> reshuffling =
        List.of(
            range(5).shuffle(5, Seed.of(1)),
            range(5).globalShuffle(Seed.of(1)),
            Dataset.random(Seed.of(1), true).take(5),
            range(5).randomMap((x, random) -> (long) random.nextInt(), Seed.of(1)),
            range(5).shuffle(5, Seed.of(1)).cache(),
            range(40)
                .rejectionResample(x -> (int) (x % 2), new double[] {0.9, 0.1}, Seed.of(1))
                .map(Resampled::value)
                .take(5));
    for (Dataset<Long> plan : reshuffling) {
      for (long inner : new long[] {1, 2, 3, 100, 1L << 40, Long.MAX_VALUE}) {
        Dataset<Long> nested = plan.repeat(inner).repeat().take(12);
        List<List<Long>> epochs = epochsOf(nested, 8);
        assertThat(epochs).as("%s × %d", plan, inner).allMatch(epoch -> epoch.size() == 12);
        assertThat(epochsOf(nested, 8)).isEqualTo(epochs);
        assertThat(epochsOf(plan.repeat().repeat(inner).take(12), 8)).hasSize(8);
      }
    }
  }

  @Test
  void passesOfNestedRepetitionsHaveOrdersOfTheirOwn() {
    Dataset<Long> nested = range(20).shuffle(20, Seed.of(1)).repeat(3).repeat().take(120);
    List<List<Long>> passes = new ArrayList<>();
    for (List<Long> epoch : epochsOf(nested, 10)) {
      for (int from = 0; from < 120; from += 20) {
        passes.add(epoch.subList(from, from + 20));
      }
    }
    assertThat(passes).doesNotHaveDuplicates();
    assertThat(passes).allMatch(pass -> pass.stream().sorted().toList().equals(range(20).toList()));
  }

  @Test
  void passesOfFiniteRepetitionsAreNumberedOneAfterTheOther() {
    // As tf.data numbers them: repeat(2).repeat(3) is repeat(6), and epoch 1 goes on after epoch 0.
    Dataset<Long> shuffled = range(9).shuffle(9, Seed.of(7));
    List<Long> six = shuffled.repeat(12).toList();
    List<List<Long>> epochs = epochsOf(shuffled.repeat(2).repeat(3), 2);
    assertThat(epochs.getFirst()).isEqualTo(six.subList(0, 54));
    assertThat(epochs.getLast()).isEqualTo(six.subList(54, 108));
  }

  private static List<List<Long>> epochsOf(Dataset<Long> plan, int count) {
    List<List<Long>> epochs = new ArrayList<>();
    try (Pipeline<Long> pipeline = plan.open()) {
      for (int i = 0; i < count; i++) {
        List<Long> epoch = new ArrayList<>();
        pipeline.iterator().forEachRemaining(epoch::add);
        epochs.add(epoch);
      }
    }
    return epochs;
  }
}
