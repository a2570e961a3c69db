package dev.headrace.op;

import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.Checkpoint;
import dev.headrace.Dataset;
import dev.headrace.Options;
import dev.headrace.Pipeline;
import dev.headrace.PipelineException;
import dev.headrace.PipelineInterruptedException;
import dev.headrace.data.DType;
import dev.headrace.data.Expression;
import dev.headrace.data.Seed;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.golden.Outcomes;
import dev.headrace.spi.Collator;
import dev.headrace.spi.Op;
import dev.headrace.spi.Order;
import dev.headrace.spi.Site;
import dev.headrace.spi.Weights;
import dev.headrace.testing.NoLeftovers;
import dev.headrace.testing.PipelineContract;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@Timeout(60)
@ExtendWith(NoLeftovers.class)
class AutoCacheOpTest {
  private static final Seed SEED = Seed.of(42);
  private static final int MB = 1 << 20;
  private static final Options AS_WRITTEN = Options.defaults().asWritten();

  private final AtomicInteger calls = new AtomicInteger();

  /** Keeps the elements of a dataset, whatever it costs to make them. */
  private static <T> Dataset<T> kept(Dataset<T> dataset) {
    return kept(dataset, Op.INFINITE);
  }

  private static <T> Dataset<T> kept(Dataset<T> dataset, long passes) {
    return Dataset.<T>of(new AutoCacheOp(dataset.op(), passes, false, true, Site.UNKNOWN))
        .options(AS_WRITTEN);
  }

  private Dataset<Long> counting(long size) {
    return range(size).map(this::count);
  }

  private long count(long x) {
    calls.incrementAndGet();
    return 2 * x;
  }

  private static Options heap(long bytes) {
    return AS_WRITTEN.heapBudget(bytes);
  }

  /** Runs so many epochs and gives what was remarked about the operators. */
  private static String remarks(Dataset<?> dataset, int epochs) {
    try (Pipeline<?> pipeline = dataset.open()) {
      for (int epoch = 0; epoch < epochs; epoch++) {
        Outcomes.of(pipeline.iterator());
      }
      return pipeline.explain();
    }
  }

  // ---- what it gives ----------------------------------------------------------------------------

  @Test
  void keepsTheContract() {
    PipelineContract.of(n -> kept(range(30).map(x -> "" + x, n))).epochs(4).check();
    PipelineContract.of(n -> kept(range(30).map(x -> Outcomes.refusing(9, x), n)))
        .epochs(3)
        .check();
    PipelineContract.of(n -> kept(range(40).filter(x -> x % 3 == 0, n)).repeat(3).prefetch(n))
        .epochs(3)
        .check();
    PipelineContract.of(
            n ->
                kept(range(24).map(x -> Tensor.full(Shape.of(3), (float) x), n))
                    .shuffle(7, SEED)
                    .repeat(2)
                    .batch(5))
        .epochs(3)
        .check();
    PipelineContract.of(
            n -> kept(range(6).interleave(x -> range(x).map(y -> 10 * x + y), 3, 2, n)).take(9))
        .epochs(3)
        .check();
  }

  @Test
  void randomOperatorsAfterItDrawWhatTheyWouldHave() {
    Dataset<Long> made = range(20).map(x -> 2 * x);
    assertThat(
            Outcomes.ofEpochs(
                kept(made).repeat(3).randomMap((x, random) -> x + random.nextLong(), SEED), 3))
        .isEqualTo(
            Outcomes.ofEpochs(
                Dataset.<Long>of(new PrefetchOp(made.op(), 0, Site.UNKNOWN))
                    .repeat(3)
                    .randomMap((x, random) -> x + random.nextLong(), SEED),
                3));
  }

  @Test
  void theFunctionIsCalledInTheFirstEpochOnly() {
    Dataset<Long> dataset = kept(counting(50));
    assertThat(new HashSet<>(Outcomes.ofEpochs(dataset, 4))).hasSize(1);
    assertThat(calls).hasValue(50);
  }

