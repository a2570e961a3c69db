package dev.headrace.op;

import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Checkpoint;
import dev.headrace.Dataset;
import dev.headrace.Options;
import dev.headrace.Pipeline;
import dev.headrace.PipelineException;
import dev.headrace.data.Seed;
import dev.headrace.golden.Outcomes;
import dev.headrace.testing.PipelineContract;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class ShuffleOpTest {
  private static final Seed SEED = Seed.of(42);

  @Test
  void keepsTheContract() {
    PipelineContract.of(n -> range(50).map(x -> Outcomes.refusing(20, x), n).shuffle(8, SEED))
        .check();
    PipelineContract.of(n -> range(30).shuffle(100, SEED, false).map(x -> x, n)).check();
    PipelineContract.of(n -> range(40).filter(x -> x % 3 != 0, n).shuffle(7, SEED).repeat(2))
        .check();
  }

  @Test
  void aBufferOfOneKeepsOrder() {
    assertThat(range(50).shuffle(1, SEED).toList()).isEqualTo(range(50).toList());
  }

  @ParameterizedTest
  @ValueSource(longs = {2, 7, 99, 100, 101, 1_000_000, Long.MAX_VALUE})
  void givesEveryElementOnce(long buffer) {
    List<Long> shuffled = range(100).shuffle(buffer, SEED).toList();
    assertThat(shuffled)
        .isNotEqualTo(range(100).toList())
        .containsExactlyInAnyOrderElementsOf(range(100).toList());
    assertThat(range(100).shuffle(buffer, SEED).toList()).isEqualTo(shuffled);
    assertThat(range(0).shuffle(buffer, SEED).toList()).isEmpty();
    assertThat(range(100).shuffle(buffer, SEED).cardinality()).isEqualTo(100);
  }

  @Test
  void aLargeEnoughBufferGivesTheSameOrderWhateverItsSize() {
    assertThat(range(100).shuffle(100, SEED).toList())
        .isEqualTo(range(100).shuffle(5000, SEED).toList());
  }

  @Test
  void anElementMovesForwardByLessThanTheBuffer() {
    List<Long> shuffled = range(1000).shuffle(10, SEED).toList();
    for (int i = 0; i < shuffled.size(); i++) {
      assertThat(shuffled.get(i)).isLessThan(i + 10L);
    }
  }

  @Test
  void epochsAndRepetitionsHaveTheirOwnOrder() {
    List<List<Long>> epochs = epochs(range(10).shuffle(10, SEED), 3);
    assertThat(new HashSet<>(epochs)).hasSize(3);
    List<Long> repeated = range(10).shuffle(10, SEED).repeat(3).toList();
    assertThat(repeated.subList(0, 10)).isEqualTo(epochs.get(0));
    assertThat(repeated.subList(10, 20)).isEqualTo(epochs.get(1));
    assertThat(repeated.subList(20, 30)).isEqualTo(epochs.get(2));
  }

  @Test
  void withoutReshufflingEpochsAndRepetitionsAreAlike() {
    List<List<Long>> epochs = epochs(range(10).shuffle(10, SEED, false), 3);
    assertThat(new HashSet<>(epochs)).hasSize(1);
    List<Long> repeated = range(10).shuffle(10, SEED, false).repeat(2).toList();
    assertThat(repeated.subList(0, 10)).isEqualTo(epochs.getFirst());
    assertThat(repeated.subList(10, 20)).isEqualTo(epochs.getFirst());
  }

  @Test
  void withoutASeedPipelinesDiffer() {
    HashSet<List<Long>> orders = new HashSet<>();
    for (int i = 0; i < 3; i++) {
      orders.add(range(50).shuffle(50).toList());
    }
    assertThat(orders).hasSize(3);
  }

  @Test
  void withoutASeedACheckpointCarriesTheOneThatWasDrawn() {
    Dataset<Long> dataset = range(50).shuffle(20);
    try (Pipeline<Long> pipeline = dataset.open()) {
      Iterator<Long> epoch = pipeline.iterator();
      for (int i = 0; i < 7; i++) {
        epoch.next();
      }
      Checkpoint checkpoint = Checkpoint.parse(pipeline.checkpoint().toString());
      List<String> rest = Outcomes.of(epoch);
      List<String> next = Outcomes.of(pipeline.iterator());
      try (Pipeline<Long> resumed = dataset.open(checkpoint)) {
        assertThat(Outcomes.of(resumed.iterator())).isEqualTo(rest);
        assertThat(Outcomes.of(resumed.iterator())).isEqualTo(next);
      }
    }
  }

  @Test
  void withoutASeedACheckpointBetweenEpochsCarriesTheOneThatWasDrawn() {
    Dataset<Long> dataset = range(50).shuffle(20);
    try (Pipeline<Long> pipeline = dataset.open()) {
      Outcomes.of(pipeline.iterator());
      Checkpoint checkpoint = Checkpoint.parse(pipeline.checkpoint().toString());
      List<String> next = Outcomes.of(pipeline.iterator());
      try (Pipeline<Long> resumed = dataset.open(checkpoint)) {
        assertThat(Outcomes.of(resumed.iterator())).isEqualTo(next);
      }
    }
  }

  @Test
  void resumesInTheMiddleOfALongInput() {
    Dataset<Long> dataset = range(20_000).filter(x -> x % 3 != 1).shuffle(500, SEED);
    List<Long> all = dataset.toList();
    for (int position : new int[] {1, 499, 500, 501, 6_000, 12_900, all.size() - 1}) {
      try (Pipeline<Long> pipeline = dataset.open()) {
        Iterator<Long> epoch = pipeline.iterator();
        for (int i = 0; i < position; i++) {
          epoch.next();
        }
        Checkpoint checkpoint = Checkpoint.parse(pipeline.checkpoint().toString());
        assertThat(checkpoint.toString()).hasSizeLessThan(2000);
        try (Pipeline<Long> resumed = dataset.open(checkpoint)) {
          List<Long> rest = new ArrayList<>();
          resumed.iterator().forEachRemaining(rest::add);
          assertThat(rest).isEqualTo(all.subList(position, all.size()));
        }
      }
    }
  }

  @Test
  void failuresAreNotHeldBack() {
    assertThat(Outcomes.of(range(6).map(x -> Outcomes.refusing(1, x)).shuffle(6, SEED)))
        .hasSize(7)
        .startsWith("error")
        .contains("int64[] [0]", "int64[] [5]", "end");
  }

  @Test
  void aBufferThatDoesNotFitFailsWithTheSizeItNeeds() {
    Dataset<byte[]> large =
        range(1000)
            .map(x -> new byte[1 << 20])
            .shuffle(500, SEED)
            .options(Options.defaults().heapBudget(16 << 20).spill(false));
    List<PipelineException> errors = Outcomes.errors(large);
    assertThat(errors).hasSize(1);
    assertThat(errors.getFirst().isTerminal()).isTrue();
    assertThat(errors.getFirst())
        .hasMessageContaining("shuffle: expected a buffer of 500 elements to fit the memory budget")
        .hasMessageContaining("the heap account is full")
        .hasMessageContaining("of 16 MB")
        .hasMessageContaining("the buffer needs about 500 MB")
        .hasMessageContaining(
            "lower it, raise options.heapBudget, or shuffle before elements grow");
  }

  @Test
  void refusesBadArguments() {
    assertThatThrownBy(() -> range(3).shuffle(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("shuffle: expected a buffer of at least 1 element, but got 0");
    assertThatThrownBy(() -> range(3).shuffle(-7, SEED))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("shuffle: expected a buffer of at least 1 element, but got -7");
    assertThatThrownBy(() -> range(3).shuffle(3, null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("shuffle: expected a seed, but got null; leave it out to draw one");
  }

  private static List<List<Long>> epochs(Dataset<Long> dataset, int count) {
    List<List<Long>> all = new ArrayList<>();
    try (Pipeline<Long> pipeline = dataset.open()) {
      for (int epoch = 0; epoch < count; epoch++) {
        List<Long> elements = new ArrayList<>();
        pipeline.iterator().forEachRemaining(elements::add);
        all.add(elements);
      }
    }
    return all;
  }

  /** Recorded from TensorFlow 2.21. */
  @Test
  void seedsOfAnySizeGiveTfDatasOrder() {
    assertThat(Dataset.range(10).shuffle(10, Seed.of(123_456_789_012L)).toList())
        .containsExactly(5L, 1L, 3L, 6L, 7L, 4L, 9L, 0L, 2L, 8L);
    assertThat(Dataset.range(10).shuffle(10, Seed.of(-5)).toList())
        .containsExactly(6L, 5L, 3L, 2L, 7L, 8L, 1L, 0L, 9L, 4L);
    assertThat(Dataset.range(10).shuffle(10, Seed.of(0, 0)).toList())
        .containsExactly(4L, 9L, 1L, 0L, 7L, 3L, 5L, 2L, 8L, 6L);
  }

  /** Elements that were delivered come from a place that was opened after the position told. */
  @Test
  void aSeedThatNobodyGaveIsCarriedWhereverTheOperatorIsOpenedLate() {
    Dataset<Long> shuffled = range(1000, 1012).shuffle(9);
    List<Dataset<Long>> plans =
        List.of(
            range(18).concatenate(shuffled),
            range(18).concatenate(shuffled).prefetch(4),
            range(18).concatenate(shuffled).shuffle(8, Seed.of(1)),
            range(3).flatMap(x -> range(x * 10, x * 10 + 10).shuffle(9)),
            range(3).interleave(x -> range(x * 10, x * 10 + 10).shuffle(9), 2, 1),
            range(30).groupByWindow(x -> x % 3, (key, window) -> window.shuffle(5), 5));
    for (Dataset<Long> plan : plans) {
      for (int taken = 19; taken <= 30; taken += 5) {
        List<Long> delivered = new ArrayList<>();
        String checkpoint;
        List<Long> rest = new ArrayList<>();
        try (Pipeline<Long> pipeline = plan.open()) {
          Iterator<Long> elements = pipeline.iterator();
          for (int i = 0; i < taken; i++) {
            delivered.add(elements.next());
          }
          checkpoint = pipeline.checkpoint().toString();
          elements.forEachRemaining(rest::add);
        }
        try (Pipeline<Long> resumed = plan.open(Checkpoint.parse(checkpoint))) {
          assertThat(resumed)
              .as("%s after %d", plan.explain(), taken)
              .containsExactlyElementsOf(rest);
        }
        delivered.addAll(rest);
        assertThat(delivered).doesNotHaveDuplicates().hasSize(30);
      }
    }
    try (Pipeline<Long> seeded = range(3).shuffle(2, Seed.of(1)).open()) {
      seeded.iterator().next();
      assertThat(seeded.checkpoint().toString()).doesNotContain("drawn");
    }
  }
}
