package dev.headrace.data;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.Dataset;
import dev.headrace.golden.LogRecords;
import dev.headrace.golden.Outcomes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class VisibleTextTest {
  private static final String HOSTILE = "a\u001b[31m\u0007b";
  private static final String VISIBLE = "a\\x1b[31m\\x07b";

  @Test
  void writesOutWhatATerminalObeys() {
    assertThat(VisibleText.of(HOSTILE)).isEqualTo(VISIBLE);
    assertThat(VisibleText.of("\u0000\u007f\u009b\u200f\u202e\u2066\r"))
        .isEqualTo("\\x00\\x7f\\x9b\\u200f\\u202e\\u2066\\x0d");
  }

  @Test
  void leavesTextLinesAndTabs() {
    String text = "Größe ×\t2\n← 漢字 😀";
    assertThat(VisibleText.of(text)).isSameAs(text);
  }

  @Test
  void warningsAndErrorsAreVisible(@TempDir Path folder) throws IOException {
    Path file = Files.createFile(folder.resolve(HOSTILE)); // a cache that was cut
    try (LogRecords log = LogRecords.of("headrace.engine")) {
      assertThat(Dataset.range(3).cache(file).count()).isEqualTo(3);
      assertThat(log.messages())
          .hasSize(1)
          .allMatch(message -> message.contains(VISIBLE) && !message.contains("\u001b"));
    }
    Path missing = folder.resolve(HOSTILE + ".txt");
    assertThat(Outcomes.errors(Dataset.textLines(missing.toString())))
        .singleElement()
        .satisfies(
            e -> assertThat(e.getMessage()).contains(VISIBLE + ".txt").doesNotContain("\u001b"));
  }
}
