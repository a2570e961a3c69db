package dev.headrace.data;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Folders of processes that died go, those of live ones stay. */
@Timeout(60)
class SpillFolderTest {
  @TempDir Path folder;

  /** Holds a file until it is killed, or until its input ends. */
  static final class Holder {
    private Holder() {}

    public static void main(String[] arguments) throws IOException {
      SpillFile file =
          new SpillFile(
              Path.of(arguments[0]), new Account("spill", 1 << 20), new Account("heap", 1 << 20));
      file.put(new byte[1000], 1000);
      System.out.println(file.path());
      int end = System.in.read();
      if (end == 'c') {
        file.close();
      }
    }
  }

  private Process holder() throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx64m",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            Holder.class.getName(),
            folder.toString())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  private static Path fileOf(Process holder) throws IOException {
    BufferedReader said = holder.inputReader(StandardCharsets.UTF_8);
    return Path.of(said.readLine());
  }

  private List<Path> left() throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.toList();
    }
  }

  @Test
  void whatAKilledProcessLeftIsRemovedAndALiveOnesIsKept() throws Exception {
    Process killed = holder();
    Process live = holder();
    Path lost = fileOf(killed);
    Path kept = fileOf(live);
    assertThat(SpillFolder.sweep(folder)).isEmpty();
    assertThat(lost).exists();
    killed.destroyForcibly().waitFor();
    assertThat(lost).exists();
    assertThat(SpillFolder.sweep(folder)).containsExactly(lost.getParent());
    assertThat(lost.getParent()).doesNotExist();
    assertThat(kept).exists();
    live.outputWriter(StandardCharsets.UTF_8).append("c").close();
    live.waitFor();
    assertThat(left()).isEmpty();
  }

  @Test
  void aProgramThatEndsWithoutClosingLeavesNothing() throws Exception {
    Process ends = holder();
    Path file = fileOf(ends);
    assertThat(file).exists();
    ends.outputWriter(StandardCharsets.UTF_8).close();
    ends.waitFor();
    assertThat(left()).isEmpty();
  }

  @Test
  void itsOwnFolderIsKept() throws IOException {
    Account account = new Account("spill", 1 << 20);
    try (SpillFile file = new SpillFile(folder, account, account)) {
      assertThat(SpillFolder.sweep(folder)).isEmpty();
      assertThat(file.path()).exists();
    }
  }

  @Test
  void whatOthersPlantedIsLeftAlone() throws IOException {
    Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
    Path precious = Files.createFile(elsewhere.resolve("1.elements"));
    Files.createFile(elsewhere.resolve("owner"));
    Path link = Files.createSymbolicLink(folder.resolve("headrace-spill-link"), elsewhere);
    Path open = Files.createDirectory(folder.resolve("headrace-spill-open"));
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
    Files.createFile(open.resolve("owner"));
    Path file = Files.createFile(folder.resolve("headrace-spill-file"));
    assertThat(SpillFolder.sweep(folder)).isEmpty();
    assertThat(precious).exists();
    assertThat(link).exists();
    assertThat(open).exists();
    assertThat(file).exists();
  }

  @Test
  void linksInADeadProcessesFolderAreRemovedAndNotFollowed() throws IOException {
    Path precious = Files.writeString(folder.resolve("precious"), "data");
    Path dead = privateFolder("headrace-spill-1-1-dead");
    Files.createFile(dead.resolve("owner"));
    Files.createSymbolicLink(dead.resolve("1.elements"), precious);
    assertThat(SpillFolder.sweep(folder)).containsExactly(dead);
    assertThat(precious).hasContent("data");
  }

  @Test
  void aFolderThatIsJustBeingMadeIsKeptForAWhile() throws IOException {
    Path made = privateFolder("headrace-spill-1-1-new");
    assertThat(SpillFolder.sweep(folder)).isEmpty();
    assertThat(made).exists();
    Files.setLastModifiedTime(made, FileTime.from(Instant.now().minus(Duration.ofHours(2))));
    assertThat(SpillFolder.sweep(folder)).containsExactly(made);
  }

  private Path privateFolder(String name) throws IOException {
    return Files.createDirectory(
        folder.resolve(name),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
  }

  @Test
  void memoryFileSystemsAreKnown() {
    Path shared = Path.of("/dev/shm");
    if (Files.exists(shared)) {
      assertThat(SpillFolder.isInMemory(shared)).isTrue();
    }
    assertThat(SpillFolder.isInMemory(Path.of("/var"))).isFalse();
  }
}
