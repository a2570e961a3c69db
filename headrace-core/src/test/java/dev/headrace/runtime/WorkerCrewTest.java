package dev.headrace.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.data.SpillSpace;
import dev.headrace.op.RangeOp;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.NanoClock;
import dev.headrace.spi.Site;
import dev.headrace.testing.NoLeftovers;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@Timeout(120)
@ExtendWith(NoLeftovers.class)
class WorkerCrewTest {
  private static final Settings SETTINGS =
      new Settings(
          true,
          false,
          false,
          false,
          2,
          8,
          8,
          1 << 24,
          1 << 24,
          1 << 25,
          new Settings.Budgets(1 << 24, 1 << 24, 1 << 25),
          Duration.ofSeconds(30),
          Duration.ofSeconds(5),
          NanoClock.SYSTEM,
          true,
          new SpillSpace(false, null, 0));

  /** Engaged and put to sleep at random moments by another thread, while it is being pulled. */
  @Test
  void aStageGoesOnWhetherOrNotItHasThreads() throws InterruptedException {
    for (boolean works : new boolean[] {true, false}) {
      int elements = 40_000;
      RangeOp range = new RangeOp(0, elements, 1, Site.UNKNOWN);
      try (Engine engine = new Engine(range, SETTINGS)) {
        OpenContext context = OpenContext.root(engine, new Pass(engine), range, 0, Long.MAX_VALUE);
        WorkerCrew crew = new WorkerCrew(context, works ? -2 : 1, true, true);
        Stage stage =
            new Stage(
                context.forBackground(),
                crew,
                range.open(context.forBackground()),
                works
                    ? new StagePlan((chunk, mayStop) -> chunk.size(), true, true, 0, Long.MAX_VALUE)
                    : new StagePlan(null, true, true, -2, Long.MAX_VALUE));
        java.util.concurrent.atomic.AtomicBoolean over =
            new java.util.concurrent.atomic.AtomicBoolean();
        Thread switcher =
            Thread.ofPlatform()
                .start(
                    () -> {
                      SplittableRandom random = new SplittableRandom(5);
                      while (!over.get()) {
                        crew.engage(random.nextBoolean());
                        java.util.concurrent.locks.LockSupport.parkNanos(random.nextInt(200_000));
                      }
                    });
        SplittableRandom random = new SplittableRandom(3);
        Chunk chunk = new Chunk();
        long expected = 0;
        for (stage.fill(chunk, 7); !chunk.isEmpty(); stage.fill(chunk, 1 + random.nextInt(20))) {
          for (int i = 0; i < chunk.size(); i++) {
            assertThat(chunk.item(i)).isEqualTo(expected++);
          }
          if (random.nextInt(20) == 0) {
            int skipped = (int) Math.min(random.nextInt(5), elements - expected);
            stage.skip(skipped);
            expected += skipped;
          }
          if (random.nextInt(10) == 0) {
            assertThat(stage.save()).isNotNull();
            boolean unused = stage.isReady();
          }
        }
        over.set(true);
        switcher.join();
        assertThat(expected).isEqualTo(elements);
        stage.close();
      }
    }
  }

  @Test
  void aStageGoesOnWhateverNumberAndKindOfWorkersItIsGiven() {
    int elements = 60_000;
    RangeOp range = new RangeOp(0, elements, 1, Site.UNKNOWN);
    try (Engine engine = new Engine(range, SETTINGS)) {
      OpenContext context = OpenContext.root(engine, new Pass(engine), range, 0, Long.MAX_VALUE);
      WorkerCrew crew = new WorkerCrew(context, 8, true);
      Stage stage =
          new Stage(
              context.forBackground(),
              crew,
              range.open(context.forBackground()),
              new StagePlan((chunk, mayStop) -> chunk.size(), true, true, 0, Long.MAX_VALUE));
      SplittableRandom random = new SplittableRandom(3);
      Chunk chunk = new Chunk();
      long expected = 0;
      for (stage.fill(chunk, 7); !chunk.isEmpty(); stage.fill(chunk, 7)) {
        for (int i = 0; i < chunk.size(); i++) {
          assertThat(chunk.item(i)).isEqualTo(expected++);
        }
        if (random.nextInt(10) == 0) {
          crew.resize(1 + random.nextInt(8), random.nextInt(4) == 0, 0.5);
        }
      }
      assertThat(expected).isEqualTo(elements);
      stage.close();
    }
  }

  @Test
  void askingAStageWhetherItIsReadyStartsNothing() throws InterruptedException {
    RangeOp range = new RangeOp(0, 10, 1, Site.UNKNOWN);
    try (Engine engine = new Engine(range, SETTINGS)) {
      OpenContext context = OpenContext.root(engine, new Pass(engine), range, 0, Long.MAX_VALUE);
      Stage stage =
          new Stage(
              context.forBackground(),
              new WorkerCrew(context, 1, true),
              range.open(context.forBackground()),
              new StagePlan(null, true, true, 4, Long.MAX_VALUE));
      assertThat(stage.isReady()).isFalse();
      assertThat(stage.hasWork()).isFalse();
      stage.start();
      while (!stage.isReady()) {
        Thread.sleep(1);
      }
      stage.close();
    }
  }
}
