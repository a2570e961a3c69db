package dev.headrace.op;

import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Dataset;
import dev.headrace.PipelineException;
import dev.headrace.data.Indexed;
import dev.headrace.data.Pair;
import dev.headrace.data.Seed;
import dev.headrace.golden.Outcomes;
import dev.headrace.spi.Access;
import dev.headrace.spi.Collator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class RandomAccessTest {
  /** By index and by reading, the elements are the same. */
  private static void check(Dataset<?> dataset) {
    List<Object> byIndex = new ArrayList<>();
    long size;
    try (Access access = dataset.op().access()) {
      size = access.size();
    }
    for (long i = 0; i < size; i++) {
      byIndex.add(String.valueOf(dataset.at(i)));
    }
    assertThat(byIndex).isEqualTo(dataset.map(x -> String.valueOf(x)).toList());
    assertThatThrownBy(() -> dataset.at(size))
        .isInstanceOf(IndexOutOfBoundsException.class)
        .hasMessage("at: expected an index from 0 to below %d, but got %d".formatted(size, size));
    assertThatThrownBy(() -> dataset.at(-1)).isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void givesTheElementsThatReadingGives(@TempDir Path folder) throws IOException {
    check(range(10, 0, -3));
    check(range(0));
    check(range(7).map(x -> 2 * x));
    check(range(7).map(x -> 2 * x, 3).prefetch(2));
    check(range(7).take(3));
    check(range(7).take(-1));
    check(range(7).take(0));
    check(range(7).skip(3));
    check(range(7).skip(9));
    check(range(7).skip(-1));
    check(range(7).shard(3, 0));
    check(range(7).shard(3, 2));
    check(range(2).shard(5, 4));
    check(range(3).concatenate(range(0), range(5, 9)));
    check(range(3).zip(range(5, 9)));
    check(range(3).zip(range(5, 9), (a, b) -> a * b));
    check(Dataset.zip(List.of(range(3), range(4), range(5))));
    check(range(3).enumerate(5));
    check(range(8).batch(3, Collator.stack()));
    check(range(8).batch(3, Collator.toList(), true));
    check(range(9).map(x -> x + 1, 2).skip(1).shard(2, 1).batch(2, Collator.toList()).enumerate());
    for (int i = 0; i < 3; i++) {
      Files.writeString(folder.resolve(i + ".txt"), "x");
    }
    check(Dataset.listFiles(folder + "/*.txt"));
    check(Dataset.listFiles(folder + "/*.txt").map(file -> file.getFileName(), 2));
  }

  @Test
  void makesOnlyWhatIsAskedFor() {
    AtomicInteger calls = new AtomicInteger();
    Dataset<Long> slow =
        range(1L << 50)
            .map(
                x -> {
                  calls.incrementAndGet();
                  return x;
                });
    assertThat(slow.skip(5).zip(range(1L << 51)).at(1L << 40))
        .isEqualTo(new Pair<>((1L << 40) + 5, 1L << 40));
    assertThat(slow.enumerate().at(3)).isEqualTo(new Indexed<>(3, 3L));
    assertThat(calls).hasValue(2);
  }

  @Test
  void aSequentialMapIsNotCalledConcurrently() {
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    Dataset<Long> dataset =
        range(200)
            .map(
                x -> {
                  most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                  Thread.onSpinWait();
                  inside.decrementAndGet();
                  return x;
                });
    try (Access access = dataset.op().access()) {
      long sum =
          LongStream.range(0, 200)
              .parallel()
              .map(
                  i -> {
                    try {
                      return (Long) access.at(i);
                    } catch (Exception e) {
                      throw new AssertionError(e);
                    }
                  })
              .sum();
      assertThat(sum).isEqualTo(199 * 100);
    }
    assertThat(most).hasValue(1);
  }

  @Test
  void aFailureIsThrownWhereItIs() {
    Dataset<Long> failing = range(4).map(x -> Outcomes.refusing(2, x), 2);
    assertThat(failing.at(3)).isEqualTo(3L);
    assertThatThrownBy(() -> failing.at(2))
        .isInstanceOf(PipelineException.class)
        .hasMessageContaining("refuses 2");
    assertThatThrownBy(() -> range(3).map(x -> nothing()).at(0))
        .hasMessageContaining("expected the function to return an element, but it returned null");
    assertThatThrownBy(() -> Dataset.listFiles("/nowhere/*.txt").at(0))
        .hasMessageContaining("expected at least one file to match");
  }

  @SuppressWarnings("NullAway") // what a careless function does
  private static Object nothing() {
    return null;
  }

  @Test
  void namesTheOperatorThatCannot() {
    assertThatThrownBy(() -> range(9).filter(x -> true).map(x -> x).take(3).at(0))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageMatching(
            "filter \\(RandomAccessTest.java:\\d+\\): expected an operator that gives elements by"
                + " their index, but it only reads them in order");
    assertThatThrownBy(() -> range(9).shuffle(3, Seed.of(1)).at(0))
        .hasMessageStartingWith("shuffle");
    assertThatThrownBy(() -> range(9).zip(range(3).repeat(2)).at(0))
        .hasMessageStartingWith("repeat");
  }
}
