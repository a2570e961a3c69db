package dev.headrace;

import static dev.headrace.Dataset.AUTOTUNE;
import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.headrace.data.Seed;
import dev.headrace.data.Tensor;
import dev.headrace.golden.LogRecords;
import dev.headrace.golden.Outcomes;
import dev.headrace.profile.OpStats;
import dev.headrace.profile.PipelineStats;
import dev.headrace.spi.Collator;
import dev.headrace.spi.Fn;
import dev.headrace.testing.NoLeftovers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(60)
@ExtendWith(NoLeftovers.class)
class PipelineTest {
  private static final Seed SEED = Seed.of(42);

  // ---- epochs -----------------------------------------------------------------------------------

  @Test
  void eachIteratorIsTheNextEpoch() {
    try (Pipeline<Long> pipeline = range(8).shuffle(8, SEED).open()) {
      assertThat(pipeline.epoch()).isEqualTo(-1);
      Set<List<String>> epochs = new HashSet<>();
      for (int epoch = 0; epoch < 4; epoch++) {
        epochs.add(Outcomes.of(pipeline.iterator()));
        assertThat(pipeline.epoch()).isEqualTo(epoch);
      }
      assertThat(epochs).hasSize(4);
    }
  }

  @Test
  void pipelinesAreIndependentAndBeginAtEpochZero() {
    Dataset<Long> dataset = range(8).shuffle(8, SEED);
    try (Pipeline<Long> one = dataset.open();
        Pipeline<Long> other = dataset.open()) {
      List<String> first = Outcomes.of(one.iterator());
      List<String> second = Outcomes.of(one.iterator());
      assertThat(Outcomes.of(other.iterator())).isEqualTo(first);
      assertThat(Outcomes.of(other.iterator())).isEqualTo(second);
    }
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void anEpochMayBeLeftEarly(String name, Dataset<?> dataset) {
    List<List<String>> epochs = Outcomes.ofEpochs(dataset, 3);
    try (Pipeline<?> pipeline = dataset.open()) {
      Iterator<?> left = pipeline.iterator();
      left.next();
      left.next();
      assertThat(Outcomes.of(pipeline.iterator())).isEqualTo(epochs.get(1));
      assertThat(left.hasNext()).isFalse();
      assertThatThrownBy(left::next)
          .isInstanceOf(NoSuchElementException.class)
          .hasMessage("epoch 0 is over: iterator() has started epoch 1");
      assertThat(pipeline.iterator()).isNotNull();
      assertThat(pipeline.iterator()).isNotNull();
      assertThat(pipeline.epoch()).isEqualTo(3);
    }
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void theEndStaysTheEnd(String name, Dataset<?> dataset) {
    try (Pipeline<?> pipeline = dataset.open()) {
      Iterator<?> epoch = pipeline.iterator();
      Outcomes.of(epoch);
      for (int i = 0; i < 3; i++) {
        assertThat(epoch.hasNext()).isFalse();
        assertThatThrownBy(epoch::next)
            .isInstanceOf(NoSuchElementException.class)
            .hasMessage("epoch 0 has no more elements");
      }
    }
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void readingAheadIntoTheNextEpochChangesNothing(String name, Dataset<?> dataset) {
    List<List<String>> expected = Outcomes.ofEpochs(dataset, 3);
    for (int epochs : new int[] {1, 2, 3, 9}) {
      assertThat(Outcomes.ofEpochs(dataset.options(Options.defaults().epochs(epochs)), 3))
          .isEqualTo(expected);
    }
  }

  static Stream<Arguments> shapes() {
    return Stream.of(
        arguments("sequential map", range(40).map(x -> x + 1)),
        arguments("parallel map", range(40).map(x -> x + 1, 3)),
        arguments("autotuned map", range(40).map(x -> x + 1, AUTOTUNE)),
        arguments("prefetch", range(40).map(x -> x + 1).prefetch(3)),
        arguments("interleave", range(9).interleave(x -> range(x), 3, 2)),
        arguments("parallel interleave", range(9).interleave(x -> range(x), 3, 2, 2)),
        arguments("shuffle", range(40).map(x -> x, 2).shuffle(7, SEED)),
        arguments("filter", range(90).filter(x -> x % 3 == 0, 2)),
        arguments("batch", range(40).map(x -> x, 2).batch(3, Collator.stack()).prefetch(2)),
        arguments("large batch", range(4096).batch(512, Collator.stack()).prefetch(2)),
        arguments("cache", range(40).map(x -> x, 2).cache().shuffle(5, SEED).prefetch(2)),
        arguments("repeat", range(9).shuffle(4, SEED).repeat(3).prefetch(2)),
        arguments("failures", range(40).map(x -> Outcomes.refusing(7, x), 2).prefetch(2)),
        arguments(
            "debugging",
            range(40).map(x -> x + 1, 3).shuffle(3, SEED).options(Options.defaults().debug())));
  }

  // ---- closing ----------------------------------------------------------------------------------

  @Test
  void closingAgainDoesNothing() {
    Pipeline<Long> pipeline = range(40).map(x -> x, 2).prefetch(2).open();
    pipeline.iterator().next();
    pipeline.close();
    pipeline.close();
    assertThatThrownBy(pipeline::iterator)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("pipeline: expected it to be open, but it was closed");
  }

  @Test
  void anIteratorOfAClosedPipelineSaysSo() {
    Pipeline<Long> pipeline = range(40).open();
    Iterator<Long> epoch = pipeline.iterator();
    epoch.next();
    pipeline.close();
    assertThatThrownBy(epoch::hasNext).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(epoch::next).isInstanceOf(IllegalStateException.class);
  }

  /** A pipeline in which the consumer has to wait for what a blocked function makes. */
  private static Dataset<Long> waiting(String name, Fn<Long, Long> function) {
    return switch (name) {
      case "parallel map" -> range(20).map(function, 2);
      case "autotuned map" -> range(20).map(function, AUTOTUNE);
      case "prefetch" -> range(20).map(function).prefetch(2);
      case "parallel interleave" -> range(1).interleave(x -> range(20).map(function), 2, 1, 2);
      case "shuffle" -> range(20).map(function, 2).shuffle(4, SEED);
      case "filter" -> range(20).map(function, 2).filter(x -> true, 2);
      case "batch" -> range(20).map(function, 2).batch(1, batch -> batch.getFirst()).prefetch(3);
      default -> throw new AssertionError(name);
    };
  }

  static Stream<String> waiting() {
    return Stream.of(
        "parallel map",
        "autotuned map",
        "prefetch",
        "parallel interleave",
        "shuffle",
        "filter",
        "batch");
  }

  private static void awaitParked(Thread thread) {
    while (thread.getState() != Thread.State.WAITING
        && thread.getState() != Thread.State.TIMED_WAITING) {
      LockSupport.parkNanos(100_000);
    }
  }

  @ParameterizedTest
  @MethodSource("waiting")
  void anotherThreadMayCloseWhileTheConsumerWaits(String name) throws InterruptedException {
    CountDownLatch never = new CountDownLatch(1);
    CountDownLatch entered = new CountDownLatch(1);
    Dataset<Long> dataset =
        waiting(
            name,
            x -> {
              entered.countDown();
              never.await();
              return x;
            });
    Pipeline<Long> pipeline = dataset.open();
    Iterator<Long> epoch = pipeline.iterator();
    FutureTask<Long> next = new FutureTask<>(epoch::next);
    Thread consumer = Thread.ofPlatform().start(next);
    entered.await();
    awaitParked(consumer);
    pipeline.close();
    assertThatThrownBy(next::get)
        .isInstanceOf(ExecutionException.class)
        .cause()
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("pipeline: it was closed while an element was asked for");
    consumer.join();
  }

  @Test
  void closingDoesNotWaitForTheConsumersOwnFunction() throws Exception {
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch closed = new CountDownLatch(1);
    Pipeline<Long> pipeline =
        range(20)
            .map(
                x -> {
                  entered.countDown();
                  closed.await();
                  return x;
                })
            .open();
    Iterator<Long> epoch = pipeline.iterator();
    FutureTask<Throwable> failed =
        new FutureTask<>(
            () -> {
              try {
                epoch.forEachRemaining(x -> {});
                return null;
              } catch (IllegalStateException e) {
                return e;
              }
            });
    Thread consumer = Thread.ofPlatform().start(failed);
    entered.await();
    pipeline.close();
    closed.countDown();
    assertThat(failed.get()).hasMessageContaining("closed");
    consumer.join();
  }

  @Test
  void closingLeavesBehindWhatIgnoresInterruption() throws InterruptedException {
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    Set<Thread> workers = ConcurrentHashMap.newKeySet();
    Pipeline<Long> pipeline =
        range(20)
            .map(
                x -> {
                  workers.add(Thread.currentThread());
                  entered.countDown();
                  awaitStubbornly(release);
                  return x;
                },
                1)
            .options(Options.defaults().closeGrace(Duration.ofMillis(30)))
            .open();
    FutureTask<Long> next = new FutureTask<>(pipeline.iterator()::next);
    Thread consumer = Thread.ofPlatform().start(next);
    entered.await();
    try (LogRecords log = LogRecords.of("headrace.engine")) {
      pipeline.close();
      assertThat(log.messages())
          .anySatisfy(
              message ->
                  assertThat(message)
                      .contains("does not react to interruption and is left behind")
                      .contains("PipelineTest.awaitStubbornly"));
    }
    assertThatThrownBy(next::get).hasCauseInstanceOf(IllegalStateException.class);
    release.countDown();
    consumer.join();
    for (Thread worker : workers) {
      worker.join();
    }
  }

  private static void awaitStubbornly(CountDownLatch latch) {
    while (latch.getCount() > 0) {
      try {
        latch.await();
      } catch (InterruptedException e) {
        // goes on waiting: that is what this test is about
      }
    }
  }

  // ---- interruption -----------------------------------------------------------------------------

  @ParameterizedTest
  @MethodSource("waiting")
  void aConsumerThatIsInterruptedWhileItWaitsLosesNothing(String name) throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    Fn<Long, Long> function =
        x -> {
          if (x == 6) {
            gate.await();
          }
          return x;
        };
    FutureTask<List<Long>> consuming =
        new FutureTask<>(
            () -> {
              List<Long> got = new ArrayList<>();
              try (Pipeline<Long> pipeline = waiting(name, function).open()) {
                Iterator<Long> epoch = pipeline.iterator();
                boolean more = true;
                while (more) {
                  try {
                    more = epoch.hasNext();
                    if (more) {
                      got.add(epoch.next());
                    }
                  } catch (PipelineInterruptedException e) {
                    assertThat(e).hasMessageContaining("interrupted while");
                    assertThat(Thread.interrupted()).isTrue();
                    got.add(-1L);
                    gate.countDown();
                  }
                }
              }
              return got;
            });
    Thread consumer = Thread.ofPlatform().unstarted(consuming);
    consumer.start();
    while (gate.getCount() > 0) {
      awaitParkedOrGate(consumer, gate);
      if (isInside(consumer, "waitFilled")) {
        consumer.interrupt();
        gate.await();
      }
    }
    List<Long> got = consuming.get();
    assertThat(got).contains(-1L);
    got.removeIf(x -> x == -1);
    assertThat(got).isEqualTo(waiting(name, x -> x).toList());
    consumer.join();
  }

  private static void awaitParkedOrGate(Thread thread, CountDownLatch gate) {
    while (gate.getCount() > 0 && !isInside(thread, "waitFilled")) {
      LockSupport.parkNanos(100_000);
    }
  }

  private static boolean isInside(Thread thread, String method) {
    for (StackTraceElement frame : thread.getStackTrace()) {
      if (frame.getMethodName().equals(method)) {
        return true;
      }
    }
    return false;
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void anInterruptionBeforeAnyElementLosesNothing(String name, Dataset<?> dataset) {
    List<String> expected = Outcomes.of(dataset);
    List<String> got = new ArrayList<>();
    int interruptions = 0;
    try (Pipeline<?> pipeline = dataset.open()) {
      Iterator<?> epoch = pipeline.iterator();
      boolean more = true;
      while (more) {
        Thread.currentThread().interrupt();
        try {
          more = epoch.hasNext();
        } catch (PipelineInterruptedException e) {
          interruptions++;
          assertThat(Thread.interrupted()).isTrue();
          more = epoch.hasNext();
        }
        Thread.interrupted();
        if (more) {
          try {
            got.add(Outcomes.text(epoch.next()));
          } catch (PipelineException e) {
            got.add(Outcomes.ERROR);
          }
        }
      }
    } finally {
      Thread.interrupted();
    }
    got.add(Outcomes.END);
    assertThat(got).isEqualTo(expected);
    assertThat(interruptions).isPositive();
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void askingAgainWhileStillInterruptedLosesNothing(String name, Dataset<?> dataset) {
    List<String> expected = Outcomes.of(dataset);
    List<String> got = new ArrayList<>();
    try (Pipeline<?> pipeline = dataset.open()) {
      Iterator<?> epoch = pipeline.iterator();
      got.add(Outcomes.text(epoch.next()));
      got.add(Outcomes.text(epoch.next()));
      got.add(Outcomes.text(epoch.next()));
      Thread.currentThread().interrupt();
      for (int i = 0; i < 4; i++) {
        try {
          assertThat(epoch.hasNext()).isTrue();
        } catch (PipelineInterruptedException e) {
          assertThat(Thread.currentThread().isInterrupted()).isTrue();
        }
      }
      Thread.interrupted();
      got.addAll(Outcomes.of(epoch));
    } finally {
      Thread.interrupted();
    }
    assertThat(got).isEqualTo(expected);
  }

  @Test
  void aFunctionOnTheConsumersThreadThatIsInterruptedIsCalledAgain() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    CountDownLatch entered = new CountDownLatch(1);
    Dataset<Long> dataset =
        range(8)
            .map(
                x -> {
                  if (x == 3) {
                    entered.countDown();
                    gate.await();
                  }
                  return x;
                });
    FutureTask<List<Long>> consuming =
        new FutureTask<>(
            () -> {
              List<Long> got = new ArrayList<>();
              try (Pipeline<Long> pipeline = dataset.open()) {
                Iterator<Long> epoch = pipeline.iterator();
                while (got.size() < 8) {
                  try {
                    got.add(epoch.next());
                  } catch (PipelineInterruptedException e) {
                    Thread.interrupted();
                    gate.countDown();
                  }
                }
              }
              return got;
            });
    Thread consumer = Thread.ofPlatform().start(consuming);
    entered.await();
    consumer.interrupt();
    assertThat(consuming.get()).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L);
    consumer.join();
  }

  // ---- batches and their memory -----------------------------------------------------------------

  private static final Dataset<Tensor> LARGE = range(4096).batch(1024, Collator.stack());

  @Test
  void aBatchIsTheConsumersUntilTheNext() {
    try (Pipeline<Tensor> pipeline = LARGE.prefetch(2).open()) {
      Iterator<Tensor> epoch = pipeline.iterator();
      Tensor first = epoch.next();
      Tensor slice = first.slice(2, 4);
      assertThat(first.longAt(1023)).isEqualTo(1023);
      assertThat(epoch.hasNext()).isTrue();
      assertThat(first.longAt(1)).as("hasNext takes nothing away").isEqualTo(1);
      Tensor second = epoch.next();
      assertThatThrownBy(() -> first.longAt(0))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage(
              "batch 0 was given back when next() was called; use keep() to hold a batch longer");
      assertThatThrownBy(() -> slice.longAt(0)).hasMessageContaining("use keep()");
      assertThatThrownBy(first::toLongArray).hasMessageContaining("use keep()");
      assertThat(second.longAt(0)).isEqualTo(1024);
    }
  }

  @Test
  void aBatchEndsWithItsEpochAndItsPipeline() {
    Pipeline<Tensor> pipeline = LARGE.open();
    Tensor first = pipeline.iterator().next();
    Tensor second = pipeline.iterator().next();
    assertThatThrownBy(() -> first.longAt(0)).hasMessageContaining("use keep()");
    pipeline.close();
    assertThatThrownBy(() -> second.longAt(0))
        .hasMessageContaining("was given back when the pipeline was closed");
  }

  @Test
  void whatIsKeptStaysUntilItIsClosed() {
    Pipeline<Tensor> pipeline = LARGE.prefetch(1).open();
    Iterator<Tensor> epoch = pipeline.iterator();
    Kept<Tensor> kept = pipeline.keep(epoch.next());
    assertThat(epoch.next().longAt(0)).isEqualTo(1024);
    assertThat(epoch.next().longAt(0)).isEqualTo(2048);
    assertThat(kept.value().longAt(7)).isEqualTo(7);
    pipeline.close();
    assertThat(kept.value().longAt(1023)).isEqualTo(1023);
    kept.close();
    assertThatThrownBy(() -> kept.value().longAt(0))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("batch 0 was closed; do not touch a batch after close()");
    kept.close();
  }

  @Test
  void keepingWhatIsNoBatchDoesNoHarm() {
    try (Pipeline<Long> pipeline = range(3).open()) {
      Iterator<Long> epoch = pipeline.iterator();
      try (Kept<Long> kept = pipeline.keep(epoch.next())) {
        epoch.next();
        assertThat(kept.value()).isZero();
      }
    }
  }

  @Test
  void ownedBatchesAreNeverGivenBack() {
    try (Pipeline<Tensor> pipeline = LARGE.options(Options.defaults().ownedBatches(true)).open()) {
      Iterator<Tensor> epoch = pipeline.iterator();
      Tensor first = epoch.next();
      epoch.next();
      assertThat(first.longAt(9)).isEqualTo(9);
      assertThat(pipeline.stats().memory().nativePeakBytes()).isZero();
    }
  }

  @Test
  void everyBatchEndsWithTheNextOneWhileDebuggingAndInTheTestKit() {
    Dataset<Tensor> small = range(12).map(x -> Tensor.scalar(x)).batch(3); // 24 bytes
    Dataset<Tensor> longs = range(12).batch(3, Collator.stack());
    for (Dataset<Tensor> batches : List.of(small, longs, small.prefetch(2).take(9))) {
      assertHeldTooLong(batches.options(o -> o.debug()));
      assertHeldTooLong(batches.options(o -> o.strictBatches(true)));
      assertHeldTooLong(batches); // as NoLeftovers has it
      List<Tensor> kept = batches.options(o -> o.debug()).toList();
      assertThat(kept.getFirst().longAt(1)).isEqualTo(1);
    }
    try (Pipeline<Tensor> pipeline = small.options(o -> o.strictBatches(false)).open()) {
      Iterator<Tensor> elements = pipeline.iterator();
      Tensor first = elements.next();
      elements.next();
      assertThat(first.longAt(1)).isEqualTo(1); // as long as it is garbage's
    }
  }

  private static void assertHeldTooLong(Dataset<Tensor> batches) {
    try (Pipeline<Tensor> pipeline = batches.open()) {
      Iterator<Tensor> elements = pipeline.iterator();
      Tensor first = elements.next();
      try (Kept<Tensor> second = pipeline.keep(elements.next())) {
        assertThatThrownBy(() -> first.longAt(0))
            .isInstanceOf(IllegalStateException.class)
            .hasMessage(
                "batch 0 was given back when next() was called; use keep() to hold a batch longer");
        elements.next();
        assertThat(second.value().longAt(0)).isEqualTo(3);
      }
    }
  }

  @Test
  void batchesThatOthersHoldAreOwned() {
    Dataset<Tensor> shuffled = LARGE.shuffle(3, SEED);
    try (Pipeline<Tensor> pipeline = shuffled.open()) {
      List<Tensor> batches = new ArrayList<>();
      pipeline.iterator().forEachRemaining(batches::add);
      assertThat(batches.stream().mapToLong(batch -> batch.longAt(0)).sorted())
          .containsExactly(0L, 1024L, 2048L, 3072L);
    }
    try (Pipeline<Tensor> pipeline = LARGE.cache().open()) {
      Outcomes.of(pipeline.iterator());
      assertThat(Outcomes.of(pipeline.iterator())).hasSize(5);
    }
  }

  @Test
  void aHugePrefetchStaysWithinTheBudgetAndSaysSo() {
    long batchBytes = 20_000_000;
    float[] row = new float[1_000_000];
    row[999_999] = 7;
    Tensor element = Tensor.of(row);
    Dataset<Tensor> dataset =
        range(200)
            .map(i -> element)
            .batch(5)
            .prefetch(10_000)
            .options(Options.defaults().nativeBudget(256 << 20));
    try (LogRecords log = LogRecords.of("headrace.engine");
        Pipeline<Tensor> pipeline = dataset.open()) {
      Iterator<Tensor> epoch = pipeline.iterator();
      int batches = 0;
      while (epoch.hasNext()) {
        Tensor batch = epoch.next();
        assertThat(batch.floatAt(4_999_999)).isEqualTo(7);
        if (batches++ == 0) {
          // Not until the buffer is as full as it may be.
          while (log.messages().isEmpty()) {
            LockSupport.parkNanos(1_000_000);
          }
        }
      }
      assertThat(batches).isEqualTo(40);
      PipelineStats stats = pipeline.stats();
      assertThat(stats.memory().nativePeakBytes())
          .isGreaterThanOrEqualTo(5 * batchBytes)
          .isLessThanOrEqualTo(256 << 20);
      assertThat(log.messages())
          .singleElement()
          .asString()
          .contains("prefetch (PipelineTest.java:")
          .contains("asked to hold 10,000 elements, holds ")
          .contains("one takes about 20,0")
          .contains("the memory budget is 256 MB; a larger buffer would not be faster");
    }
  }

  // ---- debugging, counting, computing -----------------------------------------------------------

  @Test
  void debuggingRunsEverythingOnTheCallersThread() {
    Set<Thread> threads = ConcurrentHashMap.newKeySet();
    Fn<Long, Long> noting =
        x -> {
          threads.add(Thread.currentThread());
          return x;
        };
    Dataset<Long> dataset =
        range(30)
            .map(noting, 4)
            .filter(
                x -> {
                  threads.add(Thread.currentThread());
                  return true;
                },
                AUTOTUNE)
            .prefetch(3)
            .interleave(x -> range(2).map(noting, 2).prefetch(1), 3, 1, 2)
            .randomMap((x, random) -> noting.apply(x), SEED, 4)
            .prefetch(AUTOTUNE);
    List<String> expected = Outcomes.of(dataset);
    threads.clear();
    assertThat(Outcomes.of(dataset.options(Options.defaults().debug()))).isEqualTo(expected);
    assertThat(threads).containsExactly(Thread.currentThread());
  }

  @Test
  void statsCountWhatEachOperatorGave() {
    try (Pipeline<?> pipeline =
        range(100)
            .map(x -> Outcomes.refusing(50, x), 3)
            .filter(x -> x % 2 == 1)
            .batch(10, Collator.stack())
            .prefetch(2)
            .open()) {
      assertThat(pipeline.stats().elements()).isZero();
      assertThat(pipeline.stats().time().elapsedNs()).isZero();
      Outcomes.of(pipeline.iterator());
      PipelineStats stats = pipeline.stats();
      assertThat(stats.epoch()).isZero();
      assertThat(stats.elements()).isEqualTo(5);
      assertThat(stats.failures()).isEqualTo(1);
      assertThat(stats.waitShare()).isBetween(0.0, 1.0);
      assertThat(stats.operators())
          .extracting(OpStats::word, OpStats::depth, OpStats::elements, OpStats::failures)
          .containsExactlyInAnyOrder(
              org.assertj.core.groups.Tuple.tuple("prefetch", 0, 6L, 1L),
              org.assertj.core.groups.Tuple.tuple("batch", 1, 6L, 1L),
              org.assertj.core.groups.Tuple.tuple("filter", 2, 51L, 1L),
              org.assertj.core.groups.Tuple.tuple("map", 3, 100L, 1L),
              org.assertj.core.groups.Tuple.tuple("range", 4, 100L, 0L));
      OpStats map =
          stats.operators().stream().filter(op -> op.word().equals("map")).findFirst().get();
      assertThat(map.stage()).isNotNull();
      assertThat(map.stage().work().count()).isEqualTo(100);
      assertThat(stats.toString())
          .startsWith("5 elements in ")
          .contains("map (PipelineTest.java:")
          .contains(" worker");
    }
  }
}
