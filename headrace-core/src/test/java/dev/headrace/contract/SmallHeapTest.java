package dev.headrace.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** In a heap of 64 MB, what holds data fits or says the size it needs, and never runs out. */
class SmallHeapTest {

  @Test
  void aShuffleOfTwoMillionRecordsSaysTheSizeItNeeds() throws Exception {
    assertThat(run("shuffleRecords"))
        .contains("shuffle: expected a buffer of 2,000,000 elements to fit the memory budget")
        .contains("the buffer needs about ")
        .contains("lower it, raise options.heapBudget, or shuffle before elements grow");
  }

  @Test
  void aShuffleOfTwoMillionNumbersSaysTheSizeItNeeds() throws Exception {
    assertThat(run("shuffleNumbers")).contains("the buffer needs about 31 MB");
  }

  @Test
  void aShuffleThatFitsIsGiven() throws Exception {
    assertThat(run("smallShuffle")).contains("gave 2000000");
  }

  @Test
  void aCacheInMemorySaysTheSizeItNeeds() throws Exception {
    assertThat(run("cacheRecords"))
        .contains("cache: expected its elements to fit the memory budget")
        .contains("raise options.heapBudget, or cache earlier, where elements are smaller");
  }

  @ParameterizedTest
  @CsvSource({
    "unique,unique: expected",
    "window,window: expected",
    "groups,groupByWindow: expected"
  })
  void whatHoldsElementsSaysTheSizeItNeeds(String what, String message) throws Exception {
    assertThat(run(what)).contains(message).contains("heapBudget");
  }

  @Test
  void aCacheInAFileHoldsAnyNumber(@TempDir Path folder) throws Exception {
    assertThat(run("cacheFile", folder.toString())).contains("gave 4000000");
  }

  @Test
  void aLongPrefetchStaysWithinTheBudget() throws Exception {
    assertThat(run("prefetch"))
        .contains("gave 200000")
        .contains("asked to hold 1,000,000 elements, holds ");
  }

  private static String run(String... arguments) throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx64m",
            "-XX:+UseSerialGC",
            "-cp",
            System.getProperty("java.class.path"),
            SmallHeapProgram.class.getName());
    builder.command().addAll(List.of(arguments));
    Process process = builder.redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
    assertThat(output).doesNotContain("OutOfMemoryError");
    return output;
  }
}
