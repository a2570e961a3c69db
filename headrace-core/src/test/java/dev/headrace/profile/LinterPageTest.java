package dev.headrace.profile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.profile.lint.Rule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/**
 * {@code docs/reference/linter.md} has the rules as they are in the code. With {@code
 * -Dheadrace.docs.write=true} its table is written again.
 */
final class LinterPageTest {
  private static final Path PAGE = Path.of("../docs/reference/linter.md");
  private static final String BEGIN = "<!-- rules: made from the code, do not edit -->\n";
  private static final String END = "<!-- end of rules -->\n";

  @Test
  void hasTheRulesOfTheCode() throws IOException {
    String page = Files.readString(PAGE);
    int begin = page.indexOf(BEGIN) + BEGIN.length();
    int end = page.indexOf(END);
    assertThat(end).as("a page with marks around its table").isGreaterThanOrEqualTo(begin);
    String expected = page.substring(0, begin) + table() + page.substring(end);
    if (Boolean.getBoolean("headrace.docs.write")) {
      Files.writeString(PAGE, expected);
    }
    assertThat(Files.readString(PAGE))
        .as(
            "write it with: mvn -pl headrace-core test -Dtest=LinterPageTest"
                + " -Dheadrace.docs.write=true")
        .isEqualTo(expected);
  }

  private static String table() {
    StringBuilder table = new StringBuilder();
    table.append("| rule | at most a | what | why | instead |\n|---|---|---|---|---|\n");
    for (Rule rule : Linter.RULES) {
      table.append(
          "| `%s` | %s | %s | %s | %s |\n"
              .formatted(
                  rule.id(),
                  rule.severity().name().toLowerCase(Locale.ROOT),
                  rule.what(),
                  rule.why(),
                  rule.instead()));
    }
    return table.toString();
  }
}
