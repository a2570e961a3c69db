package dev.headrace;

import static dev.headrace.Dataset.AUTOTUNE;
import static dev.headrace.Dataset.range;
import static dev.headrace.Training.epochs;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.headrace.TrainingResult.Ending;
import dev.headrace.data.Seed;
import dev.headrace.data.Tensor;
import dev.headrace.golden.LogRecords;
import dev.headrace.spi.Collator;
import dev.headrace.testing.HandClock;
import dev.headrace.testing.NoLeftovers;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@Timeout(60)
@ExtendWith(NoLeftovers.class)
class TrainingTest {
  private static Dataset<Tensor> batches(int elements, int size) {
    return range(elements).batch(size, Collator.stack()).prefetch(AUTOTUNE);
  }

  // ---- what may be a step -----------------------------------------------------------------------

  @Test
  void everyEpochIsTrainedOnceFromOneOpenPipeline() {
    AtomicInteger loads = new AtomicInteger();
    SeenElements model = new SeenElements();
    Dataset<Long> dataset =
        range(10)
            .map(
                x -> {
                  loads.incrementAndGet();
                  return x;
                })
            .cache();
    TrainingResult result =
        Training.fit(model, dataset.batch(4, Collator.stack()).prefetch(AUTOTUNE), epochs(5));
    assertThat(loads).hasValue(10); // the cache outlives an epoch
    assertThat(model.seen()).isEqualTo(range(10).repeat(5).toList());
    assertThat(result.ending()).isEqualTo(Ending.COMPLETED);
    assertThat(result.steps()).isEqualTo(15);
    assertThat(result.stepsBefore()).isZero();
    assertThat(result.elements()).isEqualTo(50);
    assertThat(result.stats().elements()).isEqualTo(15);
    assertThat(result.lastLoss()).isEqualTo(1.0 / 50);
    assertThat(result.epochs()).hasSize(5);
    assertThat(result.epochs().getLast())
        .matches(EpochResult::isWhole)
        .returns(4L, EpochResult::epoch)
        .returns(3L, EpochResult::steps)
        .returns(10L, EpochResult::elements);
  }

  private static double lossOf(Tensor batch) throws IOException {
    if (batch.elements() == 0) {
      throw new IOException("empty");
    }
    return batch.longAt(0);
  }

  @Test
  void lambdasAndMethodsFitWhateverTheyReturn() {
    List<Tensor> kept = new ArrayList<>();
    assertThat(Training.fit(batch -> kept.add(batch), batches(4, 2)).steps()).isEqualTo(2);
    assertThat(Training.fit(TrainingTest::lossOf, batches(4, 2)).lastLoss()).isNaN();
    assertThat(Training.fit(TrainingStep.withLoss(TrainingTest::lossOf), batches(4, 2)))
        .returns(2.0, TrainingResult::lastLoss)
        .returns(1.0, TrainingResult::meanLoss);
    assertThat(Training.fit(TrainingStep.withLoss(b -> b.longAt(1)), batches(4, 2)).meanLoss())
        .isEqualTo(2);
    TrainingStep<Object> any = batch -> {};
    assertThat(Training.fit(any, batches(4, 2)).steps()).isEqualTo(2);
  }

  @Test
  void elementsAreCountedOnlyWhereBatchesTell() {
    TrainingStep<Object> any = batch -> {};
    assertThat(Training.fit(any, range(7)).elements()).isEqualTo(Dataset.UNKNOWN);
    assertThat(Training.fit(any, range(7).map(x -> Tensor.of(x, x, x))).elements())
        .isEqualTo(Dataset.UNKNOWN); // three numbers, not three elements
    assertThat(Training.fit(any, range(7).batch(3, Collator.toList())).elements()).isEqualTo(7);
    assertThat(Training.fit(any, batches(7, 3).map(x -> List.of(x, x))).elements()).isEqualTo(7);
    assertThat(Training.fit(any, batches(7, 3).map(x -> List.of(x, x.slice(0)))).elements())
        .isEqualTo(Dataset.UNKNOWN);
    assertThat(Training.fit(any, batches(7, 3).unbatch()).elements()).isEqualTo(Dataset.UNKNOWN);
  }

  // ---- how long ---------------------------------------------------------------------------------

  @Test
  void stepsGoOverEpochsAndEndWhereAsked() {
    SeenElements model = new SeenElements();
    TrainingResult result = Training.fit(model, batches(6, 2), Training.steps(5));
    assertThat(result.ending()).isEqualTo(Ending.ENOUGH_STEPS);
    assertThat(model.seen()).isEqualTo(List.of(0L, 1L, 2L, 3L, 4L, 5L, 0L, 1L, 2L, 3L));
    assertThat(result.epochs()).extracting(EpochResult::isWhole).containsExactly(true, false);
    assertThat(result.epochs()).extracting(EpochResult::steps).containsExactly(3L, 2L);
  }

