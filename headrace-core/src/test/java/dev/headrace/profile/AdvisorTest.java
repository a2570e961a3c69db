package dev.headrace.profile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.profile.PipelineSimulation.Result;
import dev.headrace.profile.SimulatedPipeline.Cost;
import dev.headrace.profile.SimulatedPipeline.Operator;
import dev.headrace.profile.SimulatedPipeline.Spread;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is said and predicted of pipelines whose speed, before and after, the simulation knows. */
@Timeout(60)
class AdvisorTest {
  private static final int ELEMENTS = 1_500;
  private static final Cost HARDLY = new Cost(0.01, 0, Spread.NONE);

  /** A pipeline, what was said of it, and how fast it was. */
  private record Said(
      SimulatedPipeline pipeline,
      Result run,
      Profile profile,
      Model model,
      Verdict verdict,
      List<Advice> advice,
      List<Finding> findings) {

    static Said of(SimulatedPipeline pipeline, long seed) {
      Result run = pipeline.run(ELEMENTS, 1);
      return of(pipeline, run, pipeline.profile(run, new SplittableRandom(seed)));
    }

    static Said of(SimulatedPipeline pipeline, Result run, Profile profile) {
      List<OpNode> nodes = pipeline.nodes();
      Model model = Model.of(profile, nodes);
      Verdict verdict = new Judge(profile, model, nodes).verdict();
      Measurements measured =
          new Measurements(
              nodes,
              List.of(),
              new Measurements.Pace(0, 0, new double[0], new double[0]),
              new Measurements.Computer(pipeline.cores(), 1L << 30, List.of()),
              profile.memory());
      Advisor advisor = new Advisor(profile, model, model, measured, verdict);
      List<Advice> advice = advisor.advice();
      return new Said(pipeline, run, profile, model, verdict, advice, advisor.findings());
    }

    /** By how much a prediction is too high: 0.1 where it is a tenth. */
    double errorOf(Advice each) {
      boolean hadWorkers = each.operator() >= 0 && model.hasThread(each.operator());
      Model changed =
          each.action() != Advice.Action.PARALLELISE
              ? model
              : hadWorkers
                  ? model.withWorkers(each.operator(), 0)
                  : model.parallelised(each.operator());
      SimulatedPipeline after = pipeline.with(each, changed);
      return after == null
          ? Double.NaN
          : each.speedup() * run.perSecond() * after.seconds(ELEMENTS, 1) - 1;
    }

    List<Advice.Action> actions() {
      return advice.stream().map(Advice::action).toList();
    }
  }

  private static SimulatedPipeline pipeline(int cores, int others, Cost step, Operator... after) {
    List<Operator> operators = new ArrayList<>();
    operators.add(Operator.map(HARDLY));
    operators.addAll(Arrays.asList(after));
    return new SimulatedPipeline(operators, step, cores, others);
  }

  private static Cost waits(double ms, Spread spread) {
    return new Cost(0, ms, spread);
  }

  private static Cost computes(double ms) {
    return new Cost(ms, 0, Spread.SOME);
  }

  // ---- all kinds --------------------------------------------------------------------------------

