package dev.headrace.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * A user's program, named on the command line: a method that returns a dataset, or a class with a
 * main method and the arguments for it.
 */
final class UserProgram {
  @Parameters(
      index = "0",
      paramLabel = "PROGRAM",
      description = {
        "Train.java, or com.acme.Train on a class path. A method that returns a dataset is called",
        "and its dataset consumed: Train.java::validation; 'dataset', or the only one, where none"
            + " is",
        "named. A program without one, or Train.java::main, is run as it is."
      })
  private String target = "";

  @Parameters(
      index = "1..*",
      paramLabel = "ARGUMENT",
      description = "After --: arguments for the program's main method.")
  private List<String> arguments = new ArrayList<>();

  @Option(
      names = {"-cp", "--class-path"},
      paramLabel = "PATH",
      description = "Where the class and what it needs are: jars, folders, lib/*, as for java.")
  private @Nullable String classPath;

  /** What was named. */
  sealed interface Target {
    /** As it was named. */
    String name();
  }

  /** A method that returns a dataset. */
  record DatasetTarget(UserCode.Named named) implements Target {
    @Override
    public String name() {
      return named.name();
    }
  }

  /** A program to run. */
  record MainTarget(String name, ClassLoader loader, MainMethod main, List<String> arguments)
      implements Target {}

  /** Compiles, loads and looks which it is; arguments are for a main method. */
  Target find() throws IOException {
    UserCode code = UserCode.load(target, classPath);
    MainMethod main = code.main();
    if (main != null && (!arguments.isEmpty() || !code.hasDataset() || target.endsWith("::main"))) {
      return new MainTarget(target, code.loader(), main, arguments);
    }
    if (!arguments.isEmpty()) {
      throw new IllegalArgumentException(
          "%s: expected no arguments, because it has no main method, but got %s"
              .formatted(target, String.join(" ", arguments)));
    }
    if (target.indexOf("::") < 0 && !code.hasDataset()) {
      throw new IllegalArgumentException(
          "%s: expected a main method, or one without parameters that returns a Dataset, but %s"
              .formatted(target, code.instead()));
    }
    return new DatasetTarget(code.dataset());
  }
}