  @Test
  void theFunctionIsCalledInTheFirstRepetitionOnly() {
    assertThat(kept(counting(50)).repeat(3).count()).isEqualTo(150);
    assertThat(calls).hasValue(50);
  }

  @Test
  void whereNoSecondPassIsKnownOfTheSecondOneIsKept() {
    Outcomes.ofEpochs(kept(counting(10), 1), 1);
    assertThat(calls).hasValue(10);
    assertThat(remarks(kept(counting(10), 1), 1)).doesNotContain("in memory");
    calls.set(0);
    Outcomes.ofEpochs(kept(counting(10), 1), 5);
    assertThat(calls).hasValue(20);
  }

  @Test
  void theLastPassIsNotKept() {
    try (Pipeline<Long> pipeline = kept(counting(10), 2).open()) {
      pipeline.iterator().next(); // broken off
      Outcomes.of(pipeline.iterator());
      assertThat(pipeline.stats().memory().heapBytes()).isZero();
      assertThat(pipeline.explain()).doesNotContain("in memory");
    }
  }

  @Test
  void aPassThatIsBrokenOffIsNotKept() {
    try (Pipeline<Long> pipeline = kept(counting(10)).open()) {
      Iterator<Long> broken = pipeline.iterator();
      broken.next();
      broken.next();
      Iterator<Long> whole = pipeline.iterator();
      calls.set(0);
      assertThat(Outcomes.of(whole)).hasSize(11);
      assertThat(calls).hasValue(10);
      Outcomes.of(pipeline.iterator());
      assertThat(calls).hasValue(10);
    }
  }

  @Test
  void anEndThatNobodyAsksForIsNotNeeded() {
    Dataset<Long> zipped = range(10).zip(kept(counting(10)), Long::sum);
    assertThat(new HashSet<>(Outcomes.ofEpochs(zipped, 4))).hasSize(1);
    assertThat(calls).hasValue(10);
  }

  @Test
  void aPartIsNotKept() {
    Outcomes.ofEpochs(kept(counting(1000)).take(2), 3);
    assertThat(calls).hasValue(6);
    Outcomes.ofEpochs(kept(counting(1000).take(2)), 3);
    assertThat(calls).hasValue(8);
  }

  @Test
  void nothingIsKeptAsNothing() {
    assertThat(Outcomes.ofEpochs(kept(counting(0)), 3))
        .containsExactly(List.of("end"), List.of("end"), List.of("end"));
  }

  @Test
  void debuggingKeepsNothing() {
    Outcomes.ofEpochs(kept(counting(10)).options(Options.defaults().debug()), 3);
    assertThat(calls).hasValue(30);
  }

  // ---- what must not be kept --------------------------------------------------------------------

  @Test
  void failuresAreMetInEveryEpoch() {
    Dataset<Long> dataset = kept(range(4).map(x -> Outcomes.refusing(2, count(x) / 2)));
    assertThat(new HashSet<>(Outcomes.ofEpochs(dataset, 3)))
        .containsExactly(List.of("int64[] [0]", "int64[] [1]", "error", "int64[] [3]", "end"));
    assertThat(calls).hasValue(12);
    assertThat(remarks(dataset, 1)).contains("not kept in memory: an element failed");
  }

  @Test
  void whatDiffersFromPassToPassIsNotKept() {
    Weights changing = Weights.of(0.5, 0.5);
    List<Dataset<?>> varying =
        List.of(
            range(20).shuffle(20, SEED),
            range(20).globalShuffle(SEED),
            range(20).randomMap((x, random) -> random.nextLong(), SEED),
            Dataset.random(SEED, true).take(20),
            Dataset.sampleFrom(List.of(range(9), range(9)), changing, SEED, false),
            range(40).rejectionResample(x -> (int) (x % 2), new double[] {0.9, 0.1}, SEED),
            Dataset.generator(() -> List.of(1, 2, 3).iterator()),
            range(20).map(x -> x, 4, Order.UNORDERED));
    for (Dataset<?> each : varying) {
      calls.set(0);
      Dataset<?> above =
          each.map(
              x -> {
                calls.incrementAndGet();
                return x;
              });
      int elements = 0;
      try (Pipeline<?> pipeline = kept(above).open()) {
        for (int epoch = 0; epoch < 3; epoch++) {
          elements += Outcomes.of(pipeline.iterator()).size() - 1;
        }
      }
      assertThat(calls).as("%s", each.explain()).hasValue(elements);
    }
  }

