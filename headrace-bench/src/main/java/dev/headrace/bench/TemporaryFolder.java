package dev.headrace.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * A folder for the files of one scenario.
 *
 * <p><b>Ownership:</b> it is removed with all that is in it when this is closed.
 */
public record TemporaryFolder(Path path) implements AutoCloseable {
  /** A new folder, named after the scenario. */
  public static TemporaryFolder create(String scenario) throws IOException {
    return new TemporaryFolder(Files.createTempDirectory("headrace-" + scenario));
  }

  @Override
  public void close() throws IOException {
    try (Stream<Path> files = Files.walk(path)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
