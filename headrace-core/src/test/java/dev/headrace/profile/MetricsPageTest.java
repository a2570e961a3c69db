package dev.headrace.profile;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** {@code docs/reference/metrics.md} names all metrics, with their types. */
class MetricsPageTest {
  private static final Path PAGE = Path.of("../docs/reference/metrics.md");
  private static final Path SOURCE =
      Path.of("src/main/java/dev/headrace/profile/PrometheusText.java");

  @Test
  void namesEveryMetricWithItsType() throws IOException {
    Map<String, String> metrics = new TreeMap<>();
    Matcher made =
        Pattern.compile("\\b(counter|gauge)\\(\\s*\"(\\w+)\"").matcher(Files.readString(SOURCE));
    while (made.find()) {
      String ending = made.group(1).equals("counter") ? "_total" : "";
      metrics.put("headrace_" + made.group(2) + ending, made.group(1));
    }
    assertThat(metrics).hasSizeGreaterThan(20);
    Map<String, String> named = new TreeMap<>();
    for (String line : Files.readAllLines(PAGE)) {
      if (line.startsWith("| `headrace_")) {
        String[] cells = line.substring(1).split("\\|");
        Pattern.compile("`(\\w+)`")
            .matcher(cells[0])
            .results()
            .forEach(found -> named.put(found.group(1), cells[1].strip()));
      }
    }
    assertThat(named).isEqualTo(metrics);
  }
}
