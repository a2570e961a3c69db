package dev.headrace.profile.lint;

import static dev.headrace.Dataset.AUTOTUNE;
import static dev.headrace.profile.lint.LintCases.SEED;
import static dev.headrace.profile.lint.LintCases.examples;
import static dev.headrace.profile.lint.LintCases.found;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.Dataset;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Shuffles: where a rule speaks, and where something like it is harmless. */
final class ShuffleRulesTest {
  @Test
  void shuffleAfterBatch() {
    assertThat(found(examples(1000).batch(32).shuffle(100).prefetch(2)))
        .containsExactly("HINT shuffle-after-batch at shuffle");
    assertThat(found(examples(1000).batch(32).map(x -> x, 4).shuffle(100).prefetch(2)))
        .containsExactly("HINT shuffle-after-batch at shuffle");

    assertThat(found(examples(1000).batch(32).cache().shuffle(100).prefetch(2)))
        .containsExactly("HINT shuffle-after-batch at shuffle");
    assertThat(found(examples(1000).batch(32).filter(x -> true, 4).take(9).shuffle(100)))
        .containsExactly("HINT shuffle-after-batch at shuffle");

    assertThat(found(examples(1000).shuffle(100).batch(32).prefetch(2))).isEmpty();
    assertThat(found(examples(1000).cache().shuffle(100).batch(32).prefetch(2))).isEmpty();
    assertThat(found(examples(1000).shuffle(500).batch(32).shuffle(10).prefetch(2))).isEmpty();
    assertThat(found(examples(1000).batch(101, true).shuffle(9).batch(4).prefetch(2)))
        .isEmpty(); // sequences of tokens are the elements
    assertThat(found(examples(1000).batch(32).unbatch(t -> List.of(t)).shuffle(9).prefetch(2)))
        .isEmpty();
    assertThat(found(examples(1000).batch(32).shuffle(9).unbatch().prefetch(2)))
        .isEmpty(); // blocks of neighbours change places
  }

  @Test
  void repeatBeforeShuffle() {
    assertThat(found(examples(1000).repeat().shuffle(100).batch(32)))
        .containsExactly("HINT repeat-before-shuffle at shuffle");
    assertThat(found(examples(1000).repeat(3).map(x -> x, 4).shuffle(100)))
        .containsExactly("HINT repeat-before-shuffle at shuffle");

    assertThat(found(examples(1000).repeat().filter(x -> true, 4).shuffle(100)))
        .containsExactly("HINT repeat-before-shuffle at shuffle");

    assertThat(found(examples(1000).shuffle(100).repeat().batch(32))).isEmpty();
    assertThat(
            found(
                Dataset.sampleFrom(
                        List.of(examples(9).repeat(), examples(9).repeat()),
                        new double[] {0.5, 0.5},
                        SEED)
                    .shuffle(100)))
        .isEmpty(); // a mixture has no epochs
    assertThat(found(examples(1000).shuffle(900).repeat().shuffle(10).batch(32))).isEmpty();
    assertThat(found(examples(1000).repeat(1).shuffle(100))).isEmpty();
    assertThat(
            found(
                Dataset.listFiles("x/*")
                    .repeat()
                    .interleave(f -> Dataset.textLines(f), 4, 1, AUTOTUNE)
                    .shuffle(100)
                    .prefetch(2)))
        .isEmpty();
  }

  @Test
  void shuffleOfOne() {
    assertThat(found(examples(1000).shuffle(1))).containsExactly("HINT shuffle-of-one at shuffle");

    assertThat(found(examples(1000).shuffle(2))).isEmpty();
    assertThat(found(examples(1).shuffle(1))).isEmpty();
  }

  @Test
  void shuffleBeforeSplit() {
    assertThat(found(examples(1000).shuffle(1000, SEED).skip(200).batch(32)))
        .containsExactly("HINT shuffle-before-split at skip");
    assertThat(found(Dataset.range(1000).globalShuffle(SEED).skip(200)))
        .containsExactly("HINT shuffle-before-split at skip");

    assertThat(found(examples(1000).shuffle(1000, SEED).filter(x -> true, 4).skip(200)))
        .containsExactly("HINT shuffle-before-split at skip");
    assertThat(
            found(
                Dataset.listFiles("x/*", SEED)
                    .interleave(f -> Dataset.textLines(f), 4, 1, AUTOTUNE)
                    .skip(200)))
        .containsExactly("HINT shuffle-before-split at skip");

    assertThat(found(examples(1000).shuffle(1000, SEED, false).skip(200).shuffle(100))).isEmpty();
    assertThat(found(examples(1000).skip(200).shuffle(100))).isEmpty();
    assertThat(found(examples(1000).shuffle(100, SEED).repeat().skip(2500))).isEmpty();
    assertThat(found(examples(1000).shuffle(1000, SEED).skip(0))).isEmpty();
    assertThat(found(examples(1000).shuffle(1000, SEED, false).cache().skip(200))).isEmpty();
    assertThat(found(examples(1000).shuffle(900).skip(200).options(o -> o.epochs(1)))).isEmpty();
  }
}
