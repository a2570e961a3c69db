package dev.headrace.profile.lint;

import static dev.headrace.Dataset.AUTOTUNE;
import static dev.headrace.profile.lint.LintCases.SEED;
import static dev.headrace.profile.lint.LintCases.examples;
import static dev.headrace.profile.lint.LintCases.found;
import static dev.headrace.profile.lint.LintCases.write;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.Dataset;
import dev.headrace.data.Tensor;
import dev.headrace.profile.Finding;
import dev.headrace.spi.Collator;
import dev.headrace.spi.Order;
import dev.headrace.spi.Packed;
import dev.headrace.spi.Packing;
import dev.headrace.spi.Scanned;
import dev.headrace.spi.ShardMode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Shards: where a rule speaks, and where something like it is harmless. */
final class ShardRulesTest {
  @TempDir Path folder;

  @Test
  void shardOfDifferingOrders() {
    assertThat(found(Dataset.range(1000).shuffle(100).shard(2, 0)))
        .containsExactly("PROBLEM shard-of-differing-orders at shard");
    assertThat(found(Dataset.range(1000).shuffle(100).shardByRank(0, 2, ShardMode.DROP)))
        .containsExactly("PROBLEM shard-of-differing-orders at shardByRank");
    assertThat(found(Dataset.range(1000).filter(x -> x > 3, 4, Order.UNORDERED).shard(2, 0)))
        .containsExactly("PROBLEM shard-of-differing-orders at shard");
    assertThat(
            found(
                Dataset.range(1000)
                    .filter(x -> x > 3, 4)
                    .shard(2, 0)
                    .options(o -> o.deterministic(false))))
        .containsExactly("PROBLEM shard-of-differing-orders at shard");

    assertThat(found(Dataset.range(1000).shuffle(100, SEED).shard(2, 0))).isEmpty();
    assertThat(found(Dataset.range(1000).shard(2, 0).shuffle(100))).isEmpty();
    assertThat(found(Dataset.range(1000).shuffle(100).shard(1, 0))).isEmpty();
    assertThat(found(Dataset.range(1000).filter(x -> x > 3, 4).shard(2, 0))).isEmpty();
    assertThat(found(Dataset.range(1000).shuffle(100).cache(Path.of("shared")).shard(2, 0)))
        .containsExactly("HINT cache-freezes-order at cacheFile"); // one file, one order
  }

  @Test
  void shardLate() {
    assertThat(found(examples(1000).shard(4, 1))).containsExactly("HINT shard-late at shard");
    assertThat(found(Dataset.range(1000).map(LintCases::load).prefetch(2).shard(4, 1)))
        .containsExactly("HINT shard-late at shard");
    assertThat(
            found(
                Dataset.range(1000)
                    .map(LintCases::load)
                    .shardByRank(1, 4, ShardMode.DROP)
                    .prefetch(2)))
        .containsExactly("HINT shard-late at shardByRank");

    assertThat(found(examples(1000).shuffle(100, SEED).prefetch(2).shard(4, 1)))
        .containsExactly("HINT shard-late at shard");

    assertThat(found(Dataset.range(1000).shard(4, 1).map(LintCases::load, 4))).isEmpty();
    assertThat(found(Dataset.range(1000).map(LintCases::load).shard(4, 1).prefetch(2)))
        .containsExactly("HINT shard-late at shard");
    assertThat(
            found(
                Dataset.range(1000).map(Dataset.pure(LintCases::load), 2).shard(4, 1).prefetch(2)))
        .isEmpty(); // what belongs to others is passed over
    assertThat(found(examples(1000).batch(10).shard(4, 1))).isEmpty();
    assertThat(found(examples(1000).shard(1, 0))).isEmpty();
    assertThat(found(examples(1000).filter(x -> x.shape().rank() == 0, 4).shard(4, 1)))
        .isEmpty(); // as many to each of those that are left
    assertThat(found(examples(1000).cache(Path.of("shared")).shard(4, 1))).isEmpty();
  }

