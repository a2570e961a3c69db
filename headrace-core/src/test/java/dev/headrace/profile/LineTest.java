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
import org.junit.jupiter.params.provider.ValueSource;

/** Pipelines played through, against arithmetic and against the simulation. */
class LineTest {
  private static final int MANY_CORES = 1_000;

  private static Times times(double ns) {
    return new Times(0, ns, new double[0]);
  }

  private static Station prefetch(Times serial, int slots) {
    return new Station(List.of(), 1, serial, Times.NONE, 0, 1, slots, 0);
  }

  private static Station consumer(Times step) {
    return new Station(List.of(0), 1, Times.NONE, step, 0, 1, 1, 0);
  }

  private static double cycleNs(List<Station> stations) {
    return Line.play(stations, new Ready.Left(MANY_CORES)).cycleNs();
  }

  private static double[] exponential(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    return random.doubles(4_000).map(x -> -Math.log(1 - x)).toArray();
  }

  @Test
  void timesThatDoNotVaryAreThoseOfTheSlowest() {
    assertThat(cycleNs(List.of(prefetch(times(5), 1), consumer(times(3))))).isEqualTo(5);
    assertThat(cycleNs(List.of(prefetch(times(5), 1), consumer(times(8))))).isEqualTo(8);
    Station parallel = new Station(List.of(), 1, Times.NONE, times(5), 0, 5, 12, 0);
    assertThat(cycleNs(List.of(parallel, consumer(times(0.5))))).isCloseTo(1, within(0.01));
  }

  @Test
  void whatTakesNoTimeEnds() {
    Station alone = new Station(List.of(), 1, Times.NONE, Times.NONE, 0, 1, 1, 0);
    assertThat(cycleNs(List.of(alone))).isZero();
    assertThat(cycleNs(List.of(prefetch(Times.NONE, 1 << 30), consumer(times(0))))).isZero();
    assertThat(cycleNs(List.of(prefetch(times(1), 1 << 30), consumer(times(1e6))))).isEqualTo(1e6);
  }

  /** Idle workers take turns at pulling: each has to be woken by the one before. */
  @Test
  void wakingWorkersTakesTime() {
    Station crew = new Station(List.of(), 1, times(3), times(40), 0, 100, 300, 2);
    assertThat(cycleNs(List.of(crew, consumer(times(0))))).isCloseTo(5, within(0.1));
    Station busy = new Station(List.of(), 1, times(3), times(40), 0, 4, 12, 2);
    assertThat(cycleNs(List.of(busy, consumer(times(0))))).isCloseTo(43.0 / 4, within(0.3));
  }

  @Test
  void whatOneWorkerDoesAndWhatAllDoGoOnAtTheSameTime() {
    Station crew = new Station(List.of(), 1, times(3), times(1.3), 0, 2, 6, 0);
    assertThat(cycleNs(List.of(crew, consumer(times(0))))).isCloseTo(3, within(0.01));
  }

  @Test
  void aBatchTakesManyOfWhatLiesBefore() {
    Station each = new Station(List.of(), 100, times(100), Times.NONE, 0, 1, 400, 0);
    assertThat(cycleNs(List.of(each, consumer(times(50))))).isCloseTo(100, within(1.0));
    assertThat(cycleNs(List.of(each, consumer(times(150))))).isCloseTo(150, within(1.0));
  }

  /** While the step goes on, no more is made than the window holds. */
  @Test
  void whatIsNotAheadEnoughIsWaitedFor() {
    Station each = new Station(List.of(), 32, Times.NONE, times(320), 0, 4, 8, 0);
    double ns = cycleNs(List.of(each, consumer(times(80))));
    assertThat(ns).isBetween(130.0, 165.0);
  }

  @Test
  void workersTakeALockOneAfterAnother() {
    Station crew = new Station(List.of(), 1, Times.NONE, times(5), 4, 8, 18, 0);
    assertThat(cycleNs(List.of(crew, consumer(times(0))))).isCloseTo(4, within(0.1));
  }

