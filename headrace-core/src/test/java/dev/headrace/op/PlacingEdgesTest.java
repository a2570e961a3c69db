package dev.headrace.op;

import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Dataset;
import dev.headrace.Options;
import dev.headrace.Pipeline;
import dev.headrace.PipelineException;
import dev.headrace.data.DType;
import dev.headrace.data.Expression;
import dev.headrace.data.Seed;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.golden.Outcomes;
import dev.headrace.profile.OpStats;
import dev.headrace.spi.Collator;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Where computing into batches meets memory limits, odd elements, and the end. */
@Timeout(60)
class PlacingEdgesTest {
  /** {@code length} longs of one value, made from a source of any size. */
  private record Filled(Tensor source, long value, int length, LongConsumer computing)
      implements Expression {
    @Override
    public DType dtype() {
      return DType.INT64;
    }

    @Override
    public Shape shape() {
      return Shape.of(length);
    }

    @Override
    public List<Tensor> sources() {
      return List.of(source);
    }

    @Override
    public void evaluateInto(MemorySegment destination) {
      computing.accept(value);
      for (int i = 0; i < length; i++) {
        destination.set(ValueLayout.JAVA_LONG_UNALIGNED, 8L * i, value);
      }
    }

    @Override
    public String describe() {
      if (value == 0 && length == 3) {
        throw new IllegalStateException("no words for it");
      }
      return "filled(" + length + ")";
    }
  }

  private static Tensor filled(long value, int length) {
    return filled(value, length, v -> {});
  }

  private static Tensor filled(long value, int length, LongConsumer computing) {
    return Tensor.deferred(new Filled(Tensor.scalar(value), value, length, computing));
  }

  private static LongConsumer refusing(long every) {
    return value -> {
      if (value % every == every - 1) {
        throw new IllegalStateException("not " + value);
      }
    };
  }

  @Test
  void aBatchOfAllThereIsTakesNoMoreThanThat() {
    Dataset<Tensor> known = range(3).map(x -> filled(x, 4096), 2).batch(10_000_000);
    Dataset<Tensor> unknown =
        range(3).filter(x -> true).map(x -> filled(x, 4096), 2).batch(1_000_000_000);
    for (Dataset<Tensor> all : List.of(known, unknown)) {
      try (Pipeline<Tensor> pipeline = all.open()) {
        for (Tensor batch : pipeline) {
          assertThat(batch.shape()).isEqualTo(Shape.of(3, 4096));
        }
        assertThat(pipeline.stats().memory().nativePeakBytes()).isLessThan(1 << 20);
      }
    }
  }

  @Test
  void failuresCostNoMemory() {
    long batchBytes = 64 * 4096 * 8;
    for (int parallelism : new int[] {1, 2, 8}) {
      // One batch of 64 and 16 failures: its memory, that of the batch that might have followed,
      // and the one it is copied into, however many failed and whoever was ahead.
      Dataset<Tensor> one =
          range(80).map(x -> filled(x, 4096, refusing(5)), parallelism).batch(64).ignoreErrors();
      try (Pipeline<Tensor> pipeline = one.open()) {
        pipeline.forEach(batch -> assertThat(batch.shape()).isEqualTo(Shape.of(64, 4096)));
        assertThat(pipeline.stats().memory().nativePeakBytes()).isLessThanOrEqualTo(3 * batchBytes);
      }
    }
  }

  private record Masked(Tensor image, @Nullable Tensor mask) {}

  @Test
  void elementsThatCannotBeTakenApartAreLeftAlone() {
    Tensor unrelated = filled(1, 2);
    assertThat(unrelated.isDeferred()).isTrue();
    Dataset<Masked> masked = range(6).map(x -> new Masked(Tensor.scalar(x), null), 2);
    assertThat(masked.map(m -> m.image().longValue()).toList()).hasSize(6);
    assertThat(masked.batch(4, Collator.toList()).toList()).hasSize(2);
    Dataset<Masked> some =
        range(6).map(x -> new Masked(filled(x, 2), x == 0 ? null : Tensor.scalar(x)), 2);
    assertThat(Outcomes.of(some.batch(3).map(b -> b.image().shape().dim(0))))
        .containsExactly("error", "int64[] [3]", "end");
  }

  @Test
  void whatIsNotComputedWeighsWhatItIsComputedFrom() {
    Options small = Options.defaults().heapBudget(32 << 20);
    Dataset<Tensor> growing =
        range(400).map(x -> filled(x, 1 << 17), 2).shuffle(200, Seed.of(1)).batch(1).options(small);
    assertThat(growing.take(3).map(b -> b.longAt(0)).toList()).hasSize(3);

    byte[] megabyte = new byte[1 << 20];
    Dataset<Tensor> shrinking =
        range(300)
            .map(x -> Tensor.deferred(new Filled(Tensor.ofBytes(megabyte), x, 1, v -> {})), 2)
            .prefetch(200)
            .batch(2)
            .options(small);
    try (Pipeline<Tensor> pipeline = shrinking.open()) {
      pipeline.forEach(b -> {});
      assertThat(pipeline.stats().memory().heapPeakBytes()).isLessThanOrEqualTo(48 << 20);
    }
  }

