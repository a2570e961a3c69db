package dev.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class MainTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... args) {
    CommandLine command = Main.commandLine(out, err);
    command.setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF));
    return command.execute(args);
  }

  @Test
  void helpListsCommandsAndExamples() {
    assertThat(run("--help")).isEqualTo(Main.OK);
    assertThat(out.toString()).contains("quickstart", "config", "device", "bench", "Examples:");
  }

  @Test
  void benchHelpListsScenarios() {
    assertThat(run("bench", "--help")).isEqualTo(Main.OK);
    assertThat(out.toString()).contains("overhead", "scaling", "tfdata");
  }

  private static final String TRAIN =
      """
      package acme;
      import dev.headrace.Dataset;
      public final class Train {
        private static long calls;
        static Dataset<Long> dataset() {
          return Dataset.range(200).map(x -> 1000 / (x - 77), 4);
        }
        static Dataset<Long> unsafe() {
          return Dataset.range(200).map(x -> calls++, 4);
        }
        static Dataset<Long> unseeded() {
          return Dataset.range(200).shuffle(100).map(x -> x, 4);
        }
        static String text() {
          return "";
        }
      }
      """;

  @Test
  void aUsersPipelineIsCheckedForDeterminism(@TempDir Path folder) throws IOException {
    Path source = Files.writeString(folder.resolve("Train.java"), TRAIN);
    assertThat(run("check-determinism", source.toString())).isEqualTo(Main.OK);
    assertThat(out.toString()).contains("the same: 200 elements, hash ", "map(", "range(");
    assertThat(run("check-determinism", source + "::unsafe")).isEqualTo(Main.FAILED);
    assertThat(out.toString()).contains("DIFFERENT after", "with 1 thread:");
    assertThat(out.toString()).contains("A function of the pipeline keeps state");
    assertThat(run("check-determinism", source + "::unseeded")).isEqualTo(Main.FAILED);
    assertThat(out.toString())
        .contains("shuffle (Train.java:", ") has no seed, so every run has another order");
    assertThat(run("check-determinism", source + "::text")).isEqualTo(Main.FAILED);
    assertThat(err.toString()).contains("expected a method that returns a Dataset");
    assertThat(run("check-determinism", "acme.Nothing")).isEqualTo(Main.FAILED);
    assertThat(err.toString()).contains("there is no acme.Nothing; add its folder or jar");
    assertThat(run("check-determinism", source + "::other")).isEqualTo(Main.FAILED);
    assertThat(err.toString()).contains("expected a method other() without parameters");
  }

  @Test
  void aFailedElementIsReplayed(@TempDir Path folder) throws IOException {
    Path source = Files.writeString(folder.resolve("Train.java"), TRAIN);
    assertThat(run("replay", source.toString(), "77")).isEqualTo(Main.OK);
    assertThat(out.toString())
        .contains("element 77, after 77 others, failed in", "ArithmeticException", "acme.Train");
    assertThat(run("replay", source.toString(), "76")).isEqualTo(Main.FAILED);
    assertThat(out.toString()).contains("no element 76 failed among the 200 of epoch 0");
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
        .contains("SCENARIO: expected overhead or scaling or ", ", but got 'nothing'");
    assertThat(run("bench", "jpeg", "--seconds", "3")).isEqualTo(Main.USAGE);
    assertThat(err.toString())
        .contains("--seconds, --scale: expected the scenario mlperf, but got 'jpeg'");
    assertThat(run("bench", "jpeg", "--held-out")).isEqualTo(Main.USAGE);
    assertThat(err.toString())
        .contains("--held-out, --seed-set, --count: expected doctor --held-out, but got 'jpeg'");
    assertThat(run("bench", "doctor", "--count", "3")).isEqualTo(Main.USAGE);
    assertThat(err.toString())
        .contains("expected doctor --held-out, but got 'doctor' without --held-out");
    assertThat(run("bench", "doctor", "--held-out", "--seed-set", "99")).isEqualTo(Main.USAGE);
    assertThat(err.toString()).contains("--seed-set: expected one of [1, 2,", "but got 99");
    assertThat(run("bench", "djl")).isEqualTo(Main.USAGE);
    assertThat(err.toString())
        .contains(
            "but got 'djl'; it needs the adapters for training frameworks: in a clone, run"
                + " ./headrace bench djl, or build them with: mvn -Padapters -DskipTests package");
    assertThat(run("bench", "overhead", "--peer", "dali")).isEqualTo(Main.USAGE);
    assertThat(err.toString()).contains("--peer: expected tfdata or torch, but got 'dali'");
    assertThat(run("quickstart", "--photos", "0")).isEqualTo(Main.USAGE);
    assertThat(err.toString()).contains("--photos, --batch: expected at least 1, but got 0");
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
  void quickstartExplainsWhatItMeasured(@TempDir Path folder) {
    Path page = folder.resolve("page.html");
    assertThat(quickstart(page)).isEqualTo(Main.OK);
    assertThat(out.toString())
        .contains(
            "1. The pipeline as one writes it first",
            "2. Why it is slow",
            "4. Now",
            "times as fast as it was",
            "Prefetching to a device could not",
            "The whole story as a page: " + page);
    assertThat(page).content().contains("Headrace quickstart", "decode and resize");
  }

  @Test
  void quickstartSpeaksJson(@TempDir Path folder) {
    assertThat(quickstart(folder.resolve("page.html"), "--json")).isEqualTo(Main.OK);
    assertThat(out.toString().strip())
        .startsWith("{\"photos\":10,")
        .contains("\"speedUp\":", "\"changes\":[", "\"before\":{", "\"after\":{")
        .endsWith("}");
  }

  private int quickstart(Path page, String... more) {
    List<String> arguments =
        new ArrayList<>(
            List.of("quickstart", "--photos", "10", "--batch", "4", "--step-ms", "0.1"));
    arguments.addAll(List.of("--seconds", "0.3", "--report", page.toString()));
    arguments.addAll(List.of(more));
    return run(arguments.toArray(String[]::new));
  }
}
