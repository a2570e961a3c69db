package dev.headrace.op;

import static dev.headrace.Dataset.INFINITE;
import static dev.headrace.Dataset.UNKNOWN;
import static dev.headrace.Dataset.range;
import static dev.headrace.Dataset.sampleFrom;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Checkpoint;
import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.PipelineException;
import dev.headrace.data.Seed;
import dev.headrace.golden.Outcomes;
import dev.headrace.spi.Weights;
import dev.headrace.testing.NoLeftovers;
import dev.headrace.testing.PipelineContract;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
@ExtendWith(NoLeftovers.class)
class SampleFromOpTest {

  /** Endless datasets of 0, of 1, … */
  private static List<Dataset<Long>> numbers(int count) {
    return IntStream.range(0, count)
        .<Dataset<Long>>mapToObj(i -> range(i, i + 1).repeat())
        .toList();
  }

  private static String choices(Seed seed, double... weights) {
    return sampleFrom(numbers(weights.length), weights, seed).take(80).toList().stream()
        .map(String::valueOf)
        .collect(Collectors.joining());
  }

  @Test
  void keepsTheContract() {
    PipelineContract.of(
            n ->
                sampleFrom(
                        List.of(range(30).map(x -> Outcomes.refusing(7, x), n), range(100, 112)),
                        new double[] {0.7, 0.3},
                        Seed.of(3),
                        false)
                    .prefetch(n))
        .check();
  }

  /** Recorded from TensorFlow 2.21: {@code sample_from_datasets(…, weights, seed=…)}. */
  @Test
  void choosesAsTfDataDoes() {
    assertThat(choices(Seed.of(42), 0.2, 0.3, 0.5))
        .isEqualTo(
            "22221210022210122221222022222212222222112112122022022120202121021202201112121212");
    assertThat(choices(Seed.of(42), 0.1, 0, 0.9))
        .isEqualTo(
            "22222222022220222222222222222222222222222222222022222220202222022222222222222222");
    assertThat(choices(Seed.of(7), 1, 2, 3, 4))
        .isEqualTo(
            "21312323033310213021103222012333103102320211131322221112333202232023333233333022");
    // Python takes seeds modulo 2^31 - 1.
    assertThat(choices(Seed.of(123456789012L % Integer.MAX_VALUE), 0.05, 0.1, 0.15, 0.3, 0.4))
        .isEqualTo(
            "44041442144331231433103424001424444214234244130433443343433424034420433434343342");
    assertThat(choices(Seed.of(99, 5), 0.4, 0.6))
        .isEqualTo(
            "10100101111111011110000011101000111111011110101010111011100101110011101111010101");
  }

  @Test
  void everyPassMakesTheSameChoices() {
    List<Long> twice =
        sampleFrom(numbers(2), new double[] {1, 1}, Seed.of(1)).take(30).repeat(2).toList();
    assertThat(twice.subList(30, 60)).isEqualTo(twice.subList(0, 30));
  }

  @Test
  void endsWithTheFirstEndedDatasetUnlessToldOtherwise() {
    List<Dataset<Long>> two = List.of(range(0, 10), range(100, 110));
    assertThat(sampleFrom(two, new double[] {0.5, 0.5}, Seed.of(42)).toList()).hasSize(17);
    assertThat(sampleFrom(two, new double[] {0.5, 0.5}, Seed.of(42), false).toList()).hasSize(20);
    assertThat(sampleFrom(two, new double[] {1, 0}, Seed.of(42)).toList()).hasSize(10);
    assertThat(sampleFrom(List.of(range(3)), new double[] {5}, Seed.of(42)).toList()).hasSize(3);
  }

  @Test
  void aDatasetThatIsNeverChosenHoldsNothingUp() {
    List<Dataset<Long>> two = List.of(range(0, 10), range(100, 110));
    assertThat(sampleFrom(two, new double[] {1, 0}, Seed.of(42), false).toList()).hasSize(10);
    assertThat(sampleFrom(two, Weights.of(1, 0), Seed.of(42), false).toList()).hasSize(10);
  }

