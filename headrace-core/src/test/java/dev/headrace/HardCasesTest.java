package dev.headrace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.data.Seed;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Op;
import dev.headrace.spi.Site;
import dev.headrace.spi.State;
import dev.headrace.testing.HandClock;
import dev.headrace.testing.NoLeftovers;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

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
      assertThat(pipeline.stats().elapsedNs()).isEqualTo(Duration.ofSeconds(12).toNanos());
      assertThat(pipeline.stats().waitShare()).isEqualTo(0.25);
    }
  }
}
