package dev.headrace.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.profile.OpProfile;
import dev.headrace.profile.OpStats;
import dev.headrace.spi.OpCounters;
import dev.headrace.testing.NoLeftovers;
import java.util.Iterator;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.StampedLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Workers that wait for each other's locks. */
@ExtendWith(NoLeftovers.class)
@Timeout(60)
class LocksTest {
  /** Whether a thread that is inside {@code waiting} is seen to wait for a lock. */
  private static boolean isSeen(Runnable waiting) throws InterruptedException {
    Thread thread = Thread.ofPlatform().daemon().start(waiting);
    try {
      // A thread that loads a class may wait for a moment, too: it has to wait for a while.
      Thread.State seen = Thread.State.NEW;
      while (seen == Thread.State.NEW
          || seen == Thread.State.RUNNABLE
          || thread.getState() != seen) {
        seen = thread.getState();
        Thread.sleep(20);
      }
      return Tasks.waitsForLock(thread);
    } finally {
      thread.interrupt();
    }
  }

  private static void uninterrupted(InterruptibleWait wait) {
    try {
      wait.run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private interface InterruptibleWait {
    void run() throws InterruptedException;
  }

  @Test
  void locksOfEveryKindAreToldFromOtherWaiting() throws InterruptedException {
    ReentrantLock lock = new ReentrantLock();
    StampedLock stamped = new StampedLock();
    Semaphore none = new Semaphore(0);
    CountDownLatch latch = new CountDownLatch(1);
    Object monitor = new Object();
    lock.lock();
    long stamp = stamped.writeLock();
    try {
      assertThat(isSeen(() -> uninterrupted(lock::lockInterruptibly))).isTrue();
      assertThat(isSeen(() -> uninterrupted(stamped::writeLockInterruptibly))).isTrue();
      assertThat(isSeen(() -> uninterrupted(none::acquire))).isTrue();
      assertThat(isSeen(() -> uninterrupted(latch::await))).isFalse();
      assertThat(isSeen(() -> uninterrupted(() -> Thread.sleep(60_000)))).isFalse();
      assertThat(isSeen(LockSupport::park)).isFalse();
      synchronized (monitor) {
        assertThat(
                isSeen(
                    () -> {
                      synchronized (monitor) {
                        Thread.onSpinWait();
                      }
                    }))
            .isTrue();
      }
    } finally {
      stamped.unlockWrite(stamp);
      lock.unlock();
    }
  }

  private static Dataset<Long> inOneLock(int parallelism) {
    ReentrantLock lock = new ReentrantLock();
    return Dataset.range(1_000_000)
        .map(
            x -> {
              lock.lock();
              try {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
              } finally {
                lock.unlock();
              }
              return x;
            },
            parallelism);
  }

  private static void pull(Pipeline<Long> pipeline, int elements) {
    Iterator<Long> iterator = pipeline.iterator();
    for (int i = 0; i < elements; i++) {
      long _ = iterator.next();
    }
  }

  @Test
  void theTunerAddsNoWorkersThatWouldQueueForALock() {
    try (Pipeline<Long> pipeline = inOneLock(Dataset.AUTOTUNE).open()) {
      pull(pipeline, 900);
      int cores = Runtime.getRuntime().availableProcessors();
      OpCounters.Stage stage =
          pipeline.stats().operators().stream()
              .map(OpStats::stage)
              .filter(each -> each != null && each.targetWorkers() > 0)
              .findFirst()
              .orElseThrow();
      assertThat(stage.targetWorkers()).isLessThanOrEqualTo(cores + 4);
    }
  }

  @Test
  void waitingForALockIsMeasured() {
    try (Pipeline<Long> pipeline = inOneLock(4).open()) {
      pull(pipeline, 900);
      OpProfile.Crew crew =
          pipeline.diagnose().profile().operators().stream()
              .map(OpProfile::crew)
              .filter(each -> each != null && each.workNs() > 0)
              .findFirst()
              .orElseThrow();
      // Three of four wait at any time.
      assertThat(crew.lockedNs() / crew.workNs()).isBetween(0.5, 0.95);
    }
  }
}
