package dev.headrace.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class VirtualThreadsTest {
  private static final VirtualThreads.Load STUCK = new VirtualThreads.Load(2, 2, 90, false);

  @Test
  void threadsHoldTheirCarriersIfFewCallsAreUnderWayAndOthersQueue() {
    assertThat(VirtualThreads.holdCarriers(2, 2, () -> STUCK)).isTrue();
    assertThat(VirtualThreads.holdCarriers(2, 2, () -> new VirtualThreads.Load(2, 1, 0, false)))
        .as("a carrier is free")
        .isFalse();
    assertThat(VirtualThreads.holdCarriers(2, 2, () -> new VirtualThreads.Load(2, 2, 90, true)))
        .as("they compute")
        .isFalse();
  }

  /** A thousand that slept together, and wake together, are queued for a moment. */
  @Test
  void manyThatWakeTogetherDoNot() {
    assertThat(VirtualThreads.holdCarriers(900, 2, () -> STUCK)).isFalse();
    assertThat(
            VirtualThreads.holdCarriers(
                900,
                2,
                () -> {
                  throw new AssertionError("it was asked, which is dear");
                }))
        .isFalse();
  }

  /** Where the scheduler is not told about, nothing is said of it. */
  @Test
  void nobodyIsAskedWhereCarriersAreUnknown() {
    assertThat(VirtualThreads.holdCarriers(0, 0, () -> STUCK)).isFalse();
  }

  @Test
  void theRealSchedulerIsNotStuckWhileItsThreadsAreParked() throws InterruptedException {
    CountDownLatch go = new CountDownLatch(1);
    Thread[] threads = new Thread[100];
    for (int i = 0; i < threads.length; i++) {
      threads[i] =
          Thread.startVirtualThread(
              () -> {
                try {
                  go.await();
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
              });
    }
    for (Thread thread : threads) {
      while (thread.getState() != Thread.State.WAITING) {
        Thread.sleep(1);
      }
    }
    assertThat(VirtualThreads.holdCarriers(0)).isFalse();
    go.countDown();
    for (Thread thread : threads) {
      thread.join();
    }
  }
}
