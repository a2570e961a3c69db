package dev.headrace.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class WriterLockTest {
  @TempDir Path folder;

  @Test
  void oneAtATime() throws IOException {
    Path file = folder.resolve("new").resolve("file");
    try (WriterLock lock = WriterLock.tryTake(file)) {
      assertThat(lock).isNotNull();
      assertThat(WriterLock.tryTake(file)).isNull();
      assertThat(WriterLock.tryTake(folder.resolve("new").resolve("..").resolve("new/file")))
          .isNull();
    }
    try (var left = Files.list(file.getParent())) {
      assertThat(left).isEmpty();
    }
    Objects.requireNonNull(WriterLock.tryTake(file)).close();
  }

  @Test
  void aLockFileThatWasLeftBehindMeansNothing() throws IOException {
    Path file = folder.resolve("file");
    Path lock = folder.resolve(".file.partial.lock");
    Path partial = folder.resolve(".file.00112233aabbccdd.partial");
    for (String left : List.of("", "headrace writer lock\n" + partial.getFileName() + "\n\0\0")) {
      Files.writeString(lock, left);
      Files.writeString(partial, "a part");
      Objects.requireNonNull(WriterLock.tryTake(file)).close();
      assertThat(lock).doesNotExist();
      assertThat(Files.exists(partial)).isEqualTo(left.isEmpty());
    }
  }

  @Test
  void removesNothingButAPartialFileOfItsOwn() throws IOException {
    Path other = Files.writeString(folder.resolve("other"), "kept");
    Path lock = folder.resolve(".file.partial.lock");
    for (String named :
        List.of("other", "../other", ".other.00112233aabbccdd.partial", ".file.x/.partial")) {
      Files.writeString(lock, "headrace writer lock\n" + named + "\n");
      Objects.requireNonNull(WriterLock.tryTake(folder.resolve("file"))).close();
      assertThat(other).hasContent("kept");
    }
  }

  @Test
  void aFileOfOthersIsRefusedAndNotChanged() throws IOException {
    Path other = Files.writeString(folder.resolve("other"), "kept");
    Path empty = Files.createFile(folder.resolve("empty"));
    Path lock = folder.resolve(".file.partial.lock");
    Files.writeString(lock, "somebody's");
    assertRefused(lock);
    assertThat(lock).hasContent("somebody's");
    Files.delete(lock);
    Files.createSymbolicLink(lock, other);
    assertRefused(lock);
    Files.delete(lock);
    Files.createSymbolicLink(lock, folder.resolve("missing"));
    assertRefused(lock);
    assertThat(folder.resolve("missing")).doesNotExist();
    Files.delete(lock);
    Files.createLink(lock, empty);
    assertRefused(lock);
    assertThat(empty).isEmptyFile();
    assertThat(other).hasContent("kept");
  }

  private void assertRefused(Path lock) {
    assertThatThrownBy(() -> WriterLock.tryTake(folder.resolve("file")))
        .isInstanceOf(IOException.class)
        .hasMessage(lock + ": expected a lock of this engine, but it is something else; remove it");
  }

  @Test
  void anInterruptionIsKeptForTheCaller() throws IOException {
    Thread.currentThread().interrupt();
    try (WriterLock lock = WriterLock.tryTake(folder.resolve("file"))) {
      assertThat(lock).isNotNull();
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  @Test
  void manyThreadsNeverHaveItTogether() throws InterruptedException {
    AtomicInteger holders = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    AtomicInteger taken = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      threads.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    for (int round = 0; round < 300; round++) {
                      try (WriterLock lock = WriterLock.tryTake(folder.resolve("file"))) {
                        if (lock != null) {
                          taken.incrementAndGet();
                          most.accumulateAndGet(holders.incrementAndGet(), Math::max);
                          holders.decrementAndGet();
                        }
                      } catch (IOException e) {
                        throw new AssertionError(e);
                      }
                    }
                  }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(most).hasValue(1);
    assertThat(taken.get()).isGreaterThan(10);
  }

  @Test
  void anotherProcessHasItUntilItIsKilled() throws Exception {
    Path file = folder.resolve("file");
    Process holder =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                LockHolder.class.getName(),
                file.toString())
            .redirectErrorStream(true)
            .start();
    try {
      assertThat(holder.inputReader().readLine()).isEqualTo("has it");
      assertThat(WriterLock.tryTake(file)).isNull();
    } finally {
      holder.destroyForcibly();
    }
    assertThat(holder.waitFor(20, TimeUnit.SECONDS)).isTrue();
    Objects.requireNonNull(WriterLock.tryTake(file)).close();
  }

  /** A program that takes a lock and keeps it. */
  static final class LockHolder {
    private LockHolder() {}

    public static void main(String[] arguments) throws Exception {
      WriterLock lock = WriterLock.tryTake(Path.of(arguments[0]));
      System.out.println(lock == null ? "has it not" : "has it");
      Thread.sleep(60_000);
    }
  }
}
