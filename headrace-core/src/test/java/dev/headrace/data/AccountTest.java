package dev.headrace.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class AccountTest {
  private final Account account = new Account("native", 100);

  @Test
  void fillsToItsLimit() {
    assertThat(account.tryReserve(60)).isTrue();
    assertThat(account.tryReserve(41)).isFalse();
    assertThat(account.tryReserve(40)).isTrue();
    assertThat(account.tryReserve(Long.MAX_VALUE)).isFalse();
    assertThat(account.usedBytes()).isEqualTo(100);
    assertThat(account).hasToString("native: 100 of 100 bytes");
  }

  @Test
  void theOldestElementPassesBeyondTheLimit() {
    account.reserve(150);
    assertThat(account.usedBytes()).isEqualTo(150);
    assertThat(account.tryReserve(0)).as("over the limit already").isFalse();
    account.release(150);
    assertThat(account.usedBytes()).isZero();
    assertThat(account.peakBytes()).isEqualTo(150);
  }

  @Test
  void spareMemoryIsAskedBackWhenItIsNeeded() {
    assertThat(account.tryReserveSpare(70)).isTrue();
    assertThat(account.tryReserveSpare(31)).as("nobody is asked for spare memory").isFalse();
    account.addSpareHolder(
        bytes -> {
          assertThat(bytes).isEqualTo(20);
          account.release(25);
        });
    assertThat(account.tryReserve(50)).isTrue();
    assertThat(account.usedBytes()).isEqualTo(95);
    assertThat(account.tryReserve(5)).as("it fits").isTrue();
  }

  @Test
  void spareHoldersAreAskedUntilThereIsEnough() {
    account.reserve(100);
    Account.SpareHolder few = bytes -> account.release(10);
    account.addSpareHolder(few);
    account.addSpareHolder(bytes -> account.release(bytes));
    account.addSpareHolder(
        bytes -> {
          throw new AssertionError("there was enough");
        });
    assertThat(account.tryReserve(30)).isTrue();
    assertThat(account.usedBytes()).isEqualTo(100);
    account.removeSpareHolder(few);
    assertThat(account.tryReserve(40)).isTrue();
    assertThat(account.usedBytes()).isEqualTo(100);
  }

  @Test
  void accountsMayShareABudget() {
    Account both = new Account("memory", 100);
    Account heap = new Account("heap", 80, both);
    Account batches = new Account("native", 80, both);
    assertThat(heap.tryReserve(70)).isTrue();
    assertThat(batches.freeBytes()).isEqualTo(30);
    assertThat(batches.tryReserve(31)).as("of both too little is left").isFalse();
    assertThat(batches.usedBytes()).isZero();
    assertThat(batches.tryReserve(30)).isTrue();
    assertThat(heap.tryReserve(1)).isFalse();
    heap.release(70);
    assertThat(both.usedBytes()).isEqualTo(30);
    assertThat(batches.tryReserve(51)).as("of its own too little is left").isFalse();
    assertThat(both.usedBytes()).isEqualTo(30);
    batches.reserve(80); // beyond the limit: the oldest passes
    assertThat(both.usedBytes()).isEqualTo(110);
    assertThat(both.peakBytes()).isEqualTo(110);
    assertThat(heap.freeBytes()).isEqualTo(-10);
  }

  @Test
  void whoHoldsSpareMemoryOfOneIsAskedByTheOther() {
    Account both = new Account("memory", 100);
    Account heap = new Account("heap", 100, both);
    Account batches = new Account("native", 100, both);
    assertThat(heap.tryReserveSpare(90)).isTrue();
    heap.addSpareHolder(heap::release);
    assertThat(batches.tryReserve(40)).isTrue();
    assertThat(heap.usedBytes()).isEqualTo(60);
  }

  @Test
  void buffersAreInNobodysWay() {
    account.buffer(90);
    assertThat(account.tryReserve(60)).isTrue();
    assertThat(account.usedBytes()).isEqualTo(150);
    assertThat(account.tryReserve(41)).as("more than there is without buffers").isFalse();
    assertThat(account.tryReserveSpare(1)).as("nobody needs it").isFalse();
    account.unbuffer(90);
    assertThat(account.bufferedBytes()).isZero();
    assertThat(account.tryReserve(40)).isTrue();
    assertThat(account.usedBytes()).isEqualTo(100);
  }

  @Test
  void refusesToReleaseMoreThanIsReserved() {
    account.reserve(10);
    assertThatThrownBy(() -> account.release(11))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "account native: expected to release at most the 10 bytes in use, but got 11;"
                + " release each reservation once");
    assertThat(account.usedBytes()).isEqualTo(10);
  }

  @Test
  void refusesNegativeAmounts() {
    assertThatThrownBy(() -> account.reserve(-1)).hasMessageContaining("got -1");
    assertThatThrownBy(() -> account.tryReserve(-1)).hasMessageContaining("got -1");
    assertThatThrownBy(() -> account.release(-1)).hasMessageContaining("got -1");
    assertThatThrownBy(() -> new Account("heap", -1)).hasMessageContaining("heap");
  }

  @Test
  void spareMemoryIsNotGivenUpForWhatGoesToDiskEvenSo() {
    Account.SpareHolder holder =
        new Account.SpareHolder() {
          @Override
          public void giveBack(long bytes) {
            throw new AssertionError("it gains nothing");
          }

          @Override
          public long spareBytes() {
            return 30;
          }
        };
    account.addSpareHolder(holder);
    account.reserve(90);
    assertThat(account.tryReserveLeaving(31, 10)).isFalse();
    account.removeSpareHolder(holder);
    account.addSpareHolder(account::release);
    assertThat(account.tryReserveLeaving(31, 10)).isTrue();
    assertThat(account.usedBytes()).isEqualTo(90);
  }

  /** A thread that does not heed the end of its pipeline may still be at it. */
  @Test
  void whatIsReservedAndReleasedWhileAPartLeavesItsWholeIsNotCounted() throws Exception {
    for (int round = 0; round < 300; round++) {
      Account whole = new Account("memory", 1000);
      Account other = new Account("heap", 1000, whole);
      Account part = new Account("heap", 1000, whole);
      other.reserve(7);
      part.reserve(40);
      AtomicReference<Throwable> failure = new AtomicReference<>();
      CountDownLatch begun = new CountDownLatch(1);
      Thread stuck =
          Thread.ofPlatform()
              .start(
                  () -> {
                    try {
                      for (int i = 0; i < 300; i++) {
                        part.buffer(3);
                        part.unbuffer(3);
                        if (part.tryReserve(5)) {
                          part.release(5);
                        }
                        begun.countDown();
                      }
                    } catch (Throwable e) {
                      failure.set(e);
                    }
                  });
      begun.await();
      part.leaveWholes();
      stuck.join();
      part.leaveWholes();
      part.release(40);
      assertThat(failure).hasValue(null);
      assertThat(whole.usedBytes()).isEqualTo(7);
      assertThat(whole.bufferedBytes()).isZero();
      assertThat(part.usedBytes()).isZero();
    }
  }
}
