package dev.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class MainTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... args) {
    CommandLine command = Main.commandLine();
    command.setOut(new PrintWriter(out));
    command.setErr(new PrintWriter(err));
    command.setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF));
    return command.execute(args);
  }

  @Test
  void helpListsCommandsAndExamples() {
    assertThat(run("--help")).isEqualTo(Main.OK);
    assertThat(out.toString()).contains("quickstart", "config", "bench", "Examples:");
  }

  @Test
  void benchHelpListsScenarios() {
    assertThat(run("bench", "--help")).isEqualTo(Main.OK);
    assertThat(out.toString()).contains("overhead", "scaling", "tfdata");
  }

  @Test
  void versionNamesProgramAndJava() {
    assertThat(run("--version")).isEqualTo(Main.OK);
    assertThat(out.toString()).contains("headrace ", "Java 25");
  }

  @Test
  void wrongUsageIsExplained() {
    assertThat(run()).isEqualTo(Main.USAGE);
    assertThat(run("quickstrat")).isEqualTo(Main.USAGE);
    assertThat(run("bench", "nothing")).isEqualTo(Main.USAGE);
    assertThat(err.toString())
        .contains("SCENARIO: expected overhead or scaling, but got 'nothing'");
    assertThat(run("bench", "overhead", "--peer", "dali")).isEqualTo(Main.USAGE);
    assertThat(err.toString()).contains("--peer: expected tfdata, but got 'dali'");
    assertThat(run("quickstart", "--elements", "0")).isEqualTo(Main.USAGE);
    assertThat(err.toString()).contains("--elements: expected at least 1, but got 0");
  }

  @Test
  void configShowsEverySettingWithItsOrigin() {
    System.setProperty("headrace.cpu.budget", "3");
    try {
      assertThat(run("config")).isEqualTo(Main.OK);
    } finally {
      System.clearProperty("headrace.cpu.budget");
    }
    assertThat(out.toString())
        .containsPattern("headrace\\.cpu\\.budget +3 +property headrace\\.cpu\\.budget")
        .contains("default", "cores", "max heap");
  }

  @Test
  void aFailureIsOneLineAndExitCodeOne() {
    System.setProperty("headrace.cpu.budget", "many");
    try {
      assertThat(run("config")).isEqualTo(Main.FAILED);
    } finally {
      System.clearProperty("headrace.cpu.budget");
    }
    assertThat(err.toString().lines()).hasSize(1);
    assertThat(err.toString()).contains("headrace: ", "expected a number", "many");
  }

  @Test
  void quickstartExplainsWhatItMeasured() {
    assertThat(run("quickstart", "--elements", "5", "--load-ms", "1", "--step-ms", "0.1"))
        .isEqualTo(Main.OK);
    assertThat(out.toString())
        .contains("before", "after", "speed-up", "Why: ", "Prefetching to a device could not");
  }

  @Test
  void quickstartSpeaksJson() {
    assertThat(run("quickstart", "--elements", "5", "--load-ms", "1", "--step", "busy", "--json"))
        .isEqualTo(Main.OK);
    assertThat(out.toString().strip())
        .startsWith("{\"elements\":5,")
        .contains("\"naive\":{", "\"autotune\":{", "\"waitShare\":", "\"knobChanges\":[")
        .endsWith("}");
  }
}
