package dev.headrace.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ScratchTest {
  @Test
  void framesDoNotOverlap() {
    try (Scratch outer = Scratch.take(100)) {
      outer.memory().fill((byte) 1);
      for (int i = 0; i < 3; i++) {
        try (Scratch inner = Scratch.take(5 << 20)) { // more than is kept at first
          inner.memory().fill((byte) 2);
          try (Scratch innermost = Scratch.take(0)) {
            assertThat(innermost.memory().byteSize()).isZero();
          }
        }
      }
      assertThat(outer.memory().toArray(java.lang.foreign.ValueLayout.JAVA_BYTE)).containsOnly(1);
    }
  }

  @Test
  void memoryIsUsedAgain() {
    MemorySegment first;
    try (Scratch scratch = Scratch.take(1 << 16)) {
      first = scratch.memory();
    }
    try (Scratch scratch = Scratch.take(1 << 16)) {
      assertThat(scratch.memory().address()).isEqualTo(first.address());
    }
  }

  @Test
  void whatIsTooLargeToKeepIsGivenBack() {
    MemorySegment large;
    try (Scratch scratch = Scratch.take(100L << 20)) {
      large = scratch.memory();
      assertThat(large.byteSize()).isEqualTo(100L << 20);
    }
    assertThat(large.scope().isAlive()).isFalse();
    assertThatThrownBy(() -> Scratch.take(Long.MAX_VALUE / 2)).isInstanceOf(Throwable.class);
    try (Scratch scratch = Scratch.take(8)) {
      assertThat(scratch.memory().byteSize()).isEqualTo(8);
    }
  }

  @Test
  void threadsHaveMemoryOfTheirOwn() throws InterruptedException {
    AtomicInteger wrong = new AtomicInteger();
    CountDownLatch together = new CountDownLatch(8);
    List<Thread> threads =
        IntStream.range(0, 8)
            .mapToObj(
                number ->
                    Thread.startVirtualThread(
                        () -> {
                          try (Scratch scratch = Scratch.take(4096)) {
                            scratch.memory().fill((byte) number);
                            together.countDown();
                            together.await();
                            for (byte b :
                                scratch.memory().toArray(java.lang.foreign.ValueLayout.JAVA_BYTE)) {
                              if (b != number) {
                                wrong.incrementAndGet();
                              }
                            }
                          } catch (InterruptedException e) {
                            wrong.incrementAndGet();
                          }
                        }))
            .toList();
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(wrong).hasValue(0);
  }
}