  /** Of many pipelines made at random, nine of ten first predictions are within a fifth. */
  @ParameterizedTest
  @CsvSource({"1, false", "2, true"})
  void predictionsHoldForPipelinesMadeAtRandom(long seed, boolean isBusy) {
    List<Double> errors = new ArrayList<>();
    List<Double> now = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      SplittableRandom random = new SplittableRandom(seed * 1_000_003 + i);
      Said said = Said.of(SimulatedPipeline.random(random, isBusy), seed);
      now.add(Math.abs(said.model().fit() - 1));
      if (!said.advice().isEmpty()) {
        double error = said.errorOf(said.advice().getFirst());
        if (!Double.isNaN(error)) {
          errors.add(Math.abs(error));
        }
      }
    }
    errors.sort(null);
    now.sort(null);
    assertThat(errors).hasSizeGreaterThan(50);
    assertThat(errors.get(errors.size() / 2)).isLessThan(0.05);
    assertThat(errors.get(errors.size() * 9 / 10)).isLessThan(0.2);
    assertThat(now.get(now.size() / 2)).isLessThan(0.06);
  }

  /** No finding and no advice contradicts another or the verdict. */
  @ParameterizedTest
  @ValueSource(longs = {11, 12})
  void nothingThatIsSaidContradictsSomethingElse(long seed) {
    for (int i = 0; i < 60; i++) {
      SplittableRandom random = new SplittableRandom(seed * 1_000_003 + i);
      Said said = Said.of(SimulatedPipeline.random(random, i % 2 == 0), seed);
      String all = said.verdict().sentence() + said.advice() + said.findings();
      boolean isPrefetchUseless = false;
      for (Finding finding : said.findings()) {
        if (finding.rule().equals("useless-prefetch")) {
          isPrefetchUseless = true;
          assertThat(finding.message()).as(all).doesNotContain(finding.operator());
          assertThat(said.advice())
              .as(all)
              .noneMatch(
                  each ->
                      each.action() == Advice.Action.ENLARGE_BUFFER
                          && each.where().equals(finding.operator()));
        }
        if (finding.rule().equals("prefetch-cannot-help")) {
          assertThat(said.actions()).as(all).doesNotContain(Advice.Action.PREFETCH);
        }
      }
      if (isPrefetchUseless) {
        assertThat(
                said.verdict().kind() == Verdict.Kind.BUFFER_BOUND
                    && said.actions().getFirst() == Advice.Action.REMOVE)
            .as(all)
            .isFalse();
      }
      if (said.verdict().sentence().contains("no change to it can make training faster")) {
        assertThat(said.actions()).as(all).allMatch(each -> each == Advice.Action.REMOVE);
      }
      if (said.verdict().sentence().contains("workers are busy")
          || said.verdict().sentence().contains("1 worker is busy")) {
        OpProfile.Crew crew = said.profile().operators().get(said.verdict().operator()).crew();
        assertThat(crew == null ? 1 : crew.busy()).as(all).isGreaterThanOrEqualTo(0.7);
      }
      if (said.verdict().sentence().contains("handles one element after another")) {
        OpProfile.Crew crew = said.profile().operators().get(said.verdict().operator()).crew();
        assertThat(crew == null ? 1 : crew.workers()).as(all).isLessThan(2);
      }
    }
  }

  // ---- one by one -------------------------------------------------------------------------------

  @ParameterizedTest
  @ValueSource(ints = {2, 4, 8})
  void workersInALockAreNotToldToBecomeMore(int workers) {
    Operator locking = Operator.map(waits(5, Spread.SOME), workers, 0.8);
    Said said = Said.of(pipeline(8, 0, waits(0.2, Spread.NONE), locking), 1);
    assertThat(said.verdict().kind()).isEqualTo(Verdict.Kind.SERIAL_BOUND);
    assertThat(said.verdict().sentence()).contains("wait for each other at a lock");
    assertThat(said.actions()).doesNotContain(Advice.Action.PARALLELISE);
  }

  /** One thread does the slow part, workers a fast one: neither waits for the other. */
  @Test
  void aSerialPartBeforeWorkersIsNoMatterOfBuffers() {
    Said said =
        Said.of(
            pipeline(
                4,
                0,
                Cost.NONE,
                Operator.map(waits(3, Spread.SOME)),
                Operator.map(waits(1.3, Spread.NONE), 4, 0)),
            1);
    assertThat(said.verdict().kind()).isEqualTo(Verdict.Kind.SERIAL_BOUND);
    assertThat(said.verdict().operator()).isEqualTo(1);
    assertThat(said.model().fit()).isBetween(0.9, 1.1);
  }

  @Test
  void slowElementsBeforeOthersInOrderAreInThePrediction() {
    Said said =
        Said.of(
            pipeline(
                16, 0, waits(0.05, Spread.NONE), Operator.map(waits(3, Spread.RARELY_SLOW), 16, 0)),
            1);
    assertThat(said.model().fit()).isBetween(0.75, 1.35);
    assertThat(said.verdict().kind()).isEqualTo(Verdict.Kind.INPUT_BOUND);
    assertThat(said.verdict().sentence()).contains("held up by its slow elements");
  }

  /** Its four workers would want both cores at once more often than not. */
  @Test
  void onFewCoresThreadsThatComputeComeInEachOthersWay() {
    Said said =
        Said.of(
            pipeline(
                2,
                0,
                waits(0.3, Spread.NONE),
                Operator.map(waits(1.1, Spread.NONE)),
                Operator.map(new Cost(0.77, 0.77, Spread.NONE), 4, 0),
                Operator.prefetch(2)),
            1);
    Advice first = said.advice().getFirst();
    assertThat(first.operator()).isEqualTo(2);
    assertThat(said.errorOf(first)).isBetween(-0.1, 0.1);
  }

  /** A lock that is hardly waited for now is the limit as soon as elements come faster. */
  @Test
  void aLockBehindASlowThreadBoundsThePrediction() {
    Said said =
        Said.of(
            pipeline(
                8,
                0,
                waits(1, Spread.NONE),
                Operator.map(waits(5, Spread.SOME)),
                Operator.map(waits(6, Spread.SOME), 5, 0.75),
                Operator.prefetch(8)),
            1);
    Advice first = said.advice().getFirst();
    assertThat(first.operator()).isEqualTo(2);
    assertThat(said.errorOf(first)).isBetween(-0.1, 0.1);
  }

  /** Where cores are short, who is inside a lock computes longer, and is waited for longer. */
  @Test
  void aLockIsNotTakenForTheLackOfCores() {
    Said said =
        Said.of(
            pipeline(
                4,
                0,
                waits(1, Spread.SOME),
                Operator.map(new Cost(11.4, 11.4, Spread.NONE), 6, 0),
                Operator.map(computes(9), 6, 0.42),
                Operator.prefetch(2)),
            1);
    double lock =
        said.model().limits().stream()
            .filter(limit -> limit.kind() == Model.LimitKind.LOCK)
            .mapToDouble(Model.Limit::ns)
            .sum();
    assertThat(lock / 1e6).isBetween(0.8 * 0.42 * 9, 1.2 * 0.42 * 9);
  }

  /** What limits is what costs most, even if workers with rare slow elements lie behind it. */
  @Test
  void howFarWorkersGetAheadIsNoLimitOfItsOwn() {
    Said said =
        Said.of(
            pipeline(
                16,
                0,
                waits(2, Spread.NONE),
                Operator.map(waits(7.2, Spread.NONE)),
                Operator.map(waits(13.4, Spread.RARELY_SLOW), 8, 0)),
            1);
    double without = said.run().perSecond() * said.pipeline().withoutCost(1).seconds(ELEMENTS, 1);
    double workers = said.run().perSecond() * said.pipeline().withoutCost(0).seconds(ELEMENTS, 1);
    assertThat(without).isLessThan(workers);
    assertThat(said.verdict().operator()).isEqualTo(1);
    assertThat(said.verdict().kind()).isEqualTo(Verdict.Kind.SERIAL_BOUND);
  }

  /** A prefetch of one element before a batch of four lets one of them be made beside the rest. */
  @Test
  void aPrefetchThatHelpsIsNotCalledUseless() {
    Said said =
        Said.of(
            pipeline(
                4,
                0,
                waits(0.1, Spread.NONE),
                Operator.map(computes(1)),
                Operator.prefetch(1),
                Operator.batch(4),
                Operator.map(computes(3)),
                Operator.prefetch(8)),
            1);
    double without = said.run().perSecond() * said.pipeline().without(3).seconds(ELEMENTS, 1);
    assertThat(without).isGreaterThan(1.1);
    assertThat(said.findings())
        .filteredOn(finding -> finding.operator().equals("prefetch 3"))
        .isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"1, 3", "2, 6"})
  void onABusyMachineNothingIsPromisedThatOthersHave(int cores, int others) {
    Said said =
        Said.of(pipeline(cores, others, waits(0.2, Spread.NONE), Operator.map(computes(1.3))), 1);
    assertThat(said.verdict().sentence()).contains("The machine is busy: other programs take ");
    assertThat(said.findings()).anyMatch(finding -> finding.rule().equals("busy-machine"));
    for (Advice each : said.advice()) {
      assertThat(each.speedup()).as(each.title()).isLessThan(1.5);
    }
  }

  @Test
  void programsThatTakeCoresAreNamed() {
    SimulatedPipeline pipeline =
        pipeline(2, 2, waits(0.2, Spread.NONE), Operator.map(computes(2), 4, 0));
    Result run = pipeline.run(ELEMENTS, 1);
    Profile profile = pipeline.profile(run, new SplittableRandom(1));
    Profile.Machine machine = profile.machine();
    Profile named =
        with(
            profile,
            new Profile.Machine(
                2,
                machine.otherCores(),
                machine.processCores(),
                0,
                0,
                1L << 30,
                1L << 20,
                List.of(new Profile.Program("python3", 0.9))));
    assertThat(Said.of(pipeline, run, named).verdict().sentence()).contains("(python3 0.9)");
  }

  @Test
  void aFlatMapThatComputesReadsNothing() {
    dev.headrace.spi.Op made =
        dev.headrace.Dataset.range(3).flatMap(x -> dev.headrace.Dataset.range(x)).op();
    assertThat(Judge.Reading.isBy(made, false)).isFalse();
    assertThat(Judge.Reading.isBy(made, true)).isTrue();
    dev.headrace.spi.Op files =
        dev.headrace.Dataset.listFiles("*.txt").flatMap(x -> dev.headrace.Dataset.range(3)).op();
    assertThat(Judge.Reading.isBy(files, false)).isTrue();
  }

  /** Behind a slow operator the engine keeps few workers, and adds some when it is slow no more. */
  @Test
  void workersThatTheEngineChoosesAreMoreWhereTheyAreNeeded() {
    SimulatedPipeline pipeline =
        pipeline(
            16,
            0,
            waits(0.1, Spread.NONE),
            Operator.map(waits(10, Spread.NONE)),
            Operator.map(waits(5, Spread.NONE), 2, 0));
    Result run = pipeline.run(ELEMENTS, 1);
    Profile fixed = pipeline.profile(run, new SplittableRandom(1));
    List<OpProfile> operators = new ArrayList<>(fixed.operators());
    operators.set(0, tuned(operators.getFirst()));
    Profile tuned = with(fixed, operators);
    assertThat(Said.of(pipeline, run, fixed).advice().getFirst().speedup()).isBetween(3.5, 4.5);
    assertThat(Said.of(pipeline, run, tuned).advice().getFirst().speedup()).isGreaterThan(20);
  }

  /** The engine keeps as many workers as the step needs: that they are busy says nothing. */
  @Test
  void busyWorkersThatTheEngineChoseDoNotMakeThePipelineBalanced() {
    SimulatedPipeline pipeline =
        pipeline(16, 0, waits(2.6, Spread.NONE), Operator.map(waits(5, Spread.NONE), 2, 0));
    Result run = pipeline.run(ELEMENTS, 1);
    Profile fixed = pipeline.profile(run, new SplittableRandom(1));
    List<OpProfile> operators = new ArrayList<>(fixed.operators());
    operators.set(0, tuned(operators.getFirst()));
    assertThat(Said.of(pipeline, run, fixed).verdict().kind()).isEqualTo(Verdict.Kind.BALANCED);
    assertThat(Said.of(pipeline, run, with(fixed, operators)).verdict().kind())
        .isEqualTo(Verdict.Kind.CONSUMER_BOUND);
  }

  /** What a batch waits beside its own computing, it waits to be given elements. */
  @Test
  void whatABatchWaitsIsChargedToWhoMakesItsElements() {
    SimulatedPipeline pipeline =
        pipeline(
            16,
            0,
            waits(0.1, Spread.NONE),
            Operator.map(waits(4, Spread.NONE), 8, 0),
            Operator.batch(2),
            Operator.prefetch(8));
    Result run = pipeline.run(ELEMENTS, 1);
    Profile profile = pipeline.profile(run, new SplittableRandom(1));
    List<OpProfile> operators = new ArrayList<>(profile.operators());
    OpProfile batch = operators.get(1);
    operators.set(1, waiting(batch, 1.1e6));
    Verdict verdict = Said.of(pipeline, run, with(profile, operators)).verdict();
    assertThat(verdict.where()).isEqualTo("map 2");
    assertThat(verdict.kind()).isEqualTo(Verdict.Kind.INPUT_BOUND);
  }

  private static OpProfile waiting(OpProfile op, double ns) {
    return new OpProfile(
        op.place(),
        op.output(),
        new OpProfile.Times(ns, 0, ns),
        op.sizes(),
        op.later(),
        op.crew(),
        op.transfer());
  }

  private static Profile with(Profile profile, List<OpProfile> operators) {
    return new Profile(
        profile.seconds(),
        profile.delivered(),
        profile.startSeconds(),
        profile.totalSeconds(),
        profile.epochs(),
        profile.consumer(),
        profile.machine(),
        profile.memory(),
        operators,
        profile.timeline());
  }

  private static OpProfile tuned(OpProfile op) {
    OpProfile.Crew crew = java.util.Objects.requireNonNull(op.crew());
    return new OpProfile(
        op.place(),
        op.output(),
        op.times(),
        op.sizes(),
        op.later(),
        new OpProfile.Crew(
            new OpProfile.Size(crew.workers(), true, crew.busy()),
            crew.buffer(),
            crew.pull(),
            crew.work(),
            new double[0]),
        op.transfer());
  }

  private static Profile with(Profile profile, Profile.Machine machine) {
    return new Profile(
        profile.seconds(),
        profile.delivered(),
        profile.startSeconds(),
        profile.totalSeconds(),
        profile.epochs(),
        profile.consumer(),
        machine,
        profile.memory(),
        profile.operators(),
        profile.timeline());
  }

  /** Pauses are nobody's waiting: more threads make the garbage of more elements. */
  @Test
  void collectionsBoundWhatThreadsCanBring() {
    SimulatedPipeline pipeline =
        pipeline(8, 0, waits(0.05, Spread.NONE), Operator.map(waits(5, Spread.NONE)));
    Result run = pipeline.run(ELEMENTS, 1);
    Profile profile = pipeline.profile(run, new SplittableRandom(1));
    Profile paused = with(profile, new Profile.Machine(8, 0, 1, 0.4, 50, 1L << 30, 900L << 20));
    Said said = Said.of(pipeline, run, paused);
    assertThat(said.verdict().kind()).isEqualTo(Verdict.Kind.MEMORY_BOUND);
    for (Advice each : said.advice()) {
      assertThat(each.speedup()).as(each.title()).isLessThan(1 / 0.4 + 0.01);
    }
  }

  /** What was measured of an operator cannot be, by how fast the whole was. */
  @Test
  void measurementsThatDoNotFitAreSaidInsteadOfAdvice() {
    SimulatedPipeline real =
        pipeline(4, 0, waits(0.2, Spread.NONE), Operator.map(waits(3, Spread.NONE)));
    SimulatedPipeline told =
        pipeline(4, 0, waits(0.2, Spread.NONE), Operator.map(waits(6, Spread.NONE)));
    Profile wrong = told.profile(real.run(ELEMENTS, 1), new SplittableRandom(1));
    Said said = Said.of(told, real.run(ELEMENTS, 1), wrong);
    assertThat(said.advice()).isEmpty();
    assertThat(said.findings())
        .anySatisfy(
            finding -> {
              assertThat(finding.rule()).isEqualTo("does-not-fit");
              assertThat(finding.message()).contains("no change is advised", "6.2", "3.2");
            });
  }

  /** Only one batch fits on the device: copies and steps take turns. */
  @Test
  void aDeviceWithRoomForOneBatchIsTheLimit() {
    List<OpNode> nodes = new ArrayList<>();
    dev.headrace.spi.Op op =
        dev.headrace.Dataset.range(10).prefetchToDevice(dev.headrace.device.Device.host()).op();
    nodes.add(new OpNode("0", op));
    nodes.add(new OpNode("0.0", op.inputs().getFirst()));
    OpProfile.Transfer transfer =
        new OpProfile.Transfer(
            "small",
            true,
            new OpProfile.TransferTimes(10e6, 0, 0, 10e6, 0),
            1_000_000,
            new OpProfile.Room(1_000_192, 1_500_000, true));
    OpProfile.Crew crew =
        new OpProfile.Crew(
            new OpProfile.Size(1, false, 0.7),
            new OpProfile.Buffer(2, false, 1, 1),
            new OpProfile.Pull(1_000, 1_000),
            new OpProfile.Work(0, 0, 0, 0, 1, new double[0], 0),
            new double[0]);
    Profile profile =
        new Profile(
            10,
            660,
            0.1,
            10,
            1,
            new Profile.Consumer(5e6, 0, 10e6, 0, 10e6, new double[0], new double[0]),
            new Profile.Machine(4, 0, 0.1, 0, 0, 1L << 30, 1L << 20),
            new Profile.Memory(0, 0, 1L << 30, 0, 0, 1L << 30, Long.MAX_VALUE),
            List.of(
                op("0", -1, -1, "prefetchToDevice", crew, transfer),
                op("0.0", 0, 0, "range", null, null)),
            List.of());
    Model model = Model.of(profile, nodes);
    Verdict verdict = new Judge(profile, model, nodes).verdict();
    assertThat(verdict.kind()).isEqualTo(Verdict.Kind.DEVICE_MEMORY_BOUND);
    assertThat(verdict.sentence()).contains("The memory of small is the limit");
    assertThat(model.fit()).isBetween(0.95, 1.05);
  }

  private static OpProfile op(
      String key,
      int pulledBy,
      int runBy,
      String word,
      OpProfile.@org.jspecify.annotations.Nullable Crew crew,
      OpProfile.@org.jspecify.annotations.Nullable Transfer transfer) {
    return new OpProfile(
        new OpProfile.Place(key, pulledBy, runBy, word, word, word, crew == null),
        new OpProfile.Output(660, 0, 1),
        new OpProfile.Times(0, 0, 0),
        new OpProfile.Sizes(1e6, 1e6),
        null,
        crew,
        transfer);
  }
}
