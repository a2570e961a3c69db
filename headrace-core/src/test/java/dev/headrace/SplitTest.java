package dev.headrace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.golden.LogRecords;
import dev.headrace.testing.NoLeftovers;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
@ExtendWith(NoLeftovers.class)
class SplitTest {

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 7})
  void everyElementGoesToOneConsumerByItsNumber(int count) throws Exception {
    try (Pipeline<Long> pipeline = Dataset.range(100).map(x -> x, 2).prefetch(4).open();
        ExecutorService threads = Executors.newFixedThreadPool(count)) {
      List<Future<List<List<Long>>>> results = new ArrayList<>();
      for (Share<Long> share : pipeline.split(count)) {
        results.add(threads.submit(() -> twoEpochs(share)));
      }
      for (int i = 0; i < count; i++) {
        List<Long> expected = new ArrayList<>();
        for (long x = i; x < 100; x += count) {
          expected.add(x);
        }
        assertThat(results.get(i).get()).containsExactly(expected, expected);
      }
    }
  }

  private static List<List<Long>> twoEpochs(Share<Long> share) {
    List<List<Long>> epochs = new ArrayList<>();
    for (int epoch = 0; epoch < 2; epoch++) {
      List<Long> elements = new ArrayList<>();
      share.forEach(elements::add);
      epochs.add(elements);
    }
    return epochs;
  }

  @Test
  void aBatchIsItsConsumersUntilItAsksForTheNext() throws Exception {
    Dataset<Tensor> batches =
        Dataset.range(64).map(x -> Tensor.full(Shape.of(600), (float) x)).batch(4).prefetch(2);
    List<Float> seen = Collections.synchronizedList(new ArrayList<>());
    try (Pipeline<Tensor> pipeline = batches.open();
        ExecutorService threads = Executors.newFixedThreadPool(2)) {
      List<Future<?>> running = new ArrayList<>();
      for (Share<Tensor> share : pipeline.split(2)) {
        running.add(
            threads.submit(
                () -> {
                  for (Tensor batch : share) {
                    seen.add(batch.floatAt(0));
                    Thread.yield();
                    assertThat(batch.floatAt(batch.elements() - 1)).isEqualTo(batch.floatAt(0) + 3);
                  }
                }));
      }
      for (Future<?> future : running) {
        future.get();
      }
    } // a lease that was lost would be named here
    assertThat(seen).hasSize(16).doesNotHaveDuplicates();
  }

  @Test
  void aConsumerThatWaitsForOneWhoseThreadHasEndedIsTold() throws Exception {
    try (LogRecords log = LogRecords.of("headrace.pipeline");
        Pipeline<Long> pipeline = Dataset.range(100).open()) {
      List<Share<Long>> shares = pipeline.split(2);
      Thread gone = Thread.ofPlatform().name("gone").start(() -> shares.get(0).iterator().next());
      Thread living =
          Thread.ofPlatform()
              .name("living")
              .start(
                  () ->
                      assertThatThrownBy(() -> shares.get(1).forEach(x -> {}))
                          .isInstanceOf(PipelineInterruptedException.class));
      gone.join();
      while (log.messages().isEmpty()) {
        Thread.sleep(10);
      }
      assertThat(log.records())
          .containsExactly(
              "split: expected all 2 consumers to go on, but living waits for share 0, whose"
                  + " thread gone has ended; let another thread read that share, or close the"
                  + " pipeline");
      living.interrupt();
      living.join();
    }
  }

  @Test
  void aFailureIsThrownToTheConsumerWhoseElementItWas() {
    try (Pipeline<Long> pipeline = Dataset.range(6).map(x -> 12 / (x - 3)).open()) {
      List<Share<Long>> shares = pipeline.split(2);
      Thread even = new Thread(() -> shares.get(0).forEach(x -> {}));
      even.start();
      Iterator<Long> odd = shares.get(1).iterator();
      assertThat(odd.next()).isEqualTo(-6);
      assertThatThrownBy(odd::next)
          .isInstanceOf(PipelineException.class)
          .hasRootCauseInstanceOf(ArithmeticException.class);
      assertThat(odd.next()).isEqualTo(6);
      assertThat(odd.hasNext()).isFalse();
      join(even);
    }
  }

  @Test
  void aCheckpointBetweenStepsGivesTheRest() {
    Dataset<Long> dataset = Dataset.range(20).map(x -> x * x, 2);
    Checkpoint checkpoint;
    try (Pipeline<Long> pipeline = dataset.open()) {
      List<Share<Long>> shares = pipeline.split(2);
      Thread first = new Thread(() -> assertThat(shares.get(0).iterator()).isNotNull());
      first.start();
      Iterator<Long> second = shares.get(1).iterator();
      join(first);
      assertThat(second.next()).isEqualTo(1);
      assertThatThrownBy(pipeline::checkpoint)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("same step");
    }
    try (Pipeline<Long> pipeline = dataset.open()) {
      Iterator<Long> only = pipeline.split(1).getFirst().iterator();
      for (int i = 0; i < 7; i++) {
        only.next();
      }
      checkpoint = pipeline.checkpoint();
    }
    try (Pipeline<Long> pipeline = dataset.open(checkpoint)) {
      assertThat(pipeline.iterator().next()).isEqualTo(49);
    }
  }

  @Test
  void aCheckpointInTheMiddleOfARoundIsRefused() {
    try (Pipeline<Long> pipeline = Dataset.range(20).open()) {
      List<Share<Long>> shares = pipeline.split(2);
      Thread first = new Thread(() -> shares.get(1).iterator().next());
      first.start();
      Iterator<Long> elements = shares.get(0).iterator();
      elements.next();
      join(first);
      assertThat(pipeline.checkpoint()).isNotNull();
      elements.next();
      assertThatThrownBy(pipeline::checkpoint).hasMessageContaining("share 1 is 1 element behind");
    }
  }

  @Test
  void aConsumerThatWasInterruptedInIteratorGetsItsShareOfTheEpoch() throws InterruptedException {
    try (Pipeline<Long> pipeline = Dataset.range(8).open()) {
      List<Share<Long>> shares = pipeline.split(2);
      List<Long> ofSecondEpoch = new ArrayList<>();
      CountDownLatch through = new CountDownLatch(1);
      CountDownLatch interrupted = new CountDownLatch(1);
      Thread even =
          new Thread(
              () -> {
                shares.get(0).forEach(x -> {});
                through.countDown();
                try {
                  assertThat(shares.get(0).iterator()).isNotNull();
                } catch (PipelineInterruptedException e) {
                  assertThat(Thread.interrupted()).isTrue();
                  interrupted.countDown();
                }
                shares.get(0).forEach(ofSecondEpoch::add);
              });
      even.start();
      Iterator<Long> odd = shares.get(1).iterator();
      odd.next();
      odd.next();
      odd.next(); // the fourth is left, so the other has to wait for us
      through.await();
      while (even.getState() != Thread.State.TIMED_WAITING) {
        Thread.onSpinWait();
      }
      even.interrupt();
      interrupted.await();
      odd.next();
      List<Long> ofOdd = new ArrayList<>();
      shares.get(1).forEach(ofOdd::add);
      even.join();
      assertThat(ofOdd).containsExactly(1L, 3L, 5L, 7L);
      assertThat(ofSecondEpoch).containsExactly(0L, 2L, 4L, 6L);
    }
  }

  @Test
  void aConsumerMayLeaveAnEpochEarly() {
    try (Pipeline<Long> pipeline = Dataset.range(50).open()) {
      List<Share<Long>> shares = pipeline.split(2);
      Thread leaves =
          new Thread(
              () -> {
                shares.get(0).iterator().next();
                shares.get(0).forEach(x -> {});
              });
      leaves.start();
      List<Long> odd = new ArrayList<>();
      shares.get(1).forEach(odd::add);
      assertThat(odd).hasSize(25);
      shares.get(1).forEach(odd::add);
      assertThat(odd).hasSize(50);
      join(leaves);
    }
  }

  @Test
  void closingWakesConsumersThatWaitForEachOther() throws InterruptedException {
    Throwable[] thrown = new Throwable[1];
    Thread waits;
    try (Pipeline<Long> pipeline = Dataset.range(50).open()) {
      List<Share<Long>> shares = pipeline.split(2);
      CountDownLatch inside = new CountDownLatch(1);
      waits =
          new Thread(
              () -> {
                try {
                  Iterator<Long> elements = shares.get(0).iterator();
                  elements.next();
                  inside.countDown();
                  while (elements.hasNext()) {
                    elements.next(); // the other consumer never comes
                  }
                } catch (Throwable e) {
                  thrown[0] = e;
                }
              });
      waits.start();
      Iterator<Long> other = shares.get(1).iterator();
      inside.await();
      while (waits.getState() != Thread.State.TIMED_WAITING) {
        Thread.onSpinWait();
      }
      assertThat(other).isNotNull();
    }
    waits.join();
    assertThat(thrown[0]).isInstanceOf(IllegalStateException.class).hasMessageContaining("closed");
  }

  @Test
  void refusesNonsense() {
    try (Pipeline<Long> pipeline = Dataset.range(5).open()) {
      assertThatThrownBy(() -> pipeline.split(0))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("split: expected at least 1 consumer, but got 0");
      pipeline.split(2);
      assertThatThrownBy(() -> pipeline.split(2)).isInstanceOf(IllegalStateException.class);
    }
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
