package dev.headrace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.data.Seed;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.golden.Outcomes;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Collator;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Op;
import dev.headrace.spi.Order;
import dev.headrace.spi.Site;
import dev.headrace.spi.State;
import dev.headrace.testing.HandClock;
import dev.headrace.testing.NoLeftovers;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What a hostile reader found, or could have: each once was, or would be, lost or endless. */
@Timeout(60)
@ExtendWith(NoLeftovers.class)
class HardCasesTest {

  /** A source whose disk breaks at an element, for good or until it is mended. */
  private record BreakingOp(long breaksAt, boolean[] mended, Site site) implements Op {
    @Override
    public long cardinality() {
      return 100;
    }

    @Override
    public Cursor open(Context context) {
      return new Cursor(context) {
        private long next;

        @Override
        protected void produce(Chunk out, int max) {
          if (next == breaksAt && !mended[0]) {
            throw new UncheckedIOException(new IOException("disk gone"));
          }
          if (next < 100) {
            out.addLong(next, context.prefix(), next);
            next++;
          }
        }

        @Override
        protected State position() {
          return State.of("next", next);
        }

        @Override
        protected void moveTo(State state) {
          next = state.number("next");
        }

        @Override
        public void close() {}
      };
    }
  }

  private static void checkBroken(Dataset<Long> dataset, boolean[] mended) {
    List<Long> got = new ArrayList<>();
    Checkpoint checkpoint;
    try (Pipeline<Long> pipeline = dataset.open()) {
      Iterator<Long> elements = pipeline.iterator();
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(() -> elements.forEachRemaining(got::add))
            .isInstanceOf(PipelineException.class)
            .hasMessageContaining("cannot go on")
            .hasRootCauseMessage("disk gone");
      }
      checkpoint = pipeline.checkpoint();
    }
    mended[0] = true;
    try (Pipeline<Long> pipeline = dataset.open(checkpoint)) {
      pipeline.iterator().forEachRemaining(got::add);
    }
    assertThat(got).isEqualTo(Dataset.range(100).toList());
  }

  @Test
  void aSourceThatBreaksIsTerminalAndNothingIsLostOnceItIsMended() {
    boolean[] mended = {false};
    checkBroken(Dataset.of(new BreakingOp(50, mended, Site.UNKNOWN)), mended);
  }

  @Test
  void soItIsBehindAParallelMap() {
    boolean[] mended = {false};
    checkBroken(Dataset.<Long>of(new BreakingOp(50, mended, Site.UNKNOWN)).map(x -> x, 2), mended);
  }

  /** A record that refuses what batching makes of it. */
  private record Row(Tensor values) {
    private Row {
      if (values.shape().rank() != 1) {
        throw new IllegalArgumentException("rank " + values.shape().rank());
      }
    }
  }

  @Test
  void aBatchThatARecordRefusesGivesItsMemoryBack() {
    Dataset<Row> dataset =
        Dataset.range(8).map(x -> new Row(Tensor.full(Shape.of(4000), (float) x))).batch(4);
    try (Pipeline<Row> pipeline = dataset.open()) {
      Iterator<Row> batches = pipeline.iterator();
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(batches::next).hasMessageContaining("rank 2");
      }
      assertThat(batches.hasNext()).isFalse();
    } // closing names leases that are still out
  }

  @Test
  void whatIsCachedIsDrawnForAnewInEachRepetition() {
    List<Integer> draws =
        Dataset.range(50)
            .cache()
            .repeat(3)
            .randomMap((x, random) -> random.nextInt(), Seed.of(4))
            .toList();
    assertThat(draws).doesNotHaveDuplicates();
  }

  @Test
  void takeBoundsWhatIsReadThroughARepeat() {
    int[] calls = {0};
    assertThat(
            Dataset.range(100)
                .map(
                    x -> {
                      synchronized (calls) {
                        calls[0]++;
                      }
                      return x;
                    },
                    4)
                .repeat(2)
                .take(5)
                .count())
        .isEqualTo(5);
    assertThat(calls[0]).isEqualTo(5);
  }

  @Test
  void aSecondCheckpointOfAnUnorderedStageLosesNothing() throws InterruptedException {
    for (int run = 0; run < 6; run++) {
      Dataset<Long> unordered =
          Dataset.range(300)
              .map(
                  x -> {
                    LockSupport.parkNanos(ThreadLocalRandom.current().nextInt(300_000));
                    return x;
                  },
                  4,
                  Order.UNORDERED);
      Dataset<Long> dataset = run % 2 == 0 ? unordered.cache() : unordered.shuffle(100, Seed.of(3));
      List<Long> delivered = new ArrayList<>();
      Checkpoint checkpoint = null;
      for (int upTo : new int[] {60, 140, 1000}) {
        try (Pipeline<Long> pipeline =
            checkpoint == null ? dataset.open() : dataset.open(checkpoint)) {
          Iterator<Long> elements = pipeline.iterator();
          while (delivered.size() < upTo && elements.hasNext()) {
            delivered.add(elements.next());
          }
          checkpoint = Checkpoint.parse(pipeline.checkpoint().toString());
        }
      }
      assertThat(delivered).containsExactlyInAnyOrderElementsOf(Dataset.range(300).toList());
    }
  }

  @Test
  void everyPositionOfASmallShuffleCanBeResumed() {
    for (int seed = 0; seed < 500; seed++) {
      Dataset<Long> dataset = Dataset.range(1_000_000).shuffle(8, Seed.of(seed));
      try (Pipeline<Long> pipeline = dataset.open()) {
        Iterator<Long> elements = pipeline.iterator();
        for (int i = 0; i < 300; i++) {
          elements.next();
        }
        try (Pipeline<Long> again = dataset.open(pipeline.checkpoint())) {
          assertThat(again.iterator().next()).as("seed %d", seed).isEqualTo(elements.next());
        }
      }
    }
  }

  @Test
  void whatFailsWhileItIsRestoredCanBeTriedAgain() {
    boolean[] fails = {false};
    Dataset<Long> dataset =
        Dataset.range(6)
            .shuffle(6, Seed.of(5))
            .interleave(
                x -> {
                  if (fails[0]) {
                    fails[0] = false;
                    throw new IOException("network");
                  }
                  return Dataset.range(x * 10, x * 10 + 5);
                },
                2,
                1);
    List<Long> delivered = new ArrayList<>();
    Checkpoint checkpoint;
    try (Pipeline<Long> pipeline = dataset.open()) {
      Iterator<Long> elements = pipeline.iterator();
      for (int i = 0; i < 7; i++) {
        delivered.add(elements.next());
      }
      checkpoint = pipeline.checkpoint();
    }
    fails[0] = true;
    try (Pipeline<Long> pipeline = dataset.open(checkpoint)) {
      assertThatThrownBy(pipeline::iterator).hasRootCauseMessage("network");
      assertThat(pipeline.checkpoint().epoch()).isZero();
      pipeline.iterator().forEachRemaining(delivered::add);
    }
    assertThat(delivered).isEqualTo(dataset.toList());
  }

  /** A source that fails to tell its position once it has given a few elements. */
  private record NoPositionOp(Site site) implements Op {
    @Override
    public long cardinality() {
      return UNKNOWN;
    }

    @Override
    public Cursor open(Context context) {
      return new Cursor(context) {
        private long next;

        @Override
        protected void produce(Chunk out, int max) {
          out.addLong(next, null, next++);
        }

        @Override
        protected State position() {
          if (next > 2) {
            throw new UnsupportedOperationException("no position after " + next);
          }
          return State.START;
        }

        @Override
        protected void moveTo(State state) {}

        @Override
        public void close() {}
      };
    }
  }

  @Test
  void aSourceThatCannotTellItsPositionEndsTheStageInsteadOfHangingIt() {
    try (Pipeline<Long> pipeline =
        Dataset.<Long>of(new NoPositionOp(Site.UNKNOWN)).prefetch(2).open()) {
      Iterator<Long> elements = pipeline.iterator();
      assertThatThrownBy(() -> elements.forEachRemaining(x -> {}))
          .isInstanceOf(PipelineException.class)
          .hasMessageContaining("no position after");
    }
  }

  @Test
  void whatACacheUnderAZipHoldsIsKnownAfterAResumeAtItsEnd() {
    Dataset<?> dataset =
        Dataset.range(8)
            .shuffle(8, Seed.of(3))
            .cache()
            .zip(Dataset.range(8))
            .repeat(3)
            .map(pair -> pair.toString());
    List<String> all = new ArrayList<>();
    dataset.forEach(x -> all.add((String) x));
    for (int at = 0; at < 24; at++) {
      try (Pipeline<?> pipeline = dataset.open()) {
        Iterator<?> elements = pipeline.iterator();
        for (int i = 0; i < at; i++) {
          elements.next();
        }
        List<Object> rest = new ArrayList<>();
        try (Pipeline<?> resumed = dataset.open(pipeline.checkpoint())) {
          resumed.iterator().forEachRemaining(rest::add);
        }
        assertThat(rest).as("from %d", at).isEqualTo(all.subList(at, 24));
      }
    }
  }

  @Test
  void aFileCacheThatIsFinishedAfterACheckpointChangesNothing(@TempDir Path folder) {
    for (int kind = 0; kind < 4; kind++) {
      for (int at = 0; at < 8; at++) {
        Path file = folder.resolve("cache-" + kind + "-" + at);
        Dataset<Long> cached =
            Dataset.range(12).map(x -> x + 0 * Outcomes.refusing(3, x % 4)).cache(file);
        Dataset<?> dataset =
            switch (kind) {
              case 0 -> cached;
              case 1 -> cached.enumerate().unique(x -> x.index());
              case 2 -> cached.shuffle(4, Seed.of(1));
              default -> cached.batch(5, Collator.toList());
            };
        List<String> events = new ArrayList<>();
        Checkpoint checkpoint = null;
        try (Pipeline<?> pipeline = dataset.open()) {
          Iterator<?> elements = pipeline.iterator();
          for (int i = 0; elements.hasNext(); i++) {
            checkpoint = i == at ? pipeline.checkpoint() : checkpoint;
            events.add(event(elements));
          }
        }
        List<String> rest = new ArrayList<>();
        if (checkpoint != null) {
          try (Pipeline<?> resumed = dataset.open(checkpoint)) {
            Iterator<?> elements = resumed.iterator();
            while (elements.hasNext()) {
              rest.add(event(elements));
            }
          }
          assertThat(rest).as("%d from %d", kind, at).isEqualTo(events.subList(at, events.size()));
        }
      }
    }
  }

  private static String event(Iterator<?> elements) {
    try {
      return String.valueOf(elements.next());
    } catch (PipelineException e) {
      return "error at " + e.element();
    }
  }

  @Test
  void paddingSharesNoElementsRandomNumbers() {
    List<Integer> draws =
        Dataset.range(10)
            .filter(x -> x >= 5)
            .padToCardinality(10, 0L)
            .randomMap((x, random) -> random.nextInt(), Seed.of(1))
            .toList();
    assertThat(draws).hasSize(10).doesNotHaveDuplicates();
  }

  @Test
  void debuggingCanBeInterrupted() throws InterruptedException {
    Throwable[] thrown = new Throwable[1];
    CountDownLatch running = new CountDownLatch(1);
    Thread consumer =
        new Thread(
            () -> {
              try (Pipeline<Long> pipeline =
                  Dataset.range(Long.MAX_VALUE)
                      .filter(
                          x -> {
                            running.countDown();
                            return false;
                          })
                      .map(x -> x, 2)
                      .options(Options.defaults().debug())
                      .open()) {
                pipeline.iterator().next();
              } catch (Throwable e) {
                thrown[0] = e;
              }
            });
    consumer.start();
    running.await();
    consumer.interrupt();
    consumer.join();
    assertThat(thrown[0]).isInstanceOf(PipelineInterruptedException.class);
  }

  @Test
  void restoringAnInterleaveCallsUpstreamOnlyForWhatIsOpen() {
    AtomicInteger calls = new AtomicInteger();
    Dataset<Long> dataset =
        Dataset.range(1000)
            .map(
                x -> {
                  calls.incrementAndGet();
                  return x;
                })
            .interleave(x -> Dataset.range(x * 100, x * 100 + 50), 3, 1);
    Checkpoint checkpoint;
    try (Pipeline<Long> pipeline = dataset.open()) {
      Iterator<Long> elements = pipeline.iterator();
      for (int i = 0; i < 10; i++) {
        elements.next();
      }
      checkpoint = pipeline.checkpoint();
    }
    calls.set(0);
    try (Pipeline<Long> pipeline = dataset.open(checkpoint)) {
      assertThat(pipeline.iterator().next()).isEqualTo(103L);
    }
    assertThat(calls).hasValue(3);
  }

  @Test
  void timeByTheClockInHandIsTheTimeOfTheStatistics() {
    HandClock clock = new HandClock();
    Dataset<Long> dataset =
        Dataset.range(3)
            .map(
                x -> {
                  clock.advance(Duration.ofSeconds(1));
                  return x;
                })
            .synchronous()
            .options(options -> options.clock(clock));
    try (Pipeline<Long> pipeline = dataset.open()) {
      for (Long element : pipeline) {
        assertThat(element).isNotNegative();
        clock.advance(Duration.ofSeconds(3));
      }
      assertThat(pipeline.stats().time().elapsedNs()).isEqualTo(Duration.ofSeconds(12).toNanos());
      assertThat(pipeline.stats().waitShare()).isEqualTo(0.25);
    }
  }
}