  @Test
  void anEpochThatIsOverIsEndedBeforeItsLastStepEndsTheTraining() {
    List<EpochResult> told = new ArrayList<>();
    TrainingResult result =
        Training.fit(batch -> {}, batches(6, 2), Training.steps(6).onEpoch(told::add));
    assertThat(result.epochs()).isEqualTo(told).hasSize(2).allMatch(EpochResult::isWhole);
  }

  @Test
  void anEmptyDatasetEnds() {
    assertThat(Training.fit(batch -> {}, range(0), Training.steps(3)).steps()).isZero();
    assertThat(Training.fit(batch -> {}, range(3).filter(x -> x > 5), Training.steps(3)).steps())
        .isZero();
    assertThat(Training.fit(batch -> {}, range(0), epochs(3)).epochs()).hasSize(3);
  }

  @Test
  void stopsEarlyAfterAStepOrAnEpoch() {
    TrainingResult step =
        Training.fit(batch -> {}, batches(6, 2), epochs(9).stopAfterStep(done -> done.step() == 4));
    assertThat(step.ending()).isEqualTo(Ending.STOPPED_EARLY);
    assertThat(step.steps()).isEqualTo(4);
    TrainingResult epoch =
        Training.fit(
            new SeenElements(),
            batches(6, 2),
            epochs(9).stopAfterEpoch(whole -> whole.meanLoss() < 0.1));
    assertThat(epoch.ending()).isEqualTo(Ending.STOPPED_EARLY);
    assertThat(epoch.epochs()).hasSize(3);
  }

  @Test
  void listenersHearOfEveryStepAndEpochAndSeeThePipelineOpen() {
    List<StepResult> steps = new ArrayList<>();
    List<Long> epochs = new ArrayList<>();
    List<String> explained = new ArrayList<>();
    Training.fit(
        new SeenElements(),
        batches(3, 2),
        epochs(2)
            .onStep(steps::add)
            .onEpoch(done -> epochs.add(done.epoch()))
            .atEnd(pipeline -> explained.add(pipeline.checkpoint() + pipeline.explain())));
    assertThat(steps).extracting(StepResult::step).containsExactly(1L, 2L, 3L, 4L);
    assertThat(steps).extracting(StepResult::stepOfEpoch).containsExactly(1L, 2L, 1L, 2L);
    assertThat(steps).extracting(StepResult::epoch).containsExactly(0L, 0L, 1L, 1L);
    assertThat(steps).extracting(StepResult::elements).containsExactly(2L, 1L, 2L, 1L);
    assertThat(steps).extracting(StepResult::loss).startsWith(1.0 / 2, 1.0 / 3);
    assertThat(epochs).containsExactly(0L, 1L);
    assertThat(explained).singleElement().asString().contains("\"epoch\": 2", "batch(");
  }

  @Test
  void numbersMustBePositive() {
    assertThatThrownBy(() -> epochs(0)).hasMessage("epochs: expected at least 1, but got 0");
    assertThatThrownBy(() -> Training.steps(-1))
        .hasMessage("steps: expected at least 1, but got -1");
  }

  // ---- figures, by a clock that is turned by hand -----------------------------------------------

  private static Dataset<Tensor> loadedIn(HandClock clock, Duration time, int elements) {
    return range(elements)
        .map(
            x -> {
              clock.advance(time);
              return x;
            })
        .synchronous()
        .batch(1, Collator.stack())
        .options(Options.defaults().clock(clock));
  }

  @Test
  void waitsAndStepsAreToldApart() {
    HandClock clock = new HandClock();
    TrainingResult result =
        Training.fit(
            batch -> clock.advance(Duration.ofSeconds(3)),
            loadedIn(clock, Duration.ofSeconds(1), 5),
            epochs(2));
    assertThat(result.seconds()).isEqualTo(40);
    assertThat(result.waitSeconds()).isEqualTo(10);
    assertThat(result.firstWaitSeconds()).isEqualTo(1);
    assertThat(result.stepSeconds()).isEqualTo(30);
    assertThat(result.waitShare()).isEqualTo(0.25);
    assertThat(result.utilisation()).isEqualTo(30.0 / 39);
    assertThat(result.elementsPerSecond()).isEqualTo(0.25);
    assertThat(result)
        .hasToString(
            String.join(
                System.lineSeparator(),
                "completed after 10 steps: 40.00 s, 0.3 steps/s, 0 elements/s; waited for data"
                    + " 25 % of the time (first batch after 1.00 s)",
                "  epoch 0: 5 steps, 5 elements in 20.00 s, waited 25 %",
                "  epoch 1: 5 steps, 5 elements in 20.00 s, waited 25 %"));
  }

