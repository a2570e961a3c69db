package dev.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@Timeout(60)
class TerminalWriterTest {
  private static final String HOSTILE = "a\u001b[2J\r\u001b]0;title\u0007\u009b31m\u202eb";
  private static final String VISIBLE = "a\\x1b[2J\\x0d\\x1b]0;title\\x07\\x9b31m\\u202eb";

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private static void assertVisible(StringWriter printed) {
    assertThat(printed.toString()).contains(VISIBLE).doesNotContain("\u001b", "\r", "\u202e");
  }

  @Test
  void onlyItsOwnSequencesReachTheTerminal() {
    try (PrintWriter writer = new PrintWriter(new TerminalWriter(out))) {
      writer.println(new Style(true).good(HOSTILE));
      writer.print(TerminalWriter.ERASED);
      writer.write(HOSTILE.toCharArray());
    }
    assertThat(out.toString().replace(System.lineSeparator(), "\n"))
        .isEqualTo("\u001b[1;32m" + VISIBLE + "\u001b[0m\n" + "\u001b[2K\u001b[G" + VISIBLE);
  }

  @Test
  void namesOfFilesAndWrongArgumentsAreWrittenOut(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve(HOSTILE), "no records");
    assertThat(Main.commandLine(out, err).execute("records", "verify", file.toString()))
        .isEqualTo(Main.FAILED);
    assertVisible(out);
    assertThat(Main.commandLine(out, err).execute("records", "stat", file.toString()))
        .isNotEqualTo(Main.OK);
    assertVisible(err);
    err.getBuffer().setLength(0);
    assertThat(Main.commandLine(out, err).execute(HOSTILE)).isEqualTo(Main.USAGE);
    assertVisible(err);
    err.getBuffer().setLength(0);
    assertThat(Main.commandLine(out, err).execute("explain", HOSTILE)).isEqualTo(Main.FAILED);
    assertVisible(err);
  }

  @Test
  void helpKeepsItsColors() {
    CommandLine command = Main.commandLine(out, err);
    command.setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.ON));
    assertThat(command.execute("--help")).isEqualTo(Main.OK);
    assertThat(out.toString()).contains("\u001b[1m").doesNotContain("\\x1b");
    assertThat(command.execute("nothing")).isEqualTo(Main.USAGE);
    assertThat(err.toString()).contains("\u001b[1;31mUnmatched").doesNotContain("\\x1b");
  }
}
