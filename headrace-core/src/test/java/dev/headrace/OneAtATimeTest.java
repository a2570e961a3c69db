package dev.headrace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.testing.NoLeftovers;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@Timeout(60)
@ExtendWith(NoLeftovers.class)
class OneAtATimeTest {

  /** Each of two threads takes up to 200,000 elements; what each got, and what was thrown. */
  private static List<Throwable> byTwoThreads(Dataset<Long> dataset, long[] seen) throws Exception {
    List<Throwable> thrown = Collections.synchronizedList(new ArrayList<>());
    AtomicLongArray times = new AtomicLongArray(seen.length);
    try (Pipeline<Long> pipeline = dataset.open()) {
      Iterator<Long> elements = pipeline.iterator();
      CountDownLatch both = new CountDownLatch(2);
      Runnable consume =
          () -> {
            try {
              both.countDown();
              both.await();
              for (int i = 0; i < 200_000 && elements.hasNext(); i++) {
                times.incrementAndGet((int) (long) elements.next());
              }
            } catch (Throwable e) {
              thrown.add(e);
            }
          };
      Thread a = Thread.ofPlatform().name("trainer a").start(consume);
      Thread b = Thread.ofPlatform().name("trainer b").start(consume);
      a.join();
      b.join();
    }
    for (int i = 0; i < seen.length; i++) {
      seen[i] = times.get(i);
    }
    return thrown;
  }

  @Test
  void twoThreadsOnOneIteratorLoseNothingInSilence() throws Exception {
    int told = 0;
    for (int round = 0; round < 6; round++) {
      for (Dataset<Long> dataset :
          List.of(Dataset.range(400_000), Dataset.range(400_000).map(x -> x, 2).prefetch(64))) {
        long[] times = new long[400_000];
        List<Throwable> thrown = byTwoThreads(dataset, times);
        assertThat(thrown)
            .allSatisfy(
                e ->
                    assertThat(e)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("expected one thread at a time")
                        .hasMessageContaining("trainer ")
                        .hasMessageContaining("split(n)"));
        if (thrown.isEmpty()) { // the machine let them run one after the other
          assertThat(times).containsOnly(1);
        }
        told += thrown.isEmpty() ? 0 : 1;
      }
    }
    assertThat(told).isPositive();
  }

  @Test
  void threadsMayTakeTurns() throws Exception {
    Dataset<Long> dataset = Dataset.range(20_000).map(x -> x, 2);
    List<Long> got = new ArrayList<>();
    Object turn = new Object();
    try (Pipeline<Long> pipeline = dataset.open()) {
      Iterator<Long> elements = pipeline.iterator();
      Runnable consume =
          () -> {
            for (boolean more = true; more; ) {
              synchronized (turn) {
                more = elements.hasNext();
                if (more) {
                  got.add(elements.next());
                }
              }
            }
          };
      Thread a = Thread.ofPlatform().start(consume);
      Thread b = Thread.ofVirtual().start(consume);
      a.join();
      b.join();
    }
    assertThat(got).isEqualTo(dataset.toList());
  }

  @Test
  void anotherThreadIsToldWhileTheFirstWaits() throws Exception {
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch gate = new CountDownLatch(1);
    Dataset<Long> dataset =
        Dataset.range(3)
            .map(
                x -> {
                  entered.countDown();
                  gate.await();
                  return x;
                },
                1);
    try (Pipeline<Long> pipeline = dataset.open()) {
      Iterator<Long> elements = pipeline.iterator();
      FutureTask<Long> first = new FutureTask<>(elements::next);
      Thread waiting = Thread.ofPlatform().name("first").start(first);
      entered.await();
      assertThatThrownBy(elements::next)
          .hasMessageContaining("first")
          .hasMessageContaining("split");
      gate.countDown();
      assertThat(first.get()).as("who was there first goes on").isZero();
      waiting.join();
      assertThat(elements.next()).as("one after the other").isEqualTo(1);
    }
  }

  private static Throwable insideItsOwnFunction(int parallelism) {
    AtomicReference<Iterator<Long>> own = new AtomicReference<>();
    AtomicReference<Pipeline<Long>> ownPipeline = new AtomicReference<>();
    Dataset<Long> range = Dataset.range(4);
    Dataset<Long> dataset =
        parallelism == 0
            ? range.map(x -> x + own.get().next())
            : range.map(
                x -> x == 1 ? own.get().next() : ownPipeline.get().iterator().next(), parallelism);
    try (Pipeline<Long> pipeline = dataset.open()) {
      ownPipeline.set(pipeline);
      own.set(pipeline.iterator());
      Throwable last = null;
      for (int i = 0; i < 4; i++) {
        try {
          Long _ = own.get().next();
        } catch (PipelineException e) {
          last = e;
        }
      }
      assertThat(own.get().hasNext()).isFalse();
      return last;
    }
  }

  @Test
  void aFunctionThatAsksItsOwnPipelineIsToldInsteadOfWaitingForItself() {
    for (int parallelism : new int[] {0, 1, 2}) {
      assertThat(insideItsOwnFunction(parallelism))
          .rootCause()
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("outside of the pipeline")
          .hasMessageContaining("open another pipeline");
    }
  }

  @Test
  void aFunctionMayAskAnotherPipeline() {
    Dataset<Long> inner = Dataset.range(3).map(x -> x, 2);
    assertThat(Dataset.range(4).map(x -> x + inner.toList().getLast(), 2).toList())
        .containsExactly(2L, 3L, 4L, 5L);
  }
}
