package dev.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What users may name on the command line, and what they are told if it is something else. */
class UserCodeTest {
  @TempDir private Path folder;
  private CommandRun command;

  @BeforeEach
  void begin() {
    command = new CommandRun(folder);
  }

  private static final String COMPACT =
      """
      import dev.headrace.Dataset;
      import static dev.headrace.Dataset.AUTOTUNE;

      Dataset<Long> train() {
        return Dataset.range(10).map(x -> twice(x), AUTOTUNE);
      }

      Dataset<Long> dataset() {
        return train().take(3);
      }

      long twice(long x) {
        return 2 * x;
      }

      void main() {}
      """;

  @Test
  void aCompactSourceFileIsExplained() {
    String file = command.source("Train.java", COMPACT);
    assertThat(command.run("explain", file)).isEqualTo(Main.OK);
    assertThat(command.out())
        .contains(file + "::dataset: 3 elements a pass, plan ", "take(count=3)   (Train.java:9)")
        .contains(file + "::train: 10 elements a pass", "map(Train.lambda$train$")
        .containsSubsequence("::dataset", "::train");
    assertThat(command.run("explain", file + "::train", "--json")).isEqualTo(Main.OK);
    assertThat(command.json().get("datasets"))
        .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.LIST)
        .singleElement(org.assertj.core.api.InstanceOfAssertFactories.MAP)
        .containsEntry("cardinality", 10.0)
        .containsEntry("name", file + "::train")
        .containsKeys("fingerprint", "rewrites", "rewritten", "because", "plan");
  }

  @Test
  void theUsualMethodIsTakenOrTheOnlyOne() {
    String file = command.source("Train.java", COMPACT);
    assertThat(command.run("run", file)).isEqualTo(Main.OK);
    assertThat(command.out()).contains("3 elements in ");
    file = command.source("Two.java", COMPACT.replace("> dataset()", "> validation()"));
    assertThat(command.run("run", file)).isEqualTo(Main.FAILED);
    assertThat(command.err())
        .contains("expected one method that returns a Dataset, but there are train, validation")
        .contains("name one, as in " + file + "::train");
  }

  @Test
  void classesOfTheSameTreeAndOfAClassPathAreFound() throws IOException {
    command.source(
        "src/acme/data/Numbers.java",
        "package acme.data; public class Numbers { public static long many() { return 7; } }");
    String file =
        command.source(
            "src/acme/Train.java",
            """
            package acme;
            import acme.data.Numbers;
            import dev.headrace.Dataset;
            class Train {
              private static Dataset<Long> dataset() { return Dataset.range(Numbers.many()); }
            }
            """);
    assertThat(command.run("explain", file)).isEqualTo(Main.OK);
    assertThat(command.out()).contains("7 elements a pass");
    Path classes = Files.createDirectories(folder.resolve("classes"));
    for (Map.Entry<String, byte[]> each : SourceCompiler.compile(Path.of(file), "").entrySet()) {
      Path target = classes.resolve(each.getKey().replace('.', '/') + ".class");
      Files.createDirectories(target.getParent());
      Files.write(target, each.getValue());
    }
    assertThat(command.run("explain", "-cp", classes.toString(), "acme.Train")).isEqualTo(Main.OK);
    assertThat(command.out()).contains("acme.Train::dataset: 7 elements a pass");
    Files.delete(classes.resolve("acme/data/Numbers.class"));
    assertThat(command.run("explain", "-cp", classes.toString(), "acme.Train"))
        .isEqualTo(Main.FAILED);
    assertThat(command.err())
        .contains("expected everything it needs on the class path, but got")
        .contains("acme/data/Numbers", "add folders and jars with --class-path");
  }

  @Test
  void aProgramThatDoesNotCompileShowsTheCompilersLines() {
    String file =
        command.source(
            "Train.java",
            """
            import dev.headrace.Dataset;
            Dataset<Long> dataset() {
              return Dataset.rnage(10);
            }
            void main() {}
            """);
    for (String each : List.of("run", "explain")) {
      assertThat(command.run(each, file)).isEqualTo(Main.FAILED);
    }
    for (String each : List.of("lint", "doctor")) {
      assertThat(command.run(each, file)).isEqualTo(Main.USAGE);
    }
    assertThat(command.err())
        .contains(file + ": expected a program that compiles, but the compiler says:")
        .contains("Train.java:3: error: cannot find symbol", "Dataset.rnage(10)", "^")
        .contains("Libraries it needs go on the class path")
        .doesNotContain("Usage:");
  }

  @Test
  void aCompactSourceFileNeedsAMainMethod() {
    String file = command.source("Train.java", COMPACT.replace("void main() {}", ""));
    assertThat(command.run("explain", file)).isEqualTo(Main.FAILED);
    assertThat(command.err()).contains("Add void main() { }, which Java asks for");
  }

  @Test
  void whatIsMissingIsNamed() {
    assertThat(command.run("run", folder + "/None.java")).isEqualTo(Main.FAILED);
    assertThat(command.err()).contains("None.java: expected a source file, but there is no");
    assertThat(command.run("run", folder.toString())).isEqualTo(Main.FAILED);
    assertThat(command.err())
        .contains("expected a source file (Train.java) or the name of a class");
    assertThat(command.run("run", "acme.None")).isEqualTo(Main.FAILED);
    assertThat(command.err()).contains("expected a class on the class path, but there is no acme");
    assertThat(command.run("run", "-cp", folder + "/none.jar", "acme.None")).isEqualTo(Main.FAILED);
    assertThat(command.err()).contains("--class-path: expected a jar or a folder, but there is no");

    String needing =
        command.source(
            "Needing.java",
            """
            import dev.headrace.Dataset;
            class Needing {
              static Dataset<Long> dataset(String files, int size) { return Dataset.range(size); }
              static Dataset<Long> broken() { return Dataset.range(1 / Integer.parseInt("0")); }
            }
            """);
    assertThat(command.run("run", needing + "::dataset")).isEqualTo(Main.FAILED);
    assertThat(command.err())
        .contains("but dataset(String, int) needs arguments; write one without, that calls it");
    assertThat(command.run("run", needing + "::broken")).isEqualTo(Main.FAILED);
    assertThat(command.err())
        .contains("::broken: the method failed: java.lang.ArithmeticException")
        .contains("(Needing.java:4)");

    String empty = command.source("Empty.java", "class Empty { int x; }");
    assertThat(command.run("run", empty)).isEqualTo(Main.FAILED);
    assertThat(command.err())
        .contains("expected a main method, or one without parameters that returns a Dataset")
        .contains("but there is none; write one, such as static Dataset<Tensor> dataset()");

    String main = command.source("Program.java", "void main() {}");
    assertThat(command.run("explain", main)).isEqualTo(Main.FAILED);
    assertThat(command.err())
        .contains(
            "move the dataset into a method of its own, or let run or doctor run the program");
    assertThat(command.run("run", needing + "::broken", "--", "x")).isEqualTo(Main.FAILED);
    assertThat(command.err()).contains("expected no arguments, because it has no main method");
  }
}
