package dev.headrace.cli;

import dev.headrace.Dataset;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * The dataset of a user's program, named on the command line: a method without parameters that
 * returns a {@code Dataset}, in a class on a class path or in a single source file.
 */
final class UserDataset {
  @Parameters(
      index = "0",
      paramLabel = "DATASET",
      description = {
        "A method that returns the dataset: com.acme.Train::dataset, or Train.java::dataset for a",
        "single source file. The method is 'dataset' where none is named."
      })
  private String target = "";

  @Option(
      names = {"-cp", "--class-path"},
      paramLabel = "PATH",
      description = "Where the class and what it needs are: jars and folders, as for java.")
  private @Nullable String classPath;

  /** Loads the class, calls the method. */
  Dataset<?> load() throws IOException {
    return code().dataset().dataset();
  }

  /** Loads the class. */
  UserCode code() throws IOException {
    return UserCode.load(target, classPath);
  }
}