  @Test
  void whatIsTheSameInEveryPassIsKept() {
    List<Dataset<?>> steady =
        List.of(
            range(20).shuffle(20, SEED, false),
            range(20).shuffle(20).cache(),
            Dataset.random(SEED).take(20),
            Dataset.sampleFrom(List.of(range(9), range(9)), new double[] {1, 1}, SEED, false),
            Dataset.repeatableGenerator(() -> List.of(1, 2, 3).iterator()),
            range(20).map(x -> x, 4));
    for (Dataset<?> each : steady) {
      calls.set(0);
      Dataset<?> above =
          each.map(
              x -> {
                calls.incrementAndGet();
                return x;
              });
      List<List<String>> epochs = Outcomes.ofEpochs(kept(above), 5);
      assertThat(new HashSet<>(epochs)).as("%s", each.explain()).hasSize(1);
      assertThat(calls.get())
          .as("%s", each.explain())
          .isIn(epochs.getFirst().size() - 1, 2 * (epochs.getFirst().size() - 1));
    }
  }

  @Test
  void datasetsThatAFunctionReturnsAreLookedAt() {
    Dataset<Long> same = kept(range(5).flatMap(x -> range(4).map(this::count)));
    assertThat(new HashSet<>(Outcomes.ofEpochs(same, 3))).hasSize(1);
    assertThat(calls).hasValue(20);
    Dataset<Long> differs =
        kept(range(5).flatMap(x -> range(4).shuffle(4, Seed.of(x)).map(this::count)));
    calls.set(0);
    assertThat(new HashSet<>(Outcomes.ofEpochs(differs, 3))).hasSize(3);
    assertThat(calls).hasValue(60);
    assertThat(remarks(differs, 1)).contains("a function returns datasets that give other");
  }

  @Test
  void whatTheConsumerCouldChangeIsNotKept() {
    assertThat(callsWhenDelivered(x -> new long[] {x})).isEqualTo(30);
    assertThat(callsWhenDelivered(x -> new HashSet<>(List.of(x)))).isEqualTo(30);
    assertThat(callsWhenDelivered(x -> List.of(x, new long[1]))).isEqualTo(30);
    assertThat(callsWhenDelivered(x -> Tensor.of(x, x))).isEqualTo(10);
    assertThat(callsWhenDelivered(x -> List.of(x, "text"))).isEqualTo(10);
    assertThat(callsWhenDelivered(x -> new LongPair(x, x))).isEqualTo(10);
  }

  private record LongPair(long first, long second) {}

  private int callsWhenDelivered(java.util.function.LongFunction<Object> function) {
    calls.set(0);
    Dataset<Object> made =
        range(10)
            .map(
                x -> {
                  calls.incrementAndGet();
                  return function.apply(x);
                });
    Outcomes.ofEpochs(
        Dataset.of(new AutoCacheOp(made.op(), Op.INFINITE, true, true, Site.UNKNOWN)), 3);
    return calls.get();
  }

  @Test
  void batchesThatAreLentAreNotKept() {
    Dataset<Tensor> batches =
        kept(range(40).map(x -> Tensor.full(Shape.of(600), (float) count(x))).batch(5));
    PipelineContract.of(n -> batches).epochs(3).check();
    calls.set(0);
    String remarks = remarks(batches, 3);
    assertThat(calls).hasValue(120);
    assertThat(remarks).contains("its elements are lent");
    Outcomes.ofEpochs(batches.options(Options.defaults().ownedBatches(true)), 3);
    assertThat(calls).hasValue(160);
  }

  // ---- whether it pays --------------------------------------------------------------------------

