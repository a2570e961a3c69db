package dev.headrace.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The operator that {@code CONTRIBUTING.md} shows is compiled and tested here. */
class ContributingPageTest {
  private static final Path PAGE = Path.of("../CONTRIBUTING.md");
  private static final Path SOURCES = Path.of("src/test/java/dev/headrace/op");
  private static final Pattern FILE =
      Pattern.compile("`[\\w/-]+/(\\w+\\.java)`:\n\n```java\n(.*?)```", Pattern.DOTALL);

  @Test
  void showsAnOperatorThatIsTested() throws IOException {
    List<String> shown = new ArrayList<>();
    Matcher file = FILE.matcher(Files.readString(PAGE));
    while (file.find()) {
      shown.add(file.group(1));
      assertThat(file.group(2))
          .as(file.group(1))
          .isEqualTo(Files.readString(SOURCES.resolve(file.group(1))));
    }
    assertThat(shown).containsExactly("EveryNthOp.java", "EveryNthOpTest.java");
  }
}
