package dev.headrace.op;

import static dev.headrace.Dataset.UNKNOWN;
import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.headrace.Dataset;
import dev.headrace.data.Seed;
import dev.headrace.golden.Outcomes;
import dev.headrace.spi.Resampled;
import dev.headrace.testing.NoLeftovers;
import dev.headrace.testing.PipelineContract;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@Timeout(60)
@ExtendWith(NoLeftovers.class)
class RejectionResampleOpTest {
  private static final double[] EVEN = {0.5, 0.5};

  /** Nine of ten are of class 0. */
  private static int classOf(long x) {
    return x % 10 == 0 ? 1 : 0;
  }

  private static double shareOfOnes(List<Resampled<Long>> elements) {
    return elements.stream().mapToInt(Resampled::label).average().orElseThrow();
  }

  @Test
  void keepsTheContract() {
    PipelineContract.of(
            n ->
                range(60)
                    .map(x -> Outcomes.refusing(20, x), n)
                    .rejectionResample(x -> classOf(x), EVEN, Seed.of(1)))
        .check();
  }

  @Test
  void givesTheSharesThatAreWanted() {
    List<Resampled<Long>> estimated =
        range(40_000).rejectionResample(x -> classOf(x), EVEN, Seed.of(1)).toList();
    assertThat(shareOfOnes(estimated)).isCloseTo(0.5, within(0.02));
    List<Resampled<Long>> known =
        range(40_000)
            .rejectionResample(x -> classOf(x), EVEN, new double[] {0.9, 0.1}, Seed.of(1))
            .toList();
    assertThat(shareOfOnes(known)).isCloseTo(0.5, within(0.02));
    assertThat(known).extracting(Resampled::value).doesNotHaveDuplicates().isSorted();
    assertThat(known).allMatch(kept -> kept.label() == classOf(kept.value()));
    // The class that is short is kept whole.
    assertThat(known).filteredOn(kept -> kept.label() == 1).hasSize(4000);
  }

  @Test
  void aClassOfNoShareIsDropped() {
    assertThat(range(100).rejectionResample(x -> x % 2, new double[] {0, 1}, Seed.of(1)).toList())
        .hasSize(50)
        .allMatch(kept -> kept.label() == 1);
  }

  @Test
  void everyPassDrawsAnew() {
    Dataset<Resampled<Long>> resampled =
        range(200).rejectionResample(x -> classOf(x), EVEN, Seed.of(1));
    List<List<String>> epochs = Outcomes.ofEpochs(resampled, 2);
    assertThat(epochs.getFirst()).isEqualTo(Outcomes.of(resampled));
    assertThat(epochs.getLast()).isNotEqualTo(epochs.getFirst());
  }

  @Test
  void aClassThatIsNoneIsAFailureInItsPlace() {
    assertThat(Outcomes.errors(range(3).rejectionResample(x -> x, EVEN, Seed.of(1))).getFirst())
        .hasMessageContaining("element 2 of epoch 0 failed")
        .hasMessageContaining("rejectionResample: expected a class from 0 to 1, but got 2");
    assertThat(Outcomes.errors(range(1).rejectionResample(x -> 0.5, EVEN, Seed.of(1)))).hasSize(1);
    assertThat(Outcomes.errors(range(1).rejectionResample(x -> null, EVEN, Seed.of(1))).getFirst())
        .hasMessageContaining("expected the function to return a class, but it returned null");
  }

  @Test
  void knowsItsCardinality() {
    assertThat(range(5).rejectionResample(x -> 0, EVEN, Seed.of(1)).cardinality())
        .isEqualTo(UNKNOWN);
    assertThat(range(0).rejectionResample(x -> 0, EVEN, Seed.of(1)).cardinality()).isZero();
  }

  @Test
  void refusesBadShares() {
    assertThatThrownBy(() -> resampled(new double[] {0, 0}, null))
        .hasMessage(
            "rejectionResample: expected target shares with one above 0, but got [0.0, 0.0]");
    assertThatThrownBy(() -> resampled(new double[] {1, -1}, null))
        .hasMessage("rejectionResample: expected target shares of at least 0, but got [1.0, -1.0]");
    assertThatThrownBy(() -> resampled(EVEN, new double[] {1}))
        .hasMessage(
            "rejectionResample: expected an initial share for each of 2 classes, but got 1");
    assertThatThrownBy(() -> resampled(EVEN, new double[] {1, 0}))
        .hasMessage(
            "rejectionResample: expected class 1 to occur, since its target share is 0.5, but its"
                + " initial share is 0; dropping elements cannot make it more");
    assertThatThrownBy(() -> range(3).rejectionResample(null, EVEN, Seed.of(1)))
        .hasMessage("rejectionResample: expected a function, but got null");
    assertThatThrownBy(() -> range(3).rejectionResample(x -> 0, EVEN, null))
        .hasMessage("rejectionResample: expected a seed, but got null");
  }

  private static void resampled(double[] target, double[] initial) {
    range(3).rejectionResample(x -> 0, target, initial, Seed.of(1));
  }
}
