package dev.headrace.golden;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * A temporary folder where JUnit's {@code @TempDir} cannot be had.
 *
 * <p><b>Ownership:</b> it is removed with all that is in it when this is closed, or when the JVM
 * ends.
 */
public final class OwnFolder implements AutoCloseable {
  private final Path path;

  private OwnFolder(Path path) {
    this.path = path;
  }

  public static OwnFolder create(String name) {
    try {
      OwnFolder made = new OwnFolder(Files.createTempDirectory("headrace-" + name));
      Runtime.getRuntime().addShutdownHook(new Thread(made::close));
      return made;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public Path path() {
    return path;
  }

  @Override
  public void close() {
    if (!Files.exists(path)) {
      return;
    }
    try (Stream<Path> files = Files.walk(path)) {
      List<Path> deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
      for (Path file : deepestFirst) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