  private record Pair(Tensor a, Tensor b) {}

  @Test
  void stackingRefusesStructuresWhetherDeferredOrNot() {
    Dataset<Tensor> wrong =
        range(4).map(x -> new Pair(filled(x, 2), filled(x, 2)), 2).batch(2, Collator.stack());
    assertThatThrownBy(() -> wrong.forEach(b -> {}))
        .hasMessageContaining("stack: expected numbers");
  }

  @Test
  void ofSeveralMakersNoneIsBlamed() {
    Dataset<Tensor> first = range(2).map(x -> filled(x, 2), 2).named("first");
    Dataset<Tensor> second = range(2).map(x -> filled(x, 2, refusing(2)), 2).named("second");
    Dataset<Tensor> both = first.concatenate(second).batch(4);
    assertThatThrownBy(() -> both.forEach(b -> {}))
        .isInstanceOf(PipelineException.class)
        .hasMessageContaining("not 1")
        .hasMessageNotContaining("'first'");
    assertThat(both.explain()).contains("map 'first'").contains("map 'second'");
  }

  @Test
  void closingDoesNotWaitForOneWhoDoesNotHeedTheEnd() {
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    LongConsumer stubborn =
        value -> {
          if (value < 40) {
            return;
          }
          entered.countDown();
          boolean done = false;
          while (!done) {
            try {
              go.await();
              done = true;
            } catch (InterruptedException e) {
              Thread.onSpinWait();
            }
          }
        };
    Options hasty = Options.defaults().closeGrace(Duration.ofMillis(50));
    Dataset<Tensor> batches =
        range(1000).map(x -> filled(x, 1024, stubborn), 2).batch(4).options(hasty);
    Pipeline<Tensor> pipeline = batches.open();
    assertThat(pipeline.iterator().next().shape()).isEqualTo(Shape.of(4, 1024));
    for (int i = 0; i < 6; i++) {
      assertThat(pipeline.iterator().hasNext()).isTrue();
    }
    try {
      pipeline.close(); // without a word about leaks
    } finally {
      go.countDown();
    }
  }

  @Test
  void aSynchronousBranchIsNotReadAhead() {
    // Four batches are asked for at once at most; threads that read ahead would call it more often.
    AtomicInteger calls = new AtomicInteger();
    Dataset<Tensor> ahead = range(4).map(x -> filled(x, 2), 2);
    Dataset<Tensor> exact =
        range(100)
            .map(
                x -> {
                  calls.incrementAndGet();
                  return filled(x, 2);
                })
            .synchronous();
    try (Pipeline<Tensor> pipeline = ahead.concatenate(exact).batch(2).open()) {
      var batches = pipeline.iterator();
      for (int i = 0; i < 3; i++) {
        assertThat(batches.next().shape()).isEqualTo(Shape.of(2, 2));
      }
      assertThat(calls).hasValueLessThanOrEqualTo(8);
    }
  }

  @Test
  void batchesAreCountedAndNotTheirRows() {
    try (Pipeline<Tensor> pipeline = range(1000).map(x -> filled(x, 2), 2).batch(10).open()) {
      pipeline.forEach(b -> {});
      OpStats batch =
          pipeline.stats().operators().stream()
              .filter(operator -> operator.word().equals("batch"))
              .findFirst()
              .orElseThrow();
      assertThat(batch.elements()).isEqualTo(100);
    }
  }

  @Test
  void anExpressionWithoutWordsIsComputedLikeAnyOther() {
    try (Pipeline<Tensor> pipeline = range(4).map(x -> filled(x, 3), 2).batch(4).open()) {
      pipeline.forEach(b -> assertThat(b.shape()).isEqualTo(Shape.of(4, 3)));
      assertThat(pipeline.explain()).contains("cannot be described");
    }
  }

  @Test
  void whatTwoLeavesShareIsComputedOnce() {
    AtomicInteger computed = new AtomicInteger();
    Dataset<Pair> pairs =
        range(16)
            .map(
                x -> {
                  Tensor shared = filled(x, 8, v -> computed.incrementAndGet());
                  return new Pair(shared, shared.scale(0.5));
                },
                2)
            .batch(4);
    pairs.forEach(p -> assertThat(p.b().floatAt(8)).isEqualTo(p.a().longAt(8) * 0.5f));
    assertThat(computed).hasValue(16);
  }
}