  private static <T> Dataset<T> weighed(Dataset<T> dataset) {
    return Dataset.<T>of(new AutoCacheOp(dataset.op(), Op.INFINITE, false, false, Site.UNKNOWN))
        .options(AS_WRITTEN);
  }

  @Test
  void whatIsMadeInNoTimeIsNotKept() {
    for (Dataset<Long> cheap :
        List.of(range(300_000).map(x -> x + 1), range(300_000).filter(x -> x >= 0, 2))) {
      assertThat(remarks(weighed(cheap), 2))
          .contains("cacheIfItHelps: not kept in memory: making an element takes");
    }
  }

  @Test
  void whatTakesLongIsKept() {
    for (int parallelism : new int[] {0, 4, Dataset.AUTOTUNE}) {
      calls.set(0);
      Dataset<Long> slow =
          parallelism == 0 ? range(40).map(this::slow) : range(40).map(this::slow, parallelism);
      assertThat(remarks(weighed(slow), 3))
          .containsPattern(
              "keeps 40 elements \\(.*\\) of map.* in memory, so that later epochs need not make"
                  + " them again: making one takes [0-9.]+ ms");
      assertThat(calls).hasValue(40);
    }
  }

  @Test
  void howManyThereAreNeedNotBeKnown() {
    assertThat(remarks(weighed(range(300).filter(x -> slow(x) % 8 == 0)), 2))
        .contains("keeps 75 elements");
  }

  @Test
  void whatWorkersTakeLongForIsKeptThoughNobodyWaitsForIt() throws InterruptedException {
    try (Pipeline<Long> pipeline = weighed(range(60).map(this::slow, 8).prefetch(60)).open()) {
      for (int epoch = 0; epoch < 3; epoch++) {
        Iterator<Long> elements = pipeline.iterator();
        while (elements.hasNext()) {
          slow(elements.next());
        }
      }
      assertThat(pipeline.explain()).contains("keeps 60 elements");
    }
  }

  private long slow(long x) throws InterruptedException {
    Thread.sleep(2);
    return count(x);
  }

  @Test
  void aCostIsComparedToWhatKeepingTakes() {
    assertThat(KeepingPlaces.isWorth(20, 16, 1_000_000_000)).isFalse();
    assertThat(KeepingPlaces.isWorth(2_000, 100, 1_000_000)).isTrue();
    assertThat(KeepingPlaces.isWorth(20_000, 100_000, 1_000_000)).isFalse();
    assertThat(KeepingPlaces.isWorth(2_000_000, 150_000, 1_000)).isTrue();
    assertThat(KeepingPlaces.isWorth(2_000, 100, 100)).as("in all").isFalse();
    assertThat(KeepingPlaces.isWorth(Double.POSITIVE_INFINITY, 1e9, 0)).isFalse();
  }

  // ---- memory -----------------------------------------------------------------------------------

  @Test
  void whatDoesNotFitIsNotKept() {
    Dataset<byte[]> large =
        kept(range(200).map(x -> new byte[(int) (count(x) * 0 + MB)])).options(heap(16 * MB));
    try (Pipeline<byte[]> pipeline = large.open()) {
      for (int epoch = 0; epoch < 2; epoch++) {
        assertThat(Outcomes.of(pipeline.iterator())).hasSize(201);
        assertThat(pipeline.stats().memory().heapBytes()).isZero();
      }
      assertThat(pipeline.stats().memory().heapPeakBytes()).isLessThanOrEqualTo(8 * MB);
      assertThat(pipeline.explain())
          .contains(
              "not kept in memory: 200 elements take about 210 MB, and there is room for 8.4 MB");
    }
    assertThat(calls).hasValue(400);
  }

  @Test
  void whatTurnsOutNotToFitIsLetGo() {
    Dataset<byte[]> growing =
        kept(range(300).filter(x -> x >= 0).map(x -> new byte[x < 100 ? 10 : 200_000]))
            .options(heap(16 * MB));
    assertThat(remarks(growing, 2)).contains("not kept in memory: more than");
  }

