package dev.headrace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.golden.LogRecords;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Op;
import dev.headrace.spi.Site;
import dev.headrace.testing.LeftoverThreads;
import dev.headrace.testing.NoLeftovers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Closing: by whom it may be called, what it names, and what was never closed. */
@Timeout(60)
@ExtendWith(NoLeftovers.class)
class ClosingTest {

  @Test
  void everyThreadThatIsStuckIsNamedInOneWarning() throws InterruptedException {
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch entered = new CountDownLatch(3);
    Set<Thread> workers = ConcurrentHashMap.newKeySet();
    Pipeline<Long> pipeline =
        Dataset.range(20)
            .map(x -> stubbornly(x, 7, workers, entered, release), 1)
            .map(x -> stubbornly(x, 3, workers, entered, release), 1)
            .map(x -> stubbornly(x, 0, workers, entered, release), 1)
            .options(Options.defaults().closeGrace(Duration.ofMillis(40)))
            .open();
    FutureTask<Boolean> consumer =
        started(
            () -> {
              pipeline.iterator().forEachRemaining(x -> {});
              return true;
            });
    entered.await();
    try (LogRecords log = LogRecords.of("headrace.engine")) {
      pipeline.close();
      assertThat(log.messages()).hasSize(1);
      assertThat(log.messages().getFirst().split("is left behind")).hasSize(1 + workers.size());
      workers.forEach(
          worker -> assertThat(log.messages().getFirst()).contains(worker.getName() + " does not"));
    }
    release.countDown();
    assertThatThrownBy(consumer::get).hasMessageContaining("closed");
    for (Thread worker : workers) {
      worker.join();
    }
  }

  /**
   * Lets one element stand still, and swallows interruptions. The first chunks have one, two and
   * four elements, so that 0, 3 and 7 are in chunks of their own.
   */
  private static long stubbornly(
      long x, int still, Set<Thread> workers, CountDownLatch entered, CountDownLatch release) {
    if (x == still) {
      workers.add(Thread.currentThread());
      entered.countDown();
      while (release.getCount() > 0) {
        try {
          release.await();
        } catch (InterruptedException e) {
          // goes on waiting: that is what this test is about
        }
      }
    }
    return x;
  }

  /** An operator that cannot make what its passes share, because it waits for something. */
  private record StuckOp(CountDownLatch entered, CountDownLatch release, Site site) implements Op {
    @Override
    public long cardinality() {
      return UNKNOWN;
    }

    @Override
    public Cursor open(Context context) {
      Object _ =
          context.shared(() -> stubbornly(0, 0, ConcurrentHashMap.newKeySet(), entered, release));
      return Dataset.range(1).op().open(context);
    }
  }

  /** A consumer on a thread of its own; what it throws is the test's to look at. */
  private static <T> FutureTask<T> started(Callable<T> consumer) {
    FutureTask<T> task = new FutureTask<>(consumer);
    Thread.ofPlatform().start(task);
    return task;
  }

