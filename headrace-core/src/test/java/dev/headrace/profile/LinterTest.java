package dev.headrace.profile;

import static dev.headrace.profile.lint.LintCases.examples;
import static dev.headrace.profile.lint.LintCases.found;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.Dataset;
import dev.headrace.data.Seed;
import dev.headrace.data.Tensor;
import dev.headrace.profile.Finding.Severity;
import dev.headrace.profile.lint.LintCases;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What findings are like; the rules have tests of their own. */
final class LinterTest {
  private static final Seed SEED = Seed.of(7);

  @Test
  void aFindingSaysWhereWhatWhyAndWhatToDo() {
    Finding finding =
        Dataset.range(1000)
            .map(LintCases::load)
            .named("load")
            .prefetch(2)
            .map(LintCases::augmented)
            .named("augment")
            .batch(32)
            .lint()
            .getFirst();

    assertThat(finding.severity()).isEqualTo(Severity.HINT);
    assertThat(finding.rule()).isEqualTo("work-after-prefetch");
    assertThat(finding.operator()).matches("map 'augment' \\(LinterTest\\.java:\\d+\\)");
    assertThat(finding.message()).contains("thread that calls next()");
    assertThat(finding.evidence().getFirst()).startsWith("prefetch (LinterTest.java:");
    assertThat(finding.advice()).contains(".prefetch(AUTOTUNE)", ".map(…, AUTOTUNE)");
  }

  @Test
  void theGravestComeFirst() {
    Dataset<Tensor> dataset =
        examples(1000).batch(1).shuffle(1).randomMap((x, random) -> x, SEED).cache().prefetch(2);

    assertThat(dataset.lint())
        .extracting(Finding::severity)
        .containsExactly(Severity.PROBLEM, Severity.HINT, Severity.NOTE);
  }

  @Test
  void anOperatorThatIsThereTwiceIsReportedOnce() {
    Dataset<Tensor> one = examples(1000).shuffle(1, SEED);

    assertThat(found(one.zip(one).prefetch(2))).containsExactly("HINT shuffle-of-one at shuffle");
  }

  @Test
  void everyRuleHasATest() throws IOException {
    StringBuilder tests = new StringBuilder();
    try (Stream<Path> files = Files.list(Path.of("src/test/java/dev/headrace/profile/lint"))) {
      for (Path file : files.toList()) {
        tests.append(Files.readString(file));
      }
    }

    assertThat(Linter.RULES)
        .allSatisfy(
            rule ->
                assertThat(List.of("PROBLEM", "HINT", "NOTE"))
                    .anyMatch(level -> tests.indexOf(level + " " + rule.id() + " at") >= 0));
    assertThat(Linter.RULES).extracting(rule -> rule.id()).doesNotHaveDuplicates();
  }
}
