package dev.headrace.data;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.Dataset;
import dev.headrace.golden.Outcomes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class PartialFileTest {
  @TempDir private Path folder;

  private List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(path -> path.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  void isHiddenAndNoPatternMatchesIt() throws IOException {
    Files.writeString(folder.resolve("x"), "line\n");
    Files.writeString(folder.resolve(".hidden"), "other\n");
    try (PartialFile partial = PartialFile.beside(folder.resolve("x"))) {
      partial.write(3);
      assertThat(names()).hasSize(4).filteredOn(PartialFile::isPartial).hasSize(2);
      assertThat(Dataset.listFiles(folder + "/*").map(p -> p.getFileName().toString()).toList())
          .containsExactly(".hidden", "x");
      assertThat(Outcomes.errors(Dataset.textLines(folder + "/.x*")))
          .singleElement()
          .asString()
          .contains("expected at least one file to match");
    }
    assertThat(names()).containsExactly(".hidden", "x");
    try (TfRecordWriter writer = new TfRecordWriter(folder.resolve("x.tfrecord"))) {
      writer.write(new byte[3]);
      assertThat(Dataset.listFiles(folder + "/*").count()).isEqualTo(2);
    }
    assertThat(Dataset.listFiles(folder + "/*").count()).isEqualTo(3);
  }

  @Test
  void isThereWholeOrNotAtAll() throws IOException {
    Path file = folder.resolve("new").resolve("x");
    try (PartialFile partial = PartialFile.beside(file)) {
      partial.write(new byte[5]);
      assertThat(file).doesNotExist();
      partial.publish();
      assertThat(partial.bytes()).isEqualTo(5);
    }
    assertThat(file).hasSize(5);
    try (PartialFile partial = PartialFile.beside(file)) {
      partial.write(new byte[9]);
    }
    assertThat(file).hasSize(5);
    assertThat(file.getParent()).isDirectoryContaining(only -> only.equals(file));
  }

  @Test
  void severalMayWriteAndTheLastOneWins() throws IOException {
    Path file = folder.resolve("x");
    try (PartialFile first = PartialFile.beside(file);
        PartialFile second = PartialFile.beside(file)) {
      first.write('1');
      second.write('2');
      second.publish();
      first.publish();
    }
    assertThat(file).hasContent("1");
    assertThat(names()).containsExactly("x");
  }

  @Test
  void aLinkOfItsNameIsReplacedAndNotFollowed() throws IOException {
    Path other = Files.writeString(folder.resolve("other"), "kept");
    Path file = Files.createSymbolicLink(folder.resolve("x"), other);
    PartialFile.write(file, new byte[] {'1'});
    assertThat(other).hasContent("kept");
    assertThat(file).hasContent("1").isRegularFile();
    assertThat(Files.isSymbolicLink(file)).isFalse();
  }

  @Test
  void anInterruptionLosesNothingAndIsKeptForTheCaller() throws IOException {
    Path file = folder.resolve("x");
    Thread.currentThread().interrupt();
    PartialFile.write(file, new byte[100_000]);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(file).hasSize(100_000);
    assertThat(names()).containsExactly("x");
  }

  @Test
  void hasTheRightsOfANewFile() throws IOException {
    Assumptions.assumeTrue(Files.getFileStore(folder).supportsFileAttributeView("posix"));
    Path plain = Files.createFile(folder.resolve("plain"));
    PartialFile.write(folder.resolve("x"), new byte[3]);
    assertThat(Files.getPosixFilePermissions(folder.resolve("x")))
        .isEqualTo(Files.getPosixFilePermissions(plain));
    Path records = folder.resolve("r");
    long unused = Dataset.range(3).map(i -> new byte[5]).writeTfRecords(records);
    unused = TfRecordIndex.of(records, null, warning -> {}).records();
    assertThat(Files.getPosixFilePermissions(TfRecordIndex.path(records, null)))
        .isEqualTo(Files.getPosixFilePermissions(plain));
  }
}
