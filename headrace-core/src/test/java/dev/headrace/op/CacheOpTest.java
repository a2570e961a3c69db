package dev.headrace.op;

import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Checkpoint;
import dev.headrace.Dataset;
import dev.headrace.Options;
import dev.headrace.Pipeline;
import dev.headrace.PipelineException;
import dev.headrace.data.Padded;
import dev.headrace.data.Seed;
import dev.headrace.golden.Outcomes;
import dev.headrace.spi.Collator;
import dev.headrace.testing.PipelineContract;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class CacheOpTest {
  private static final Seed SEED = Seed.of(42);

  @Test
  void keepsTheContract() {
    PipelineContract.of(n -> range(30).map(x -> Outcomes.refusing(9, x), n).cache()).check();
    PipelineContract.of(n -> range(12).map(x -> "" + x, n).cache().shuffle(4, SEED).repeat(3))
        .check();
    PipelineContract.of(n -> range(12).randomMap((x, random) -> random.nextInt(), SEED, n).cache())
        .epochs(3)
        .check();
  }

  /**
   * Who resumes behind the last element never asks for the end; the epochs after it know it, too.
   */
  @Test
  void failuresAreNotDeliveredAgainByThoseWhoResumeBehindTheLastElement() {
    Dataset<Padded<Long>> dataset =
        range(6).map(x -> Outcomes.refusing(2, x)).cache().padToCardinality(9, -3L).prefetch(1);
    List<List<String>> epochs = Outcomes.ofEpochs(dataset, 3);
    assertThat(epochs.get(0)).contains("error");
    assertThat(epochs.get(1)).doesNotContain("error").hasSize(9 + 1);
    try (Pipeline<Padded<Long>> pipeline = dataset.open()) {
      Outcomes.of(pipeline.iterator());
      Iterator<Padded<Long>> second = pipeline.iterator();
      for (int i = 0; i < 7; i++) {
        second.next();
      }
      Checkpoint checkpoint = Checkpoint.parse(pipeline.checkpoint().toString());
      try (Pipeline<Padded<Long>> resumed = dataset.open(checkpoint)) {
        assertThat(Outcomes.of(resumed.iterator())).isEqualTo(epochs.get(1).subList(7, 10));
        assertThat(Outcomes.of(resumed.iterator())).isEqualTo(epochs.get(2));
      }
    }
  }

  /** The second life only learns that the epoch is over; the third begins with the next one. */
  @Test
  void failuresAreNotDeliveredAgainByThoseWhoResumeTwice() {
    Dataset<List<Long>> dataset =
        range(5).map(x -> Outcomes.refusing(2, x)).cache().repeat(2).batch(3, Collator.toList());
    List<List<String>> epochs = Outcomes.ofEpochs(dataset, 2);
    assertThat(epochs.get(0)).contains("error");
    assertThat(epochs.get(1)).doesNotContain("error").hasSize(3 + 1);
    Checkpoint atTheEnd;
    try (Pipeline<List<Long>> pipeline = dataset.open()) {
      Iterator<List<Long>> first = pipeline.iterator();
      assertThatThrownBy(first::next).isInstanceOf(PipelineException.class);
      for (int i = 0; i < 3; i++) {
        first.next();
      }
      atTheEnd = Checkpoint.parse(pipeline.checkpoint().toString());
    }
    Checkpoint next;
    try (Pipeline<List<Long>> pipeline = dataset.open(atTheEnd)) {
      assertThat(Outcomes.of(pipeline.iterator())).containsExactly("end");
      next = Checkpoint.parse(pipeline.checkpoint().toString());
    }
    try (Pipeline<List<Long>> pipeline = dataset.open(next)) {
      assertThat(Outcomes.of(pipeline.iterator())).isEqualTo(epochs.get(1));
    }
  }

  @Test
  void theFunctionIsCalledInTheFirstEpochOnly() {
    AtomicInteger calls = new AtomicInteger();
    Dataset<Long> dataset =
        range(50)
            .map(
                x -> {
                  calls.incrementAndGet();
                  return x;
                })
            .cache();
    assertThat(new HashSet<>(Outcomes.ofEpochs(dataset, 4))).hasSize(1);
    assertThat(calls).hasValue(50);
    assertThat(dataset.repeat(3).count()).isEqualTo(150);
    assertThat(calls).hasValue(100);
    assertThat(dataset.cardinality()).isEqualTo(50);
  }

  @Test
  void whatWasCachedKeepsItsRandomValues() {
    List<List<String>> epochs =
        Outcomes.ofEpochs(
            range(20).shuffle(20, SEED).randomMap((x, random) -> random.nextLong(), SEED).cache(),
            3);
    assertThat(new HashSet<>(epochs)).hasSize(1);
  }

  @Test
  void aPassThatIsBrokenOffFillsNothing() {
    AtomicInteger calls = new AtomicInteger();
    Dataset<Integer> dataset = range(10).map(x -> calls.incrementAndGet()).synchronous().cache();
    try (Pipeline<Integer> pipeline = dataset.open()) {
      Iterator<Integer> broken = pipeline.iterator();
      assertThat(broken.next()).isEqualTo(1);
      assertThat(broken.next()).isEqualTo(2);
      int before = calls.get();
      List<String> whole = Outcomes.of(pipeline.iterator());
      assertThat(whole).hasSize(11).startsWith(Integer.toString(before + 1));
      assertThat(Outcomes.of(pipeline.iterator())).isEqualTo(whole);
      assertThat(calls).hasValue(before + 10);
    }
  }

  @Test
  void takingAPartNeverCompletesIt() {
    AtomicInteger calls = new AtomicInteger();
    Dataset<Integer> dataset =
        range(10).map(x -> calls.incrementAndGet()).synchronous().cache().take(2);
    assertThat(Outcomes.ofEpochs(dataset, 2))
        .containsExactly(List.of("1", "2", "end"), List.of("3", "4", "end"));
  }

  @Test
  void failuresAreDeliveredButNotCached() {
    Dataset<Long> dataset = range(4).map(x -> Outcomes.refusing(1, x)).cache();
    assertThat(Outcomes.ofEpochs(dataset, 3))
        .containsExactly(
            List.of("int64[] [0]", "error", "int64[] [2]", "int64[] [3]", "end"),
            List.of("int64[] [0]", "int64[] [2]", "int64[] [3]", "end"),
            List.of("int64[] [0]", "int64[] [2]", "int64[] [3]", "end"));
  }

  @Test
  void nothingIsCachedAsNothing() {
    assertThat(Outcomes.ofEpochs(range(0).cache(), 2))
        .containsExactly(List.of("end"), List.of("end"));
  }

  @Test
  void pipelinesDoNotShareTheirCaches() {
    AtomicInteger calls = new AtomicInteger();
    Dataset<Integer> dataset = range(5).map(x -> calls.incrementAndGet()).cache();
    assertThat(dataset.count()).isEqualTo(5);
    assertThat(dataset.count()).isEqualTo(5);
    assertThat(calls).hasValue(10);
  }

  @Test
  void aResumedEpochReadsWhatTheFirstOneCached() {
    Dataset<Long> dataset = range(20).randomMap((x, random) -> random.nextLong(), SEED).cache();
    List<List<String>> epochs = Outcomes.ofEpochs(dataset, 3);
    try (Pipeline<Long> pipeline = dataset.open()) {
      Outcomes.of(pipeline.iterator());
      Iterator<Long> second = pipeline.iterator();
      second.next();
      second.next();
      Checkpoint checkpoint = Checkpoint.parse(pipeline.checkpoint().toString());
      try (Pipeline<Long> resumed = dataset.open(checkpoint)) {
        assertThat(Outcomes.of(resumed.iterator())).isEqualTo(epochs.get(1).subList(2, 21));
        assertThat(Outcomes.of(resumed.iterator())).isEqualTo(epochs.get(2));
      }
    }
  }

  @Test
  void anEpochResumedFromItsStartReadsWhatTheFirstOneCached() {
    Dataset<Long> dataset = range(20).randomMap((x, random) -> random.nextLong(), SEED).cache();
    List<List<String>> epochs = Outcomes.ofEpochs(dataset, 2);
    try (Pipeline<Long> pipeline = dataset.open()) {
      Outcomes.of(pipeline.iterator());
      Checkpoint checkpoint = Checkpoint.parse(pipeline.checkpoint().toString());
      try (Pipeline<Long> resumed = dataset.open(checkpoint)) {
        assertThat(Outcomes.of(resumed.iterator())).isEqualTo(epochs.get(1));
      }
    }
  }

  @Test
  void aCacheThatDoesNotFitFailsWithTheSizeItNeeds() {
    Dataset<byte[]> large =
        range(1000)
            .map(x -> new byte[100_000])
            .cache()
            .options(Options.defaults().heapBudget(16 << 20).spill(false));
    List<PipelineException> errors = Outcomes.errors(large);
    assertThat(errors).hasSize(1);
    assertThat(errors.getFirst().isTerminal()).isTrue();
    assertThat(errors.getFirst())
        .hasMessageContaining("cache: expected its elements to fit the memory budget")
        .hasMessageContaining("after 167 elements of about 100,0")
        .hasMessageContaining(
            "the heap account is full (15 MB of 16 MB); all of them need about 95 MB")
        .hasMessageContaining("raise options.heapBudget, or cache earlier");
  }

  @Test
  void theMemoryIsGivenBack() {
    Dataset<Long> dataset = range(1000).map(x -> x).cache();
    Pipeline<Long> pipeline = dataset.open();
    Outcomes.of(pipeline.iterator());
    assertThat(pipeline.stats().memory().heapBytes()).isGreaterThanOrEqualTo(8000);
    pipeline.close();
    assertThat(pipeline.stats().memory().heapBytes()).isZero();
  }

  @Test
  void numbersBesideAFailureLieAsCloselyAsOthers() {
    Dataset<Long> numbers =
        Dataset.range(20_000)
            .map(
                i -> {
                  if (i % 100 == 99) {
                    throw new IllegalArgumentException("refused");
                  }
                  return i;
                })
            .ignoreErrors()
            .cache();
    try (Pipeline<Long> pipeline = numbers.open()) {
      pipeline.iterator().forEachRemaining(x -> {});
      assertThat(pipeline.stats().memory().heapBytes()).isLessThan(20_000 * 40);
    }
  }
}
