package dev.headrace.contract;

import dev.headrace.Dataset;
import dev.headrace.spi.Collator;
import dev.headrace.spi.ShardMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A program that reads its shard of files and of their lines, and writes down what it was given.
 */
public final class ShardedConsumer {
  static final long[] AWKWARD_SIZES = {0, 1, 7, 8, 9, 31, 100};

  private ShardedConsumer() {}

  /** Arguments: folder of the data, folder of the output, rank, worlds. */
  public static void main(String[] arguments) throws IOException {
    int rank = Integer.parseInt(arguments[2]);
    for (String world : arguments[3].split(",", -1)) {
      if (rank < Integer.parseInt(world)) {
        Path output = Path.of(arguments[1], rank + "-of-" + world);
        readShare(arguments[0] + "/*.txt", output, rank, Integer.parseInt(world));
      }
    }
  }

  private static void readShare(String pattern, Path output, int rank, int world)
      throws IOException {
    Dataset<Path> files = Dataset.listFiles(pattern);
    write(output + ".files", lines(files.shard(world, rank)).toList());
    write(output + ".records", lines(files).shard(world, rank).toList());
    List<String> counts = new ArrayList<>();
    for (ShardMode mode : ShardMode.values()) {
      write(output + "." + mode, lines(files).shardByRank(rank, world, mode).toList());
      for (long size : AWKWARD_SIZES) {
        long batches =
            Dataset.range(size)
                .filter(x -> true)
                .shardByRank(rank, world, mode)
                .batch(3, Collator.toList())
                .count();
        counts.add(mode + " of " + size + ": " + batches);
      }
    }
    write(output + ".batches", counts);
  }

  private static Dataset<String> lines(Dataset<Path> files) {
    return files.flatMap(
        file -> {
          List<String> lines = Files.readAllLines(file);
          return Dataset.range(lines.size()).map(i -> lines.get(i.intValue()));
        });
  }

  private static void write(String file, List<String> lines) throws IOException {
    Files.write(Path.of(file), lines);
  }
}
