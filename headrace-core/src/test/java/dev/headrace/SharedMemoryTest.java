package dev.headrace;

import static dev.headrace.Dataset.AUTOTUNE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.data.Account;
import dev.headrace.data.Lease;
import dev.headrace.data.Shape;
import dev.headrace.data.SlabPool;
import dev.headrace.data.Tensor;
import dev.headrace.testing.NoLeftovers;
import java.util.Iterator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** One budget for what is on the heap and what is off it. */
@ExtendWith(NoLeftovers.class)
@Timeout(120)
class SharedMemoryTest {
  private static final long MB = 1_000_000;

  private static Dataset<Tensor> elements(long count) {
    return Dataset.range(count)
        .map(i -> Tensor.full(Shape.of(25_000), (float) (long) i), AUTOTUNE); // 100 KB each
  }

  @Test
  void bothTogetherStayWithinIt() throws InterruptedException {
    Dataset<Tensor> batches =
        elements(4_000).batch(4).prefetch(64).options(o -> o.memoryBudget(4 * MB));
    try (Pipeline<Tensor> pipeline = batches.open()) {
      int count = 0;
      for (Iterator<Tensor> each = pipeline.iterator(); each.hasNext(); count++) {
        assertThat(each.next().slice(3).toFloatArray()[0]).isEqualTo(4 * count + 3);
        if (count % 50 == 0) {
          Thread.sleep(5); // whatever reads ahead has time to go too far
        }
      }
      assertThat(count).isEqualTo(1_000);
      // Two stages may ask at the same moment, and one chunk more than fits be under way.
      assertThat(pipeline.stats().memory().peakBytes()).isLessThanOrEqualTo(4 * MB + 8 * 100_100);
    }
  }

  /** Read-ahead leaves a shuffle its room, though it would like to have all of it. */
  @Test
  void aPipelineGoesOnBesideALargeHolder() {
    Dataset<Tensor> shuffled = elements(1_000).shuffle(100).map(x -> x, AUTOTUNE);
    assertThat(shuffled.options(o -> o.memoryBudget(16 * MB)).count()).isEqualTo(1_000);
    assertThat(shuffled.options(o -> o.heapBudget(16 * MB)).count()).isEqualTo(1_000);
    Dataset<Tensor> batches = shuffled.batch(4).prefetch(2);
    assertThat(batches.options(o -> o.memoryBudget(20 * MB)).count()).isEqualTo(250);
  }

  @Test
  void aBudgetBelowOneBatchIsExceededRatherThanThePipelineStopped() {
    assertThat(elements(40).batch(8).prefetch(2).options(o -> o.memoryBudget(100_000)).count())
        .isEqualTo(5);
  }

  @Test
  void whoFindsNoRoomIsToldWhichOptionToRaise() {
    assertThatThrownBy(
            () -> elements(100).cache().options(o -> o.memoryBudget(2 * MB).spill(false)).count())
        .hasMessageContaining("raise options.memoryBudget");
    assertThatThrownBy(
            () -> elements(100).cache().options(o -> o.heapBudget(2 * MB).spill(false)).count())
        .hasMessageContaining("raise options.heapBudget");
  }

  /** Whoever waits for memory when the pipeline is closed ends, and all of it comes back. */
  @Test
  void closingInTheMiddleGivesAllOfItBack() {
    for (long budget : new long[] {100_000, 2 * MB, 20 * MB}) {
      for (int position = 0; position < 5; position++) {
        Pipeline<Tensor> pipeline =
            elements(4_000)
                .map(x -> x.add(1), AUTOTUNE)
                .batch(4)
                .prefetch(64)
                .options(o -> o.memoryBudget(budget))
                .open();
        try (pipeline) {
          Iterator<Tensor> each = pipeline.iterator();
          for (int i = 0; i < 7 * position; i++) {
            assertThat(each.next().slice(0).toFloatArray()[0]).isEqualTo(4 * i + 1);
          }
        }
        assertThat(pipeline.stats().memory().heapBytes()).isZero();
        assertThat(pipeline.stats().memory().nativeBytes()).isZero();
      }
    }
  }

  @Test
  void noLimitAtAllIsALimit() {
    Options none = Options.defaults().heapBudget(Long.MAX_VALUE).nativeBudget(Long.MAX_VALUE);
    assertThat(elements(10).batch(2).options(none).count()).isEqualTo(5);
  }

  /** Memory of batches that nobody has is the first to go. */
  @Test
  void slabsThatAreNotLentMakeRoomForElements() {
    Account both = new Account("memory", 1_000);
    Account heap = new Account("heap", 1_000, both);
    try (SlabPool slabs = new SlabPool(new Account("native", 1_000, both))) {
      both.addSpareHolder(slabs);
      Lease lent = slabs.lease(320, "test");
      slabs.lease(320, "test").giveBack("it was read");
      assertThat(slabs.freeBytes()).isEqualTo(320);
      assertThat(heap.tryReserve(600)).isTrue();
      assertThat(slabs.freeBytes()).isZero();
      assertThat(heap.tryReserve(100)).as("what is lent stays").isFalse();
      lent.giveBack("it was read");
    }
  }
}
