package dev.headrace.op;

import static dev.headrace.Dataset.UNKNOWN;
import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Checkpoint;
import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.PipelineException;
import dev.headrace.data.Seed;
import dev.headrace.data.Tensor;
import dev.headrace.golden.Outcomes;
import dev.headrace.spi.Collator;
import dev.headrace.testing.PipelineContract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class GlobalShuffleOpTest {
  @Test
  void keepsTheContract() {
    PipelineContract.of(
            n -> range(25).map(x -> Outcomes.refusing(7, x), n).globalShuffle(Seed.of(3)))
        .check();
  }

  /** Recorded from TensorFlow 2.21's GlobalShuffleDataset over three iterators. */
  @Test
  void eachPassHasTheOrderOfTfData() {
    List<Long> expected =
        List.of(
            3L, 4L, 5L, 9L, 0L, 8L, 1L, 7L, 2L, 6L, //
            1L, 6L, 8L, 7L, 5L, 9L, 4L, 0L, 3L, 2L, //
            3L, 4L, 1L, 0L, 6L, 9L, 2L, 7L, 5L, 8L);
    assertThat(range(10).globalShuffle(new Seed(1, 2)).repeat(3).toList()).isEqualTo(expected);
  }

  @Test
  void allPassesAreAlikeWhereAskedFor() {
    List<Long> expected = List.of(7L, 6L, 8L, 0L, 5L, 2L, 4L, 3L, 1L, 9L);
    Dataset<Long> same = range(10).globalShuffle(new Seed(1, 2), false);
    assertThat(same.toList()).isEqualTo(expected);
    assertThat(same.repeat(2).skip(10).toList()).isEqualTo(expected);
  }

  @Test
  void worksOnSmallAndHugeDatasets() {
    assertThat(range(0).globalShuffle(Seed.of(1)).toList()).isEmpty();
    assertThat(range(1).globalShuffle(Seed.of(1)).toList()).containsExactly(0L);
    Dataset<Long> huge = range(1L << 60).globalShuffle(Seed.of(1));
    assertThat(huge.skip(1L << 59).take(3).toList()).doesNotHaveDuplicates().hasSize(3);
    assertThat(huge.cardinality()).isEqualTo(1L << 60);
  }

  @Test
  void shufflesWhatIsMadeOfRandomAccess() {
    Dataset<Tensor> batches =
        range(20)
            .map(x -> 10 * x, 4)
            .skip(2)
            .concatenate(range(2))
            .prefetch(2)
            .batch(2, Collator.stack());
    assertThat(batches.globalShuffle(Seed.of(4)).map(batch -> batch.longAt(0)).toList())
        .hasSize(10)
        .containsExactlyInAnyOrder(20L, 40L, 60L, 80L, 100L, 120L, 140L, 160L, 180L, 0L);
  }

  @Test
  void anElementIsNamedByItsIndex() {
    assertThat(
            Outcomes.errors(
                range(10).map(x -> Outcomes.refusing(4, x)).globalShuffle(Seed.of(1)).repeat(2)))
        .extracting(PipelineException::element)
        .containsExactly("0/4", "1/4");
  }

  @Test
  void aCheckpointOfOtherFilesIsRefused(@TempDir Path folder) throws IOException {
    for (int i = 0; i < 5; i++) {
      Files.writeString(folder.resolve(i + ".txt"), "x");
    }
    Dataset<Path> files = Dataset.listFiles(folder + "/*.txt").globalShuffle(Seed.of(2));
    assertThat(files.cardinality()).isEqualTo(UNKNOWN);
    assertThat(files.toList()).hasSize(5).doesNotHaveDuplicates();
    Checkpoint checkpoint;
    try (Pipeline<Path> pipeline = files.open()) {
      Iterator<Path> iterator = pipeline.iterator();
      iterator.next();
      checkpoint = pipeline.checkpoint();
    }
    Files.writeString(folder.resolve("1.txt"), "changed");
    try (Pipeline<Path> pipeline = files.open(checkpoint)) {
      assertThatThrownBy(pipeline::iterator)
          .hasMessageContaining("expected the 5 elements that globalShuffle");
    }
  }

  @Test
  void missingFilesEndThePipeline() {
    List<PipelineException> errors =
        Outcomes.errors(Dataset.listFiles("/nowhere/*.txt").globalShuffle(Seed.of(2)));
    assertThat(errors).hasSize(1);
    assertThat(errors.getFirst().isTerminal()).isTrue();
  }

  @Test
  @SuppressWarnings("NullAway") // what is refused
  void refusesWhatCannotBeHadByIndexAndNamesIt() {
    assertThatThrownBy(() -> range(9).filter(x -> true).map(x -> x).globalShuffle(Seed.of(1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(
            "globalShuffle: expected a dataset whose elements can be had by index, but filter (")
        .hasMessageEndingWith("put globalShuffle before it, or use shuffle with a buffer");
    assertThatThrownBy(() -> range(9).repeat().globalShuffle(Seed.of(1)))
        .hasMessage(
            "globalShuffle: expected a dataset that ends, but got one that does not; put repeat()"
                + " after it");
    assertThatThrownBy(() -> range(9).globalShuffle(null))
        .hasMessage("globalShuffle: expected a seed, but got null");
  }
}
