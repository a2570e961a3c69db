package dev.headrace;

import static dev.headrace.Dataset.range;
import static dev.headrace.Training.epochs;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.TrainingResult.Ending;
import dev.headrace.data.Seed;
import dev.headrace.data.Tensor;
import dev.headrace.spi.Collator;
import dev.headrace.testing.NoLeftovers;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Trainings that end before their time and go on, every element once an epoch. */
@Timeout(120)
@ExtendWith(NoLeftovers.class)
class TrainingResumeTest {
  private static final int EPOCHS = 3;

  @TempDir Path folder;
  private Path file = Path.of("");

  @BeforeEach
  void nameTheFile() {
    file = folder.resolve("train.checkpoint");
  }

  /** Seven batches an epoch, the last one smaller. */
  private static Dataset<Tensor> dataset(int parallelism) {
    return range(20)
        .shuffle(6, Seed.of(3))
        .map(x -> x + 100, parallelism)
        .batch(3, Collator.stack())
        .prefetch(2);
  }

  private static List<Long> undisturbed() {
    SeenElements model = new SeenElements();
    Training.fit(model, dataset(1), epochs(EPOCHS));
    return model.seen();
  }

  private TrainingOptions options(int every) {
    return epochs(EPOCHS).checkpointEvery(every, file).resumeIfPresent();
  }

  // ---- exactly once -----------------------------------------------------------------------------

  @Test
  void stoppedAfterAnyStepItGoesOnExactlyThere() throws IOException {
    List<Long> expected = undisturbed();
    for (int stop = 1; stop <= 7 * EPOCHS; stop++) {
      Files.deleteIfExists(file);
      SeenElements first = new SeenElements();
      TrainingResult before = Training.fit(first, dataset(2), options(4).steps(stop));
      assertThat(before.steps()).isEqualTo(stop);
      SeenElements second = new SeenElements(); // as in another process
      TrainingResult after = Training.fit(second, dataset(4), options(4));
      assertThat(second.seen()).as("stopped after step %d", stop).isEqualTo(expected);
      assertThat(after.ending()).isEqualTo(Ending.COMPLETED);
      assertThat(after.stepsBefore()).isEqualTo(stop);
      assertThat(after.steps()).isEqualTo(7 * EPOCHS - stop);
    }
  }

  @Test
  void figuresOfAResumedEpochAreThoseOfTheWholeEpoch() {
    List<EpochResult> expected = new ArrayList<>();
    Training.fit(new SeenElements(), dataset(1), epochs(EPOCHS).onEpoch(expected::add));
    Training.fit(new SeenElements(), dataset(1), options(100).steps(10));
    TrainingResult rest = Training.fit(new SeenElements(), dataset(1), options(100));
    assertThat(rest.epochs()).hasSize(2);
    EpochResult resumed = rest.epochs().getFirst();
    assertThat(resumed.epoch()).isEqualTo(1);
    assertThat(resumed.steps()).isEqualTo(7);
    assertThat(resumed.stepsBefore()).isEqualTo(3);
    assertThat(resumed.elements()).isEqualTo(20);
    assertThat(resumed.meanLoss()).isEqualTo(expected.get(1).meanLoss());
    assertThat(rest.toString())
        .startsWith("completed after 21 steps (10 before it was resumed): ")
        .contains("  epoch 1: 7 steps (3 before it was resumed), 20 elements in ");
  }

  @Test
  void afterAFailedStepItGoesOnFromTheLastFile() {
    SeenElements broken = new SeenElements();
    TrainingStep<Tensor> failing =
        batch -> {
          broken.step(batch);
          if (broken.seen().size() == 35) {
            throw new IllegalStateException("the device is gone");
          }
        };
    assertThatThrownBy(() -> Training.fit(failing, dataset(2), options(4).state(broken)))
        .isInstanceOf(TrainingException.class)
        .hasMessage(
            "training: step 12 (batch 5 of epoch 1) failed: java.lang.IllegalStateException: the"
                + " device is gone; "
                + file
                + " has the training after step 8, and resumeFrom(…) goes on there");
    SeenElements model = new SeenElements();
    TrainingResult result =
        Training.fit(model, dataset(2), epochs(EPOCHS).resumeFrom(file).state(model));
    assertThat(result.stepsBefore()).isEqualTo(8);
    assertThat(model.seen()).isEqualTo(undisturbed());
  }

