package dev.headrace.profile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.Dataset;
import dev.headrace.profile.Model.LimitKind;
import dev.headrace.profile.PipelineSimulation.Segment;
import dev.headrace.spi.Op;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The model against a simulation of the same pipelines, and against arithmetic. */
class ModelTest {
  private static final double MS = 1e6;
  private static final int CORES = 2;

  /**
   * A pipeline on paper: source, sequential map, parallel map, prefetch; costs in ms of one
   * element.
   *
   * @param workers of the parallel map, 0 for none
   * @param buffer of the prefetch, 0 for none
   */
  record Line(
      double sourceWait,
      double serialCpu,
      double workCpu,
      double workWait,
      int workers,
      int buffer,
      double stepCpu,
      double stepWait) {

    /** What would be measured of it. */
    Profile profile() {
      List<OpProfile> operators = new ArrayList<>();
      int prefetch = buffer > 0 ? 0 : -1;
      int map = prefetch + 1;
      if (buffer > 0) {
        operators.add(op("0", -1, -1, "prefetch", 0, 0, crew(1, buffer, 0, 0)));
      }
      boolean parallel = workers > 0;
      operators.add(
          op(
              key(map),
              prefetch,
              prefetch,
              "map",
              workCpu,
              workWait,
              parallel ? crew(workers, 2 * workers + 2, workCpu, workWait) : null));
      int below = parallel ? map : prefetch;
      operators.add(op(key(map + 1), map, below, "map", serialCpu, 0, null));
      operators.add(op(key(map + 2), map + 1, below, "range", 0, sourceWait, null));
      double step = (stepCpu + stepWait) * MS;
      return new Profile(
          10,
          1000,
          0.1,
          11,
          1,
          new Profile.Consumer(step, stepCpu * MS, 0, 0, 0, new double[0], new double[0]),
          new Profile.Machine(CORES, 0, 1, 0, 0, 1L << 30, 1L << 20),
          new Profile.Memory(0, 0, 1L << 30, 0, 0, 1L << 30, Long.MAX_VALUE),
          operators,
          List.of());
    }

    private static String key(int index) {
      return "0" + ".0".repeat(index);
    }

    private static OpProfile.Crew crew(double workers, int capacity, double cpu, double wait) {
      return new OpProfile.Crew(
          new OpProfile.Size(workers, false, 0.5),
          new OpProfile.Buffer(capacity, false, 1, 0.5),
          new OpProfile.Pull(0, 0),
          new OpProfile.Work((cpu + wait) * MS, cpu * MS, wait * MS, 0, 1, new double[0], 0),
          new double[0]);
    }

    private static OpProfile op(
        String key,
        int pulledBy,
        int runBy,
        String word,
        double cpu,
        double wait,
        OpProfile.Crew crew) {
      return new OpProfile(
          new OpProfile.Place(key, pulledBy, runBy, word, word, word, word.equals("range")),
          new OpProfile.Output(1000, 0, 1),
          new OpProfile.Times((cpu + wait) * MS, cpu * MS, wait * MS),
          new OpProfile.Sizes(8, 8),
          null,
          crew,
          null);
    }

    Model model() {
      Profile profile = profile();
      Op any = Dataset.range(1).op();
      return Model.of(
          profile, Collections.nCopies(profile.operators().size(), new OpNode("0", any)));
    }

    /** The index of the operator that may be parallel. */
    int map() {
      return buffer > 0 ? 1 : 0;
    }

    double simulatedMs() {
      List<Segment> segments = new ArrayList<>();
      SimulatedCost below = new SimulatedCost(seconds(sourceWait), seconds(serialCpu));
      SimulatedCost work = new SimulatedCost(seconds(workWait), seconds(workCpu));
      SimulatedCost both =
          new SimulatedCost(seconds(sourceWait + workWait), seconds(serialCpu + workCpu));
      if (workers > 0) {
        segments.add(Segment.parallel(below, work, workers));
      }
      SimulatedCost inline = workers > 0 ? SimulatedCost.NONE : both;
      if (buffer > 0) {
        segments.add(Segment.prefetch(inline, buffer));
        inline = SimulatedCost.NONE;
      }
      segments.add(
          Segment.consumer(inline, new SimulatedCost(seconds(stepWait), seconds(stepCpu))));
      return 1e3 / PipelineSimulation.run(segments, CORES, 2_000, 1).perSecond();
    }

    private static SimulatedTime seconds(double ms) {
      return ms == 0 ? SimulatedTime.NONE : SimulatedTime.fixed(ms / 1e3);
    }

    static Line random(SplittableRandom random) {
      return new Line(
          random.nextInt(3) == 0 ? random.nextDouble(4) : 0,
          random.nextDouble(2),
          random.nextDouble(6),
          random.nextBoolean() ? random.nextDouble(10) : 0,
          random.nextInt(5),
          random.nextInt(4) * 2,
          random.nextInt(3) == 0 ? random.nextDouble(3) : 0,
          random.nextDouble(6));
    }

    Line parallelised(int newWorkers) {
      return new Line(
          sourceWait, serialCpu, workCpu, workWait, newWorkers, buffer, stepCpu, stepWait);
    }

    Line prefetched() {
      return new Line(sourceWait, serialCpu, workCpu, workWait, workers, 2, stepCpu, stepWait);
    }
  }

