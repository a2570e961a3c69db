package dev.headrace.profile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.Dataset;
import dev.headrace.spi.Collator;
import dev.headrace.spi.OpCounters;
import dev.headrace.spi.OpCounters.Sampled;
import dev.headrace.spi.OpCounters.Spent;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** What two snapshots make of each other, with counters as a run leaves them. */
class MeasurementsTest {
  private static final long MS = 1_000_000;
  private static final Offset<Double> EXACT = Offset.offset(1e-6);

  private static final OpCounters.Stage BUFFER_OF_TWO =
      new OpCounters.Stage(1, 1, 1, Spent.NONE, new OpCounters.Buffer(0, 0, 2, false), Spent.NONE);

  /** prefetch ← batch(4) ← map ← range: 10 batches, map 5 ms an element, batch 2 ms, step 3 ms. */
  private static List<OpCounters> counters(long batches) {
    long elements = 4 * batches;
    OpCounters.Crew crew =
        new OpCounters.Crew(
            new OpCounters.Threads(1, false, true, 1),
            true,
            new Spent(batches, batches * 22 * MS),
            new OpCounters.Presence(batches * 22.0 * MS, Sampled.NONE, 0, 0, 0),
            new OpCounters.Chunks(
                batches,
                batches * 22.0 * MS,
                batches * 22.0 * MS * 22 * MS,
                new double[0],
                new double[0]),
            new OpCounters.Pulls(batches, 0, new Spent(batches, batches * 19 * MS)),
            1);
    return List.of(
        op(batches, batches * 19 * MS, 0, crew),
        op(batches, batches * 22 * MS, batches * 22 * MS, OpCounters.Crew.NONE),
        op(elements, elements * 5 * MS, elements * 5 * MS, OpCounters.Crew.NONE),
        op(elements, 0, 0, OpCounters.Crew.NONE));
  }

  private static OpCounters op(long elements, long ns, long cpu, OpCounters.Crew crew) {
    return new OpCounters(
        new OpCounters.Calls(
            elements,
            0,
            ns,
            new OpCounters.Timed(elements, ns, crew.pulls().waits().ns()),
            new Sampled(ns, cpu),
            OpCounters.Later.NONE,
            new OpCounters.Sizes(elements, elements * 100, 128)),
        crew,
        crew.threads() == null ? null : BUFFER_OF_TWO,
        null,
        null);
  }

  private static Snapshot at(long ms, long batches) {
    return new Snapshot(
        ms * MS,
        0,
        batches,
        new Snapshot.Consumer(
            batches * 3 * MS,
            new Sampled(batches * 3 * MS, 0),
            batches * 19 * MS,
            new Sampled(batches * 19 * MS, 0),
            0),
        new Snapshot.Memory(0, 0),
        new Snapshot.Machine(-1, batches * 22 * MS, 0, 0, 0),
        counters(batches));
  }

  private static Measurements measured() {
    List<OpNode> nodes = new ArrayList<>();
    dev.headrace.spi.Op op =
        Dataset.range(1000).map(x -> x).batch(4, Collator.stack()).prefetch(2).op();
    for (String key = "0"; ; key += ".0") {
      nodes.add(new OpNode(key, op));
      if (op.inputs().isEmpty()) {
        break;
      }
      op = op.inputs().getFirst();
    }
    List<Snapshot> snapshots = new ArrayList<>();
    for (int i = 0; i <= 20; i++) {
      snapshots.add(at(22L * i, i));
    }
    return new Measurements(
        nodes,
        snapshots,
        new Measurements.Pace(0.1, 0, new double[0], new double[0]),
        new Measurements.Computer(2, 1L << 30, List.of()),
        new Profile.Memory(0, 0, 1L << 30, 0, 0, 1L << 30, Long.MAX_VALUE));
  }

  @Test
  void tellsWhatIsAnOperatorsOwn() {
    List<OpProfile> operators = measured().profile().operators();
    OpProfile batch = operators.get(1);
    OpProfile map = operators.get(2);
    assertThat(batch.ns()).isCloseTo(2 * MS, EXACT);
    assertThat(map.ns()).isCloseTo(5 * MS, EXACT);
    assertThat(map.cpuNs()).isCloseTo(5 * MS, EXACT);
    assertThat(map.waitNs()).isCloseTo(0, EXACT);
    assertThat(map.perDelivered()).isCloseTo(4, EXACT);
    assertThat(map.bytes()).isCloseTo(100, EXACT);
    assertThat(operators.get(0).ns()).isCloseTo(0, EXACT);
  }

