package dev.headrace.op;

import static dev.headrace.Dataset.AUTOTUNE;
import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.golden.Outcomes;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Op;
import dev.headrace.spi.Site;
import dev.headrace.spi.State;
import dev.headrace.testing.PipelineContract;
import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class PrefetchOpTest {

  @Test
  void keepsTheContract() {
    PipelineContract.of(n -> range(50).map(x -> Outcomes.refusing(20, x)).prefetch(n)).check();
    PipelineContract.of(n -> range(50).prefetch(AUTOTUNE).prefetch(n).prefetch(0)).check();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 100, 100_000, AUTOTUNE})
  void changesNeitherElementsNorOrder(int buffer) {
    assertThat(range(3000).prefetch(buffer).toList())
        .isEqualTo(LongStream.range(0, 3000).boxed().toList());
    assertThat(range(0).prefetch(buffer).toList()).isEmpty();
    assertThat(Outcomes.of(range(4).map(x -> 6 / (x - 1)).prefetch(buffer)))
        .containsExactly("int64[] [-6]", "error", "int64[] [6]", "int64[] [3]", "end");
  }

  @Test
  void readsOnAThreadOfItsOwn() {
    Set<Thread> readers = ConcurrentHashMap.newKeySet();
    range(100)
        .map(
            x -> {
              readers.add(Thread.currentThread());
              return x;
            })
        .prefetch(4)
        .count();
    assertThat(readers).hasSize(1).doesNotContain(Thread.currentThread());
    assertThat(readers.iterator().next().getName())
        .matches("headrace-\\d+ prefetch@PrefetchOpTest\\.java:\\d+-1");
  }

  @Test
  void readsAsFarAheadAsItsBufferAndNoFarther() throws InterruptedException {
    AtomicInteger calls = new AtomicInteger();
    CountDownLatch bufferWasFull = new CountDownLatch(3);
    try (Pipeline<Long> pipeline =
        range(100)
            .map(
                x -> {
                  calls.incrementAndGet();
                  bufferWasFull.countDown();
                  return x;
                })
            .synchronous()
            .prefetch(3)
            .open()) {
      Iterator<Long> epoch = pipeline.iterator();
      assertThat(epoch.next()).isZero();
      bufferWasFull.await(); // it need not be filled up again at once
    }
    assertThat(calls).hasValueLessThanOrEqualTo(4); // one delivered, three buffered
  }

  @Test
  void nothingIsReadBeforeTheFirstElementIsAskedFor() {
    AtomicInteger calls = new AtomicInteger();
    try (Pipeline<Integer> pipeline =
        range(100).map(x -> calls.incrementAndGet()).prefetch(3).open()) {
      assertThat(pipeline.epoch()).isEqualTo(-1);
    }
    assertThat(calls).hasValue(0);
  }

  @Test
  void refusesANegativeBuffer() {
    assertThatThrownBy(() -> range(3).prefetch(-5))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("prefetch: expected a buffer of at least 0 elements or AUTOTUNE, but got -5");
  }

  /** The numbers up to {@code count}; tells how many it was asked for at once. */
  private record AskedOp(long count, AtomicInteger most, Site site) implements Op {
    @Override
    public long cardinality() {
      return count;
    }

    @Override
    public Cursor open(Context context) {
      Cursor numbers = new RangeOp(0, count, 1, site).open(context);
      return new Cursor(context) {
        @Override
        protected void produce(Chunk out, int max) {
          most.accumulateAndGet(max, Math::max);
          numbers.fill(out, max);
        }

        @Override
        protected State position() {
          return numbers.save();
        }

        @Override
        protected void moveTo(State state) {
          numbers.restore(state);
        }

        @Override
        public void close() {
          numbers.close();
        }
      };
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1000, Integer.MAX_VALUE - 1, Integer.MAX_VALUE})
  void aBufferOfAnySizeIsFilledByManyElementsAtOnce(int buffer) {
    AtomicInteger most = new AtomicInteger();
    Op numbers = new AskedOp(20_000, most, Site.UNKNOWN);
    assertThat(Dataset.<Long>of(numbers).prefetch(buffer).count()).isEqualTo(20_000);
    assertThat(most).hasValueGreaterThan(1);
  }
}
