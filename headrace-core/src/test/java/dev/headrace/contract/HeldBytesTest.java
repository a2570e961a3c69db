package dev.headrace.contract;

import static dev.headrace.Dataset.AUTOTUNE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.withinPercentage;

import com.sun.management.ThreadMXBean;
import dev.headrace.Dataset;
import dev.headrace.Options;
import dev.headrace.Pipeline;
import dev.headrace.PipelineException;
import dev.headrace.data.Buckets;
import dev.headrace.data.DType;
import dev.headrace.data.Expression;
import dev.headrace.data.Seed;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.golden.Outcomes;
import dev.headrace.spi.Collator;
import dev.headrace.spi.Fn;
import dev.headrace.spi.Scanned;
import dev.headrace.testing.NoLeftovers;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongFunction;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
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
      while (holder.waits && pipeline.stats().memory().heapBytes() < expected - expected / 50) {
        LockSupport.parkNanos(1_000_000); // until the buffer is full
      }
      assertThat(pipeline.stats().memory().heapBytes()).isCloseTo(expected, withinPercentage(2));
    }
  }

  static Stream<Arguments> waysOn() {
    UnaryOperator<Dataset<Object>> asItIs = d -> d;
    UnaryOperator<Dataset<Object>> alone = d -> d.flatMap(x -> Dataset.fromList(List.of(x)));
    return Stream.of(Arguments.of("generator", asItIs), Arguments.of("flatMap", alone));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("waysOn")
  void elementsThatGrowAreMadeFewAtATime(String name, UnaryOperator<Dataset<Object>> over) {
    AtomicLong made = new AtomicLong();
    LongFunction<Object> maker =
        i -> {
          made.set(i + 1);
          return new byte[i < 3000 ? 1000 : MB];
        };
    Dataset<Object> source =
        Dataset.generator(() -> LongStream.range(0, 3100).mapToObj(maker).iterator());
    try (Pipeline<Object> pipeline = over.apply(source).options(OPTIONS).open()) {
      Iterator<Object> iterator = pipeline.iterator();
      byte[] element = (byte[]) iterator.next();
      while (element.length < MB) {
        element = (byte[]) iterator.next();
      }
      assertThat(made.get()).isBetween(3001L, 3004L);
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
      assertThat(pipeline.stats().memory().heapPeakBytes()).isGreaterThan(9_000_000);
      assertThat(pipeline.stats().memory().heapBytes()).isLessThan(200_000);
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

  static Stream<Arguments> endlessBatches() {
    Dataset<Tensor> tensors = Dataset.range(100_000).map(i -> Tensor.full(Shape.of(250_000), 1f));
    int most = Integer.MAX_VALUE;
    return Stream.of(
        Arguments.of("batch", tensors.batch(most)),
        Arguments.of("batch", tensors.batch(most, true)),
        Arguments.of("batch", tensors.batch(most).map(x -> x)),
        Arguments.of("batch", tensors.map(x -> x.add(1)).batch(most)),
        Arguments.of("batch", Dataset.range(1L << 40).batch(most)),
        Arguments.of("batch", Dataset.range(1L << 40).map(i -> "a" + i).batch(most)),
        Arguments.of("batch", tensors.batch(most, Collator.toList())),
        Arguments.of("batch", tensors.batch(most, Collator.byLeaf(Collator.stack()))),
        Arguments.of("paddedBatch", tensors.paddedBatch(most)),
        Arguments.of("raggedBatch", tensors.batch(most, Collator.ragged())),
        Arguments.of("sparseBatch", tensors.batch(most, Collator.sparse(Shape.of(-1)))),
        Arguments.of("rebatch", tensors.batch(1).rebatch(most)),
        Arguments.of("batch", tensors.window(8).flatMap(window -> window.repeat().batch(most))));
  }

  /** A size that means "all there are" ends with the size, and within the budget. */
  @ParameterizedTest(name = "{index} {0}")
  @MethodSource("endlessBatches")
  void aBatchThatIsTooLargeFailsBeforeTheMemoryIsGone(String word, Dataset<?> batches) {
    int budget = 24 * MB;
    try (Pipeline<?> pipeline =
        batches.options(OPTIONS.heapBudget(budget).nativeBudget(budget)).open()) {
      assertThatThrownBy(() -> pipeline.iterator().next())
          .hasMessageContaining(word + ": expected a batch of ")
          .hasMessageContaining("the heap account is full (")
          .hasMessageContaining("make batches smaller, or raise options.heapBudget");
      assertThat(pipeline.stats().memory().heapPeakBytes())
          .isBetween(budget / 2L, budget * 51L / 50);
      assertThat(pipeline.stats().memory().nativePeakBytes()).isLessThan(budget * 51L / 50);
    }
  }

  static Stream<Arguments> longRows() {
    Dataset<Tensor> rows =
        Dataset.range(192).map(i -> Tensor.full(Shape.of(i == 70 ? 3_000_000 : 10), 1f));
    Dataset<Tensor> texts =
        Dataset.range(192)
            .map(i -> Collections.nCopies(i == 70 ? 1_000_000 : 1, "a"))
            .map(words -> Tensor.ofStrings(words.toArray(String[]::new)));
    Buckets one = Buckets.below(10_000_000).batches(64, 64);
    return Stream.of(
        Arguments.of(rows.paddedBatch(64), "float[64, 3000000] takes 768,000,000 bytes", "native"),
        Arguments.of(
            rows.paddedBatch(64).map(x -> x), "float[64, 3000000] takes 768,000,000 bytes", "heap"),
        Arguments.of(texts.paddedBatch(64), "string[64, 1000000] takes 256,000,000 bytes", "heap"),
        Arguments.of(
            rows.bucketBySequenceLength(x -> x.shape().dim(0), one),
            "float[64, 3000000] takes 768,000,000 bytes",
            "native"),
        Arguments.of(
            rows.map(x -> x.add(1)).batch(64, Collator.pad()),
            "float[64, 3000000] takes 768,000,000 bytes",
            "native"));
  }

  /** One row of 12 MB makes 768 MB of a batch of 64: the batch fails, and the next one does not. */
  @ParameterizedTest(name = "{index} {2}")
  @MethodSource("longRows")
  void aBatchThatALongRowMakesTooLargeTellsItsSize(
      Dataset<?> batches, String size, String account) {
    Options options = OPTIONS.heapBudget(64 * MB).nativeBudget(64 * MB);
    try (Pipeline<?> pipeline = batches.options(options).open()) {
      Iterator<?> each = pipeline.iterator();
      assertThat(each.next()).isNotNull();
      assertThatThrownBy(each::next)
          .hasMessageContaining("batch: expected a batch that fits the memory budget, but " + size)
          .hasMessageContaining(" and the " + account + " account holds ")
          .hasMessageContaining(
              "of 64 MB; make batches smaller, cut or drop long elements, or raise")
          .hasMessageContaining("options." + account + "Budget");
      assertThat(each.next()).isNotNull();
      assertThat(each.hasNext()).isFalse();
      assertThat(pipeline.stats().memory().heapPeakBytes()).isLessThan(65 * MB);
      assertThat(pipeline.stats().memory().nativePeakBytes()).isLessThan(65 * MB);
    }
  }

  /** A tensor of 1 MB that is computed from nothing, and counts that it was. */
  private record Filled(AtomicInteger computed) implements Expression {
    @Override
    public DType dtype() {
      return DType.FLOAT32;
    }

    @Override
    public Shape shape() {
      return Shape.of(250_000);
    }

    @Override
    public List<Tensor> sources() {
      return List.of();
    }

    @Override
    public void evaluateInto(MemorySegment destination) {
      computed.incrementAndGet();
    }

    @Override
    public String describe() {
      return "filled";
    }
  }

  static Stream<Arguments> growingResults() {
    AtomicInteger made = new AtomicInteger();
    Dataset<Long> numbers = Dataset.range(100_000);
    return Stream.of(
        Arguments.of(
            made,
            numbers.scan(
                0L,
                (sum, i) -> {
                  made.incrementAndGet();
                  return new Scanned<>(sum, new byte[MB]);
                })),
        Arguments.of(made, numbers.map(i -> Tensor.deferred(new Filled(made)))),
        Arguments.of(made, numbers.map(i -> Tensor.deferred(new Filled(made)), 2)),
        Arguments.of(
            made, numbers.randomMap((i, random) -> Tensor.deferred(new Filled(made)), Seed.of(1))),
        Arguments.of(
            made, numbers.map(i -> i + 1).map(i -> Tensor.deferred(new Filled(made)), AUTOTUNE)));
  }

  /** What becomes large in an operator is weighed while it works, not when a chunk is done. */
  @ParameterizedTest
  @MethodSource("growingResults")
  void resultsAreWeighedOneByOne(AtomicInteger made, Dataset<?> results) {
    made.set(0);
    Options options = Options.defaults().heapBudget(16 * MB).spill(false);
    Dataset<?> batches = results.batch(2000, Collator.toList());
    assertThatThrownBy(() -> batches.options(options).first())
        .hasMessageContaining("the heap account is full");
    assertThat(made.get()).isBetween(12, 40);
  }
}
