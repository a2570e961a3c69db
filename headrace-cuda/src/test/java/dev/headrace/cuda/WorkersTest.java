package dev.headrace.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.testing.NoLeftovers;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@Timeout(60)
@ExtendWith(NoLeftovers.class)
class WorkersTest {

  @Test
  void eachNumberIsDoneOnce() {
    try (Workers workers = new Workers("test", 4)) {
      for (int count : new int[] {0, 1, 2, 3, 100, 10_000}) {
        AtomicIntegerArray done = new AtomicIntegerArray(count);
        workers.forEach(count, 4, done::incrementAndGet);
        for (int i = 0; i < count; i++) {
          assertThat(done.get(i)).isEqualTo(1);
        }
      }
    }
  }

  @Test
  void asManyWorkAtOnceAsMay() {
    try (Workers workers = new Workers("test", 3)) {
      CountDownLatch together = new CountDownLatch(3);
      Set<Thread> threads = ConcurrentHashMap.newKeySet();
      workers.forEach(
          3,
          3,
          _ -> {
            threads.add(Thread.currentThread());
            together.countDown();
            awaitAll(together); // none goes on before all three are here
          });
      assertThat(threads).hasSize(3).contains(Thread.currentThread());
      threads.clear();
      workers.forEach(100, 1, _ -> threads.add(Thread.currentThread()));
      assertThat(threads).containsExactly(Thread.currentThread());
    }
  }

  private static void awaitAll(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void whatOneThrowsIsThrownWhenAllHaveEnded() {
    try (Workers workers = new Workers("test", 4)) {
      AtomicInteger running = new AtomicInteger();
      assertThatThrownBy(
              () ->
                  workers.forEach(
                      1_000,
                      4,
                      i -> {
                        running.incrementAndGet();
                        try {
                          if (i == 500) {
                            throw new IllegalStateException("at 500");
                          }
                        } finally {
                          running.decrementAndGet();
                        }
                      }))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("at 500");
      assertThat(running).hasValue(0);
    }
  }

  @Test
  void closedWorkersLeaveAllToTheCaller() {
    Workers workers = new Workers("test", 4);
    workers.close();
    workers.close();
    AtomicInteger done = new AtomicInteger();
    workers.forEach(10, 4, _ -> done.incrementAndGet());
    assertThat(done).hasValue(10);
  }
}