  @Test
  void moreEpochsCanFollow() {
    SeenElements model = new SeenElements();
    Training.fit(model, dataset(1), epochs(1).checkpointEachEpoch(file));
    TrainingResult nothing = Training.fit(model, dataset(1), epochs(1).resumeFrom(file));
    assertThat(nothing.steps()).isZero();
    assertThat(nothing.ending()).isEqualTo(Ending.COMPLETED);
    SeenElements again = new SeenElements();
    Training.fit(again, dataset(1), epochs(EPOCHS).resumeFrom(file));
    assertThat(again.seen()).isEqualTo(undisturbed());
  }

  // ---- interruptions ----------------------------------------------------------------------------

  /** Trains on a thread of its own, which {@code until} interrupts. */
  private static TrainingResult interrupted(
      TrainingStep<Tensor> step,
      Dataset<Tensor> dataset,
      TrainingOptions options,
      Consumer<Thread> until)
      throws Exception {
    FutureTask<TrainingResult> training =
        new FutureTask<>(
            () -> {
              TrainingResult result = Training.fit(step, dataset, options);
              assertThat(Thread.currentThread().isInterrupted()).isTrue();
              return result;
            });
    Thread thread = Thread.ofPlatform().start(training);
    until.accept(thread);
    return training.get();
  }

