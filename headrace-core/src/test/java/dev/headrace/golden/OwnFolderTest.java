package dev.headrace.golden;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Temporary folders of tests are removed. */
@Timeout(60)
final class OwnFolderTest {
  /** They remove what they make: at the end of the JVM, or in a finally. */
  private static final List<String> THAT_REMOVE_THEIRS =
      List.of("OwnFolder.java", "TestDecoders.java", "SampleReport.java");

  @Test
  void isRemovedWithAllThatIsInIt() throws IOException {
    OwnFolder folder = OwnFolder.create("test");
    try (folder) {
      Files.createDirectories(folder.path().resolve("a/b"));
      Files.writeString(folder.path().resolve("a/b/c"), "x");
    }
    assertThat(folder.path()).doesNotExist();
    folder.close(); // as the end of the JVM does
  }

  @Test
  void noOtherTestMakesAFolderThatNobodyRemoves() throws IOException {
    try (Stream<Path> files = Files.walk(Path.of(".."))) {
      List<Path> tests =
          files
              .filter(file -> file.toString().endsWith(".java"))
              .filter(file -> file.toString().contains("/src/test/java/"))
              .toList();
      assertThat(tests).hasSizeGreaterThan(100);
      assertThat(tests)
          .filteredOn(OwnFolderTest::makesOne)
          .extracting(file -> String.valueOf(file.getFileName()))
          .containsExactlyInAnyOrderElementsOf(THAT_REMOVE_THEIRS);
    }
  }

  private static boolean makesOne(Path source) {
    try {
      return Files.readString(source).contains("createTemp" + "Directory(");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
