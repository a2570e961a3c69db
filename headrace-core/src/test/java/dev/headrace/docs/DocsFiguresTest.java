package dev.headrace.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The figures of README are those of the newest runs that {@code docs/inside/benchmarks.md} has.
 */
class DocsFiguresTest {
  private static final Path README = Path.of("../README.md");
  private static final Path BENCHMARKS = Path.of("../docs/inside/benchmarks.md");

  /** A median with its interval, or a figure of three digits and more. */
  private static final Pattern FIGURE =
      Pattern.compile("[\\d.,]+ \\([\\d.,]+ – [\\d.,]+\\)|\\d+,\\d{3}|[\\d.]+ % right of \\d+");

  @Test
  void figuresOfTheReadmeAreTheLatest() throws IOException {
    String latest = section(Files.readString(BENCHMARKS), "## Latest");
    String readme = section(Files.readString(README), "## Figures");
    List<String> rows =
        readme.lines().filter(line -> line.startsWith("|") && line.contains("20")).toList();
    assertThat(rows).hasSize(5);
    for (String row : rows) {
      assertThat(row)
          .as("a command and a date")
          .containsPattern("`[^`]*headrace bench [^`]*`[^|]*\\| 20");
      FIGURE
          .matcher(row)
          .results()
          .forEach(found -> assertThat(latest).as(row).contains(found.group()));
    }
  }

  @Test
  void latestFiguresAreInTheSectionsBelow() throws IOException {
    String page = Files.readString(BENCHMARKS);
    String latest = section(page, "## Latest");
    String below = page.substring(page.indexOf("## Overhead")).replaceAll(" +", " ");
    Pattern.compile("([\\d.,]+) \\(([\\d.,]+ – [\\d.,]+)\\)")
        .matcher(latest)
        .results()
        .forEach(
            found ->
                assertThat(below)
                    .satisfiesAnyOf(
                        text -> assertThat(text).contains(found.group()),
                        text -> assertThat(text).contains(found.group(1) + " " + found.group(2))));
  }

  private static String section(String page, String heading) {
    int from = page.indexOf(heading + "\n");
    assertThat(from).as(heading).isNotNegative();
    int to = page.indexOf("\n## ", from + 1);
    return page.substring(from, to < 0 ? page.length() : to);
  }
}
