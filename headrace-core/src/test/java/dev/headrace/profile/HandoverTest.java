package dev.headrace.profile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.profile.PipelineSimulation.Segment;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HandoverTest {
  @Test
  void timesThatDoNotVaryCostNothing() {
    assertThat(Handover.cycleNs(new double[] {5}, 1, 1, new double[] {3}, 0)).isEqualTo(5);
    assertThat(Handover.cycleNs(new double[] {5}, 1, 1, new double[] {8}, 0)).isEqualTo(8);
    assertThat(Handover.cycleNs(new double[] {5}, 5, 12, new double[] {0.5}, 0))
        .isCloseTo(1, org.assertj.core.data.Offset.offset(0.01));
  }

  @Test
  void aLargeBufferEvensOutWhatASmallOneDoesNot() {
    double[] work = {1, 1, 1, 17};
    double[] steps = {5};
    assertThat(Handover.cycleNs(work, 1, 64, steps, 0)).isCloseTo(5, within(0.3));
    assertThat(Handover.cycleNs(work, 1, 1, steps, 0)).isGreaterThan(7.5);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 16})
  void agreesWithTheSimulation(int buffer) {
    double[] times = exponential(4_000, 1);
    double[] steps = exponential(4_000, 2);
    double played = Handover.cycleNs(times, 1, buffer, steps, 0);
    Segment reading =
        Segment.prefetch(SimulatedCost.waiting(SimulatedTime.exponential(1)), buffer)
            .withoutSleep();
    double simulated =
        1
            / PipelineSimulation.run(
                    List.of(
                        reading,
                        Segment.consumer(
                            SimulatedCost.NONE,
                            SimulatedCost.waiting(SimulatedTime.exponential(1)))),
                    2,
                    20_000,
                    3)
                .perSecond();
    assertThat(played / simulated).isBetween(0.93, 1.07);
  }

  private static double[] exponential(int count, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    return random.doubles(count).map(x -> -Math.log(1 - x)).toArray();
  }

  private static org.assertj.core.data.Offset<Double> within(double offset) {
    return org.assertj.core.data.Offset.offset(offset);
  }
}