  /** Where cores are contended the simulation shares them evenly, which costs the consumer some. */
  private static final double WITHIN = 0.25;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void agreesWithTheSimulation(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    double sum = 0;
    int lines = 60;
    for (int i = 0; i < lines; i++) {
      Line line = Line.random(random);
      double off = line.model().ns() / MS / line.simulatedMs() - 1;
      assertThat(off).as("%s", line).isBetween(-WITHIN, 0.03);
      sum += Math.abs(off);
    }
    assertThat(sum / lines).isLessThan(0.05);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void predictsWhatChangesBring(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 60; i++) {
      Line line = Line.random(random);
      Line sequential = line.parallelised(0);
      double now = sequential.simulatedMs();
      Model model = sequential.model();
      Model parallel = model.parallelised(sequential.map());
      int workers = (int) parallel.workers(sequential.map());
      check(sequential, now, model, parallel, sequential.parallelised(workers));
      if (sequential.buffer() == 0) {
        check(sequential, now, model, model.prefetched(2), sequential.prefetched());
      }
    }
  }

  private static void check(Line line, double now, Model model, Model changed, Line after) {
    double predicted = model.ns() / changed.ns();
    double simulated = now / after.simulatedMs();
    assertThat(predicted / simulated).as("%s -> %s", line, after).isBetween(0.9, 1.35);
  }

  @Test
  void saysWhatSetsThePace() {
    assertThat(new Line(0, 0, 1, 0, 2, 2, 0, 9).model().limit().kind()).isEqualTo(LimitKind.STEP);
    assertThat(new Line(0, 0, 5, 0, 0, 0, 0, 1).model().limit().kind())
        .isEqualTo(LimitKind.OWN_THREAD);
    assertThat(new Line(0, 0, 5, 0, 0, 2, 0, 1).model().limit().kind())
        .isEqualTo(LimitKind.ONE_WORKER);
    assertThat(new Line(0, 0, 0, 9, 2, 2, 0, 1).model().limit().kind())
        .isEqualTo(LimitKind.ALL_WORKERS);
    assertThat(new Line(0, 0, 9, 0, 8, 2, 0, 1).model().limit().kind()).isEqualTo(LimitKind.CORES);
  }

  /** What feeds workers and what they do are two limits, whichever is larger. */
  @Test
  void workersHaveALimitOfTheirOwnBesideWhoFeedsThem() {
    Line line = new Line(3, 0, 0, 4, 4, 2, 0, 1);
    assertThat(line.model().limits())
        .filteredOn(limit -> limit.thread() == line.map())
        .extracting(Model.Limit::kind)
        .containsExactly(LimitKind.ONE_WORKER, LimitKind.ALL_WORKERS);
  }

  @Test
  void whatIsCachedCostsNothing() {
    Line line = new Line(3, 1, 2, 0, 0, 2, 0, 1);
    assertThat(line.model().cachedAfter(line.map()).ns() / MS)
        .isCloseTo(1, org.assertj.core.data.Offset.offset(1e-3));
  }
}