  @Test
  void memoryIsGivenBackWhenOthersNeedIt() {
    // The shuffle of the second epoch's elements, which are twice as large, needs 8 of 10 MB.
    AtomicInteger seen = new AtomicInteger();
    Dataset<byte[]> shuffled =
        kept(range(100).map(x -> new byte[(int) (count(x) * 0 + 40_000)]))
            .map(bytes -> new byte[seen.incrementAndGet() > 100 ? 80_000 : 10])
            .shuffle(100, SEED)
            .options(heap(10_000_000));
    try (Pipeline<byte[]> pipeline = shuffled.open()) {
      for (int epoch = 0; epoch < 3; epoch++) {
        assertThat(Outcomes.of(pipeline.iterator())).hasSize(101).doesNotContain("error");
      }
      assertThat(pipeline.explain())
          .contains("no longer kept in memory: what others hold needed it");
      assertThat(pipeline.stats().memory().heapPeakBytes()).isLessThanOrEqualTo(10_000_000);
    }
    assertThat(calls.get()).isGreaterThan(100);
  }

  @Test
  void aPassGoesOnWhenTheMemoryIsTakenFromIt() {
    Dataset<String> made =
        range(9000).filter(x -> x % 3 != 0).map(x -> "%030d".formatted(count(x)));
    long needed;
    try (Pipeline<String> pipeline = uniqueWithLongKeysLater(made).options(AS_WRITTEN).open()) {
      Outcomes.of(pipeline.iterator());
      assertThat(Outcomes.of(pipeline.iterator())).hasSize(6001);
      needed = pipeline.stats().memory().heapPeakBytes();
    }
    try (Pipeline<String> pipeline =
        uniqueWithLongKeysLater(kept(made)).options(heap(needed + 100)).open()) {
      List<String> first = Outcomes.of(pipeline.iterator());
      assertThat(pipeline.explain()).contains("keeps 6,000 elements");
      calls.set(0);
      assertThat(Outcomes.of(pipeline.iterator())).isEqualTo(first).hasSize(6001);
      assertThat(calls.get()).as("made again from the middle on").isBetween(1, 3000);
      assertThat(pipeline.explain()).contains("no longer kept in memory");
      assertThat(Outcomes.of(pipeline.iterator())).isEqualTo(first);
    }
  }

  /** Needs more memory for its keys from the middle of the second epoch on. */
  private static Dataset<String> uniqueWithLongKeysLater(Dataset<String> dataset) {
    AtomicInteger keys = new AtomicInteger();
    return dataset.unique(
        x -> keys.incrementAndGet() > 8000 && keys.get() <= 12_000 ? x + "x".repeat(300) : x);
  }

  @Test
  void theLastPlaceThatFitsKeepsItsElements() {
    Dataset<byte[]> small =
        kept(range(100).map(x -> new byte[(int) (count(x) * 0 + 1000)]), Op.INFINITE);
    AtomicInteger enlarged = new AtomicInteger();
    Dataset<byte[]> large =
        kept(
            small.map(
                bytes -> {
                  enlarged.incrementAndGet();
                  return new byte[100 * bytes.length];
                }));
    String both = remarks(large, 3);
    assertThat(both).contains("keeps 100 elements (10 MB)").contains("not kept here: what is made");
    assertThat(calls).hasValue(100);
    assertThat(enlarged).hasValue(100);
    calls.set(0);
    enlarged.set(0);
    String tight = remarks(large.options(heap(8 * MB)), 3);
    assertThat(tight)
        .contains("not kept in memory: 100 elements")
        .contains("keeps 100 elements (10");
    assertThat(calls).hasValue(100);
    assertThat(enlarged).hasValue(300);
  }

  // ---- tensors that are not computed yet --------------------------------------------------------

  /** A thousand times a number; one number in seven cannot be computed, if any is to fail. */
  private record Late(Tensor source, boolean fails, AtomicInteger computed) implements Expression {
    @Override
    public DType dtype() {
      return DType.INT64;
    }

    @Override
    public Shape shape() {
      return Shape.of(1000);
    }

