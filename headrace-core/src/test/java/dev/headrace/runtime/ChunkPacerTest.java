package dev.headrace.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.testing.NoLeftovers;
import java.util.Iterator;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@Timeout(30)
@ExtendWith(NoLeftovers.class)
class ChunkPacerTest {
  private static final long MILLISECOND_NS = 1_000_000;

  /** A chunk of many elements would keep the first of them until the last was made. */
  @Test
  void elementsThatAreMadeSlowlyAreNotHeldBackByAQuickFunction() {
    AtomicInteger made = new AtomicInteger();
    Dataset<Long> slow =
        Dataset.range(1_000_000)
            .map(
                x -> {
                  made.incrementAndGet();
                  LockSupport.parkNanos(MILLISECOND_NS);
                  return x;
                });
    Dataset<Long> quick = slow.map(x -> x, 2);
    try (Pipeline<Long> pipeline = quick.options(quick.options().asWritten()).open()) {
      Iterator<Long> elements = pipeline.iterator();
      for (int taken = 1; taken <= 100; taken++) {
        elements.next();
        // 2 workers have 6 chunks at most, of 1 element each.
        assertThat(made.get() - taken).isLessThanOrEqualTo(8);
      }
    }
  }

  @Test
  void beginsWithOneElementAndDoubles() {
    ChunkPacer pacer = new ChunkPacer();
    assertThat(pacer.length()).isEqualTo(1);
    for (int expected = 2; expected <= 1024; expected *= 2) {
      pacer.observe(pacer.length(), 1);
      assertThat(pacer.length()).isEqualTo(expected);
    }
    pacer.observe(1024, 1);
    assertThat(pacer.length()).isEqualTo(1024);
  }

  @Test
  void staysShortWhereElementsTakeLong() {
    ChunkPacer pacer = new ChunkPacer();
    pacer.observe(1, 5_000_000);
    assertThat(pacer.length()).isEqualTo(1);
    pacer.observe(1, 100_000);
    pacer.observe(2, 200_000);
    pacer.observe(4, 500_000);
    assertThat(pacer.length()).isEqualTo(4);
    pacer.observe(4, 40_000_000);
    assertThat(pacer.length()).isEqualTo(1);
  }

  @Test
  void learnsNothingFromNothing() {
    ChunkPacer pacer = new ChunkPacer();
    pacer.observe(0, 0);
    assertThat(pacer.length()).isEqualTo(1);
    pacer.observe(1, 0);
    assertThat(pacer.length()).isEqualTo(2);
  }
}