  @Test
  void aWorkerThatIsStuckOpeningAnOperatorDoesNotKeepClosingFromItsEnd() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch entered = new CountDownLatch(1);
    Pipeline<Object> pipeline =
        Dataset.of(new StuckOp(entered, release, Site.UNKNOWN))
            .cache() // which opens its input when it is first asked for an element
            .prefetch(1)
            .options(Options.defaults().closeGrace(Duration.ofMillis(40)))
            .open();
    FutureTask<Boolean> consumer = started(() -> pipeline.iterator().hasNext());
    entered.await();
    pipeline.close();
    release.countDown();
    assertThatThrownBy(consumer::get).hasMessageContaining("closed");
  }

  @Test
  void anInterruptedThreadHasEndedAllOthersWhenItHasClosed() throws Exception {
    for (int i = 0; i < 20; i++) {
      CountDownLatch entered = new CountDownLatch(1);
      Pipeline<Long> pipeline =
          Dataset.range(9)
              .map(
                  x -> {
                    entered.countDown();
                    Thread.sleep(100_000);
                    return x;
                  },
                  2)
              .open();
      FutureTask<Long> consumer = started(() -> pipeline.iterator().next());
      entered.await();
      Thread.currentThread().interrupt();
      pipeline.close();
      assertThat(Thread.interrupted()).isTrue();
      assertThat(LeftoverThreads.names()).isEmpty();
      assertThatThrownBy(consumer::get).hasMessageContaining("closed");
    }
  }

  @Test
  void aFunctionOnAWorkerMayCloseItsPipeline() throws InterruptedException {
    for (int parallelism : new int[] {1, 3}) {
      AtomicReference<Pipeline<Long>> own = new AtomicReference<>();
      CountDownLatch returned = new CountDownLatch(1);
      Dataset<Long> dataset =
          Dataset.range(100)
              .map(
                  x -> {
                    if (x == 5) {
                      own.get().close();
                      returned.countDown();
                    }
                    return x;
                  },
                  parallelism)
              .prefetch(2);
      try (Pipeline<Long> pipeline = dataset.open()) {
        own.set(pipeline);
        Iterator<Long> elements = pipeline.iterator();
        assertThatThrownBy(
                () -> {
                  for (; ; ) {
                    Long _ = elements.next();
                  }
                })
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("closed");
        returned.await();
      }
    }
  }

  @Test
  void manyThreadsMayCloseAtOnce() throws InterruptedException {
    Pipeline<Long> pipeline = Dataset.range(1000).map(x -> x, 3).prefetch(5).open();
    pipeline.iterator().next();
    List<Thread> closers = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      closers.add(Thread.ofPlatform().start(pipeline::close));
    }
    pipeline.close();
    for (Thread closer : closers) {
      closer.join();
    }
  }

  @Test
  void forgottenPipelinesAreClosedAndTheirLineIsNamedOnce() {
    try (LogRecords log = LogRecords.of("headrace.pipeline")) {
      for (int i = 0; i < 20; i++) {
        openAndForget();
      }
      while ((!LeftoverThreads.names().isEmpty() || log.messages().isEmpty())
          && !Thread.currentThread().isInterrupted()) {
        System.gc(); // until they are gone; the timeout interrupts
        LockSupport.parkNanos(5_000_000);
      }
      assertThat(log.records())
          .singleElement()
          .asString()
          .contains("the pipeline opened at ClosingTest.java:")
          .contains("it was forgotten")
          .contains("try-with-resources");
    }
  }

  private static void openAndForget() {
    Dataset<Long> dataset = Dataset.range(Long.MAX_VALUE).map(x -> x, 2).prefetch(4);
    assertThat(dataset.open().iterator().next()).isZero();
  }

  @Test
  void anIteratorAloneKeepsItsPipelineOpen() {
    Iterator<Tensor> batches =
        Dataset.range(64)
            .map(x -> Tensor.full(Shape.of(2000), (float) x))
            .batch(2)
            .prefetch(2)
            .open()
            .iterator();
    try (LogRecords log = LogRecords.of("headrace.pipeline")) {
      float sum = 0;
      for (int i = 0; i < 32; i++) {
        if (i % 8 == 1) {
          System.gc();
        }
        sum += batches.next().floatAt(0);
      }
      assertThat(sum).isEqualTo(31 * 32);
      assertThat(log.messages()).isEmpty();
      batches = null;
      while (!LeftoverThreads.names().isEmpty() || log.messages().isEmpty()) {
        System.gc();
        LockSupport.parkNanos(5_000_000);
      }
    }
  }

  /** An exception that cannot even say what it is. */
  private static final class Mute extends RuntimeException {
    private static final long serialVersionUID = 1;

    @Override
    public String getMessage() {
      throw new IllegalStateException("speechless");
    }

    @Override
    public synchronized Throwable getCause() {
      throw new IllegalStateException("clueless");
    }
  }

  @Test
  void anExceptionWhoseTextFailsIsDeliveredLikeAnyOther() {
    for (Dataset<Long> dataset :
        List.of(
            Dataset.range(4).map(x -> throwMute(x)), Dataset.range(4).map(x -> throwMute(x), 2))) {
      try (Pipeline<Long> pipeline = dataset.open()) {
        Iterator<Long> elements = pipeline.iterator();
        assertThat(elements.next()).isZero();
        assertThatThrownBy(elements::next)
            .isInstanceOf(PipelineException.class)
            .hasMessageContaining("Mute (its toString() threw java.lang.IllegalStateException)");
        assertThat(elements.next()).isEqualTo(2);
      }
    }
    assertThat(Dataset.range(4).map(x -> throwMute(x), 2).ignoreErrors().toList())
        .containsExactly(0L, 2L, 3L);
  }

  private static long throwMute(long x) {
    if (x == 1) {
      throw new Mute();
    }
    return x;
  }

  @Test
  void aRealOutOfMemoryErrorIsDeliveredAndNotMasked() {
    for (int round = 0; round < 3; round++) {
      assertThatThrownBy(
              () -> {
                try (Pipeline<Integer> pipeline =
                    Dataset.range(10)
                        .map(x -> x == 3 ? new long[Integer.MAX_VALUE].length : 1, 3)
                        .prefetch(2)
                        .open()) {
                  pipeline.iterator().forEachRemaining(x -> {});
                }
              })
          .isInstanceOf(PipelineException.class)
          .hasMessageContaining("cannot go on")
          .hasCauseInstanceOf(OutOfMemoryError.class);
    }
  }
}