  @Test
  void aFailedElementUsesUpItsTurn() {
    List<String> good = mixed(-1);
    List<String> bad = mixed(3);
    int at = good.indexOf("int64[] [3]");
    assertThat(bad.get(at)).isEqualTo("error");
    bad.set(at, "int64[] [3]");
    assertThat(bad).isEqualTo(good);
  }

  private static List<String> mixed(long refused) {
    return Outcomes.of(
        sampleFrom(
            List.of(range(20).map(x -> Outcomes.refusing(refused, x)), range(100, 120)),
            new double[] {0.5, 0.5},
            Seed.of(1)));
  }

  @Test
  void readsNoMoreThanIsAskedFor() {
    AtomicInteger calls = new AtomicInteger();
    Dataset<Long> counted = range(100).map(x -> x + 0 * calls.incrementAndGet());
    assertThat(
            sampleFrom(List.of(counted, counted), new double[] {0.5, 0.5}, Seed.of(1))
                .take(9)
                .toList())
        .hasSize(9);
    assertThat(calls).hasValue(9);
  }

  @Test
  void knowsItsCardinality() {
    List<Dataset<Long>> both = List.of(range(3), range(1).repeat());
    assertThat(sampleFrom(both, new double[] {1, 1}, Seed.of(1)).cardinality()).isEqualTo(UNKNOWN);
    assertThat(sampleFrom(both, new double[] {1, 1}, Seed.of(1), false).cardinality())
        .isEqualTo(INFINITE);
    assertThat(sampleFrom(both, new double[] {0, 1}, Seed.of(1)).cardinality()).isEqualTo(INFINITE);
    assertThat(sampleFrom(both, Weights.of(0, 1), Seed.of(1), false).cardinality())
        .isEqualTo(UNKNOWN);
    assertThat(sampleFrom(numbers(2), Weights.of(1, 1), Seed.of(1)).cardinality())
        .isEqualTo(INFINITE);
  }

  // ---- weights that change ----------------------------------------------------------------------

