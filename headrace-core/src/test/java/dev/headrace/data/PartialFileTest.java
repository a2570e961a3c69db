package dev.headrace.data;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.Dataset;
import dev.headrace.golden.Outcomes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PartialFileTest {
  @TempDir private Path folder;

  @Test
  void isHiddenAndNoPatternMatchesIt() throws IOException {
    Files.writeString(folder.resolve("x"), "line\n");
    Path partial = PartialFile.createBeside(folder.resolve("x"));
    assertThat(partial.getFileName().toString()).startsWith(".x.").endsWith(".partial");
    Files.writeString(folder.resolve(".x.partial.lock"), "");
    Files.writeString(folder.resolve(".hidden"), "other\n");
    assertThat(Dataset.listFiles(folder + "/*").map(p -> p.getFileName().toString()).toList())
        .containsExactly(".hidden", "x");
    assertThat(Outcomes.errors(Dataset.textLines(folder + "/.x*")))
        .singleElement()
        .asString()
        .contains("expected at least one file to match");
    try (TfRecordWriter writer = new TfRecordWriter(folder.resolve("x.tfrecord"))) {
      writer.write(new byte[3]);
      assertThat(Dataset.listFiles(folder + "/*").count()).isEqualTo(2);
    }
    assertThat(Dataset.listFiles(folder + "/*").count()).isEqualTo(3);
  }

  @Test
  void hasTheRightsOfANewFile() throws IOException {
    Assumptions.assumeTrue(Files.getFileStore(folder).supportsFileAttributeView("posix"));
    Path plain = Files.createFile(folder.resolve("plain"));
    Path partial = PartialFile.createBeside(folder.resolve("x"));
    assertThat(Files.getPosixFilePermissions(partial))
        .isEqualTo(Files.getPosixFilePermissions(plain));
    Path records = folder.resolve("r");
    long unused = Dataset.range(3).map(i -> new byte[5]).writeTfRecords(records);
    unused = TfRecordIndex.of(records, null, warning -> {}).records();
    assertThat(Files.getPosixFilePermissions(TfRecordIndex.path(records, null)))
        .isEqualTo(Files.getPosixFilePermissions(plain));
  }
}
