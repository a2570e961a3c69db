package dev.headrace.profile.lint;

import static dev.headrace.Dataset.AUTOTUNE;
import static dev.headrace.profile.lint.LintCases.SEED;
import static dev.headrace.profile.lint.LintCases.examples;
import static dev.headrace.profile.lint.LintCases.found;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.Dataset;
import dev.headrace.data.Tensor;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Caches: where a rule speaks, and where something like it is harmless. */
final class CacheRulesTest {
  @Test
  void frozenRandomMap() {
    Dataset<Tensor> random = examples(1000).randomMap((x, r) -> x, SEED, AUTOTUNE);

    assertThat(found(random.cache().prefetch(2)))
        .containsExactly("PROBLEM cache-freezes-random-map at cache");
    assertThat(found(random.batch(8).cache(Path.of("x")).prefetch(2)))
        .containsExactly("PROBLEM cache-freezes-random-map at cacheFile");
    assertThat(found(random.cache().repeat(3).options(o -> o.epochs(1))))
        .containsExactly("PROBLEM cache-freezes-random-map at cache");

    assertThat(found(examples(1000).cache().randomMap((x, r) -> x, SEED, AUTOTUNE))).isEmpty();
    assertThat(found(examples(1000).repeat(5).randomMap((x, r) -> x, SEED, 4).cache()))
        .isEmpty(); // five variants of each, kept on purpose
    assertThat(found(random.cache().options(o -> o.epochs(1)))).isEmpty();
  }

  @Test
  void frozenOrder() {
    assertThat(found(examples(1000).shuffle(100).cache().prefetch(2)))
        .containsExactly("HINT cache-freezes-order at cache");
    assertThat(
            found(
                Dataset.listFiles("x/*.jpg", SEED)
                    .map(Files::readAllBytes, AUTOTUNE)
                    .cache()
                    .prefetch(2)))
        .containsExactly("HINT cache-freezes-order at cache");

    assertThat(found(examples(1000).cache().shuffle(100).prefetch(2))).isEmpty();
    assertThat(found(examples(1000).shuffle(100, SEED, false).cache().prefetch(2))).isEmpty();
    assertThat(
            found(
                Dataset.listFiles("x/*.jpg", SEED)
                    .map(Files::readAllBytes, AUTOTUNE)
                    .cache()
                    .shuffle(100)
                    .prefetch(2)))
        .isEmpty();
    assertThat(found(examples(1000).shuffle(100).cache().options(o -> o.epochs(1)))).isEmpty();
  }

  @Test
  void endlessCache() {
    assertThat(found(examples(1000).repeat().cache()))
        .containsExactly("PROBLEM cache-endless at cache");
    assertThat(found(Dataset.tfRecords("x/*").repeat().batch(2).cache().prefetch(2)))
        .containsExactly("PROBLEM cache-endless at cache");

    assertThat(
            found(
                Dataset.listFiles("x/*")
                    .repeat()
                    .interleave(f -> Dataset.textLines(f), 4, 1, AUTOTUNE)
                    .filter(line -> !line.isBlank(), 4)
                    .cache()
                    .prefetch(2)))
        .containsExactly("PROBLEM cache-endless at cache");

    assertThat(found(examples(1000).repeat().filter(x -> true, 4).take(500).cache())).isEmpty();
    assertThat(found(examples(1000).repeat().takeWhile(x -> true).cache())).isEmpty();
    assertThat(found(examples(1000).repeat().take(500).cache())).isEmpty();
    assertThat(found(examples(1000).cache().repeat())).isEmpty();
  }

  @Test
  void cacheAfterRepeat() {
    assertThat(found(examples(1000).repeat(3).batch(8).prefetch(2))).isEmpty();
    assertThat(found(examples(1000).repeat(3).cache()))
        .containsExactly("HINT cache-after-repeat at cache");

    assertThat(found(examples(1000).repeat(3).batch(8).cache()))
        .containsExactly("HINT cache-after-repeat at cache");
    assertThat(
            found(
                Dataset.listFiles("x/*")
                    .repeat(3)
                    .interleave(f -> Dataset.textLines(f), 4, 1, AUTOTUNE)
                    .filter(line -> !line.isBlank(), 4)
                    .cache()
                    .prefetch(2)))
        .containsExactly("HINT cache-after-repeat at cache");

    assertThat(found(examples(1000).repeat(3).randomMap((x, r) -> x, SEED, 4).batch(8).cache()))
        .isEmpty();
    assertThat(found(examples(1000).cache().repeat(3))).isEmpty();
    assertThat(found(examples(1000).repeat(1).cache())).isEmpty();
  }

  @Test
  void neverFilled() {
    assertThat(found(examples(1000).cache().take(500)))
        .containsExactly("PROBLEM cache-never-filled at take");
    assertThat(found(examples(1000).cache().batch(10).prefetch(2).take(50)))
        .containsExactly("PROBLEM cache-never-filled at take");
    assertThat(found(Dataset.tfRecords("x/*").cache().shuffle(100).take(500).prefetch(2)))
        .containsExactly("HINT cache-never-filled at take");

    assertThat(found(examples(1000).cache().take(1000))).isEmpty();
    assertThat(found(examples(1000).cache().batch(10).take(100))).isEmpty();
    assertThat(found(examples(1000).take(500).cache())).isEmpty();
    assertThat(found(examples(1000).cache().shuffle(600, SEED).take(500))).isEmpty();
    assertThat(found(examples(1000).cache().repeat().take(5000))).isEmpty();
    assertThat(found(examples(1000).cache().take(-1))).isEmpty();
    assertThat(found(examples(1000).cache().take(500).options(o -> o.epochs(1)))).isEmpty();
  }
}
