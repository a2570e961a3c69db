package dev.headrace.examples;

import static dev.headrace.Dataset.AUTOTUNE;
import static dev.headrace.examples.Comparison.sentence;

import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.data.Seed;
import dev.headrace.spi.ShardMode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/**
 * "Prefetching for performance in TensorFlow" (001), expert note 2: in distributed training,
 * prefetching must be coordinated to avoid duplication and starvation.
 *
 * <p>Four workers share 1,002 elements, each with a prefetch of its own. Which elements a worker
 * gets follows from its rank, not from what is read ahead: no worker gets an element of another,
 * all have the same number of batches, and nothing has to be coordinated.
 */
public final class WorkersShareData {
  static final int WORKERS = 4;
  static final long ELEMENTS = 1002;

  private WorkersShareData() {}

  static Dataset<Long> dataset(int rank) {
    return Dataset.range(ELEMENTS)
        .shuffle(100, Seed.of(3))
        .shardByRank(rank, WORKERS, ShardMode.DROP)
        .prefetch(AUTOTUNE);
  }

  /** What the workers got, each in a list of its own. */
  static List<List<Long>> share() {
    List<List<Long>> all = new ArrayList<>();
    for (int rank = 0; rank < WORKERS; rank++) {
      try (Pipeline<Long> pipeline = dataset(rank).open()) {
        List<Long> mine = new ArrayList<>();
        for (long element : pipeline) {
          mine.add(element);
        }
        all.add(mine);
        if (rank == 0) {
          System.out.println(pipeline.diagnose());
        }
      }
    }
    return all;
  }

  /** No arguments. */
  public static void main(String[] arguments) {
    List<List<Long>> all = share();
    HashSet<Long> different = new HashSet<>();
    all.forEach(different::addAll);
    long given = all.stream().mapToLong(List::size).sum();
    Comparison.conclude(
        System.out,
        sentence(
            "%d workers with prefetching got %,d elements, %d of them twice; the shortest share has"
                + " %d elements and the longest %d. Of %,d elements the last %d were left out, so"
                + " that all have as many.",
            WORKERS,
            given,
            given - different.size(),
            all.stream().mapToInt(List::size).min().orElse(0),
            all.stream().mapToInt(List::size).max().orElse(0),
            ELEMENTS,
            ELEMENTS - given));
  }
}
