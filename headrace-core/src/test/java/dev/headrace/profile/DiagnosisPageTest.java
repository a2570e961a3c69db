package dev.headrace.profile;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** {@code docs/guides/diagnosis.md} has every kind of verdict. */
class DiagnosisPageTest {
  private static final Path PAGE = Path.of("../docs/guides/diagnosis.md");

  @Test
  void hasEveryKindOfVerdict() throws IOException {
    String page = Files.readString(PAGE);
    String section = page.substring(page.indexOf("| verdict |"), page.indexOf("\n\nIf other"));
    Set<String> named =
        section
            .lines()
            .skip(2)
            .map(line -> line.split("\\|")[1].strip())
            .collect(Collectors.toCollection(TreeSet::new));
    Set<String> kinds =
        Arrays.stream(Verdict.Kind.values())
            .map(kind -> kind.name().toLowerCase(Locale.ROOT).replace('_', '-'))
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(named).isEqualTo(kinds);
  }
}
