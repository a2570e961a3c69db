package dev.headrace.optimize;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/**
 * {@code docs/inside/optimizer.md} has the rules as they are in the code. With {@code
 * -Dheadrace.docs.write=true} its table is written again.
 */
final class OptimizerPageTest {
  private static final Path PAGE = Path.of("../docs/inside/optimizer.md");
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
            "write it with: mvn -pl headrace-core test -Dtest=OptimizerPageTest"
                + " -Dheadrace.docs.write=true")
        .isEqualTo(expected);
    for (String rule : Optimizer.rules().keySet()) {
      assertThat(page).contains("**`" + rule + "`.** ");
    }
  }

  private static String table() {
    StringBuilder table = new StringBuilder("| rule | what it does |\n|---|---|\n");
    Optimizer.rules()
        .forEach((name, what) -> table.append("| `%s` | %s |\n".formatted(name, what)));
    return table.toString();
  }
}