  @Test
  void oneSlowElementHoldsUpThoseBehindIt() {
    double[] rarelySlow = new double[100];
    java.util.Arrays.fill(rarelySlow, 1);
    rarelySlow[50] = 101;
    Times work = new Times(0, 2, rarelySlow);
    Station ordered = new Station(List.of(), 1, Times.NONE, work, 0, 16, 34, 0);
    double held = cycleNs(List.of(ordered, consumer(times(0))));
    Station far = new Station(List.of(), 1, Times.NONE, work, 0, 16, 4_000, 0);
    double free = cycleNs(List.of(far, consumer(times(0))));
    assertThat(free).isCloseTo(2.0 / 16, within(0.03));
    assertThat(held).isGreaterThan(4 * free);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 16})
  void agreesWithTheSimulationWhereTimesVary(int buffer) {
    double played =
        cycleNs(
            List.of(
                prefetch(new Times(0, 1, exponential(1)), buffer),
                consumer(new Times(0, 1, exponential(2)))));
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

  /** Workers that found no room are woken when they are waited for, not only at half of it. */
  @ParameterizedTest
  @ValueSource(ints = {3, 8})
  void agreesWithTheSimulationWhereWorkersHoldEachOtherUp(int workers) {
    SimulatedTime wide = SimulatedTime.lognormal(workers, 1.2);
    SplittableRandom random = new SplittableRandom(1);
    double[] pattern = random.doubles(4_000).map(x -> wide.draw(random)).toArray();
    Station crew =
        new Station(
            List.of(),
            1,
            Times.NONE,
            new Times(0, workers, pattern),
            0,
            workers,
            2 * workers + 2,
            0);
    double simulated =
        1
            / PipelineSimulation.run(
                    List.of(
                        Segment.parallel(SimulatedCost.NONE, SimulatedCost.waiting(wide), workers),
                        Segment.consumer(
                            SimulatedCost.NONE, SimulatedCost.waiting(SimulatedTime.fixed(2)))),
                    MANY_CORES,
                    20_000,
                    3)
                .perSecond();
    assertThat(cycleNs(List.of(crew, consumer(times(2)))) / simulated).isBetween(0.95, 1.05);
  }

  /** Four that wait half of the time are more than two cores can serve at once. */
  @Test
  void threadsThatComputeShareTheCores() {
    Station crew =
        new Station(List.of(), 1, Times.NONE, new Times(1, 1, new double[0]), 0, 4, 10, 0);
    List<Station> stations = List.of(crew, consumer(times(0)));
    double two = Line.play(stations, new Ready.Left(2)).cycleNs();
    assertThat(two).isBetween(0.6, 0.76); // 0.5 if they never met, 0.75 if they always did
    assertThat(Line.play(stations, new Ready.Left(4)).cycleNs()).isCloseTo(0.5, within(0.03));
    assertThat(Line.play(stations, new Ready.Left(1, 2, 2, 2)).cycleNs())
        .isCloseTo(1, within(0.06));
  }

  @Test
  void aLockIsWaitedForAsLongAsOthersAreInside() {
    Station crew = new Station(List.of(), 1, Times.NONE, times(5), 4, 8, 18, 0);
    Line.Played played = Line.play(List.of(crew, consumer(times(0))), new Ready.Left(MANY_CORES));
    assertThat(played.lockedNs()[0]).isCloseTo(8 * 4 - 5, within(0.5));
  }

  /** The compiler and the collector take cores, too, and so does what the user runs beside. */
  @Test
  void whatElseTheProcessComputesIsNotLeft() {
    Ready one = new Ready(1, 0, 1, 0.5, 0.5);
    assertThat(one.on(new Profile.Machine(2, 0, 0.5, 0, 0, 1, 1)).cores()).isEqualTo(2);
    assertThat(one.on(new Profile.Machine(2, 0, 0.9, 0, 0, 1, 1)).cores()).isBetween(1.6, 1.7);
    // While everything stands still, the collector's threads have all cores: that is a pause.
    assertThat(one.on(new Profile.Machine(2, 0, 0.9, 0.2, 0, 1, 1)).cores()).isEqualTo(2);
  }

  @Test
  void whatOthersLeaveLiesBetweenTheRestAndAnEvenShare() {
    Ready one = new Ready(1.29, 3.74, 5.03, 1, 0.26);
    Profile.Machine full = new Profile.Machine(1, 0.74, 0.26, 0, 0, 1, 1);
    assertThat(one.on(full).cores()).isCloseTo(0.26, within(0.01));
    assertThat(one.on(full).slowdown()).isCloseTo(3.9, within(0.01));

    Ready never = new Ready(1, 0, 1, 1, 0.9);
    Profile.Machine half = new Profile.Machine(2, 1.1, 0.9, 0, 0, 1, 1);
    assertThat(never.on(half).cores()).isBetween(0.9, 1.3);
    assertThat(never.on(half).slowdown()).isEqualTo(1);

    Profile.Machine quiet = new Profile.Machine(16, 0, 0.26, 0, 0, 1, 1);
    assertThat(one.on(quiet)).isEqualTo(new Ready.Left(16));
  }
}