  @Test
  void interruptedWhileItWaitsForDataNothingIsLost() throws Exception {
    CountDownLatch stuck = new CountDownLatch(1);
    Dataset<Tensor> blocked =
        range(20)
            .shuffle(6, Seed.of(3))
            .map(
                x -> {
                  if (x == 9 && Thread.currentThread().getName().contains("map")) {
                    stuck.countDown();
                    Thread.sleep(60_000);
                  }
                  return x + 100;
                },
                2)
            .batch(3, Collator.stack())
            .prefetch(2);
    TrainingResult result =
        interrupted(
            new SeenElements(),
            blocked,
            options(1_000),
            thread -> {
              await(stuck);
              thread.interrupt();
            });
    assertThat(result.ending()).isEqualTo(Ending.INTERRUPTED);
    SeenElements model = new SeenElements();
    TrainingResult rest = Training.fit(model, dataset(2), options(1_000));
    assertThat(rest.stepsBefore()).isEqualTo(result.steps());
    assertThat(model.seen()).isEqualTo(undisturbed());
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void interruptedInAStepThatGoesOnItEndsAfterTheStep() throws Exception {
    SeenElements model = new SeenElements();
    TrainingResult result =
        interrupted(
            batch -> {
              model.step(batch);
              if (model.seen().size() == 9) {
                Thread.currentThread().interrupt();
              }
            },
            dataset(2),
            options(1_000).state(model),
            thread -> {});
    assertThat(result.ending()).isEqualTo(Ending.INTERRUPTED);
    assertThat(result.steps()).isEqualTo(3);
    SeenElements resumed = new SeenElements();
    assertThat(Training.fit(resumed, dataset(2), options(1_000)).stepsBefore()).isEqualTo(3);
    assertThat(resumed.seen()).isEqualTo(undisturbed());
  }

  @Test
  void aStepThatIsInterruptedInItsMiddleDoesNotCount() throws Exception {
    SeenElements model = new SeenElements();
    TrainingResult result =
        interrupted(
            batch -> {
              model.step(batch);
              if (model.seen().size() == 15) {
                Thread.currentThread().interrupt();
                Thread.sleep(1);
              }
            },
            dataset(2),
            options(3).state(model),
            thread -> {});
    assertThat(result.ending()).isEqualTo(Ending.INTERRUPTED);
    assertThat(result.steps()).isEqualTo(4);
    SeenElements resumed = new SeenElements();
    assertThat(Training.fit(resumed, dataset(2), options(3)).stepsBefore()).isEqualTo(3);
    assertThat(resumed.seen()).isEqualTo(undisturbed());
  }

  @Test
  void interruptedBeforeItBeginsItDoesNothing() throws Exception {
    FutureTask<TrainingResult> training =
        new FutureTask<>(
            () -> {
              Thread.currentThread().interrupt();
              return Training.fit(new SeenElements(), dataset(2), options(3));
            });
    Thread.ofPlatform().start(training);
    assertThat(training.get())
        .returns(Ending.INTERRUPTED, TrainingResult::ending)
        .returns(0L, TrainingResult::steps);
    SeenElements model = new SeenElements();
    Training.fit(model, dataset(2), options(3));
    assertThat(model.seen()).isEqualTo(undisturbed());
  }

  // ---- the file ---------------------------------------------------------------------------------

  @Test
  void theFileCanBeReadAndIsAlone() throws IOException {
    Training.fit(new SeenElements(), dataset(1), options(4).steps(9));
    assertThat(Files.readString(file, StandardCharsets.ISO_8859_1))
        .startsWith(
            "headrace training 1\nsteps 9\nepoch steps 2\nepoch elements 6\nepoch loss 0x1.")
        .containsPattern("\nsum [0-9a-f]{8}\n$");
    try (var files = Files.list(folder)) {
      assertThat(files).containsExactly(file);
    }
  }

  @Test
  void aDamagedFileIsRefusedWhereverItIs() throws IOException {
    Training.fit(new SeenElements(), dataset(1), options(4).steps(9));
    byte[] good = Files.readAllBytes(file);
    for (int at = 0; at < good.length; at += 1 + at / 40) {
      byte[] bad = good.clone();
      bad[at] ^= 0x20;
      refuses(bad);
      refuses(java.util.Arrays.copyOf(good, at));
    }
    refuses(java.util.Arrays.copyOf(good, good.length + 1));
    Files.writeString(file, "something else");
    assertThatThrownBy(() -> Training.fit(new SeenElements(), dataset(1), options(4)))
        .hasMessage(
            file
                + ": expected a training's checkpoint, but it does not begin with 'headrace"
                + " training 1'");
  }

  private void refuses(byte[] bytes) throws IOException {
    Files.write(file, bytes);
    assertThatThrownBy(() -> Training.fit(new SeenElements(), dataset(1), options(4)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(file.toString());
  }

  @Test
  void aFileWithAModelNeedsOneAndTheOtherWayRound() {
    Training.fit(new SeenElements(), dataset(1), options(4).steps(9));
    assertThatThrownBy(() -> Training.fit(batch -> {}, dataset(1), options(4)))
        .hasMessage(
            file
                + ": expected a step that is a ModelState, because the file has one, but got none;"
                + " use state(…)");
    List<Tensor> trained = new ArrayList<>();
    Training.fit(
        batch -> {}, dataset(1), epochs(EPOCHS).checkpointEvery(4, file).steps(9)); // overwrites
    Training.fit(trained::add, dataset(1), options(4));
    assertThat(trained).hasSize(12);
    assertThatThrownBy(() -> Training.fit(new SeenElements(), dataset(1), options(4)))
        .hasMessage(file + ": expected the state of a model, but the file has the position only");
  }

  @Test
  void anotherDatasetIsRefused() {
    Training.fit(new SeenElements(), dataset(1), options(4).steps(9));
    assertThatThrownBy(
            () ->
                Training.fit(new SeenElements(), range(20).batch(3, Collator.stack()), options(4)))
        .hasMessageContaining("checkpoint: expected the plan it was taken from");
  }

  @Test
  void whatCannotBeResumedOrSavedIsSaidAtOnce() throws IOException {
    assertThatThrownBy(() -> Training.fit(batch -> {}, dataset(1), epochs(1).resumeFrom(file)))
        .hasMessageContaining("expected to resume from " + file + ", but it cannot be read: ");
    assertThatThrownBy(() -> Training.fit(batch -> {}, dataset(1), epochs(1).resumeIfPresent()))
        .hasMessage(
            "resumeIfPresent: expected a file to resume from, but there are no checkpoints; add"
                + " checkpointEvery(…), or use resumeFrom(file)");
    List<Object> trained = new ArrayList<>();
    assertThatThrownBy(
            () ->
                Training.fit(
                    trained::add, Dataset.generator(() -> List.of(1, 2).iterator()), options(1)))
        .hasMessageContaining("expected operators whose position can be told");
    assertThat(trained).isEmpty();
    Path nowhere = Files.writeString(folder.resolve("no-folder"), "").resolve("file");
    assertThatThrownBy(
            () -> Training.fit(batch -> {}, dataset(1), epochs(1).checkpointEvery(2, nowhere)))
        .isInstanceOf(TrainingException.class)
        .hasMessageContaining("expected to write the checkpoint after step 2 to " + nowhere);
  }
}
