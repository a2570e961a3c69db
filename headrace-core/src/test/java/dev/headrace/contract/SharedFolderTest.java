package dev.headrace.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the engine writes in folders that others can write to, and on disks that are full. */
@Timeout(60)
class SharedFolderTest {
  @TempDir private Path folder;

  private List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(path -> path.getFileName().toString()).sorted().toList();
    }
  }

  @ParameterizedTest
  @EnumSource
  void noPlantedLinkIsFollowed(FileWriting writing) throws Exception {
    Path other = Files.writeString(folder.resolve("other"), "kept");
    for (String name : List.of("x.tmp", "x.partial", "x.lock", ".x.partial", ".x.tmp")) {
      Files.createSymbolicLink(folder.resolve(name), other);
    }
    writing.write(folder.resolve("x"), 100);
    assertThat(other).hasContent("kept");
    assertThat(folder.resolve("x")).isRegularFile();
    assertThat(names()).hasSize(7);
  }

  @ParameterizedTest
  @EnumSource
  void aPlantedLinkInPlaceOfTheLockIsNotFollowed(FileWriting writing) throws Exception {
    Path other = Files.writeString(folder.resolve("other"), "kept");
    Files.createSymbolicLink(folder.resolve(".x.partial.lock"), other);
    try {
      writing.write(folder.resolve("x"), 100);
    } catch (IOException | RuntimeException e) {
      assertThat(e).hasMessageContaining("expected a lock of this engine");
    }
    assertThat(other).hasContent("kept");
    assertThat(names())
        .contains("other", ".x.partial.lock")
        .isSubsetOf("other", "x", ".x.partial.lock");
  }

  /** In a process whose files may have 2 MB, and in one whose files may have 1 kB. */
  @Test
  void aFullDiskIsReportedAndLeftEmpty() throws Exception {
    for (int kilobytes : new int[] {2048, 1}) {
      Process process =
          new ProcessBuilder(
                  "bash",
                  "-c",
                  "ulimit -f " + kilobytes + "; exec \"$@\"",
                  "bash",
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-XX:TieredStopAtLevel=1",
                  "-XX:-UsePerfData",
                  "-cp",
                  System.getProperty("java.class.path"),
                  FileWriting.OnAFullDisk.class.getName(),
                  folder.toString())
              .redirectErrorStream(true)
              .start();
      List<String> said = process.inputReader().readAllLines();
      assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(said).hasSize(FileWriting.values().length);
      assertThat(said).allSatisfy(line -> assertThat(line).contains("File too large", "left: []"));
      assertThat(names()).isEmpty();
    }
  }
}
