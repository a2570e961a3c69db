package dev.headrace.optimize;

import static dev.headrace.Dataset.pure;
import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Dataset;
import dev.headrace.Options;
import dev.headrace.spi.Op;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/** What becomes of plans, whatever the rule. */
class OptimizerTest {
  private static Dataset<?> plan() {
    return range(9).map(pure(x -> x + 1)).take(-1).map(pure(x -> x * 2)).batch(2);
  }

  @Test
  void aPlanWithoutAnythingToChangeIsTheUsersOwn() {
    Op plan = range(9).take(3).op();
    Optimised optimised = Optimizer.optimise(plan, Goals.USUAL);
    assertThat(optimised.plan()).isSameAs(plan);
    assertThat(optimised.isAsWritten()).isTrue();
    assertThat(optimised.writtenPlaces("0.0")).containsExactly("0.0");
  }

  @Test
  void aRuleThatIsTurnedOffDoesNothing() {
    Goals goals =
        Goals.USUAL.without(
            Set.of("noop", "parallelise", "prefetch-before-waiting", "prefetch-last"));
    assertThat(Optimizer.optimise(plan().op(), goals).isAsWritten()).isTrue();
    assertThat(Optimizer.optimise(plan().op(), Goals.USUAL).rewrites())
        .extracting(Rewrite::rule)
        .containsExactly("noop", "parallelise", "parallelise", "fuse-maps", "prefetch-last");
  }

  @Test
  void rulesThatDoNotExistCannotBeTurnedOff() {
    assertThatThrownBy(() -> Options.defaults().withoutRules("fuse-maps", "fuse"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(
            "withoutRules: expected names of rules, but got fuse; the rules are noop, ");
  }

  @Test
  void everyPlaceKnowsWhereItComesFrom() {
    Op written = plan().op();
    Optimised optimised = Optimizer.optimise(written, Goals.USUAL);
    // prefetch ← batch ← map ← range, where it was batch ← map ← take ← map ← range
    assertThat(optimised.writtenPlaces("0")).isEmpty();
    assertThat(optimised.writtenPlaces("0.0")).containsExactly("0");
    assertThat(optimised.writtenPlaces("0.0.0")).containsExactly("0.0", "0.0.0.0");
    assertThat(optimised.writtenPlaces("0.0.0.0")).containsExactly("0.0.0.0.0");
    Op fused = optimised.plan().inputs().getFirst().inputs().getFirst();
    assertThat(optimised.origins().of(fused)).isSameAs(written.inputs().getFirst());
  }

  @Test
  void anOperatorThatIsThereTwiceHasTwoPlaces() {
    Dataset<Long> twice = range(9).map(pure(x -> x));
    Optimised optimised =
        Optimizer.optimise(twice.zip(twice).op(), Goals.USUAL.without(Set.of("prefetch-last")));
    assertThat(optimised.rewrites()).hasSize(2);
    assertThat(optimised.writtenPlaces("0.0")).containsExactly("0.0");
    assertThat(optimised.writtenPlaces("0.1")).containsExactly("0.1");
    assertThat(optimised.writtenPlaces("0.1.0")).containsExactly("0.1.0");
    for (Op map : optimised.plan().inputs()) {
      assertThat(optimised.origins().of(map)).isSameAs(twice.op());
    }
  }

  @Test
  void explainShowsBeforeAndAfterAndWhy() {
    List<String> lines = plan().named("pairs").explain().lines().toList();
    assertThat(lines.getFirst()).startsWith("batch(size=2) 'pairs'");
    assertThat(lines)
        .containsSubsequence("rewritten:", "  prefetch(buffer=if it helps)", "because:");
    assertThat(lines.getLast())
        .matches(
            "  prefetch-last: batch 'pairs' \\(OptimizerTest.java:\\d+\\) is read ahead, once that"
                + " was measured to help, because .*");
  }

  @Test
  void explainSaysWhatIsPassedDownWhileRunning() {
    Dataset<?> dataset = range(9).map(x -> x).skip(2).map(x -> x).batch(2).take(3);
    assertThat(dataset.named("few").explain())
        .contains(
            "passed down while running:\n  take 'few' (",
            "no more is asked of range (",
            "what it skips is made, because it may fail, and failures are delivered");
    assertThat(range(9).skip(2).explain()).contains("what it skips is not made");
    assertThat(range(9).shuffle(3).batch(2).take(2).explain()).contains("is asked of shuffle (");
  }

  @Test
  void nothingIsRewrittenWhereThatIsNotWanted() {
    Dataset<?> dataset = plan();
    assertThat(dataset.explain()).contains("rewritten:");
    assertThat(dataset.options(o -> o.asWritten()).explain()).doesNotContain("rewritten:");
    assertThat(dataset.options(o -> o.optimise(false)).explain()).doesNotContain("rewritten:");
    assertThat(dataset.options(o -> o.debug()).explain()).doesNotContain("rewritten:");
    assertThat(
            dataset
                .options(
                    o ->
                        o.withoutRules(
                            "noop", "parallelise", "prefetch-before-waiting", "prefetch-last"))
                .explain())
        .doesNotContain("rewritten:");
  }

  @Test
  @ResourceLock(Resources.SYSTEM_PROPERTIES)
  void aSystemPropertyTurnsAllOfItOff() {
    System.setProperty("headrace.optimise", "false");
    try {
      assertThat(plan().explain()).doesNotContain("rewritten:");
    } finally {
      System.clearProperty("headrace.optimise");
    }
  }

  /** A cache on disk is known by what the user wrote before it. */
  @Test
  void filesAreFoundAgainWhetherThePlanIsRewrittenOrNot(@TempDir Path folder) throws Exception {
    Dataset<Long> dataset =
        range(9).map(pure(x -> x)).map(pure(x -> x + 1)).take(-1).snapshot(folder);
    assertThat(dataset.explain()).contains("fuse-maps", "noop");
    assertThat(dataset.toList()).hasSize(9);
    List<Path> files = files(folder);
    assertThat(dataset.options(o -> o.asWritten()).toList()).hasSize(9);
    assertThat(files(folder)).isEqualTo(files);
  }

  private static List<Path> files(Path folder) throws Exception {
    try (var files = Files.list(folder)) {
      return files.sorted().toList();
    }
  }
}
