package dev.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;
import static org.assertj.core.api.InstanceOfAssertFactories.MAP;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class RunCommandTest {
  @TempDir private Path folder;
  private CommandRun command;

  @BeforeEach
  void begin() {
    command = new CommandRun(folder);
  }

  private static final String DATASETS =
      """
      import dev.headrace.Dataset;
      class Train {
        static Dataset<Long> dataset() { return Dataset.range(20).map(x -> x, 2); }
        static Dataset<Long> failing() { return Dataset.range(20).map(x -> 10 / (x % 3)); }
        static Dataset<Long> endless() { return Dataset.range(20).repeat(); }
        static Dataset<Long> nothing() { return Dataset.range(0); }
        static Dataset<?> missing() { return Dataset.listFiles("none/*.jpg"); }
      }
      """;

  @Test
  void aDatasetIsConsumed() {
    String file = command.source("Train.java", DATASETS);
    assertThat(command.run("run", file, "--epochs", "3", "--step-ms", "0.1")).isEqualTo(Main.OK);
    assertThat(command.out())
        .contains("60 elements in ", "the consumer waited", "map (Train.java:3): 60 elements");
    assertThat(command.run("run", file, "--json", "--step-ms", "0.1", "--step-cpu"))
        .isEqualTo(Main.OK);
    assertThat(command.json()).containsEntry("program", file + "::dataset");
    assertThat(command.json().get("pipelines"))
        .asInstanceOf(LIST)
        .singleElement(MAP)
        .containsEntry("elements", 20.0)
        .containsEntry("epochs", 1.0)
        .containsKeys("elementsPerSecond", "waitShare", "operators", "knobChanges");
  }

  @Test
  void aLimitEndsIt() {
    String file = command.source("Train.java", DATASETS);
    assertThat(command.run("run", file + "::endless")).isEqualTo(Main.FAILED);
    assertThat(command.err())
        .contains("expected a dataset that ends, or a limit, but it never ends")
        .contains("add --steps 1000 or --seconds 30");
    assertThat(command.run("run", file + "::endless", "--steps", "50")).isEqualTo(Main.OK);
    assertThat(command.out()).contains("50 elements in ");
    assertThat(command.run("run", file, "--steps", "50")).isEqualTo(Main.OK);
    assertThat(command.out()).contains("50 elements in ");
    assertThat(command.run("run", file + "::nothing", "--seconds", "100")).isEqualTo(Main.OK);
    assertThat(command.out()).contains("no pipeline gave an element");
  }

  @Test
  void failedElementsAreToldAndTheRestIsRun() {
    String file = command.source("Train.java", DATASETS);
    assertThat(command.run("run", file + "::failing")).isEqualTo(Main.FAILED);
    assertThat(command.out()).contains("13 elements in ", "7 failures");
    assertThat(command.err().lines()).hasSize(6);
    assertThat(command.err())
        .contains("map (Train.java:4)", "element 0 of epoch 0 failed", "7 elements failed")
        .contains("headrace replay");
    assertThat(command.run("run", file + "::missing")).isEqualTo(Main.FAILED);
    assertThat(command.err()).contains("none/*.jpg");
  }

  @Test
  void wrongNumbersAreWrongUsage() {
    String file = command.source("Train.java", DATASETS);
    for (List<String> wrong :
        List.of(
            List.of("--step-ms", "-1"),
            List.of("--seconds", "-1"),
            List.of("--epochs", "-1"),
            List.of("--steps", "-1"),
            List.of("--step-cpu"))) {
      String[] args = new String[2 + wrong.size()];
      args[0] = "run";
      args[1] = file;
      System.arraycopy(wrong.toArray(), 0, args, 2, wrong.size());
      assertThat(command.run(args)).isEqualTo(Main.USAGE);
      assertThat(command.err()).contains(wrong.getFirst() + ": expected ");
    }
  }

  @Test
  void aProgramIsRunWithItsArguments() {
    String file =
        command.source(
            "Train.java",
            """
            import dev.headrace.Dataset;
            import dev.headrace.Pipeline;

            void main(String[] arguments) throws Exception {
              System.setProperty("headrace.test.arguments", String.join(" ", arguments));
              Dataset.range(5).forEach(x -> {});
              Thread other = new Thread(() -> Dataset.range(6).map(x -> x).toList());
              other.start();
              Pipeline<Long> left = Dataset.range(7).open();
              for (long x : left) {}
            }
            """);
    try {
      assertThat(command.run("run", "--json", file, "--", "--lr", "0.1")).isEqualTo(Main.OK);
      assertThat(System.getProperty("headrace.test.arguments")).isEqualTo("--lr 0.1");
    } finally {
      System.clearProperty("headrace.test.arguments");
    }
    assertThat(elements()).containsExactlyInAnyOrder(5.0, 6.0, 7.0);
  }

  @Test
  void everyKindOfMainIsFound() {
    String body = "main(%s) { dev.headrace.Dataset.range(4).forEach(x -> {}); }";
    for (String source :
        List.of(
            "class A { public static void " + body.formatted("String[] a") + " }",
            "class A { static void " + body.formatted("") + " }",
            "class A { void " + body.formatted("String... a") + " }",
            "void " + body.formatted(""),
            "class A extends B {} class B { static void " + body.formatted("") + " }",
            "class Other { static void " + body.formatted("") + " }")) {
      String file = command.source("A.java", source);
      assertThat(command.run("run", "--json", file)).as(source).isEqualTo(Main.OK);
      assertThat(elements()).as(source).containsExactly(4.0);
    }
  }

  @Test
  void aProgramThatFailsShowsItsOwnStackOnly() {
    String file =
        command.source(
            "Train.java",
            """
            class Train {
              public static void main(String[] arguments) {
                dev.headrace.Dataset.range(4).forEach(x -> {});
                throw new IllegalStateException("no model");
              }
            }
            """);
    assertThat(command.run("run", file)).isEqualTo(Main.FAILED);
    assertThat(command.out()).contains("4 elements in ");
    assertThat(command.err())
        .contains("Train.java: the program failed:", "IllegalStateException: no model")
        .contains("at Train.main(Train.java:4)")
        .doesNotContain("dev.headrace.cli", "reflect");
    assertThat(command.run("doctor", file)).isEqualTo(Main.USAGE);
  }

  private List<Object> elements() {
    return ((List<?>) command.json().get("pipelines"))
        .stream().map(each -> ((Map<?, ?>) each).get("elements")).map(Object.class::cast).toList();
  }
}
