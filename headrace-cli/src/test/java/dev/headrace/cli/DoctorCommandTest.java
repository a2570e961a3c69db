package dev.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;
import static org.assertj.core.api.InstanceOfAssertFactories.MAP;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class DoctorCommandTest {
  @TempDir private Path folder;
  private CommandRun command;
  private String file = "";

  @BeforeEach
  void begin() {
    command = new CommandRun(folder);
    file =
        command.source(
            "Train.java",
            """
            import dev.headrace.Dataset;
            class Train {
              static Dataset<Long> dataset() {
                return Dataset.range(100_000).map(x -> slow(x));
              }
              static Dataset<Long> fast() {
                return Dataset.range(100_000);
              }
              static long slow(long x) throws InterruptedException {
                Thread.sleep(4);
                return x;
              }
              public static void main(String[] arguments) {
                Dataset.range(3).forEach(x -> {});
                dataset().take(Long.parseLong(arguments[0])).forEach(x -> {});
              }
            }
            """);
  }

  @Test
  void theVerdictComesFirst() {
    assertThat(command.run("doctor", file, "--seconds", "2")).isEqualTo(Main.OK);
    List<String> lines = command.out().strip().lines().toList();
    assertThat(lines.get(0)).isEqualTo(file + "::dataset");
    assertThat(lines.get(1)).contains("ap (Train.java:4) is the limit");
    assertThat(command.out()).contains("What to change:", "times as fast", ".map(");
  }

  @Test
  void aBuildCanFailOnIt() {
    assertThat(command.run("doctor", file, "--seconds", "2", "--fail-on", "problem,input-bound"))
        .isEqualTo(Main.FAILED);
    assertThat(command.out()).contains("FAILED by --fail-on input-bound: it is serial-bound");
    assertThat(
            command.run(
                "doctor",
                file,
                "--seconds",
                "2",
                "--json",
                "--max-wait",
                "5",
                "--fail-on",
                "consumer-bound"))
        .isEqualTo(Main.FAILED);
    assertThat(command.json().get("failedBy"))
        .asInstanceOf(LIST)
        .singleElement()
        .asString()
        .startsWith("--max-wait 5: the loop waited ");
    assertThat(
            command.run(
                "doctor",
                file + "::fast",
                "--seconds",
                "2",
                "--step-ms",
                "5",
                "--fail-on",
                "input-bound",
                "--max-wait",
                "50"))
        .isEqualTo(Main.OK);
    assertThat(command.run("doctor", file, "--fail-on", "slow")).isEqualTo(Main.USAGE);
    assertThat(command.err()).contains("--fail-on: expected input-bound or ", "but got 'slow'");
    assertThat(command.run("doctor", file, "--max-wait", "120")).isEqualTo(Main.USAGE);
  }

  @Test
  void aChangeIsMadeAndMeasured() {
    assertThat(command.run("doctor", file, "--seconds", "2", "--step-ms", "1", "--apply"))
        .isEqualTo(Main.OK);
    assertThat(command.out())
        .contains("Tried: ", "predicted ", " times as fast, measured ", "the prediction was ");
    assertThat(command.run("doctor", file, "--seconds", "2", "--apply-all", "--json"))
        .isEqualTo(Main.OK);
    assertThat(command.json().get("pipelines"))
        .asInstanceOf(LIST)
        .singleElement(MAP)
        .containsKeys("format", "verdict", "advice", "findings", "profile")
        .extractingByKey("trials")
        .asInstanceOf(LIST)
        .first(MAP)
        .containsKeys("advice", "predicted", "measured", "error", "before", "after");
  }

  @Test
  void aProgramIsExaminedAsItIs() {
    assertThat(command.run("doctor", file, "--", "400")).isEqualTo(Main.OK);
    assertThat(command.out())
        .contains(file + ", pipeline 2 (400 elements in ", "ap (Train.java:4) is the limit")
        .contains("1 more pipeline ran too shortly to be examined.");
    assertThat(command.run("doctor", file, "--apply", "--", "400")).isEqualTo(Main.USAGE);
    assertThat(command.err()).contains("--apply: expected a method that returns a dataset");
    assertThat(command.run("doctor", file + "::main")).isEqualTo(Main.USAGE);
    assertThat(command.err()).contains("the program failed:", "ArrayIndexOutOfBounds");
  }

  @Test
  void aProgramIsStoppedWhenItsTimeIsOver() {
    assertThat(command.run("doctor", file, "--json", "--seconds", "2", "--", "1000000"))
        .isEqualTo(Main.OK);
    assertThat(command.json().get("pipelines"))
        .asInstanceOf(LIST)
        .singleElement(MAP)
        .containsKey("verdict");
  }

  @Test
  void reportTraceAndMetricsAreMade() throws IOException {
    Path report = folder.resolve("run.html");
    Path trace = folder.resolve("run.json");
    for (String each : List.of("run", "doctor")) {
      assertThat(
              command.run(
                  each,
                  file,
                  "--seconds",
                  "1",
                  "--report",
                  report.toString(),
                  "--share",
                  "--trace",
                  trace.toString(),
                  "--metrics",
                  "0"))
          .isEqualTo(Main.OK);
      assertThat(command.err())
          .contains("metrics: http://", "/metrics", "report: " + report, "trace: " + trace);
      assertThat(Files.readString(report)).startsWith("<!").contains("headrace " + each);
      assertThat(JsonObject.read(Files.readString(trace))).containsKey("traceEvents");
      Files.delete(report);
      Files.delete(trace);
    }
    assertThat(command.run("run", file, "--share")).isEqualTo(Main.USAGE);
    assertThat(command.err()).contains("--share: expected with --report or --trace");
    assertThat(command.run("run", file, "--report", folder + "/none/run.html"))
        .isEqualTo(Main.USAGE);
    assertThat(command.err()).contains("--report: expected a file in a folder that exists");
    assertThat(command.run("run", file, "--metrics", "70000")).isEqualTo(Main.FAILED);
  }

  @Test
  void severalPipelinesHaveAReportEach() {
    String program =
        command.source(
            "Two.java",
            """
            import dev.headrace.Dataset;
            void main() {
              Dataset.range(5).forEach(x -> {});
              Dataset.range(6).forEach(x -> {});
            }
            """);
    assertThat(command.run("run", program, "--report", folder + "/run.html")).isEqualTo(Main.OK);
    assertThat(folder.resolve("run.html")).exists();
    assertThat(folder.resolve("run-2.html")).content().contains("pipeline 2");
  }

  @Test
  void helpHasExitCodesAndExamples() {
    for (String each : List.of("run", "doctor", "lint", "explain", "demo")) {
      assertThat(command.run(each, "--help")).isEqualTo(Main.OK);
      assertThat(command.out()).contains("Examples:");
    }
  }
}
