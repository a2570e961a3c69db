package dev.headrace.op;

import static dev.headrace.Dataset.INFINITE;
import static dev.headrace.Dataset.UNKNOWN;
import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Dataset;
import dev.headrace.Options;
import dev.headrace.PipelineException;
import dev.headrace.golden.Outcomes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WindowOpTest {

  private static List<List<Long>> lists(Dataset<Dataset<Long>> windows) {
    return windows.map(w -> w.toList()).toList();
  }

  /** The definition, on a list. */
  private static List<List<Long>> expected(
      long count, int size, int shift, int stride, boolean drop) {
    List<List<Long>> windows = new ArrayList<>();
    for (long start = 0; start < count; start += shift) {
      List<Long> window = new ArrayList<>();
      for (long at = start; at < count && window.size() < size; at += stride) {
        window.add(at);
      }
      boolean reachesEnd = start + (size - 1L) * stride < count;
      if (!drop || reachesEnd) {
        windows.add(window);
      }
    }
    return windows;
  }

  @Test
  void windowsAreAsDefined() {
    for (int size : new int[] {1, 2, 3, 10}) {
      for (int shift : new int[] {1, 2, 5, 12}) {
        for (int stride : new int[] {1, 2, 4}) {
          for (boolean drop : new boolean[] {false, true}) {
            for (long count : new long[] {0, 1, 11}) {
              Dataset<Dataset<Long>> windows = range(count).window(size, shift, stride, drop);
              List<List<Long>> expected = expected(count, size, shift, stride, drop);
              assertThat(lists(windows)).as(windows.explain()).isEqualTo(expected);
              assertThat(windows.cardinality()).as(windows.explain()).isEqualTo(expected.size());
            }
          }
        }
      }
    }
    assertThat(lists(range(5).window(2)))
        .containsExactly(List.of(0L, 1L), List.of(2L, 3L), List.of(4L));
  }

  @Test
  void knowsItsCardinality() {
    assertThat(range(5).repeat().window(2).cardinality()).isEqualTo(INFINITE);
    assertThat(range(5).filter(x -> true).window(2).cardinality()).isEqualTo(UNKNOWN);
    assertThat(range(5).window(2).map(w -> w.cardinality()).toList()).containsExactly(2L, 2L, 1L);
  }

  @Test
  void failuresAreDeliveredAsMetAndCountForNothing() {
    assertThat(
            Outcomes.of(
                range(7)
                    .map(x -> Outcomes.refusing(2, x))
                    .window(2, 2, 1, false)
                    .interleave(w -> w, 1, 1)))
        .containsExactly(
            "int64[] [0]",
            "int64[] [1]",
            "error",
            "int64[] [3]",
            "int64[] [4]",
            "int64[] [5]",
            "int64[] [6]",
            "end");
    assertThat(
            Outcomes.of(
                range(9)
                    .map(x -> Outcomes.refusing(3, x))
                    .window(1, 3, 1, false)
                    .interleave(w -> w, 1, 1)))
        .containsExactly("int64[] [0]", "error", "int64[] [4]", "int64[] [7]", "end");
  }

  @Test
  void elementsOfAWindowAreNumberedUnderItsFirst() {
    PipelineException error =
        Outcomes.errors(
                range(6).window(2).interleave(w -> w.map(x -> Outcomes.refusing(3, x)), 1, 1))
            .getFirst();
    assertThat(error.element()).isEqualTo("2/1");
  }

  @Test
  void readsNoMoreThanIsNeeded() {
    AtomicInteger calls = new AtomicInteger();
    Dataset<Long> counted =
        range(100)
            .map(
                x -> {
                  calls.incrementAndGet();
                  return x;
                });
    assertThat(counted.window(3, 2, 2, false).take(2).count()).isEqualTo(2);
    assertThat(calls).hasValue(7);
  }

  @Test
  void windowsBeyondTheMemoryBudgetFailWithTheSizeNeeded() {
    Dataset<Dataset<byte[]>> windows =
        range(100)
            .map(x -> new byte[1 << 20])
            .window(50)
            .options(Options.defaults().heapBudget(8L << 20));
    PipelineException error = Outcomes.errors(windows).getFirst();
    assertThat(error.isTerminal()).isTrue();
    assertThat(error)
        .hasMessageContaining(
            "window: expected the 50 elements of a window to fit the memory budget")
        .hasMessageContaining("they need about 50 MB");
  }

  @Test
  void refusesBadArguments() {
    for (int[] bad : new int[][] {{0, 1, 1}, {1, 0, 1}, {1, 1, 0}}) {
      assertThatThrownBy(() -> range(3).window(bad[0], bad[1], bad[2], false))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "window: expected a size, shift and stride of at least 1, but got %d, %d and %d"
                  .formatted(bad[0], bad[1], bad[2]));
    }
  }

  @Test
  void explainsItself() {
    Dataset<Dataset<Long>> windows = range(5).window(2, 1, 1, true);
    assertThat(windows.explain())
        .startsWith("window(size=2, shift=1, stride=1, dropRemainder=true, dataset)");
    assertThat(windows.toList().getFirst().explain()).startsWith("window(items=2 elements)");
  }
}
