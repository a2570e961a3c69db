package dev.headrace.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.data.SpillSpace;
import dev.headrace.op.RangeOp;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.NanoClock;
import dev.headrace.spi.Site;
import dev.headrace.spi.State;
import dev.headrace.spi.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Stages under a deterministic scheduler: one thread plays several workers and the consumer, and a
 * seed decides who goes on at every point where a worker is inside its function. Thousands of
 * schedules, each of which can be run again.
 */
class StageSchedulesTest {
  private static final int ELEMENTS = 40;
  private static final Settings SETTINGS =
      new Settings(
          true,
          true,
          false,
          false,
          2,
          8,
          8,
          1 << 20,
          1 << 20,
          1 << 21,
          new Settings.Budgets(1 << 24, 1 << 24, 1 << 25),
          Duration.ofSeconds(30),
          Duration.ofSeconds(5),
          NanoClock.SYSTEM,
          true,
          new SpillSpace(false, null, 0));

  @ParameterizedTest(name = "ordered {0}, dropping {1}")
  @CsvSource({"true,false", "true,true", "false,false", "false,true"})
  void everyScheduleDeliversEverythingOnceAndResumesAnywhere(boolean ordered, boolean dropping) {
    for (int seed = 0; seed < 1500; seed++) {
      new Schedule(seed, ordered, dropping).run();
    }
  }

  /** One pass over a stage, driven by hand. */
  private static final class Schedule {
    private final SplittableRandom random;
    private final int seed;
    private final boolean ordered;
    private final boolean dropping;
    private final Engine engine;
    private final List<Long> delivered = new ArrayList<>();
    private final List<State> states = new ArrayList<>();
    private final List<List<Long>> deliveredThen = new ArrayList<>();
    private Stage stage;
    private WorkerCrew crew;
    private int depth;
    private boolean plain;

    Schedule(int seed, boolean ordered, boolean dropping) {
      this.random = new SplittableRandom(seed);
      this.seed = seed;
      this.ordered = ordered;
      this.dropping = dropping;
      this.engine = new Engine(new RangeOp(0, ELEMENTS, 1, Site.UNKNOWN), SETTINGS);
      open();
    }

    private void open() {
      RangeOp range = new RangeOp(0, ELEMENTS, 1, Site.UNKNOWN);
      OpenContext context = OpenContext.root(engine, new Pass(engine), range, 0, Long.MAX_VALUE);
      Cursor input = range.open(context.forBackground());
      crew = new WorkerCrew(context, 3, true);
      Work work = this::work;
      stage =
          new Stage(
              context.forBackground(),
              crew,
              input,
              new StagePlan(work, !dropping, ordered, 0, Long.MAX_VALUE));
    }

    void run() {
      while (!isOver()) {
        act();
      }
      assertSame("schedule " + seed, delivered);
      for (int i = 0; i < states.size(); i++) {
        List<Long> whole = new ArrayList<>(deliveredThen.get(i));
        whole.addAll(resume(states.get(i)));
        assertSame("schedule " + seed + " resumed at " + states.get(i), whole);
      }
      stage.close();
      engine.close();
      assertThat(engine.memory().heap().usedBytes()).isZero();
    }

    private void act() {
      switch (random.nextInt(4)) {
        case 0, 1 -> workerStep();
        case 2 -> take();
        default -> note();
      }
    }

    private void workerStep() {
      Slot slot;
      crew.lock.lock();
      try {
        if (!stage.hasWork()) {
          return;
        }
        slot = stage.begin();
      } finally {
        crew.lock.unlock();
      }
      stage.run(slot, new Worker(crew, 0, true, "by hand"));
    }

    /** The function of the stage: in its middle anything else may happen. */
    private int work(Chunk chunk, boolean mayStop) {
      int size = chunk.size();
      int worked = mayStop && size > 1 && random.nextInt(3) == 0 ? random.nextInt(1, size) : size;
      depth++;
      while (!plain && depth < 5 && random.nextInt(3) != 0) {
        act();
      }
      depth--;
      int kept = 0;
      for (int i = 0; i < worked; i++) {
        long value = (Long) chunk.item(i);
        if (!dropping || value % 3 != 0) {
          chunk.replace(i, 2 * value);
          chunk.move(i, kept++);
        }
      }
      if (worked == size) {
        chunk.truncate(kept);
      }
      return worked;
    }

    private void take() {
      stage.start();
      if (stage.isReady()) {
        Chunk chunk = new Chunk();
        stage.fill(chunk, 1 + random.nextInt(3));
        for (int i = 0; i < chunk.size(); i++) {
          delivered.add((Long) chunk.item(i));
        }
      }
    }

    private void note() {
      states.add(stage.save());
      deliveredThen.add(List.copyOf(delivered));
    }

    private boolean isOver() {
      return stage.hasReadAll() && stage.isReady() && nothingLeft();
    }

    private boolean nothingLeft() {
      Chunk chunk = new Chunk();
      stage.fill(chunk, 1);
      if (!chunk.isEmpty()) {
        delivered.add((Long) chunk.item(0));
      }
      return chunk.isEmpty();
    }

    private List<Long> resume(State state) {
      State settled = state.settled();
      Stage first = stage;
      WorkerCrew firstCrew = crew;
      open();
      plain = true;
      stage.restore(settled);
      List<Long> rest = new ArrayList<>();
      Chunk chunk = new Chunk();
      for (stage.fill(chunk, 5); !chunk.isEmpty(); stage.fill(chunk, 5)) {
        for (int i = 0; i < chunk.size(); i++) {
          rest.add((Long) chunk.item(i));
        }
      }
      stage.close();
      stage = first;
      crew = firstCrew;
      return rest;
    }

    private void assertSame(String what, List<Long> got) {
      List<Long> expected = new ArrayList<>();
      for (long value = 0; value < ELEMENTS; value++) {
        if (!dropping || value % 3 != 0) {
          expected.add(2 * value);
        }
      }
      if (ordered) {
        assertThat(got).as(what).isEqualTo(expected);
      } else {
        assertThat(got).as(what).containsExactlyInAnyOrderElementsOf(expected);
      }
    }
  }
}
