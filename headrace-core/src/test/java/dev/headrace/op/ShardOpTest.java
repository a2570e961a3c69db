package dev.headrace.op;

import static dev.headrace.Dataset.INFINITE;
import static dev.headrace.Dataset.UNKNOWN;
import static dev.headrace.Dataset.pure;
import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Dataset;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.golden.Outcomes;
import dev.headrace.testing.PipelineContract;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ShardOpTest {
  @Test
  void keepsTheContract() {
    PipelineContract.of(n -> range(30).map(x -> Outcomes.refusing(7, x), n).shard(3, 1)).check();
  }

  @Test
  void takesEveryNthFromItsIndexOn() {
    assertThat(range(10).shard(3, 1).toList()).containsExactly(1L, 4L, 7L);
    assertThat(range(7).shard(3, 0).toList()).containsExactly(0L, 3L, 6L);
    assertThat(range(3).shard(1, 0).toList()).containsExactly(0L, 1L, 2L);
    assertThat(range(2).shard(5, 4).toList()).isEmpty();
    assertThat(range(0).shard(2, 0).toList()).isEmpty();
    assertThat(range(2).repeat().shard(3, 2).take(3).toList()).containsExactly(0L, 1L, 0L);
    assertThat(range(100).shard(7, 3).skip(5).first()).hasValue(38L);
  }

  @Test
  void knowsItsCardinality() {
    assertThat(range(10).shard(3, 0).cardinality()).isEqualTo(4);
    assertThat(range(10).shard(3, 1).cardinality()).isEqualTo(3);
    assertThat(range(2).shard(5, 4).cardinality()).isZero();
    assertThat(range(10).repeat().shard(3, 1).cardinality()).isEqualTo(INFINITE);
    assertThat(range(10).filter(x -> true).shard(3, 1).cardinality()).isEqualTo(UNKNOWN);
  }

  @Test
  void eachFailureBelongsToOneShard() {
    List<String> all = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      all.addAll(Outcomes.of(range(8).map(x -> Outcomes.refusing(2, x)).shard(3, i)));
    }
    assertThat(all)
        .containsExactly(
            "int64[] [0]",
            "int64[] [3]",
            "int64[] [6]",
            "end", //
            "int64[] [1]",
            "int64[] [4]",
            "int64[] [7]",
            "end", //
            "error",
            "int64[] [5]",
            "end");
  }

  @Test
  void doesNotMakeWhatBelongsToOthers() {
    AtomicInteger calls = new AtomicInteger();
    Dataset<Long> made =
        range(30)
            .map(
                pure(
                    x -> {
                      calls.incrementAndGet();
                      return x;
                    }));
    assertThat(made.shard(5, 2).options(o -> o.asWritten()).count()).isEqualTo(6);
    assertThat(calls).hasValue(6);
    assertThat(range(Long.MAX_VALUE).shard(1L << 40, 5).take(2).toList())
        .containsExactly(5L, (1L << 40) + 5);
  }

  @Test
  void givesTheMemoryOfOtherBatchesBack() {
    try (var batches =
        range(40).map(x -> Tensor.full(Shape.of(4096), x)).batch(4).shard(4, 1).open()) {
      long first = 0;
      for (Tensor batch : batches) {
        first += batch.longAt(0);
      }
      assertThat(first).isEqualTo(4 + 20 + 36);
    }
  }

  @Test
  void refusesShardsThatAreNot() {
    assertThatThrownBy(() -> range(3).shard(0, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("shard: expected at least 1 shard, but got 0");
    assertThatThrownBy(() -> range(3).shard(3, -1))
        .hasMessage("shard: expected an index from 0 to 2 for 3 shards, but got -1");
    assertThatThrownBy(() -> range(3).shard(3, 3))
        .hasMessage("shard: expected an index from 0 to 2 for 3 shards, but got 3");
  }
}
