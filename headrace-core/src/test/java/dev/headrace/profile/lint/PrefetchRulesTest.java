package dev.headrace.profile.lint;

import static dev.headrace.Dataset.AUTOTUNE;
import static dev.headrace.profile.lint.LintCases.SEED;
import static dev.headrace.profile.lint.LintCases.examples;
import static dev.headrace.profile.lint.LintCases.found;
import static dev.headrace.profile.lint.LintCases.rows;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.Dataset;
import dev.headrace.data.Tensor;
import dev.headrace.profile.lint.LintCases.MapOnDeviceOp;
import dev.headrace.profile.lint.LintCases.PrefetchToDeviceOp;
import dev.headrace.spi.Collator;
import dev.headrace.spi.Scanned;
import dev.headrace.text.Json;
import org.junit.jupiter.api.Test;

/** Reading ahead: where a rule speaks, and where something like it is harmless. */
final class PrefetchRulesTest {
  @Test
  void workAfterPrefetch() {
    assertThat(found(examples(1000).prefetch(2).map(LintCases::augmented).batch(32)))
        .containsExactly("HINT work-after-prefetch at map");
    assertThat(
            found(examples(1000).batch(32).prefetch(2).randomMap((x, random) -> x, SEED).take(500)))
        .containsExactly("HINT work-after-prefetch at randomMap");

    assertThat(
            found(
                examples(1000)
                    .prefetch(2)
                    .scan(0L, (sum, x) -> new Scanned<>(sum + 1, x))
                    .batch(32)))
        .containsExactly("HINT work-after-prefetch at scan");
    assertThat(found(examples(1000).prefetch(2).filter(LintCases::isDark).batch(32)))
        .containsExactly("NOTE work-after-prefetch at filter");
    assertThat(found(examples(1000).prefetch(2).filter(x -> true).map(LintCases::augmented)))
        .containsExactly("HINT work-after-prefetch at map"); // once for each prefetch

    assertThat(found(examples(1000).prefetch(2).map(LintCases::augmented, 4).batch(32))).isEmpty();
    assertThat(found(examples(1000).prefetch(2).map(LintCases::augmented).batch(32).prefetch(2)))
        .isEmpty();
    assertThat(found(examples(1000).prefetch(2).map(LintCases::augmented).synchronous())).isEmpty();
    assertThat(
            found(
                examples(1000)
                    .prefetch(2)
                    .filter(x -> x.shape().rank() == 0)
                    .batch(32)
                    .prefetch(2)))
        .isEmpty();
    assertThat(found(examples(1000).prefetch(2).filter(x -> true, 4).batch(32))).isEmpty();
    assertThat(found(examples(1000).filter(x -> x.shape().rank() == 0).batch(32))).isEmpty();
    assertThat(found(Dataset.textLines("x").prefetch(9).filter(Json.notBlank()))).isEmpty();
    assertThat(found(examples(50).prefetch(2).map(LintCases::augmented))).isEmpty();
  }

  @Test
  void noPrefetch() {
    assertThat(found(Dataset.range(1000).map(LintCases::load).batch(32)))
        .containsExactly("HINT no-prefetch at map");
    assertThat(found(Dataset.textLines("data/*.txt").batch(32, Collator.toList())))
        .containsExactly("HINT no-prefetch at textLines");
    assertThat(found(Dataset.range(1000).flatMap(i -> Dataset.range(i))))
        .containsExactly("HINT no-prefetch at flatMap");
    assertThat(found(examples(1000).map(LintCases::augmented).batch(32).prefetch(0)))
        .containsExactly("HINT no-prefetch at map");

    assertThat(found(Dataset.range(1000).map(LintCases::load, AUTOTUNE).batch(32))).isEmpty();
    assertThat(found(Dataset.range(1000).batch(32, Collator.stack()))).isEmpty();
    assertThat(found(Dataset.textLines("data/*.txt").take(5))).isEmpty();
    assertThat(found(Dataset.range(1000).window(5).flatMap(w -> w.batch(5, Collator.stack()))))
        .isEmpty();
    assertThat(
            found(
                Dataset.range(1000)
                    .window(5)
                    .shuffle(9, SEED)
                    .flatMap(w -> w.batch(5, Collator.stack()))))
        .isEmpty();
    assertThat(found(Dataset.textLines("data/*.txt").map(x -> x).synchronous())).isEmpty();
    assertThat(found(Dataset.textLines("data/*.txt").cache().batch(32, Collator.toList())))
        .isEmpty();
    assertThat(found(Dataset.range(1000).map(LintCases::load).batch(32).options(o -> o.debug())))
        .isEmpty();
  }

  @Test
  void prefetchTwice() {
    assertThat(found(examples(1000).batch(32).prefetch(2).prefetch(AUTOTUNE)))
        .containsExactly("HINT prefetch-twice at prefetch");

    assertThat(found(examples(1000).batch(32).prefetch(2).take(20).ignoreErrors().prefetch(2)))
        .containsExactly("HINT prefetch-twice at prefetch");

    assertThat(found(examples(1000).prefetch(64).batch(32).prefetch(AUTOTUNE))).isEmpty();
    assertThat(found(examples(1000).prefetch(2).concatenate(examples(9)).prefetch(2))).isEmpty();
    assertThat(found(examples(1000).prefetch(2).filter(x -> true).prefetch(2))).isEmpty();
    assertThat(found(examples(1000).batch(32).prefetch(0).prefetch(2))).isEmpty();
  }

  @Test
  void prefetchOfManyBatches() {
    assertThat(found(examples(1_000_000).batch(32).prefetch(10_000)))
        .containsExactly("HINT prefetch-many-batches at prefetch");

    assertThat(found(examples(1_000_000).batch(32).prefetch(100))).isEmpty();
    assertThat(found(examples(1_000_000).prefetch(10_000).batch(32))).isEmpty();
    assertThat(found(examples(1_000).batch(32).prefetch(10_000))).isEmpty();
    assertThat(found(rows(2, 4).repeat().batch(2).prefetch(10_000))).isEmpty();
  }

  @Test
  void deviceNotLast() {
    Dataset<Tensor> onDevice = examples(1000).batch(32).append(PrefetchToDeviceOp::new);

    assertThat(found(onDevice.batch(2)))
        .containsExactly("HINT device-not-last at prefetchToDevice");
    assertThat(found(onDevice.map(LintCases::augmented)))
        .containsExactly("HINT device-not-last at prefetchToDevice");

    assertThat(found(onDevice)).isEmpty();
    assertThat(found(onDevice.take(500))).isEmpty();
    assertThat(found(onDevice.append(MapOnDeviceOp::new))).isEmpty();
  }
}