  @ParameterizedTest
  @ValueSource(ints = {0, 4})
  void aChangeTakesEffectAtTheElementThatIsNoted(int prefetch) {
    Weights weights = Weights.of(1, 0);
    Dataset<Long> mix = sampleFrom(numbers(2), weights, Seed.of(1)).prefetch(prefetch);
    try (Pipeline<Long> pipeline = mix.open()) {
      Iterator<Long> epoch = pipeline.iterator();
      List<Long> read = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        read.add(epoch.next());
      }
      assertThat(weights.changes()).isEmpty();
      weights.set(0, 1);
      for (int i = 0; i < 3000; i++) {
        read.add(epoch.next());
      }
      assertThat(weights.changes()).hasSize(1);
      Weights.Change change = weights.changes().getFirst();
      assertThat(change.before()).containsExactly(1.0, 0.0);
      assertThat(change.after()).containsExactly(0.0, 1.0);
      assertThat(change.pass()).isZero();
      int element = Math.toIntExact(change.element());
      assertThat(element).isBetween(10, 3000);
      assertThat(read.subList(0, element)).containsOnly(0L);
      assertThat(read.subList(element, read.size())).containsOnly(1L);
      assertThat(weights.current()).containsExactly(0, 1);
    }
  }

  /** One life of a mixture whose weights are changed twice; a copy of its text is taken often. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3})
  void resumingRepeatsTheChangesAtTheSameElements(int prefetch) {
    int length = 400;
    Weights weights = Weights.of(0.5, 0.5);
    List<Checkpoint> checkpoints = new ArrayList<>();
    List<Long> read = new ArrayList<>();
    List<Weights.Change> changes;
    try (Pipeline<Long> pipeline = mixture(weights, length, prefetch).open()) {
      Iterator<Long> epoch = pipeline.iterator();
      while (epoch.hasNext()) {
        checkpoints.add(Checkpoint.parse(pipeline.checkpoint().toString()));
        read.add(epoch.next());
        if (read.size() == 50) {
          weights.set(0.9, 0.1);
        }
        if (read.size() == 200) {
          weights.set(0.05, 0.95);
        }
      }
      changes = weights.changes();
    }
    assertThat(changes).hasSize(2);
    for (int from = 0; from < read.size(); from += 7) {
      Weights fresh = Weights.of(0.5, 0.5);
      List<Long> rest = new ArrayList<>(read.subList(0, from));
      try (Pipeline<Long> resumed =
          mixture(fresh, length, prefetch + 1).open(checkpoints.get(from))) {
        Iterator<Long> epoch = resumed.iterator();
        while (epoch.hasNext()) {
          rest.add(epoch.next());
        }
        int known = fresh.changes().size();
        assertThat(fresh.changes()).isEqualTo(changes.subList(0, known));
        if (from > changes.get(1).element()) {
          assertThat(known).isEqualTo(2);
          assertThat(rest).isEqualTo(read);
        } else if (from > changes.getFirst().element()) {
          assertThat(known).isPositive();
        }
      }
      // Nothing is lost and nothing comes twice, whatever the weights were.
      assertThat(rest.stream().filter(x -> x < 100_000)).isSorted().doesNotHaveDuplicates();
      assertThat(rest.stream().filter(x -> x >= 100_000)).isSorted().doesNotHaveDuplicates();
      assertThat(rest).hasSize(length);
    }
  }

  @Test
  void resumingBehindAShuffleLosesNothing() {
    int length = 300;
    Weights weights = Weights.of(0.5, 0.5);
    List<Checkpoint> checkpoints = new ArrayList<>();
    List<Long> read = new ArrayList<>();
    try (Pipeline<Long> pipeline = shuffledMixture(weights, length).open()) {
      Iterator<Long> epoch = pipeline.iterator();
      while (epoch.hasNext()) {
        checkpoints.add(Checkpoint.parse(pipeline.checkpoint().toString()));
        read.add(epoch.next());
        weights.set(1 + read.size() % 7, 1 + read.size() % 5);
      }
    }
    assertThat(weights.changes()).hasSizeGreaterThan(2);
    for (int from = 0; from < read.size(); from += 5) {
      List<Long> all = new ArrayList<>(read.subList(0, from));
      try (Pipeline<Long> resumed =
          shuffledMixture(Weights.of(0.5, 0.5), length).open(checkpoints.get(from))) {
        resumed.iterator().forEachRemaining(all::add);
      }
      all.sort(null);
      assertThat(all).hasSize(length);
      long low = all.stream().filter(x -> x < 100_000).count();
      for (int i = 0; i < length; i++) {
        assertThat(all.get(i)).isEqualTo(i < low ? i : 100_000 + i - low);
      }
    }
  }

  private static Dataset<Long> shuffledMixture(Weights weights, int length) {
    return mixture(weights, length, 2).shuffle(16, Seed.of(3)).prefetch(3);
  }

  private static Dataset<Long> mixture(Weights weights, int length, int prefetch) {
    return sampleFrom(List.of(range(100_000), range(100_000, 200_000)), weights, Seed.of(5))
        .take(length)
        .prefetch(prefetch);
  }

  @Test
  void aChangeThatWaitsIsPartOfTheCheckpoint() {
    Weights weights = Weights.of(1, 0);
    Checkpoint checkpoint;
    try (Pipeline<Long> pipeline = sampleFrom(numbers(2), weights, Seed.of(1)).open()) {
      Iterator<Long> epoch = pipeline.iterator();
      for (int i = 0; i < 5; i++) {
        assertThat(epoch.next()).isZero();
      }
      weights.set(0, 1);
      checkpoint = Checkpoint.parse(pipeline.checkpoint().toString());
    }
    Weights fresh = Weights.of(1, 0);
    try (Pipeline<Long> resumed = sampleFrom(numbers(2), fresh, Seed.of(1)).open(checkpoint)) {
      Iterator<Long> epoch = resumed.iterator();
      List<Long> read = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        read.add(epoch.next());
      }
      assertThat(fresh.changes()).hasSize(1);
      long element = fresh.changes().getFirst().element();
      assertThat(element).isGreaterThanOrEqualTo(5);
      assertThat(read.get(Math.toIntExact(element) - 5)).isEqualTo(1);
      assertThat(fresh.current()).containsExactly(0, 1);
    }
  }

  @Test
  void laterPassesGoOnWithTheWeightsInForce() {
    Weights weights = Weights.of(1, 0);
    try (Pipeline<Long> pipeline = sampleFrom(numbers(2), weights, Seed.of(1)).take(5).open()) {
      assertThat(pipeline.iterator().next()).isZero();
      weights.set(0, 1);
      Iterator<Long> second = pipeline.iterator();
      assertThat(second.next()).isEqualTo(1);
      assertThat(weights.changes()).extracting(Weights.Change::pass).containsExactly(1L);
    }
  }

  @Test
  void checkpointsFitWhateverTheWeightsBecameButOtherElementsAreAnotherPlans() {
    Weights weights = Weights.of(0.5, 0.5);
    Dataset<Long> mix = sampleFrom(numbers(2), weights, Seed.of(1));
    String before = mix.fingerprint();
    Checkpoint checkpoint;
    try (Pipeline<Long> pipeline = mix.open()) {
      checkpoint = pipeline.checkpoint();
    }
    weights.set(0.1, 0.9);
    assertThat(mix.fingerprint()).isNotEqualTo(before);
    assertThat(mix.explain()).contains("weights=[0.5, 0.5]");
    mix.open(checkpoint).close();
  }

  // ---- a schedule -------------------------------------------------------------------------------

  /** All of the first for a while, then more and more of the second. */
  private static double[] curriculum(long n) {
    return n < 50 ? new double[] {1, 0} : new double[] {1, Math.min(1, (n - 50) / 100.0)};
  }

  @Test
  void aScheduleKeepsTheContract() {
    PipelineContract.of(
            n ->
                sampleFrom(
                        List.of(range(60).map(x -> Outcomes.refusing(7, x), n), range(100, 130)),
                        Weights.at(SampleFromOpTest::curriculum),
                        Seed.of(3),
                        false)
                    .prefetch(n))
        .check();
  }

  @Test
  void aScheduleGoesByTheElementHoweverFarIsReadAhead() {
    Weights weights = Weights.at(SampleFromOpTest::curriculum);
    Dataset<Long> mix = sampleFrom(numbers(2), weights, Seed.of(1)).take(400);
    List<Long> plain = mix.options(o -> o.debug()).toList();
    assertThat(plain.subList(0, 51)).containsOnly(0L);
    assertThat(plain.subList(51, 400)).contains(1L);
    for (int buffer : new int[] {1, 7, 1000}) {
      Dataset<Long> ahead = sampleFrom(numbers(2), weights, Seed.of(1)).prefetch(buffer).take(400);
      assertThat(ahead.toList()).isEqualTo(plain);
    }
    assertThat(mix.repeat(2).toList().subList(400, 800)).isEqualTo(plain);
    // What does not change is drawn as it is drawn without a schedule.
    assertThat(
            sampleFrom(numbers(3), Weights.at(n -> new double[] {3, 2, 1}), Seed.of(5))
                .take(200)
                .toList())
        .isEqualTo(sampleFrom(numbers(3), new double[] {3, 2, 1}, Seed.of(5)).take(200).toList());
  }

  @Test
  void aScheduleIsPartOfThePlansIdentity() {
    long late = 70;
    Dataset<Long> early = sampleFrom(numbers(2), Weights.at(n -> curriculum(n)), Seed.of(1));
    Dataset<Long> other = sampleFrom(numbers(2), Weights.at(n -> curriculum(n + late)), Seed.of(1));
    assertThat(early.fingerprint()).isNotEqualTo(other.fingerprint());
    assertThat(early.explain()).contains("sampleFrom(SampleFromOpTest.lambda");
  }

  @Test
  void whereAScheduleFailsThatElementDoes() {
    Weights failing =
        Weights.at(
            n ->
                switch ((int) n) {
                  case 3 -> throw new IOException("no weights today");
                  case 5 -> new double[] {1};
                  case 7 -> new double[] {-1, 1};
                  default -> new double[] {1, 0};
                });
    List<PipelineException> errors =
        Outcomes.errors(sampleFrom(numbers(2), failing, Seed.of(1)).take(10));
    assertThat(errors)
        .extracting(e -> String.valueOf(e.getCause().getMessage()))
        .containsExactly(
            "no weights today",
            "Weights.at: expected 2 weights for element 5, but got [1.0]",
            "Weights: expected numbers of at least 0, but got [-1.0, 1.0]");
    assertThat(errors).extracting(PipelineException::element).containsExactly("3", "5", "7");
    assertThatThrownBy(() -> Weights.at(n -> new double[0]))
        .hasMessageContaining("at least one weight above 0");
    assertThatThrownBy(() -> Weights.at(n -> new double[] {1, 1}).set(1, 2))
        .hasMessage(
            "Weights.set: expected weights that may change, but these follow a schedule; use"
                + " Weights.of");
  }

  @Test
  void changesByHandCanBeReplayedFromTheStart() {
    Weights byHand = Weights.of(1, 0);
    List<List<Long>> epochs = new ArrayList<>();
    Dataset<Long> mix = sampleFrom(numbers(2), byHand, Seed.of(1)).prefetch(3).take(3000);
    try (Pipeline<Long> pipeline = mix.open()) {
      for (int epoch = 0; epoch < 3; epoch++) {
        List<Long> read = new ArrayList<>();
        epochs.add(read);
        for (Long element : pipeline) {
          read.add(element);
          if (read.size() == 500) {
            byHand.set(1, epoch + 1);
          }
        }
      }
    }
    assertThat(byHand.changes()).isNotEmpty();
    Weights again = Weights.replaying(new double[] {1, 0}, byHand.changes());
    try (Pipeline<Long> pipeline =
        sampleFrom(numbers(2), again, Seed.of(1)).prefetch(50).take(3000).open()) {
      for (List<Long> expected : epochs) {
        List<Long> read = new ArrayList<>();
        pipeline.iterator().forEachRemaining(read::add);
        assertThat(read).isEqualTo(expected);
      }
    }
  }

  @Test
  void refusesBadArguments() {
    assertThatThrownBy(() -> sampleFrom(List.<Dataset<Long>>of(), Weights.of(1), Seed.of(1)))
        .hasMessage("sampleFrom: expected at least one dataset to sample from, but got none");
    assertThatThrownBy(() -> sampleFrom(numbers(2), new double[] {1, 2, 3}, Seed.of(1)))
        .hasMessage("sampleFrom: expected a weight for each of 2 datasets, but got 3 weights");
    assertThatThrownBy(() -> sampleFrom(numbers(2), (Weights) null, Seed.of(1)))
        .hasMessage("sampleFrom: expected weights, but got null");
    assertThatThrownBy(() -> sampleFrom(numbers(2), new double[] {1, 2}, null))
        .hasMessage("sampleFrom: expected a seed, but got null");
    assertThatThrownBy(() -> Weights.of(0.5, -1))
        .hasMessage("Weights: expected numbers of at least 0, but got [0.5, -1.0]");
    assertThatThrownBy(() -> Weights.of(0.5, Double.NaN))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Weights.of(0, 0))
        .hasMessage("Weights: expected at least one weight above 0, but got [0.0, 0.0]");
    assertThatThrownBy(() -> Weights.of(1, 1).set(1))
        .hasMessage("Weights.set: expected 2 weights, but got 1");
    assertThatThrownBy(() -> Weights.fixed(1, 1).set(1, 2))
        .hasMessage(
            "Weights.set: expected weights that may change, but these are fixed; use Weights.of");
  }
}
