package dev.headrace.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.spi.ShardMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Several processes, each with its shard: together they have everything, and nothing twice. */
@Timeout(120)
class ShardingTest {
  private static final int FILES = 5;
  private static final int LINES_A_FILE = 7;
  private static final int RECORDS = FILES * LINES_A_FILE;
  private static final int[] WORLDS = {1, 2, 3, 8};

  @Test
  void allShardsTogetherAreTheWhole(@TempDir Path folder) throws Exception {
    Path data = Files.createDirectory(folder.resolve("data"));
    List<String> all = new ArrayList<>();
    for (int file = 0; file < FILES; file++) {
      int first = file * LINES_A_FILE;
      List<String> lines =
          IntStream.range(first, first + LINES_A_FILE).mapToObj(i -> "record " + i).toList();
      Files.write(data.resolve("part-" + file + ".txt"), lines);
      all.addAll(lines);
    }
    run(folder, data, Arrays.stream(WORLDS).max().orElseThrow());
    for (int world : WORLDS) {
      checkWorld(folder, world, all);
    }
  }

  /** Runs one process for each rank, which is that rank in every world that has it. */
  private static void run(Path folder, Path data, int ranks) throws Exception {
    List<Process> processes = new ArrayList<>();
    try {
      for (int rank = 0; rank < ranks; rank++) {
        processes.add(start(folder, data, rank));
      }
      for (Process process : processes) {
        assertThat(process.waitFor(90, TimeUnit.SECONDS)).as("a shard hangs").isTrue();
      }
    } finally {
      processes.forEach(Process::destroyForcibly);
    }
  }

  private static void checkWorld(Path folder, int world, List<String> all) throws IOException {
    for (String what : List.of("files", "records")) {
      List<String> together = new ArrayList<>();
      for (List<String> share : shares(folder, world, what)) {
        together.addAll(share);
      }
      assertThat(together)
          .as("%s over %d processes", what, world)
          .containsExactlyInAnyOrderElementsOf(all);
    }
    for (ShardMode mode : ShardMode.values()) {
      List<String> together = new ArrayList<>();
      for (List<String> share : shares(folder, world, mode.name())) {
        together.addAll(share);
      }
      if (mode == ShardMode.DROP) {
        assertThat(together).hasSize(RECORDS - RECORDS % world).doesNotHaveDuplicates();
        assertThat(all).containsAll(together);
      } else {
        assertThat(new HashSet<>(together)).isEqualTo(new HashSet<>(all));
        assertThat(together.size() - RECORDS).isBetween(0, world - 1);
      }
    }
    List<List<String>> batchCounts = shares(folder, world, "batches");
    assertThat(new HashSet<>(batchCounts)).as("batches of %d ranks", world).hasSize(1);
    assertThat(batchCounts.getFirst())
        .hasSize(ShardedConsumer.AWKWARD_SIZES.length * ShardMode.values().length);
  }

  private static List<List<String>> shares(Path folder, int world, String what) throws IOException {
    List<List<String>> shares = new ArrayList<>();
    for (int rank = 0; rank < world; rank++) {
      Path output = folder.resolve(rank + "-of-" + world + "." + what);
      assertThat(output).as("written by %d of %d: %s", rank, world, log(folder, rank)).exists();
      shares.add(Files.readAllLines(output));
    }
    return shares;
  }

  private static String log(Path folder, int rank) {
    try {
      return Files.readString(folder.resolve(rank + ".log"));
    } catch (IOException e) {
      return e.toString();
    }
  }

  private static Process start(Path folder, Path data, int rank) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-Xmx64m",
            "-cp",
            System.getProperty("java.class.path"),
            ShardedConsumer.class.getName(),
            data.toString(),
            folder.toString(),
            Integer.toString(rank),
            Arrays.toString(WORLDS).replaceAll("[^0-9,]", ""))
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve(rank + ".log").toFile())
        .start();
  }
}
