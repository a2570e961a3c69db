package dev.headrace.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.headrace.profile.PipelineSimulation.Result;
import dev.headrace.profile.PipelineSimulation.Segment;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The simulation against what is known without simulating. */
final class PipelineSimulationTest {
  private static final int MANY_CORES = 1000;
  private static final Segment NO_WAIT_CONSUMER =
      Segment.consumer(SimulatedCost.NONE, SimulatedCost.NONE);

  private static Result run(int cores, int elements, Segment... segments) {
    return PipelineSimulation.run(List.of(segments), cores, elements, 7);
  }

  private static SimulatedCost cpu(double seconds) {
    return SimulatedCost.cpu(SimulatedTime.fixed(seconds));
  }

  private static SimulatedCost waiting(double seconds) {
    return SimulatedCost.waiting(SimulatedTime.fixed(seconds));
  }

  private static Offset<Double> percent(double percent, double of) {
    return within(percent / 100 * of);
  }

  @ParameterizedTest
  @CsvSource({"0.003, 0.002, 0.001", "0.001, 0.003, 0.002", "0.001, 0.002, 0.003"})
  void aLineOfFixedTimesIsAsFastAsItsSlowestPart(double source, double middle, double step) {
    Result result =
        run(
            MANY_CORES,
            20_000,
            Segment.prefetch(waiting(source), 4),
            Segment.prefetch(cpu(middle), 4),
            Segment.consumer(SimulatedCost.NONE, waiting(step)));

    assertThat(result.perSecond()).isCloseTo(1 / 0.003, percent(0.1, 1 / 0.003));
    assertThat(result.waitShare()).isCloseTo(1 - step / 0.003, within(0.001));
    assertThat(result.segments().get(0).serial()).isCloseTo(source / 0.003, within(0.001));
    assertThat(result.segments().get(1).serial()).isCloseTo(middle / 0.003, within(0.001));
  }

  @Test
  void withoutStagesTheTimesAddUp() {
    Result result = run(1, 1000, Segment.consumer(cpu(0.002), waiting(0.006)));

    assertThat(result.perSecond()).isCloseTo(125, within(0.01));
    assertThat(result.waitShare()).isCloseTo(0.25, within(0.001));
    assertThat(result.cores()).isCloseTo(0.25, within(0.001));
  }

  /** A queue with one server and room for one element more than the buffer: the one it serves. */
  @ParameterizedTest
  @CsvSource({"1, 0.8", "2, 0.8", "4, 0.8", "8, 0.8", "4, 1", "4, 1.25"})
  void anExponentialProducerAndConsumerAreAQueueWithBoundedRoom(int capacity, double load) {
    Result result =
        run(
            MANY_CORES,
            400_000,
            Segment.prefetch(SimulatedCost.waiting(SimulatedTime.exponential(1 / load)), capacity)
                .withoutSleep(),
            Segment.consumer(
                SimulatedCost.NONE, SimulatedCost.waiting(SimulatedTime.exponential(1))));

    double weights = 0;
    double held = 0;
    for (int n = 0; n <= capacity + 1; n++) {
      weights += Math.pow(load, n);
      held += Math.max(0, n - 1) * Math.pow(load, n);
    }
    double throughput = load * (1 - Math.pow(load, capacity + 1) / weights);
    assertThat(result.perSecond()).isCloseTo(throughput, percent(1, throughput));
    assertThat(result.waitShare()).isCloseTo(1 / weights, within(0.01));
    assertThat(result.segments().getFirst().buffered())
        .isCloseTo(held / weights, percent(3, held / weights));
  }

