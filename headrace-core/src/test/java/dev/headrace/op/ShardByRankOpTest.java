package dev.headrace.op;

import static dev.headrace.Dataset.INFINITE;
import static dev.headrace.Dataset.UNKNOWN;
import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Dataset;
import dev.headrace.Options;
import dev.headrace.Pipeline;
import dev.headrace.data.Seed;
import dev.headrace.golden.Outcomes;
import dev.headrace.spi.Collator;
import dev.headrace.spi.ShardMode;
import dev.headrace.testing.PipelineContract;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ShardByRankOpTest {
  @Test
  void keepsTheContract() {
    for (ShardMode mode : ShardMode.values()) {
      PipelineContract.of(
              n -> range(23).map(x -> Outcomes.refusing(7, x), n).shardByRank(2, 4, mode))
          .check();
    }
  }

  private static List<List<Long>> shares(Dataset<Long> dataset, int world, ShardMode mode) {
    List<List<Long>> shares = new ArrayList<>();
    for (int rank = 0; rank < world; rank++) {
      shares.add(dataset.shardByRank(rank, world, mode).toList());
    }
    return shares;
  }

  @Test
  void evensOutTheLastGroup() {
    assertThat(shares(range(10), 4, ShardMode.DROP))
        .containsExactly(List.of(0L, 4L), List.of(1L, 5L), List.of(2L, 6L), List.of(3L, 7L));
    assertThat(shares(range(5), 3, ShardMode.PAD))
        .containsExactly(List.of(0L, 3L), List.of(1L, 4L), List.of(2L, 4L));
    assertThat(shares(range(4), 3, ShardMode.REPEAT))
        .containsExactly(List.of(0L, 3L), List.of(1L, 0L), List.of(2L, 1L));
  }

  @Test
  void worksWithFewerElementsThanRanks() {
    assertThat(shares(range(2), 5, ShardMode.DROP)).containsOnly(List.of());
    assertThat(shares(range(2), 5, ShardMode.PAD))
        .containsExactly(List.of(0L), List.of(1L), List.of(1L), List.of(1L), List.of(1L));
    assertThat(shares(range(2), 5, ShardMode.REPEAT))
        .containsExactly(List.of(0L), List.of(1L), List.of(0L), List.of(1L), List.of(0L));
    for (ShardMode mode : ShardMode.values()) {
      assertThat(shares(range(0), 3, mode)).containsOnly(List.of());
    }
  }

  @Test
  void everyRankGetsTheSameNumberOfBatches() {
    for (ShardMode mode : ShardMode.values()) {
      for (int world : new int[] {1, 2, 3, 8}) {
        for (long size : new long[] {0, 1, 2, 7, 8, 9, 23, 64, 65}) {
          Dataset<Long> known = range(size).shuffle(10, Seed.of(4));
          checkWorld(known, world, mode, size);
          checkWorld(known.filter(x -> true), world, mode, size);
        }
      }
    }
  }

  private static void checkWorld(Dataset<Long> dataset, int world, ShardMode mode, long size) {
    Set<Long> batches = new HashSet<>();
    List<Long> all = new ArrayList<>();
    for (int rank = 0; rank < world; rank++) {
      Dataset<Long> share = dataset.shardByRank(rank, world, mode);
      batches.add(share.batch(3, Collator.stack()).count());
      all.addAll(share.toList());
    }
    assertThat(batches).hasSize(1);
    if (mode == ShardMode.DROP) {
      assertThat(all).doesNotHaveDuplicates();
      assertThat(size - all.size()).isBetween(0L, world - 1L);
    } else {
      assertThat(new HashSet<>(all)).hasSize((int) size);
      assertThat(all.size() - size).isBetween(0L, world - 1L);
    }
  }

  @Test
  void failuresAreSharedOutAndCostNoRankAnElement() {
    Dataset<Long> failing = range(12).map(x -> Outcomes.refusing(1, Outcomes.refusing(5, x)), 2);
    assertThat(Outcomes.of(failing.shardByRank(0, 2, ShardMode.DROP)))
        .containsExactly(
            "int64[] [0]",
            "int64[] [3]",
            "error",
            "int64[] [6]",
            "int64[] [8]",
            "int64[] [10]",
            "end");
    assertThat(Outcomes.of(failing.shardByRank(1, 2, ShardMode.DROP)))
        .containsExactly(
            "error",
            "int64[] [2]",
            "int64[] [4]",
            "int64[] [7]",
            "int64[] [9]",
            "int64[] [11]",
            "end");
  }

  @Test
  void knowsItsCardinality() {
    assertThat(range(10).shardByRank(3, 4, ShardMode.DROP).cardinality()).isEqualTo(2);
    assertThat(range(10).shardByRank(3, 4, ShardMode.PAD).cardinality()).isEqualTo(3);
    assertThat(range(8).shardByRank(3, 4, ShardMode.REPEAT).cardinality()).isEqualTo(2);
    assertThat(range(8).repeat().shardByRank(3, 4, ShardMode.PAD).cardinality())
        .isEqualTo(INFINITE);
    assertThat(range(8).filter(x -> true).shardByRank(3, 4, ShardMode.PAD).cardinality())
        .isEqualTo(UNKNOWN);
  }

  @Test
  @SuppressWarnings("NullAway") // what is refused
  void refusesRanksThatAreNot() {
    assertThatThrownBy(() -> range(3).shardByRank(0, 0, ShardMode.PAD))
        .hasMessage("shardByRank: expected a world of at least 1 rank, but got 0");
    assertThatThrownBy(() -> range(3).shardByRank(2, 2, ShardMode.PAD))
        .hasMessage("shardByRank: expected a rank from 0 to 1 in a world of 2, but got 2");
    assertThatThrownBy(() -> range(3).shardByRank(0, 2, null))
        .hasMessage("shardByRank: expected DROP, PAD or REPEAT, but got null");
  }

  @Test
  void elementsOfOtherRanksAreNotHeld() {
    List<WeakReference<byte[]>> made = new ArrayList<>();
    Dataset<byte[]> large =
        range(64)
            .map(
                i -> {
                  byte[] element = new byte[600_000];
                  made.add(new WeakReference<>(element));
                  return element;
                });
    try (Pipeline<byte[]> pipeline =
        large.shardByRank(3, 64, ShardMode.DROP).options(Options.defaults().debug()).open()) {
      assertThat(pipeline.iterator().next()).hasSize(600_000);
      System.gc();
      assertThat(made).hasSize(64);
      assertThat(made.stream().filter(each -> each.get() != null).count()).isLessThan(8);
    }
  }
}
