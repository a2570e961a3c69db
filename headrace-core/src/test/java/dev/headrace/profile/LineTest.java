package dev.headrace.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.headrace.profile.Line.Station;
import dev.headrace.profile.Line.Times;
import dev.headrace.profile.PipelineSimulation.Segment;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Pipelines played through, against arithmetic and against the simulation. */
class LineTest {
  private static final int MANY_CORES = 1_000;

  private static Times times(double ns) {
    return new Times(ns, new double[0]);
  }

  private static Station prefetch(Times serial, int slots) {
    return new Station(List.of(), 1, serial, Times.NONE, 0, 1, slots, 0);
  }

  private static Station consumer(Times step) {
    return new Station(List.of(0), 1, Times.NONE, step, 0, 1, 1, 0);
  }

  private static double[] exponential(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    return random.doubles(4_000).map(x -> -Math.log(1 - x)).toArray();
  }

  @Test
  void timesThatDoNotVaryAreThoseOfTheSlowest() {
    assertThat(Line.cycleNs(List.of(prefetch(times(5), 1), consumer(times(3))))).isEqualTo(5);
    assertThat(Line.cycleNs(List.of(prefetch(times(5), 1), consumer(times(8))))).isEqualTo(8);
    Station parallel = new Station(List.of(), 1, Times.NONE, times(5), 0, 5, 12, 0);
    assertThat(Line.cycleNs(List.of(parallel, consumer(times(0.5))))).isCloseTo(1, within(0.01));
  }

  /** Idle workers take turns at pulling: each has to be woken by the one before. */
  @Test
  void wakingWorkersTakesTime() {
    Station crew = new Station(List.of(), 1, times(3), times(40), 0, 100, 300, 2);
    assertThat(Line.cycleNs(List.of(crew, consumer(times(0))))).isCloseTo(5, within(0.1));
    Station busy = new Station(List.of(), 1, times(3), times(40), 0, 4, 12, 2);
    assertThat(Line.cycleNs(List.of(busy, consumer(times(0))))).isCloseTo(43.0 / 4, within(0.3));
  }

  @Test
  void whatOneWorkerDoesAndWhatAllDoGoOnAtTheSameTime() {
    Station crew = new Station(List.of(), 1, times(3), times(1.3), 0, 2, 6, 0);
    assertThat(Line.cycleNs(List.of(crew, consumer(times(0))))).isCloseTo(3, within(0.01));
  }

  @Test
  void aBatchTakesManyOfWhatLiesBefore() {
    Station each = new Station(List.of(), 100, times(100), Times.NONE, 0, 1, 400, 0);
    assertThat(Line.cycleNs(List.of(each, consumer(times(50))))).isCloseTo(100, within(1.0));
    assertThat(Line.cycleNs(List.of(each, consumer(times(150))))).isCloseTo(150, within(1.0));
  }

  /** While the step goes on, no more is made than the window holds. */
  @Test
  void whatIsNotAheadEnoughIsWaitedFor() {
    Station each = new Station(List.of(), 32, Times.NONE, times(320), 0, 4, 8, 0);
    double ns = Line.cycleNs(List.of(each, consumer(times(80))));
    assertThat(ns).isBetween(130.0, 165.0);
  }

  @Test
  void workersTakeALockOneAfterAnother() {
    Station crew = new Station(List.of(), 1, Times.NONE, times(5), 4, 8, 18, 0);
    assertThat(Line.cycleNs(List.of(crew, consumer(times(0))))).isCloseTo(4, within(0.1));
  }

  @Test
  void oneSlowElementHoldsUpThoseBehindIt() {
    double[] rarelySlow = new double[100];
    java.util.Arrays.fill(rarelySlow, 1);
    rarelySlow[50] = 101;
    Times work = new Times(2, rarelySlow);
    Station ordered = new Station(List.of(), 1, Times.NONE, work, 0, 16, 34, 0);
    double held = Line.cycleNs(List.of(ordered, consumer(times(0))));
    Station far = new Station(List.of(), 1, Times.NONE, work, 0, 16, 4_000, 0);
    double free = Line.cycleNs(List.of(far, consumer(times(0))));
    assertThat(free).isCloseTo(2.0 / 16, within(0.03));
    assertThat(held).isGreaterThan(4 * free);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 16})
  void agreesWithTheSimulationWhereTimesVary(int buffer) {
    double played =
        Line.cycleNs(
            List.of(
                prefetch(new Times(1, exponential(1)), buffer),
                consumer(new Times(1, exponential(2)))));
    double simulated =
        1
            / PipelineSimulation.run(
                    List.of(
                        Segment.prefetch(
                            SimulatedCost.waiting(SimulatedTime.exponential(1)), buffer),
                        Segment.consumer(
                            SimulatedCost.NONE,
                            SimulatedCost.waiting(SimulatedTime.exponential(1)))),
                    2,
                    20_000,
                    3)
                .perSecond();
    assertThat(played / simulated).isBetween(0.93, 1.07);
  }

  @ParameterizedTest
  @CsvSource({"2, 4, 0.8", "4, 4, 0.8", "8, 4, 0.8", "4, 1, 0.3", "8, 2, 0.2", "16, 5, 0.1"})
  void theTimeInsideALockFollowsFromWaitingForIt(int workers, double own, double share) {
    double held = share * own;
    PipelineSimulation.Result run =
        PipelineSimulation.run(
            List.of(
                Segment.parallel(
                        SimulatedCost.NONE,
                        SimulatedCost.waiting(SimulatedTime.gamma(own - held, 0.3)),
                        workers)
                    .locking(SimulatedCost.waiting(SimulatedTime.gamma(held, 0.3))),
                Segment.consumer(SimulatedCost.NONE, SimulatedCost.NONE)),
            MANY_CORES,
            20_000,
            1);
    double lockedNs = run.segments().getFirst().locked() * workers / run.perSecond();
    assertThat(Contention.heldNs(workers, own, lockedNs, 0.3))
        .isCloseTo(held, org.assertj.core.data.Percentage.withPercentage(15));
  }

  @Test
  void whatOthersLeaveLiesBetweenTheRestAndAnEvenShare() {
    Ready one = new Ready(1.29, 3.74, 5.03, 1);
    Profile.Machine full = new Profile.Machine(1, 0.74, 0.26, 0, 0, 1, 1);
    assertThat(one.on(full).cores()).isCloseTo(0.26, within(0.01));
    assertThat(one.on(full).slowdown()).isCloseTo(3.9, within(0.01));

    Ready never = new Ready(1, 0, 1, 1);
    Profile.Machine half = new Profile.Machine(2, 1.1, 0.9, 0, 0, 1, 1);
    assertThat(never.on(half).cores()).isBetween(0.9, 1.3);
    assertThat(never.on(half).slowdown()).isEqualTo(1);

    Profile.Machine quiet = new Profile.Machine(16, 0, 3, 0, 0, 1, 1);
    assertThat(one.on(quiet)).isEqualTo(new Ready.Left(16, 1));
  }
}
