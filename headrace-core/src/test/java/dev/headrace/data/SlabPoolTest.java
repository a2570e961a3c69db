package dev.headrace.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SlabPoolTest {
  private static final String GIVEN_BACK =
      "batch 0 was given back when next() was called; use keep() to hold a batch longer";

  private final Account account = new Account("native", 10_000);
  private final SlabPool pool = new SlabPool(account);

  @AfterEach
  void leavesNothingReserved() {
    try {
      pool.close();
    } catch (LeakException e) {
      // a test about leaks
    }
    assertThat(account.usedBytes()).isZero();
  }

  @Test
  void lendsAlignedMemoryOnTheAccount() {
    Lease lease = pool.lease(1000, "batch");
    assertThat(lease.byteSize()).isEqualTo(1000);
    assertThat(lease.memory().address() % 64).isZero();
    assertThat(account.usedBytes()).isEqualTo(1024);
    assertThat(pool.liveLeases()).containsExactly(lease);
    assertThat(lease).hasToString("batch 0 (batch, 1000 bytes)");
  }

  @Test
  void lendsASlabAgainIfItFits() {
    Lease first = pool.lease(1000, "batch");
    final long address = first.memory().address();
    first.giveBack("next() was called");
    Lease small = pool.lease(100, "batch");
    assertThat(small.memory().address()).as("would waste more than half").isNotEqualTo(address);
    Lease same = pool.lease(600, "batch");
    assertThat(same.memory().address()).isEqualTo(address);
    assertThat(same.number()).isEqualTo(2);
    assertThat(account.usedBytes()).isEqualTo(1024 + 128);
  }

  @Test
  void staysWithinTheBudgetUnlessTheOldestAsks() {
    Lease big = pool.lease(9_000, "batch");
    assertThat(pool.tryLease(2_000, "batch")).isNull();
    assertThat(pool.lease(2_000, "batch").isLive()).isTrue();
    assertThat(account.usedBytes()).isGreaterThan(account.limitBytes());
    big.giveBack("next() was called");
    assertThat(pool.tryLease(4_000, "batch")).as("frees the slab that does not fit").isNotNull();
    assertThat(pool.freeBytes()).isZero();
  }

  @Test
  void everyTouchOfAStaleTensorThrows() {
    Lease lease = pool.lease(64, "batch");
    lease.memory().fill((byte) 1);
    Tensor tensor = lease.tensor(DType.INT32, Shape.of(4, 2), 32);
    Tensor row = tensor.slice(1);
    Tensor flat = tensor.reshape(Shape.of(8));
    MemorySegment segment = tensor.segment();
    Tensor scaled = tensor.scale(2);
    assertThat(tensor.intAt(0)).isEqualTo(0x01010101);
    assertThat(segment.get(ValueLayout.JAVA_INT_UNALIGNED, 28)).isEqualTo(0x01010101);
    assertThat(segment.byteSize()).isEqualTo(32);
    assertThat(segment.isReadOnly()).isTrue();

    assertThat(lease.giveBack("next() was called")).isTrue();
    assertThat(lease.giveBack("next() was called")).isFalse();

    pool.lease(64, "another").memory().fill((byte) 2);
    assertThatThrownBy(() -> tensor.intAt(0)).hasMessage(GIVEN_BACK);
    assertThatThrownBy(tensor::toIntArray).hasMessage(GIVEN_BACK);
    assertThatThrownBy(tensor::segment).hasMessage(GIVEN_BACK);
    assertThatThrownBy(() -> tensor.slice(0)).hasMessage(GIVEN_BACK);
    assertThatThrownBy(() -> tensor.contentEquals(Tensor.zeros(DType.INT32, Shape.of(4, 2))))
        .hasMessage(GIVEN_BACK);
    assertThatThrownBy(() -> tensor.copyInto(MemorySegment.ofArray(new byte[32]), 0))
        .hasMessage(GIVEN_BACK);
    assertThatThrownBy(() -> row.intAt(0)).hasMessage(GIVEN_BACK);
    assertThatThrownBy(() -> flat.intAt(0)).hasMessage(GIVEN_BACK);
    assertThatThrownBy(scaled::toFloatArray).hasMessage(GIVEN_BACK);
    assertThatThrownBy(lease::memory).hasMessage(GIVEN_BACK);
    assertThatThrownBy(lease::keep).hasMessage(GIVEN_BACK);
    assertThatThrownBy(() -> segment.get(ValueLayout.JAVA_BYTE, 0))
        .isInstanceOf(IllegalStateException.class);
    assertThat(tensor).hasToString("int32[4, 2] (given back)");
  }

  @Test
  void aTensorMustFitIntoItsLease() {
    Lease lease = pool.lease(64, "batch");
    assertThatThrownBy(() -> lease.tensor(DType.INT64, Shape.of(8), 8))
        .hasMessageContaining("int64[8]")
        .hasMessageContaining("offset 8");
    assertThatThrownBy(() -> lease.tensor(DType.STRING, Shape.of(8), 8))
        .hasMessageContaining("string[8]");
  }

  @Test
  void aKeptBatchOutlivesThePool() {
    Lease lease = pool.lease(64, "batch");
    Tensor tensor = lease.tensor(DType.INT64, Shape.of(1), 0);
    lease.memory().set(ValueLayout.JAVA_LONG_UNALIGNED, 0, 42);
    assertThat(lease.keep().isKept()).isTrue();
    assertThat(account.usedBytes()).as("on the caller's account").isZero();
    assertThat(pool.keptBytes()).isEqualTo(64);
    assertThat(lease.giveBack("next() was called")).isFalse();
    pool.close();
    assertThat(tensor.longValue()).isEqualTo(42);
    lease.close();
    lease.close();
    assertThatThrownBy(tensor::longValue)
        .hasMessage("batch 0 was closed; do not touch a batch after close()");
    assertThat(pool.keptBytes()).isZero();
  }

  @Test
  void aKeptBatchReturnsToAnOpenPool() {
    Lease lease = pool.lease(64, "batch").keep();
    final long address = lease.memory().address();
    lease.close();
    assertThat(pool.lease(64, "batch").memory().address()).isEqualTo(address);
  }

  @Test
  void retainedMemoryIsNotLentAgainBeforeItsLastReaderIsDone() {
    Lease lease = pool.lease(1000, "batch");
    final Tensor tensor = lease.tensor(DType.INT64, Shape.of(1), 0);
    final long address = lease.memory().address();
    final Lease.Retention first = lease.retain();
    final Lease.Retention second = lease.retain();
    assertThat(lease.giveBack("next() was called")).isTrue();
    assertThatThrownBy(() -> tensor.longAt(0)).hasMessage(GIVEN_BACK);
    assertThat(pool.lease(1000, "batch").memory().address()).isNotEqualTo(address);
    assertThat(pool.keptBytes()).isEqualTo(1024);
    first.close();
    first.close();
    assertThat(pool.keptBytes()).as("closing twice counts once").isEqualTo(1024);
    second.close();
    assertThat(pool.keptBytes()).isZero();
    assertThat(pool.freeBytes()).isEqualTo(1024);
    assertThatThrownBy(lease::retain).hasMessage(GIVEN_BACK);
  }

  @Test
  void retainedMemoryOutlivesKeeperAndPool() {
    Lease kept = pool.lease(1000, "batch").keep();
    MemorySegment memory = kept.memory();
    final Lease.Retention retention = kept.retain();
    kept.close();
    pool.close();
    assertThat(memory.get(ValueLayout.JAVA_BYTE, 0)).isZero();
    retention.close();
    assertThat(memory.scope().isAlive()).isFalse();
  }

  @Test
  void aRetentionThatEndsFirstChangesNothing() {
    Lease lease = pool.lease(1000, "batch");
    lease.retain().close();
    assertThat(lease.isLive()).isTrue();
    assertThat(lease.giveBack("next() was called")).isTrue();
    assertThat(pool.freeBytes()).isEqualTo(1024);
  }

  @Test
  void leaksNameTheirOwners() {
    pool.lease(64, "batch at Train.java:12");
    pool.lease(64, "given").giveBack("next() was called");
    Lease leaked = pool.lease(1000, "prefetch");
    assertThatThrownBy(pool::close)
        .isInstanceOf(LeakException.class)
        .hasMessage(
            "slab pool: expected every batch back at close, but 2 are still out:"
                + " batch 0 (batch at Train.java:12, 64 bytes), batch 2 (prefetch, 1000 bytes);"
                + " give each back, or keep() it");
    assertThatThrownBy(leaked::memory).hasMessageContaining("batch 2 was given back");
    assertThatThrownBy(() -> pool.lease(1, "late")).hasMessageContaining("late");
    assertThatCode(pool::close).doesNotThrowAnyException();
  }

  @Test
  void aSourceThatFailsLeavesNothingReserved() {
    SlabPool failing =
        new SlabPool(
            account,
            (arena, bytes) -> {
              throw new IllegalStateException("no pinned memory");
            });
    assertThatThrownBy(() -> failing.lease(64, "batch")).hasMessage("no pinned memory");
    assertThat(account.usedBytes()).isZero();
  }

  @Test
  void leasesOfAnElementAreFoundOnceEach() {
    Lease lease = pool.lease(64, "batch");
    Tensor tensor = lease.tensor(DType.INT32, Shape.of(4), 0);
    List<Lease> found = new ArrayList<>();
    Map<String, Object> element =
        Map.of("a", tensor, "b", List.of(tensor.slice(1), Tensor.of(1)), "c", tensor.scale(2));
    Lease.forEachLease(element, found::add);
    assertThat(found).containsExactly(lease);
    Lease.forEachLease("not a structure", l -> lease.close());
    assertThat(lease.isLive()).isTrue();
  }

  /** Readers on other threads either see their own batch or an error, never the next batch. */
  @Test
  void aReaderNeverSeesAnotherBatch() throws InterruptedException {
    AtomicReference<Tensor> current = new AtomicReference<>();
    AtomicReference<Long> wrong = new AtomicReference<>();
    AtomicBoolean done = new AtomicBoolean();
    int words = 256;
    Thread reader =
        Thread.ofPlatform()
            .name("reader")
            .start(
                () -> {
                  while (!done.get()) {
                    Tensor tensor = current.get();
                    if (tensor == null) {
                      continue;
                    }
                    long number = tensor.lease().number();
                    try {
                      for (long value : tensor.toLongArray()) {
                        if (value != number) {
                          wrong.set(value);
                        }
                      }
                      if (tensor.longAt(words - 1) != number) {
                        wrong.set(number);
                      }
                    } catch (IllegalStateException givenBack) {
                      // as it should be
                    }
                  }
                });
    for (int i = 0; i < 10_000; i++) {
      Lease lease = pool.lease(words * 8L, "batch");
      MemorySegment memory = lease.memory();
      for (int word = 0; word < words; word++) {
        memory.setAtIndex(ValueLayout.JAVA_LONG, word, lease.number());
      }
      current.set(lease.tensor(DType.INT64, Shape.of(words), 0));
      lease.giveBack("next() was called");
    }
    done.set(true);
    reader.join();
    assertThat(wrong.get()).isNull();
  }
}