    @Override
    public List<Tensor> sources() {
      return List.of(source);
    }

    @Override
    public void evaluateInto(MemorySegment destination) {
      computed.incrementAndGet();
      long value = source.longAt(0);
      if (fails && value % 7 == 3) {
        throw new IllegalStateException("cannot compute " + value);
      }
      for (int i = 0; i < 1000; i++) {
        destination.set(ValueLayout.JAVA_LONG_UNALIGNED, 8L * i, value);
      }
    }

    @Override
    public String describe() {
      return "late ← " + source.describe();
    }
  }

  private record Row(Tensor number, Tensor label) {}

  private Dataset<Row> late(boolean fails, int parallelism) {
    return range(40)
        .map(
            x ->
                new Row(
                    Tensor.deferred(new Late(Tensor.scalar(x), fails, calls)), Tensor.scalar(x)),
            parallelism);
  }

  @Test
  void deferredTensorsAreComputedOnce() {
    for (int parallelism : new int[] {1, 4}) {
      calls.set(0);
      Dataset<Row> dataset = kept(late(false, parallelism)).shuffle(10, SEED).batch(4);
      Dataset<Row> plain =
          Dataset.<Row>of(new PrefetchOp(late(false, parallelism).op(), 0, Site.UNKNOWN))
              .shuffle(10, SEED)
              .batch(4);
      List<List<String>> epochs = Outcomes.ofEpochs(dataset, 3);
      assertThat(calls).hasValue(40);
      assertThat(epochs).isEqualTo(Outcomes.ofEpochs(plain, 3));
    }
  }

  @Test
  void deferredTensorsFailWhereTheyDidAndAreNotKept() {
    PipelineContract.of(n -> kept(late(true, n)).shuffle(10, SEED).batch(4)).epochs(3).check();
    Dataset<Row> plain =
        Dataset.<Row>of(new PrefetchOp(late(true, 2).op(), 0, Site.UNKNOWN))
            .shuffle(10, SEED)
            .batch(4);
    List<String> errors =
        Outcomes.errors(plain).stream().map(PipelineException::getMessage).toList();
    assertThat(errors).hasSize(6);
    assertThat(
            Outcomes.errors(kept(late(true, 2)).shuffle(10, SEED).batch(4)).stream()
                .map(PipelineException::getMessage)
                .toList())
        .isEqualTo(errors);
  }

  @Test
  void whatIsComputedAheadWeighsNoMoreForThoseAfterIt() {
    // Forty results take 320,000 bytes. They are kept once; the shuffle holds them three times,
    // which would be 1,280,000 if it held results. What is free depends on how far the workers are.
    Dataset<Row> dataset =
        kept(late(false, 2)).repeat(3).shuffle(120, SEED).batch(4).options(heap(1_200_000));
    assertThat(Outcomes.errors(dataset)).isEmpty();
    assertThat(remarks(dataset, 2)).contains("keeps 40 elements");
  }

  // ---- in a plan of the user --------------------------------------------------------------------

  private Dataset<Tensor> naive(Options options) {
    return range(40)
        .map(x -> Tensor.of(x, slow(x)))
        .named("decode")
        .shuffle(10, SEED)
        .batch(4)
        .options(options);
  }

  @Test
  void theOptimizerAddsItWhereFunctionsArePure() {
    Options pure = Options.defaults().assumePure().epochs(3);
    List<List<String>> expected = Outcomes.ofEpochs(naive(AS_WRITTEN), 3);
    calls.set(0);
    assertThat(Outcomes.ofEpochs(naive(pure), 3)).isEqualTo(expected);
    assertThat(calls).hasValue(40);
    assertThat(remarks(naive(pure), 2))
        .containsPattern(
            "cacheIfItHelps 'decode' \\(AutoCacheOpTest.java:\\d+\\): keeps 40 elements \\(.*\\) of"
                + " map 'decode' \\(AutoCacheOpTest.java:\\d+\\) in memory");
    calls.set(0);
    assertThat(Outcomes.ofEpochs(naive(pure.withoutRules("cache")), 3)).isEqualTo(expected);
    assertThat(calls).hasValue(120);
  }

