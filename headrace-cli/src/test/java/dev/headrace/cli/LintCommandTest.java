package dev.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;
import static org.assertj.core.api.InstanceOfAssertFactories.MAP;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LintCommandTest {
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
            import dev.headrace.data.Seed;
            class Train {
              static Dataset<Long> frozen() {
                return Dataset.range(100)
                    .randomMap((x, random) -> x + random.nextInt(5), Seed.of(7), 2)
                    .cache()
                    .prefetch(2);
              }
              static Dataset<Long> twice() {
                return Dataset.range(100).prefetch(2).prefetch(2);
              }
              static Dataset<Long> sound() {
                return Dataset.range(100).map(x -> x, 2).prefetch(2);
              }
            }
            """);
  }

  @Test
  void aProblemIsExitCodeOne() {
    assertThat(command.run("lint", file)).isEqualTo(Main.FAILED);
    assertThat(command.out())
        .contains("::frozen: 1 problem", "::sound: nothing found", "::twice: 1 hint")
        .contains("  problem cache (Train.java:7): ", "[cache-freezes-random-map]", "    → ");
    assertThat(command.run("lint", file + "::twice")).isEqualTo(Main.OK);
    assertThat(command.run("lint", file + "::twice", "--fail-on", "hint")).isEqualTo(Main.FAILED);
    assertThat(command.run("lint", file, "--fail-on", "never")).isEqualTo(Main.OK);
    assertThat(command.run("lint", file + "::sound", "--fail-on", "note")).isEqualTo(Main.OK);
  }

  @Test
  void rulesAreChosenAndLeftOut() {
    assertThat(command.run("lint", file, "--ignore", "cache-freezes-random-map"))
        .isEqualTo(Main.OK);
    assertThat(command.out()).contains("::frozen: nothing found", "::twice: 1 hint");
    assertThat(
            command.run("lint", file, "--rule", "prefetch-twice,shard-late", "--fail-on", "hint"))
        .isEqualTo(Main.FAILED);
    assertThat(command.out()).contains("::frozen: nothing found", "::twice: 1 hint");
    assertThat(command.run("lint", file, "--rule", "prefetch-thrice")).isEqualTo(Main.USAGE);
    assertThat(command.err())
        .contains("expected the name of a rule, but got 'prefetch-thrice'; there are cache-");
    assertThat(command.run("lint", file, "--fail-on", "always")).isEqualTo(Main.USAGE);
  }

  @Test
  void programsReadJson() {
    assertThat(command.run("lint", "--json", file + "::frozen")).isEqualTo(Main.FAILED);
    assertThat(command.json()).containsEntry("failed", true);
    assertThat(command.json().get("datasets"))
        .asInstanceOf(LIST)
        .singleElement(MAP)
        .extractingByKey("findings")
        .asInstanceOf(LIST)
        .first(MAP)
        .containsEntry("severity", "problem")
        .containsEntry("rule", "cache-freezes-random-map")
        .containsEntry("operator", "cache (Train.java:7)")
        .containsKeys("message", "evidence", "advice");
  }
}
