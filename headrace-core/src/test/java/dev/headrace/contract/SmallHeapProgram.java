package dev.headrace.contract;

import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.PipelineException;
import dev.headrace.data.Seed;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.concurrent.locks.LockSupport;

/** A program that is run in a small heap. */
public final class SmallHeapProgram {
  private static final long SIZE = 2_000_000;

  private SmallHeapProgram() {}

  /** A record of about 80 bytes. */
  record Row(long number, String text, double value) {
    static Row of(long number) {
      return new Row(number, "row " + number, number);
    }
  }

  /** Arguments: what to run, and a folder to write to. */
  public static void main(String[] arguments) {
    Dataset<Row> rows = Dataset.range(SIZE).map(Row::of);
    Dataset<?> dataset =
        switch (arguments[0]) {
          case "shuffleRecords" -> rows.shuffle(SIZE, Seed.of(1));
          case "shuffleNumbers" -> Dataset.range(SIZE).shuffle(SIZE, Seed.of(1));
          case "smallShuffle" -> Dataset.range(SIZE).shuffle(400_000, Seed.of(1));
          case "cacheRecords" -> rows.cache();
          case "unique" -> rows.unique();
          case "window" -> rows.window((int) SIZE).flatMap(window -> window.take(1));
          case "groups" -> rows.groupByWindow(row -> 0L, (key, group) -> group, (int) SIZE);
          case "cacheFile" -> rows.cache(Path.of(arguments[1], "cache")).repeat(2);
          case "prefetch" -> Dataset.range(200_000).map(x -> new byte[1000]).prefetch(1_000_000);
          default -> throw new IllegalArgumentException(arguments[0]);
        };
    try (Pipeline<?> pipeline = dataset.options(options -> options.spill(false)).open()) {
      System.out.println("gave " + count(pipeline, arguments[0].equals("prefetch")));
    } catch (PipelineException e) {
      System.out.println(e.getMessage());
    }
  }

  /** Waits until the buffer has stopped growing. */
  private static void awaitFull(Pipeline<?> pipeline) {
    long before = -1;
    for (int same = 0; same < 20; same++) {
      long now = pipeline.stats().memory().heapBytes();
      same = now == before && now > 24 << 20 ? same : 0;
      before = now;
      LockSupport.parkNanos(10_000_000);
    }
  }

  private static long count(Pipeline<?> pipeline, boolean waitsForBuffer) {
    Iterator<?> elements = pipeline.iterator();
    long count = 0;
    while (elements.hasNext()) {
      elements.next();
      count++;
      if (waitsForBuffer && count == 1) {
        awaitFull(pipeline);
      }
    }
    return count;
  }
}
