package dev.headrace.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Dataset;
import dev.headrace.Options;
import dev.headrace.Pipeline;
import dev.headrace.PipelineException;
import dev.headrace.data.Lease;
import dev.headrace.data.SlabPool;
import dev.headrace.data.SpillSpace;
import dev.headrace.spi.NanoClock;
import dev.headrace.testing.NoLeftovers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** What all pipelines of the process hold together has one limit. */
@Timeout(60)
@ExtendWith(NoLeftovers.class)
class ProcessMemoryTest {
  private static final int MB = 1 << 20;

  @Test
  void cachesOfSeveralPipelinesShareTheBudgetOfTheProcess() {
    long before = ProcessMemory.HEAP.usedBytes();
    String old = System.getProperty("headrace.heap.budget");
    System.setProperty("headrace.heap.budget", (before / MB + 40) + "MB");
    List<Pipeline<byte[]>> open = new ArrayList<>();
    try {
      Dataset<byte[]> cached =
          Dataset.range(15 * 16)
              .map(i -> new byte[MB / 16])
              .cache()
              .options(Options.defaults().spill(false));
      for (int i = 0; i < 2; i++) {
        Pipeline<byte[]> pipeline = cached.open();
        open.add(pipeline);
        drain(pipeline);
      }
      Pipeline<byte[]> third = cached.open();
      open.add(third);
      assertThatThrownBy(() -> drain(third))
          .isInstanceOf(PipelineException.class)
          .hasMessageContaining("cache: expected its elements to fit the memory budget")
          .hasMessageContaining("MB for all pipelines of this process)")
          .hasMessageContaining("raise -Dheadrace.heap.budget");
    } finally {
      open.forEach(Pipeline::close);
      if (old == null) {
        System.clearProperty("headrace.heap.budget");
      } else {
        System.setProperty("headrace.heap.budget", old);
      }
    }
    assertThat(ProcessMemory.HEAP.usedBytes()).isEqualTo(before);
  }

  @Test
  void aBudgetGivenInCodeIsMeant() {
    String old = System.getProperty("headrace.heap.budget");
    System.setProperty("headrace.heap.budget", "1MB");
    try (Pipeline<byte[]> pipeline =
        Dataset.range(15 * 16)
            .map(i -> new byte[MB / 16])
            .cache()
            .options(Options.defaults().heapBudget(20 * MB))
            .open()) {
      drain(pipeline);
      assertThat(ProcessMemory.HEAP.limitBytes()).isGreaterThanOrEqualTo(20 * MB);
      assertThat(ProcessMemory.HEAP.usedBytes()).isGreaterThanOrEqualTo(15 * MB);
    } finally {
      if (old == null) {
        System.clearProperty("headrace.heap.budget");
      } else {
        System.setProperty("headrace.heap.budget", old);
      }
    }
  }

  private static void drain(Pipeline<byte[]> pipeline) {
    for (Iterator<byte[]> elements = pipeline.iterator(); elements.hasNext(); ) {
      assertThat(elements.next()).hasSize(MB / 16);
    }
  }

  private static Settings settings(long heapBudget, long nativeBudget) {
    return new Settings(
        true,
        false,
        false,
        false,
        2,
        8,
        8,
        heapBudget,
        nativeBudget,
        1L << 40,
        new Settings.Budgets(MB, nativeBudget, 1L << 40),
        Duration.ofSeconds(30),
        Duration.ofSeconds(5),
        NanoClock.SYSTEM,
        true,
        new SpillSpace(false, null, 0));
  }

  @Test
  void batchMemoryThatOnePipelineDoesNotUseIsThereForAnother() {
    long lent = MB / 4 * 3;
    MemoryBudget first = new MemoryBudget(settings(MB, MB), SlabPool.PLAIN);
    MemoryBudget second = new MemoryBudget(settings(MB, MB), SlabPool.PLAIN);
    try {
      first.slabs().lease(lent, "first").giveBack("it was read");
      assertThat(first.slabs().freeBytes()).isEqualTo(lent);
      Lease lease = second.slabs().tryLease(lent, "second");
      assertThat(lease).isNotNull();
      assertThat(first.slabs().freeBytes()).isZero();
      assertThat(first.slabs().tryLease(lent, "first")).as("it is lent now").isNull();
      lease.giveBack("it was read");
    } finally {
      first.close();
      second.close();
    }
  }

  @Test
  void pipelinesThatAskEachOtherForBatchMemoryDoNotBlockEachOther() throws InterruptedException {
    MemoryBudget first = new MemoryBudget(settings(MB, MB), SlabPool.PLAIN);
    MemoryBudget second = new MemoryBudget(settings(MB, MB), SlabPool.PLAIN);
    List<Thread> askers = new ArrayList<>();
    for (MemoryBudget budget : List.of(first, second)) {
      askers.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    for (int i = 1; i < 300; i++) {
                      budget.slabs().lease(MB / 2 + 4096L * (i % 64), "it").giveBack("read");
                    }
                  }));
    }
    for (Thread asker : askers) {
      asker.join();
    }
    first.close();
    second.close();
    assertThat(first.nativeAccount().usedBytes()).isZero();
  }

  @Test
  void aPipelineThatCannotBeOpenedRaisesNoLimit() {
    long before = ProcessMemory.OFF_HEAP.limitBytes();
    assertThatThrownBy(() -> new MemoryBudget(settings(-1, 12_345), SlabPool.PLAIN))
        .hasMessageContaining("expected a limit of 0 bytes or more, but got -1");
    assertThat(ProcessMemory.OFF_HEAP.limitBytes()).isEqualTo(before);
  }
}
