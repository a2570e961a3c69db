package dev.headrace.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills a process that fills a cache file and writes dead letters, again and again: the cache is
 * there whole or not at all, and in the end each failure was written down once.
 */
class KilledWriterTest {
  private static final int KILLS = 8;

  @Test
  void theCacheIsWholeAndEachFailureIsWrittenOnce(@TempDir Path folder) throws Exception {
    SplittableRandom random = new SplittableRandom(11);
    for (int kill = 0; kill < KILLS; kill++) {
      Process process = start(folder);
      long lines = lines(folder.resolve("log")) + random.nextInt(5, 120);
      while (process.isAlive() && lines(folder.resolve("log")) < lines) {
        TimeUnit.MILLISECONDS.sleep(1);
      }
      process.destroyForcibly();
      assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    }
    Process last = start(folder);
    assertThat(last.waitFor(2, TimeUnit.MINUTES)).isTrue();
    assertThat(last.exitValue()).as(Files.readString(folder.resolve("output"))).isZero();
    assertThat(Files.readAllLines(folder.resolve("log"))).isEqualTo(KilledWriter.expected());
    List<String> elements = new ArrayList<>();
    for (String line : Files.readAllLines(folder.resolve("letters"))) {
      assertThat(line).startsWith("{\"epoch\": 0, \"element\": \"").endsWith("\"}");
      elements.add(line.replaceAll("^.*\"element\": \"([0-9]+)\".*$", "$1"));
    }
    assertThat(elements).hasSize(KilledWriter.failures());
    assertThat(new HashSet<>(elements)).hasSize(KilledWriter.failures());
    try (Stream<Path> left = Files.list(folder)) {
      assertThat(left.map(path -> path.getFileName().toString()))
          .containsExactlyInAnyOrder("cache", "letters", "log", "output", "saved");
    }
  }

  private static long lines(Path log) throws IOException {
    return Files.exists(log) ? Files.readString(log).chars().filter(c -> c == '\n').count() : 0;
  }

  private static Process start(Path folder) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-Xmx64m",
            "-cp",
            System.getProperty("java.class.path"),
            KilledWriter.class.getName(),
            folder.toString())
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("output").toFile())
        .start();
  }
}