  @Test
  void tokenizingAndPackingBeforeRanks() {
    Dataset<String> text = Dataset.textLines("corpus/*.txt");
    Dataset<Packed<Tensor>> rows =
        text.map(line -> Tensor.of(1L, 2L), AUTOTUNE).pack(1024, Packing.FIRST_FIT);

    List<Finding> late = rows.shardByRank(1, 4, ShardMode.DROP).prefetch(2).lint();
    assertThat(late).extracting(Finding::rule).containsExactly("shard-late");
    assertThat(late.getFirst().message()).contains("keeps one of 4 results");
    assertThat(late.getFirst().advice()).isEqualTo("put .shardByRank(…) before .map(…)");
    assertThat(found(rows.batch(8).shardByRank(1, 4, ShardMode.PAD).prefetch(2)))
        .containsExactly("HINT shard-late at shardByRank");
    assertThat(
            found(
                text.flatMap(line -> Dataset.range(3))
                    .filter(x -> x > 0)
                    .batch(8, Collator.stack())
                    .shardByRank(1, 4, ShardMode.DROP)
                    .prefetch(2)))
        .containsExactly("HINT shard-late at shardByRank");
    assertThat(
            found(
                Dataset.range(1000)
                    .batch(8, Collator.stack())
                    .pack(64, Packing.FIRST_FIT)
                    .shardByRank(1, 4, ShardMode.DROP)))
        .containsExactly("HINT shard-late at shardByRank");

    assertThat(
            found(
                text.shardByRank(1, 4, ShardMode.DROP)
                    .map(line -> Tensor.of(1L, 2L), AUTOTUNE)
                    .pack(1024, Packing.FIRST_FIT)
                    .prefetch(2)))
        .isEmpty();
    assertThat(found(text.shardByRank(1, 4, ShardMode.DROP).prefetch(2))).isEmpty();
    assertThat(
            found(
                Dataset.listFiles("corpus/*.txt")
                    .prefetch(2)
                    .flatMap(f -> Dataset.textLines(f))
                    .shardByRank(1, 4, ShardMode.DROP)
                    .prefetch(2)))
        .isEmpty(); // few files, many lines
    assertThat(
            found(
                Dataset.range(1000)
                    .scan(0L, (sum, x) -> new Scanned<>(sum + x, sum))
                    .shardByRank(1, 4, ShardMode.DROP)
                    .prefetch(2)))
        .isEmpty(); // it needs all elements
  }

  @Test
  void shardEmpty() throws IOException {
    write(folder, "part-%d.txt", 3, 1);
    Dataset<Path> files = Dataset.listFiles(folder + "/part-*.txt");

    assertThat(found(files.shard(4, 0))).containsExactly("PROBLEM shard-empty at shard");
    assertThat(found(files.shuffle(10, SEED).shard(4, 0)))
        .containsExactly("PROBLEM shard-empty at shard");
    assertThat(found(Dataset.range(3).shard(4, 0))).containsExactly("PROBLEM shard-empty at shard");
    assertThat(found(Dataset.range(3).shardByRank(0, 4, ShardMode.DROP)))
        .containsExactly("PROBLEM shard-empty at shardByRank");

    assertThat(found(files.prefetch(2).filter(f -> true).ignoreErrors().shard(4, 0)))
        .containsExactly("PROBLEM shard-empty at shard");
    assertThat(found(Dataset.range(3).filter(x -> x > 1).shard(4, 0)))
        .containsExactly("PROBLEM shard-empty at shard");

    assertThat(found(files.repeat(2).shard(4, 0))).isEmpty();
    assertThat(found(files.shard(3, 0))).isEmpty();
    assertThat(found(Dataset.range(3).shardByRank(0, 4, ShardMode.PAD))).isEmpty();
    assertThat(found(Dataset.listFiles(folder + "/none-*.txt").shard(4, 0))).isEmpty();
    assertThat(found(Dataset.listFiles("store://bucket/*.txt").shard(4, 0))).isEmpty();
  }
}