  @Test
  void progressIsALineNowAndThen() {
    HandClock clock = new HandClock();
    StringBuilder out = new StringBuilder();
    Training.fit(
        TrainingStep.withLoss(
            batch -> {
              clock.advance(Duration.ofSeconds(3));
              return 0.5;
            }),
        loadedIn(clock, Duration.ofSeconds(1), 5),
        epochs(2).progress(out, Duration.ofSeconds(10)));
    assertThat(out.toString().lines())
        .containsExactly(
            "epoch 0 of 2: step 3 of 5, 0.3 steps/s, waited 25 %, loss 0.5000",
            "epoch 0: 5 steps, 5 elements in 20.00 s, waited 25 %, mean loss 0.5000",
            "epoch 1 of 2: step 1 of 5, 0.3 steps/s, waited 25 %, loss 0.5000",
            "epoch 1 of 2: step 4 of 5, 0.3 steps/s, waited 25 %, loss 0.5000",
            "epoch 1: 5 steps, 5 elements in 20.00 s, waited 25 %, mean loss 0.5000");
  }

  @Test
  void onATerminalProgressIsABarThatIsRemoved() {
    HandClock clock = new HandClock();
    StringBuilder out = new StringBuilder();
    Training.fit(
        batch -> clock.advance(Duration.ofSeconds(1)),
        loadedIn(clock, Duration.ofSeconds(1), 2),
        Training.steps(3).progressBar(out));
    assertThat(out.toString().replace("\r\u001b[2K", "|").replace(System.lineSeparator(), "$"))
        .isEqualTo(
            "|epoch 0 [============            ] step 1 of 2, 0.5 steps/s, waited 50 %"
                + "|epoch 0 [========================] step 2 of 2, 0.5 steps/s, waited 50 %"
                + "|epoch 0: 2 steps, 2 elements in 4.00 s, waited 50 %$"
                + "|epoch 0 [============            ] step 1 of 2, 0.5 steps/s, waited 50 %"
                    .replace("epoch 0", "epoch 1")
                + "|");
  }

  @Test
  void progressThatCannotBeWrittenDoesNoHarm() {
    Appendable broken =
        new Appendable() {
          @Override
          public Appendable append(CharSequence text) throws IOException {
            throw new IOException("broken pipe");
          }

          @Override
          public Appendable append(CharSequence text, int start, int end) throws IOException {
            throw new IOException("broken pipe");
          }

          @Override
          public Appendable append(char c) throws IOException {
            throw new IOException("broken pipe");
          }
        };
    assertThat(
            Training.fit(batch -> {}, range(5), epochs(2).progress(broken, Duration.ZERO)).steps())
        .isEqualTo(10);
  }

  // ---- errors -----------------------------------------------------------------------------------

  @Test
  void aStepThatFailsSaysWhere() {
    TrainingException failed =
        catchThrowableOfType(
            TrainingException.class,
            () ->
                Training.fit(
                    batch -> {
                      if (batch.longAt(0) == 4) {
                        throw new IOException("no device");
                      }
                    },
                    batches(6, 2).options(o -> o.epochs(7)),
                    epochs(2)));
    assertThat(failed)
        .hasMessage("training: step 3 (batch 3 of epoch 0) failed: java.io.IOException: no device")
        .hasCauseInstanceOf(IOException.class);
    assertThat(failed.epoch()).isZero();
    assertThat(failed.step()).isEqualTo(3);
  }

  @Test
  void anErrorOfTheVirtualMachineIsItself() {
    StackOverflowError error = new StackOverflowError();
    try (LogRecords log = LogRecords.of("headrace.training")) {
      assertThatThrownBy(
              () ->
                  Training.fit(
                      batch -> {
                        throw error;
                      },
                      batches(6, 2)))
          .isSameAs(error);
      assertThat(log.messages()).containsExactly("training: step 1 (batch 1 of epoch 0) failed");
    }
    assertThat(error.getSuppressed()).isEmpty();
  }

  @Test
  void anElementThatFailedEndsTheTrainingUnlessItIsDropped() {
    Dataset<Long> dataset = range(10).map(x -> 10 / (x - 7));
    assertThatThrownBy(() -> Training.fit(batch -> {}, dataset))
        .isInstanceOf(PipelineException.class)
        .hasMessageContaining("element 7 of epoch 0");
    assertThat(Training.fit(batch -> {}, dataset.ignoreErrors(), epochs(2)).steps()).isEqualTo(18);
  }

  @Test
  void shuffledEpochsDiffer() {
    SeenElements model = new SeenElements();
    Training.fit(model, range(8).shuffle(8, Seed.of(1)).batch(8, Collator.stack()), epochs(2));
    assertThat(model.seen().subList(0, 8)).isNotEqualTo(model.seen().subList(8, 16));
  }
}