  @Test
  void checkpointsFitWithAndWithoutIt() {
    Options pure = Options.defaults().assumePure().epochs(3);
    List<List<String>> expected = Outcomes.ofEpochs(naive(AS_WRITTEN), 3);
    for (int position : new int[] {0, 3, 9, 10}) {
      try (Pipeline<Tensor> pipeline = naive(pure).open()) {
        Outcomes.of(pipeline.iterator());
        Iterator<Tensor> second = pipeline.iterator();
        for (int i = 0; i < position; i++) {
          second.next();
        }
        Checkpoint checkpoint = Checkpoint.parse(pipeline.checkpoint().toString());
        for (Options options : List.of(AS_WRITTEN, pure)) {
          try (Pipeline<Tensor> resumed = naive(options).open(checkpoint)) {
            assertThat(Outcomes.of(resumed.iterator()))
                .isEqualTo(expected.get(1).subList(position, 11));
            assertThat(Outcomes.of(resumed.iterator())).isEqualTo(expected.get(2));
          }
        }
      }
    }
  }

  // ---- positions --------------------------------------------------------------------------------

  @Test
  void aPositionIsTheInputsAndNeedsNoKeptElements() {
    AtomicInteger filtered = new AtomicInteger();
    Dataset<Long> plain =
        range(6000)
            .filter(
                x -> {
                  filtered.incrementAndGet();
                  return x % 2 == 0;
                });
    List<String> whole = Outcomes.of(plain);
    try (Pipeline<Long> pipeline = kept(plain).open()) {
      Outcomes.of(pipeline.iterator());
      Iterator<Long> second = pipeline.iterator();
      for (int i = 0; i < 2500; i++) {
        second.next();
      }
      Checkpoint checkpoint = Checkpoint.parse(pipeline.checkpoint().toString());
      for (Dataset<Long> each : List.of(plain, kept(plain))) {
        filtered.set(0);
        try (Pipeline<Long> resumed = each.open(checkpoint)) {
          assertThat(Outcomes.of(resumed.iterator())).isEqualTo(whole.subList(2500, 3001));
          assertThat(filtered.get()).as("not from the start").isLessThan(6000);
          assertThat(Outcomes.of(resumed.iterator())).isEqualTo(whole);
        }
      }
    }
  }

  @Test
  void anInterruptedPassGoesOn() {
    Dataset<Long> dataset = kept(counting(30)).repeat(2);
    List<List<String>> expected = Outcomes.ofEpochs(dataset, 3);
    for (int stop = 0; stop < 60; stop += 7) {
      try (Pipeline<Long> pipeline = dataset.open()) {
        Outcomes.of(pipeline.iterator());
        Iterator<Long> second = pipeline.iterator();
        List<String> seen = new java.util.ArrayList<>();
        for (int i = 0; i < stop; i++) {
          seen.add(Outcomes.text(second.next()));
        }
        Thread.currentThread().interrupt();
        try {
          while (second.hasNext()) {
            seen.add(Outcomes.text(second.next()));
          }
        } catch (PipelineInterruptedException e) {
          assertThat(Thread.interrupted()).isTrue();
        }
        boolean _ = Thread.interrupted();
        seen.addAll(Outcomes.of(second));
        assertThat(seen).isEqualTo(expected.get(1));
        assertThat(Outcomes.of(pipeline.iterator())).isEqualTo(expected.get(2));
      }
    }
  }

  @Test
  void closingInTheMiddleLeavesNothing() {
    for (int position = 0; position < 70; position += 9) {
      Pipeline<Long> pipeline =
          kept(counting(30)).batch(1, Collator.stack()).map(Tensor::longValue).repeat().open();
      Iterator<Long> elements = pipeline.iterator();
      for (int i = 0; i < position; i++) {
        elements.next();
      }
      pipeline.close();
      assertThat(pipeline.stats().memory().heapBytes()).isZero();
    }
  }
}
