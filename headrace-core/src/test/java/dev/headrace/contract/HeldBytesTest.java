package dev.headrace.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import com.sun.management.ThreadMXBean;
import dev.headrace.Dataset;
import dev.headrace.Options;
import dev.headrace.Pipeline;
import dev.headrace.PipelineException;
import dev.headrace.data.Seed;
import dev.headrace.golden.Outcomes;
import dev.headrace.spi.Fn;
import dev.headrace.testing.NoLeftovers;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What an operator holds is what the account says, by what the JVM allocated for it. */
@Timeout(60)
@ExtendWith(NoLeftovers.class)
class HeldBytesTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final int HELD = 400;
  private static final int MB = 1 << 20;
  private static final Options OPTIONS =
      Options.defaults().asWritten().heapBudget(64 * MB).spill(false);

  record Nested(float[] values, String name, Inner inner) {}

  record Inner(boolean[] mask, int[] places) {}

  /** An operator, and how many elements to take before it holds {@link #HELD} of them. */
  private record Holder(UnaryOperator<Dataset<Object>> over, int taken, boolean waits) {}

  static Stream<Arguments> holders() {
    Map<String, Holder> holders = new LinkedHashMap<>();
    holders.put("shuffle", new Holder(d -> d.shuffle(HELD, Seed.of(1)), 50, false));
    holders.put("cache", new Holder(d -> d.take(HELD).cache(), HELD, false));
    holders.put(
        "window",
        new Holder(d -> d.window(HELD, 1, 1, true).map(window -> (Object) "window"), 1, false));
    holders.put(
        "groupByWindow",
        new Holder(
            d ->
                d.enumerate()
                    .groupByWindow(
                        each -> each.index() < HELD ? each.index() : -1,
                        (key, window) -> window.map(each -> (Object) "flushed"),
                        2),
            1,
            false));
    holders.put("prefetch", new Holder(d -> d.prefetch(HELD), 1, true));

    Map<String, Fn<Long, Object>> elements = new LinkedHashMap<>();
    elements.put("byte[]", i -> new byte[30_000]);
    elements.put("float[]", i -> new float[10_000]);
    elements.put("boolean[]", i -> new boolean[30_000]);
    elements.put("records", HeldBytesTest::nested);
    elements.put("maps", i -> Map.of("values", new float[10_000], "name", "abc".repeat(500)));
    elements.put("strings", i -> "abcdefgh".repeat(4000));
    List<Arguments> all = new ArrayList<>();
    holders.forEach(
        (holder, over) ->
            elements.forEach((name, maker) -> all.add(Arguments.of(holder, name, over, maker))));
    return all.stream();
  }

  private static Object nested(long i) {
    return new Nested(
        new float[5000],
        "n".repeat(100),
        new Inner(new boolean[3000], new int[(int) (i % 100) + 50]));
  }

  @ParameterizedTest(name = "{0} of {1}")
  @MethodSource("holders")
  void anOperatorHoldsWhatTheAccountSays(
      String name, String elements, Holder holder, Fn<Long, Object> maker) throws Exception {
    long expected = 0;
    for (long i = 0; i < HELD; i++) {
      expected += allocated(maker, i);
    }
    Dataset<Object> dataset =
        holder.over.apply(Dataset.range(100 * HELD).map(maker)).options(OPTIONS);
    try (Pipeline<Object> pipeline = dataset.open()) {
      Iterator<Object> iterator = pipeline.iterator();
      for (int i = 0; i < holder.taken; i++) {
        assertThat(iterator.next()).isNotNull();
      }
      while (holder.waits && pipeline.stats().heapBytes() < expected - expected / 50) {
        LockSupport.parkNanos(1_000_000); // until the buffer is full
      }
      assertThat(pipeline.stats().heapBytes()).isCloseTo(expected, withinPercentage(2));
    }
  }

  private static long allocated(Fn<Long, Object> maker, long i) throws Exception {
    long least = Long.MAX_VALUE;
    for (int round = 0; round < 3; round++) { // classes are loaded in the first
      long before = THREADS.getCurrentThreadAllocatedBytes();
      Object made = maker.apply(i);
      least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
      assertThat(made).isNotNull();
    }
    return least;
  }

  @Test
  void elementsThatGrowWhileTheyAreShuffledAreCharged() {
    Dataset<byte[]> growing =
        Dataset.range(400)
            .map(i -> new byte[i < 200 ? 1000 : MB])
            .shuffle(100, Seed.of(1))
            .options(OPTIONS.heapBudget(10 * MB));
    List<PipelineException> errors = Outcomes.errors(growing);
    assertThat(errors).hasSize(1);
    assertThat(errors.getFirst())
        .hasMessageContaining("shuffle: expected a buffer of 100 elements to fit")
        .hasMessageContaining("the heap account is full");
  }

  @Test
  void aShuffleGivesBackWhatLeavesIt() {
    Dataset<byte[]> shrinking =
        Dataset.range(2000)
            .map(i -> new byte[i < 300 ? 100_000 : 100])
            .shuffle(100, Seed.of(1))
            .options(OPTIONS);
    try (Pipeline<byte[]> pipeline = shrinking.open()) {
      Iterator<byte[]> iterator = pipeline.iterator();
      for (int i = 0; i < 1900; i++) {
        assertThat(iterator.next()).isNotNull();
      }
      assertThat(pipeline.stats().heapPeakBytes()).isGreaterThan(9_000_000);
      assertThat(pipeline.stats().heapBytes()).isLessThan(200_000);
    }
  }

  @Test
  void aCacheWeighsEveryElementOfAChunk() {
    Dataset<byte[]> mixed = // every 16th is heavy, which a sample may never see
        Dataset.range(1024)
            .map(i -> new byte[i % 16 == 7 ? MB : 10])
            .cache()
            .options(OPTIONS.heapBudget(20 * MB));
    assertThat(Outcomes.errors(mixed)).hasSize(1);
  }

  @Test
  void keysIdsAndGroupsCount() {
    Dataset<Long> keys =
        Dataset.range(1_000_000)
            .groupByWindow(i -> "a key that is longer than its element " + i, (k, w) -> w, 2)
            .options(OPTIONS.heapBudget(4 * MB));
    List<PipelineException> errors = Outcomes.errors(keys);
    assertThat(errors).hasSize(1);
    assertThat(errors.getFirst().getMessage())
        .containsPattern("but with 1\\d,\\d{3} elements of 1\\d,\\d{3} keys, \\d MB");
  }
}