  @Test
  void tellsWhoRunsWhom() {
    List<OpProfile> operators = measured().profile().operators();
    assertThat(operators.stream().map(OpProfile::pulledBy)).containsExactly(-1, 0, 1, 2);
    assertThat(operators.stream().map(OpProfile::runBy)).containsExactly(-1, 0, 0, 0);
    OpProfile.Crew crew = operators.getFirst().crew();
    assertThat(crew).isNotNull();
    assertThat(crew.pullNs()).isCloseTo(22 * MS, EXACT);
    assertThat(crew.busy()).isCloseTo(1, Offset.offset(0.01));
  }

  @Test
  void tellsHowTheConsumerSpentItsTime() {
    Profile profile = measured().profile();
    assertThat(profile.rate()).isCloseTo(1e3 / 22, Offset.offset(1e-3));
    assertThat(profile.consumer().waitShare()).isCloseTo(19.0 / 22, Offset.offset(1e-6));
    assertThat(profile.consumer().blockedNs()).isCloseTo(19 * MS, EXACT);
  }

  /** 22 ms a batch for a second and a half, then 44 ms: nothing else is known of the later part. */
  @Test
  void whereThePaceChangedTheLaterPartCounts() {
    Measurements even = measured();
    assertThat(even.paceChange()).isNull();
    List<Snapshot> snapshots = new ArrayList<>();
    for (int i = 0; i <= 100; i++) {
      snapshots.add(at(22L * i + 22L * Math.max(0, i - 70), i));
    }
    Measurements changed =
        new Measurements(
            even.nodes(),
            snapshots,
            new Measurements.Pace(0.1, 0, new double[0], new double[0]),
            new Measurements.Computer(2, 1L << 30, List.of()),
            even.memory());
    Measurements.Change change = changed.paceChange();
    assertThat(change).isNotNull();
    assertThat(change.before()).isGreaterThan(1.4 * change.after());
    assertThat(changed.profile().rate()).isCloseTo(change.after(), Offset.offset(1e-6));
    assertThat(Diagnosis.of(changed, List.of(), "").findings())
        .anyMatch(finding -> finding.rule().equals("pace-changed"));
  }

  /** Slow ones that come in bursts belong to the mean, wherever the run happens to end. */
  @Test
  void aPaceThatComesAndGoesHasNotChanged() {
    List<Snapshot> snapshots = new ArrayList<>();
    long ms = 0;
    for (int i = 0; i <= 172; i++) {
      snapshots.add(at(ms, i));
      ms += i >= 88 && i < 151 ? 11 : 33;
    }
    Measurements even = measured();
    Measurements bursts =
        new Measurements(
            even.nodes(),
            snapshots,
            new Measurements.Pace(0.1, 0, new double[0], new double[0]),
            new Measurements.Computer(2, 1L << 30, List.of()),
            even.memory());
    assertThat(bursts.paceChange()).isNull();
    assertThat(bursts.profile().delivered()).isGreaterThan(90);
  }

  @Test
  void leavesTheStartOut() {
    assertThat(measured().profile().delivered()).isEqualTo(13);
  }

  @Test
  void theDiagnosisFollows() {
    Diagnosis diagnosis = Diagnosis.of(measured(), List.of(), "");
    assertThat(diagnosis.verdict().kind()).isEqualTo(Verdict.Kind.SERIAL_BOUND);
    assertThat(diagnosis.verdict().operator()).isEqualTo(2);
    Advice first = diagnosis.advice().getFirst();
    assertThat(first.action()).isEqualTo(Advice.Action.PARALLELISE);
    assertThat(first.operator()).isEqualTo(2);
    // 22 ms of computing on two cores, whoever does it
    assertThat(first.speedup()).isCloseTo(2, Offset.offset(0.01));
    assertThat(diagnosis.toString()).contains("map", "AUTOTUNE", "2.00 times as fast");
  }
}