  /** A full buffer is filled again when half of it is gone, which costs a little. */
  @Test
  void aProducerThatSleepsUntilHalfIsGoneIsAChainOfStates() {
    int capacity = 4;
    Result result =
        run(
            MANY_CORES,
            400_000,
            Segment.prefetch(SimulatedCost.waiting(SimulatedTime.exponential(1)), capacity),
            Segment.consumer(
                SimulatedCost.NONE, SimulatedCost.waiting(SimulatedTime.exponential(1))));

    // States: how many are held, the one being served included, while the producer works or sleeps.
    // It falls asleep at 5 and wakes at 3, when half of the buffer is gone.
    double[] working = new double[capacity + 1];
    double[] sleeping = new double[capacity + 2];
    working[0] = 1;
    for (int sweep = 0; sweep < 20_000; sweep++) {
      double[] w = new double[working.length];
      double[] s = new double[sleeping.length];
      for (int n = 0; n <= capacity; n++) {
        double up = working[n] / 2;
        if (n == capacity) {
          s[n + 1] += up;
        } else {
          w[n + 1] += up;
        }
        w[Math.max(0, n - 1)] += working[n] / 2;
      }
      for (int n = capacity / 2 + 2; n <= capacity + 1; n++) {
        s[n] += sleeping[n] / 2;
        double[] below = n - 1 <= capacity / 2 + 1 ? w : s;
        below[n - 1] += sleeping[n] / 2;
      }
      working = w;
      sleeping = s;
    }
    double throughput = 1 - working[0];
    assertThat(result.perSecond()).isCloseTo(throughput, percent(1, throughput));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4, 32})
  void workersThatOnlyWaitAddUp(int workers) {
    Result result =
        run(
            1,
            50_000,
            Segment.parallel(SimulatedCost.NONE, waiting(0.01), workers),
            NO_WAIT_CONSUMER);

    assertThat(result.perSecond()).isCloseTo(workers * 100, percent(0.5, workers * 100));
    assertThat(result.segments().getFirst().work()).isCloseTo(1, within(0.005));
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "4, 1", "4, 2", "4, 3", "4, 8"})
  void workersThatComputeShareTheCores(int workers, int cores) {
    Result result =
        run(
            cores,
            20_000,
            Segment.parallel(SimulatedCost.NONE, cpu(0.01), workers),
            NO_WAIT_CONSUMER);

    double expected = Math.min(workers, cores) * 100.0;
    assertThat(result.perSecond()).isCloseTo(expected, percent(0.5, expected));
    assertThat(result.cores()).isCloseTo(Math.min(workers, cores), within(0.02));
  }

  @ParameterizedTest
  @CsvSource({"1, 200", "2, 333.33"})
  void twoThatComputeShareOneCore(int cores, double expected) {
    Result result =
        run(
            cores,
            20_000,
            Segment.prefetch(cpu(0.002), 4),
            Segment.consumer(SimulatedCost.NONE, cpu(0.003)));

    assertThat(result.perSecond()).isCloseTo(expected, percent(0.5, expected));
  }

  /** Workers that wait and then compute on shared cores: machines that break and are repaired. */
  @ParameterizedTest
  @CsvSource({"3, 1, 0.5", "8, 1, 0.2", "8, 2, 0.5", "20, 4, 0.3"})
  void workersThatWaitAndComputeAreTheMachineRepairModel(int workers, int cores, double cpuTime) {
    Result result =
        run(
            cores,
            300_000,
            Segment.parallel(
                    SimulatedCost.NONE,
                    new SimulatedCost(
                        SimulatedTime.exponential(1), SimulatedTime.exponential(cpuTime)),
                    workers)
                .withSlots(100_000),
            NO_WAIT_CONSUMER);

    double weight = 1;
    double weights = 1;
    double busy = 0;
    for (int computing = 1; computing <= workers; computing++) {
      weight *= (workers - computing + 1) * cpuTime / Math.min(computing, cores);
      weights += weight;
      busy += weight * Math.min(computing, cores);
    }
    double throughput = busy / weights / cpuTime;
    assertThat(result.perSecond()).isCloseTo(throughput, percent(1, throughput));
  }

  @ParameterizedTest
  @CsvSource({"0.001, 0.009, 4", "0.001, 0.009, 10", "0.001, 0.009, 30", "0.004, 0.001, 8"})
  void pullingIsSerialAndWorkIsNot(double serial, double work, int workers) {
    Result result =
        run(
            MANY_CORES,
            20_000,
            Segment.parallel(cpu(serial), cpu(work), workers),
            Segment.consumer(SimulatedCost.NONE, waiting(1e-6)));

    double expected = Math.min(1 / serial, workers / (serial + work));
    assertThat(result.perSecond()).isCloseTo(expected, percent(0.5, expected));
  }

  /** Results leave in order, so a slow element holds up others: a recursion over start times. */
  @ParameterizedTest
  @ValueSource(doubles = {0.5, 1, 2})
  void aSlowElementHoldsUpThoseBehindIt(double variation) {
    int workers = 8;
    SimulatedTime time = SimulatedTime.gamma(1, variation);
    Segment segment =
        Segment.parallel(SimulatedCost.NONE, SimulatedCost.waiting(time), workers).withoutSleep();
    Result result = run(MANY_CORES, 300_000, segment, NO_WAIT_CONSUMER);

    int count = 300_000;
    SplittableRandom random = new SplittableRandom(3);
    PriorityQueue<Double> free = new PriorityQueue<>();
    for (int i = 0; i < workers; i++) {
      free.add(0.0);
    }
    double[] left = new double[count];
    double latest = 0;
    for (int i = 0; i < count; i++) {
      double room = i < segment.slots() ? 0 : left[i - segment.slots()];
      double end = Math.max(free.remove(), room) + time.draw(random);
      free.add(end);
      latest = Math.max(latest, end);
      left[i] = latest;
    }
    double expected = count / latest;
    assertThat(expected).isLessThan(workers);
    assertThat(result.perSecond()).isCloseTo(expected, percent(1.5, expected));
  }

  @Test
  void aBatchTakesSeveralAndAnUnbatchGivesSeveral() {
    Result batches =
        run(
            MANY_CORES,
            2_000,
            Segment.parallel(SimulatedCost.NONE, cpu(0.004), 4),
            Segment.prefetch(cpu(0.001), 2).taking(32),
            Segment.consumer(SimulatedCost.NONE, waiting(0.01)));
    Result rows =
        run(
            MANY_CORES,
            20_000,
            Segment.prefetch(waiting(0.05), 2),
            Segment.prefetch(cpu(0.001), 64).taking(0.1),
            Segment.consumer(SimulatedCost.NONE, waiting(0.0001)));

    assertThat(batches.perSecond()).isCloseTo(1000.0 / 32, percent(1, 1000.0 / 32));
    assertThat(rows.perSecond()).isCloseTo(200, percent(1, 200));
    assertThat(rows.segments().get(1).starved()).isCloseTo(0.8, within(0.02));
  }

  @Test
  void timesHaveTheirMeanAndSpread() {
    assertSpread(SimulatedTime.fixed(2), 2, 0);
    assertSpread(SimulatedTime.exponential(2), 2, 1);
    assertSpread(SimulatedTime.gamma(2, 0.3), 2, 0.3);
    assertSpread(SimulatedTime.gamma(2, 1.5), 2, 1.5);
    assertSpread(SimulatedTime.lognormal(2, 0.5), 2, 0.5);
    assertSpread(SimulatedTime.empirical(1, 3), 2, 0.5);
  }

  private static void assertSpread(SimulatedTime time, double mean, double variation) {
    SplittableRandom random = new SplittableRandom(11);
    int count = 400_000;
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < count; i++) {
      double x = time.draw(random);
      sum += x;
      squares += x * x;
    }
    double measured = sum / count;
    assertThat(measured).isCloseTo(mean, percent(1, mean));
    assertThat(Math.sqrt(Math.max(0, squares / count - measured * measured)) / measured)
        .isCloseTo(variation, within(0.02));
  }

  @Test
  void theSameSeedGivesTheSameRun() {
    Segment[] line = {
      Segment.parallel(SimulatedCost.NONE, SimulatedCost.cpu(SimulatedTime.lognormal(0.01, 1)), 4),
      Segment.consumer(SimulatedCost.NONE, SimulatedCost.waiting(SimulatedTime.exponential(0.004)))
    };

    assertThat(run(2, 5_000, line)).isEqualTo(run(2, 5_000, line));
  }
}
