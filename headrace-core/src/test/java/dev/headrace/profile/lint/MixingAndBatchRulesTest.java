package dev.headrace.profile.lint;

import static dev.headrace.profile.lint.LintCases.SEED;
import static dev.headrace.profile.lint.LintCases.examples;
import static dev.headrace.profile.lint.LintCases.found;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.Dataset;
import dev.headrace.data.Tensor;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Mixtures and batches: where a rule speaks, and where something like it is harmless. */
final class MixingAndBatchRulesTest {
  @Test
  void neverReached() {
    Dataset<Tensor> other = examples(10);

    assertThat(found(examples(1000).repeat().concatenate(other)))
        .containsExactly("PROBLEM never-reached at concatenate");
    assertThat(found(Dataset.tfRecords("x/*").repeat().concatenate(other).prefetch(2)))
        .containsExactly("PROBLEM never-reached at concatenate");

    assertThat(
            found(
                Dataset.listFiles("x/*")
                    .repeat()
                    .flatMap(f -> Dataset.textLines(f))
                    .filter(x -> true)
                    .concatenate(Dataset.textLines("y"))
                    .prefetch(2)))
        .containsExactly("PROBLEM never-reached at concatenate");

    assertThat(found(examples(1000).concatenate(other.repeat()))).isEmpty();
    assertThat(found(examples(1000).repeat().take(500).concatenate(other))).isEmpty();
  }

  @Test
  void mixDrifts() {
    double[] halves = {0.5, 0.5};
    Dataset<Tensor> ends = examples(10);
    Dataset<Tensor> goesOn = examples(10).repeat();
    Dataset<Tensor> mayGoOn = Dataset.generator(() -> List.<Tensor>of().iterator());

    assertThat(found(Dataset.sampleFrom(List.of(ends, goesOn), halves, SEED, false)))
        .containsExactly("HINT mix-drifts at sampleFrom");

    assertThat(found(Dataset.sampleFrom(List.of(ends, goesOn), halves, SEED))).isEmpty();
    assertThat(found(Dataset.sampleFrom(List.of(goesOn, goesOn), halves, SEED, false))).isEmpty();
    assertThat(found(Dataset.sampleFrom(List.of(ends, ends), halves, SEED, false))).isEmpty();
    assertThat(found(Dataset.sampleFrom(List.of(mayGoOn, goesOn), halves, SEED, false).prefetch(2)))
        .containsExactly("NOTE no-checkpoint at generator");
  }

  @Test
  void batchDrops() {
    assertThat(found(examples(50).batch(64, true))).containsExactly("PROBLEM batch-drops at batch");
    assertThat(found(examples(100).batch(64, true))).containsExactly("NOTE batch-drops at batch");

    assertThat(found(examples(50).filter(x -> true, 4).ignoreErrors().batch(64, true)))
        .containsExactly("PROBLEM batch-drops at batch");

    assertThat(found(examples(100).filter(x -> true, 4).batch(64, true))).isEmpty();
    assertThat(found(examples(50).batch(64))).isEmpty();
    assertThat(found(examples(50).repeat().batch(64, true))).isEmpty();
    assertThat(found(examples(1000).batch(64, true))).isEmpty();
  }

  @Test
  void batchUndone() {
    assertThat(found(examples(1000).batch(32).unbatch()))
        .containsExactly("HINT batch-undone at unbatch");
    assertThat(found(examples(1000).batch(32).prefetch(2).unbatch()))
        .containsExactly("HINT batch-undone at unbatch");

    assertThat(found(examples(1000).batch(32).cache().repeat().ignoreErrors().unbatch()))
        .containsExactly("HINT batch-undone at unbatch");

    assertThat(found(examples(1000).batch(32).take(9).unbatch())).isEmpty();
    assertThat(found(examples(1000).batch(32).map(x -> x, 4).unbatch())).isEmpty();
    assertThat(found(examples(1000).batch(32).shuffle(8).unbatch().batch(4))).isEmpty();
    assertThat(found(examples(1000).batch(32).rebatch(8))).isEmpty();
  }

  @Test
  void batchOfOne() {
    assertThat(found(examples(1000).batch(1))).containsExactly("NOTE batch-of-one at batch");

    assertThat(found(examples(1000).batch(2))).isEmpty();
  }
}
