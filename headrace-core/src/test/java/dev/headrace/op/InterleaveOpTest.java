package dev.headrace.op;

import static dev.headrace.Dataset.AUTOTUNE;
import static dev.headrace.Dataset.UNKNOWN;
import static dev.headrace.Dataset.range;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Dataset;
import dev.headrace.PipelineException;
import dev.headrace.data.Seed;
import dev.headrace.golden.Outcomes;
import dev.headrace.spi.Fn;
import dev.headrace.testing.PipelineContract;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class InterleaveOpTest {
  private static final Fn<Long, Dataset<Long>> TEN_EACH = x -> range(10 * x, 10 * x + x % 4);

  @Test
  void keepsTheContract() {
    PipelineContract.of(n -> range(7).interleave(TEN_EACH, 3, 2, n)).check();
    PipelineContract.of(n -> range(7).interleave(TEN_EACH, 3, 2)).check();
    PipelineContract.of(
            n ->
                range(6)
                    .map(x -> Outcomes.refusing(1, x), n)
                    .interleave(
                        x ->
                            range(Outcomes.refusing(4, x) + 3)
                                .map(y -> Outcomes.refusing(2, y) + 10 * x)
                                .shuffle(2, Seed.of(5)),
                        2,
                        2,
                        n))
        .check();
  }

  /** Written after tf.data's interleave_dataset_op.cc. */
  private static List<Long> tfOrder(List<List<Long>> inputs, int cycle, int block) {
    List<Long> out = new ArrayList<>();
    Deque<List<Long>> waiting = new ArrayDeque<>(inputs);
    List<Deque<Long>> slots = new ArrayList<>();
    for (int i = 0; i < cycle; i++) {
      slots.add(null);
    }
    int open = 0;
    int turn = 0;
    int taken = 0;
    while (!waiting.isEmpty() || open > 0) {
      Deque<Long> current = slots.get(turn);
      if (current == null && !waiting.isEmpty()) {
        slots.set(turn, new ArrayDeque<>(waiting.removeFirst()));
        open++;
        continue;
      }
      if (current != null && !current.isEmpty()) {
        out.add(current.removeFirst());
        taken++;
        if (taken < block) {
          continue;
        }
      } else if (current != null) {
        slots.set(turn, null);
        open--;
      }
      taken = 0;
      turn = (turn + 1) % cycle;
    }
    return out;
  }

  @Test
  void takesTurnsAsTfDataDoes() {
    Random random = new Random(7);
    for (int run = 0; run < 60; run++) {
      int[] lengths = random.ints(random.nextInt(9), 0, 6).toArray();
      int cycle = 1 + random.nextInt(5);
      int block = 1 + random.nextInt(4);
      List<List<Long>> inputs = new ArrayList<>();
      for (int i = 0; i < lengths.length; i++) {
        inputs.add(range(100L * i, 100L * i + lengths[i]).toList());
      }
      Fn<Long, Dataset<Long>> child = x -> range(100 * x, 100 * x + lengths[Math.toIntExact(x)]);
      List<Long> expected = tfOrder(inputs, cycle, block);
      Dataset<Long> input = range(lengths.length);
      assertThat(input.interleave(child, cycle, block).toList()).isEqualTo(expected);
      assertThat(input.interleave(child, cycle, block, 1 + run % 4).toList()).isEqualTo(expected);
      assertThat(input.interleave(child, cycle, block, AUTOTUNE).toList()).isEqualTo(expected);
    }
  }

  @Test
  void ofNothingIsNothing() {
    assertThat(range(0).interleave(TEN_EACH, 2, 1).toList()).isEmpty();
    assertThat(range(5).interleave(x -> range(0), 2, 1).toList()).isEmpty();
    assertThat(range(5).interleave(x -> range(0), 2, 1, 2).toList()).isEmpty();
    assertThat(range(0).interleave(TEN_EACH, 2, 1).cardinality()).isZero();
    assertThat(range(5).interleave(TEN_EACH, 2, 1).cardinality()).isEqualTo(UNKNOWN);
  }

  @Test
  void idsNameTheInputAndTheChild() {
    List<PipelineException> errors =
        Outcomes.errors(range(3).interleave(x -> range(2), 2, 1).map(x -> Outcomes.refusing(x, x)));
    assertThat(errors)
        .extracting(PipelineException::element)
        .containsExactly("0/0", "1/0", "0/1", "1/1", "2/0", "2/1");
  }

  @Test
  void aFunctionThatFailsCostsItsInput() {
    Fn<Long, Dataset<Long>> fails = x -> range(10 * Outcomes.refusing(1, x), 10 * x + 2);
    List<String> expected =
        List.of("int64[] [0]", "error", "int64[] [20]", "int64[] [1]", "int64[] [21]", "end");
    assertThat(Outcomes.of(range(3).interleave(fails, 2, 1))).isEqualTo(expected);
    assertThat(Outcomes.of(range(3).interleave(fails, 2, 1, 2))).isEqualTo(expected);
    assertThat(Outcomes.errors(range(3).interleave(fails, 2, 1)).getFirst())
        .hasMessageMatching(
            "interleave \\(InterleaveOpTest\\.java:\\d+\\) ← range: element 1 of epoch 0 failed:"
                + " java\\.lang\\.IllegalArgumentException: refuses 1");
  }

  @Test
  void aFunctionThatReturnsNullCostsItsInput() {
    List<PipelineException> errors =
        Outcomes.errors(range(3).interleave(x -> x == 2 ? null : range(x), 2, 1));
    assertThat(errors).hasSize(1);
    assertThat(errors.getFirst().element()).isEqualTo("2");
    assertThat(errors.getFirst())
        .hasMessageContaining("expected the function to return a dataset, but it returned null");
  }

  @Test
  void failuresInsideAChildKeepItsTurn() {
    Fn<Long, Dataset<Long>> child = x -> range(3).map(y -> 10 * x + Outcomes.refusing(1, y));
    List<String> expected =
        List.of(
            "int64[] [0]", "int64[] [10]", "error", "int64[] [2]", "error", "int64[] [12]", "end");
    assertThat(Outcomes.of(range(2).interleave(child, 2, 1))).isEqualTo(expected);
    assertThat(Outcomes.of(range(2).interleave(child, 2, 1, 3))).isEqualTo(expected);
  }

  @Test
  void childrenMayHaveThreadsOfTheirOwn() {
    List<Long> expected = range(20).interleave(x -> range(x), 4, 3).toList();
    assertThat(
            range(20)
                .map(x -> x, 3)
                .interleave(x -> range(x).map(y -> y, 2).prefetch(2), 4, 3, 2)
                .prefetch(5)
                .toList())
        .isEqualTo(expected);
  }

  @Test
  void plansThatWaitForTheirTurnAreReadAlready() {
    CountDownLatch thirdIsRead = new CountDownLatch(1);
    Fn<Long, Dataset<Long>> plans =
        file ->
            range(2)
                .map(
                    x -> {
                      if (file == 2) {
                        thirdIsRead.countDown();
                      }
                      boolean mustWait = file == 0 && x == 1;
                      return mustWait && !thirdIsRead.await(20, SECONDS) ? -1 : 10 * file + x;
                    });
    assertThat(range(3).interleave(plans, 2, 1, 4).toList())
        .containsExactly(0L, 10L, 1L, 11L, 20L, 21L);
  }

  @Test
  void refusesBadArguments() {
    Fn<Long, Dataset<Long>> none = null;
    assertThatThrownBy(() -> range(3).interleave(none, 1, 1))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("interleave: expected a function, but got null");
    assertThatThrownBy(() -> range(3).interleave(TEN_EACH, 0, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("interleave: expected a cycle of at least 1 input, but got 0");
    assertThatThrownBy(() -> range(3).interleave(TEN_EACH, 1, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("interleave: expected a block of at least 1 element, but got 0");
    for (int parallelism : new int[] {0, -2}) {
      assertThatThrownBy(() -> range(3).interleave(TEN_EACH, 1, 1, parallelism))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith(
              "interleave: expected a parallelism of at least 1 or AUTOTUNE, but got "
                  + parallelism);
    }
  }
}
