package dev.headrace.profile.lint;

import static dev.headrace.Dataset.AUTOTUNE;
import static dev.headrace.profile.lint.LintCases.SEED;
import static dev.headrace.profile.lint.LintCases.examples;
import static dev.headrace.profile.lint.LintCases.found;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.Dataset;
import dev.headrace.data.Tensor;
import dev.headrace.example.Example;
import dev.headrace.example.Feature;
import dev.headrace.spi.Collator;
import dev.headrace.text.Json;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Functions, errors, checkpoints: where a rule speaks, and where something like it is harmless. */
final class FunctionRulesTest {
  @Test
  void noCheckpoint() {
    Dataset<Long> generated = Dataset.generator(() -> List.of(1L).iterator()).prefetch(2);

    assertThat(found(generated.options(o -> o.requireCheckpoint())))
        .containsExactly("PROBLEM no-checkpoint at generator");
    assertThat(found(generated)).containsExactly("NOTE no-checkpoint at generator");

    assertThat(
            found(
                Dataset.repeatableGenerator(() -> List.of(1L).iterator())
                    .prefetch(2)
                    .options(o -> o.requireCheckpoint())))
        .isEmpty();
  }

  @Test
  void errorsIgnoredEarly() {
    assertThat(found(Dataset.range(1000).ignoreErrors().map(LintCases::load, AUTOTUNE)))
        .containsExactly("HINT errors-ignored-early at ignoreErrors");

    assertThat(found(Dataset.range(1000).ignoreErrors().filter(x -> 1 / x > 0, 4)))
        .containsExactly("HINT errors-ignored-early at ignoreErrors");
    assertThat(
            found(
                Dataset.range(1000)
                    .shuffle(9, SEED)
                    .ignoreErrors()
                    .prefetch(2)
                    .flatMap(x -> Dataset.range(x))
                    .prefetch(2)))
        .containsExactly("HINT errors-ignored-early at ignoreErrors");

    assertThat(found(examples(1000).ignoreErrors())).isEmpty();
    assertThat(found(examples(1000).ignoreErrors().filter(x -> true, 4))).isEmpty();
    assertThat(found(Dataset.range(1000).ignoreErrors().batch(8, Collator.stack()))).isEmpty();
    assertThat(found(examples(1000).ignoreErrors().map(LintCases::augmented, 4))).isEmpty();
    assertThat(found(Dataset.tfRecords("x").ignoreErrors().map(LintCases::augmented, AUTOTUNE)))
        .isEmpty(); // damaged records
    assertThat(
            found(Dataset.range(1000).ignoreErrors().map(LintCases::load, AUTOTUNE).ignoreErrors()))
        .isEmpty();
  }

  @Test
  void parserOnOneThread() {
    Dataset<Tensor> records = Dataset.tfRecords("x/*");

    assertThat(found(records.map(Example.parser(Feature.int64("label"))).batch(8).prefetch(2)))
        .containsExactly("HINT parser-on-one-thread at map");
    assertThat(found(Dataset.textLines("x").map(Json.parser()).prefetch(2)))
        .containsExactly("HINT parser-on-one-thread at map");

    assertThat(found(records.map(Example.parser(Feature.int64("label")), 4))).isEmpty();
    assertThat(found(Dataset.jsonLines("x").prefetch(2))).isEmpty();
    assertThat(found(records.map(Example.parser(Feature.int64("label"))).cache())).isEmpty();
    assertThat(found(records.map(x -> x).prefetch(2))).isEmpty();
  }

  @Test
  void interleaveIdleThreads() {
    assertThat(found(Dataset.range(9).interleave(i -> Dataset.range(i), 2, 1, 16)))
        .containsExactly("HINT interleave-idle-threads at interleave");

    assertThat(found(Dataset.range(9).interleave(i -> Dataset.range(i), 8, 1, 16))).isEmpty();
    assertThat(found(Dataset.range(9).interleave(i -> Dataset.range(i), 1, 1, AUTOTUNE))).isEmpty();
  }
}
