package dev.headrace.data;

import static org.assertj.core.api.Assertions.assertThat;

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
    Files.writeString(folder.resolve("file.lock"), "left behind");
    Objects.requireNonNull(WriterLock.tryTake(file)).close();
    assertThat(folder.resolve("file.lock")).doesNotExist();
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
