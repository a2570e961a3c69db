package dev.headrace.profile.lint;

import static dev.headrace.Dataset.AUTOTUNE;
import static dev.headrace.profile.lint.LintCases.SEED;
import static dev.headrace.profile.lint.LintCases.found;
import static dev.headrace.profile.lint.LintCases.rows;
import static dev.headrace.profile.lint.LintCases.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Dataset;
import dev.headrace.PipelineException;
import dev.headrace.data.Tensor;
import dev.headrace.spi.InputFiles;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Memory: where a rule speaks, and where something like it is harmless. */
final class MemoryRulesTest {
  @TempDir Path folder;

  @Test
  void aShuffleThatDoesNotFit() {
    Dataset<Tensor> spilling = rows(100, 10_000).options(o -> o.heapBudget(500_000));
    Dataset<Tensor> large = spilling.options(o -> o.spill(false));
    Dataset<Tensor> shuffled = large.shuffle(80, SEED);
    assertThat(found(spilling.shuffle(80, SEED))).containsExactly("HINT does-not-fit at shuffle");
    assertThat(found(rows(20_000, 40).options(spilling.options()).shuffle(20_000, SEED)))
        .containsExactly("PROBLEM does-not-fit at shuffle"); // its slots alone are too large

    assertThat(found(shuffled)).containsExactly("PROBLEM does-not-fit at shuffle");
    assertThatThrownBy(shuffled::toList)
        .isInstanceOf(PipelineException.class)
        .hasMessageContaining("shuffle");

    assertThat(found(large.ignoreErrors().prefetch(2).shuffle(80, SEED)))
        .containsExactly("PROBLEM does-not-fit at shuffle");
    assertThat(found(large.repeat().filter(x -> true, 4).shuffle(80, SEED)))
        .contains("PROBLEM does-not-fit at shuffle");

    assertThat(found(large.filter(x -> true, 4).shuffle(80, SEED))).isEmpty();
    assertThat(found(large.shuffle(40, SEED))).isEmpty();
    assertThat(large.shuffle(40, SEED).toList()).hasSize(100);
    assertThat(found(large.take(30).shuffle(80, SEED))).isEmpty();
    assertThat(found(large.map(LintCases::augmented, 4).shuffle(80, SEED))).isEmpty();
  }

  @Test
  void aShuffleOfRecordsThatDoesNotFit() throws IOException {
    write(folder, "records-%d.bin", 2, 400_000);
    Dataset<byte[]> records =
        Dataset.fixedLengthRecords(folder + "/records-*.bin", 1000)
            .options(o -> o.heapBudget(500_000).spill(false));

    assertThat(found(records.shuffle(700, SEED).prefetch(2)))
        .containsExactly("PROBLEM does-not-fit at shuffle");

    assertThat(found(records.shuffle(400, SEED).prefetch(2))).isEmpty();
    assertThat(found(records.shuffle(2000, SEED).prefetch(2)))
        .isEmpty(); // there are fewer, and how many is not known before they are read
  }

  @Test
  void aCacheThatDoesNotFit() throws IOException {
    write(folder, "lines-%d.txt", 2, 700_000);
    Dataset<Tensor> spilling = rows(100, 10_000).options(o -> o.heapBudget(500_000));
    Dataset<Tensor> large = spilling.options(o -> o.spill(false));
    Dataset<String> lines = Dataset.textLines(folder + "/lines-*.txt").options(large.options());

    assertThat(found(spilling.cache())).containsExactly("HINT does-not-fit at cache");
    assertThat(found(large.cache())).containsExactly("PROBLEM does-not-fit at cache");
    assertThatThrownBy(() -> large.cache().toList()).isInstanceOf(PipelineException.class);
    assertThat(found(lines.cache())).containsExactly("PROBLEM does-not-fit at cache");

    assertThat(found(large.take(20).cache())).isEmpty();
    assertThat(found(large.cache(Path.of("x")))).isEmpty();
    assertThat(found(lines.filter(x -> x.isEmpty()).cache())).isEmpty();
    assertThat(
            found(
                Dataset.textLines(InputFiles.of(folder.resolve("missing.txt")))
                    .cache()
                    .prefetch(2)))
        .isEmpty();
  }

  @Test
  void aPrefetchThatDoesNotFit() {
    Dataset<Tensor> large =
        rows(1000, 10_000).batch(10).repeat().options(o -> o.memoryBudget(500_000));

    assertThat(found(large.prefetch(20))).containsExactly("HINT does-not-fit at prefetch");
    assertThat(found(large.prefetch(2000))).containsExactly("HINT does-not-fit at prefetch");

    assertThat(found(large.prefetch(8))).containsExactly("HINT does-not-fit at prefetch");
    assertThat(found(large.prefetch(4))).isEmpty();
    assertThat(found(large.prefetch(AUTOTUNE))).isEmpty();
  }
}
