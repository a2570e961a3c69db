package dev.headrace;

import static dev.headrace.Dataset.AUTOTUNE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.golden.LogRecords;
import dev.headrace.testing.NoLeftovers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
@ExtendWith(NoLeftovers.class)
class TuningTest {
  private static final int TOGETHER = 24;

  @TempDir Path folder;

  /** Elements that come only if many are waited for at once. */
  private static Dataset<Long> waiting(AtomicInteger most) {
    AtomicInteger running = new AtomicInteger();
    CountDownLatch together = new CountDownLatch(TOGETHER);
    return Dataset.range(400)
        .map(
            x -> {
              most.accumulateAndGet(running.incrementAndGet(), Math::max);
              together.countDown();
              together.await();
              running.decrementAndGet();
              return x;
            },
            AUTOTUNE)
        .named("waiting", 1); // a latch cannot be told from another one
  }

  private static Tuning runAndTell(Options options) {
    try (Pipeline<Long> pipeline = waiting(new AtomicInteger()).options(options).open()) {
      pipeline.iterator().forEachRemaining(x -> {});
      return pipeline.tuning();
    }
  }

  @Test
  void whatWasFoundIsToldAndReadAgain() {
    Tuning tuning = runAndTell(Options.defaults().cpuBudget(2).asWritten());
    assertThat(tuning.text()).contains("0 map threads=no workers=");
    assertThat(Tuning.parse(tuning.text()).text()).isEqualTo(tuning.text());
    assertThat(tuning.fingerprint()).isEqualTo(waiting(new AtomicInteger()).fingerprint());
  }

  @Test
  void aFrozenPipelineKeepsToWhatItWasGiven() {
    String text =
        "headrace tuning 1\nplan %s\n0 map threads=no workers=30 kind=platform buffer=0\n"
            .formatted(waiting(new AtomicInteger()).fingerprint());
    AtomicInteger most = new AtomicInteger();
    Options options = Options.defaults().cpuBudget(2).asWritten().frozen(Tuning.parse(text));
    try (Pipeline<Long> pipeline = waiting(most).options(options).open()) {
      pipeline.iterator().forEachRemaining(x -> {});
      assertThat(pipeline.stats().knobChanges()).isEmpty();
    }
    assertThat(most).hasValueBetween(TOGETHER, 30);
  }

  @Test
  void theNextRunStartsWhereTheLastOneEnded() throws IOException {
    Options options = Options.defaults().cpuBudget(2).asWritten().rememberTuning(folder);
    Tuning first = runAndTell(options);
    try (var files = Files.list(folder)) {
      assertThat(files.toList()).hasSize(1);
    }
    try (Pipeline<Long> pipeline = waiting(new AtomicInteger()).options(options).open()) {
      Iterator<Long> elements = pipeline.iterator(); // opened, and nothing asked for yet
      assertThat(pipeline.tuning().text()).isEqualTo(first.text());
      assertThat(elements.next()).isZero();
    }
  }

  @Test
  void nothingIsKeptForAPlanThatCannotBeToldFromOthers() throws IOException {
    CountDownLatch latch = new CountDownLatch(1);
    Dataset<Long> dataset =
        Dataset.range(3)
            .map(x -> x + latch.getCount(), AUTOTUNE)
            .options(Options.defaults().rememberTuning(folder));
    try (LogRecords log = LogRecords.of("headrace.pipeline")) {
      assertThat(dataset.count()).isEqualTo(3);
      assertThat(log.messages())
          .singleElement()
          .asString()
          .contains("what the tuner finds is not kept")
          .contains("captures CountDownLatch: java.util.concurrent.CountDownLatch has no content")
          .contains(".named(\"…\", 1)");
    }
    try (var files = Files.list(folder)) {
      assertThat(files).isEmpty();
    }
  }

  @Test
  void aDamagedFileIsNoReasonToFail() throws IOException {
    String name = waiting(new AtomicInteger()).fingerprint() + ".tuning";
    Files.writeString(folder.resolve(name), "nonsense");
    assertThat(runAndTell(Options.defaults().rememberTuning(folder)).text()).contains("workers=");
    assertThat(Files.readString(folder.resolve(name))).startsWith("headrace tuning 1");
  }

  @Test
  void nonsenseIsRefusedWithItsLine() {
    assertThatThrownBy(() -> Tuning.parse("something"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("something");
    assertThatThrownBy(() -> Tuning.parse("headrace tuning 1\nplan x\n0 map workers=many\n"))
        .hasMessageContaining("line 3")
        .hasMessageContaining("workers=many");
  }

  @Test
  void aFileThatIsMuchTooLargeIsNotRead() throws IOException {
    Path file = folder.resolve("large.tuning");
    Files.write(file, new byte[2 << 20]);
    assertThatThrownBy(() -> Tuning.load(file))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("large.tuning")
        .hasMessageContaining("2,097,152");
  }

  @Test
  void anotherPlansTuningIsNotUsed() {
    Tuning other =
        Tuning.parse(
            "headrace tuning 1\nplan other\n0 map threads=no workers=1 kind=platform buffer=0\n");
    Options options = Options.defaults().cpuBudget(2).tuning(other);
    assertThat(runAndTell(options).text()).contains("workers=");
  }

  @Test
  void untunedMeansOneWorkerACore() throws InterruptedException {
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    Dataset<Long> dataset =
        Dataset.range(100)
            .map(
                x -> {
                  most.accumulateAndGet(running.incrementAndGet(), Math::max);
                  TimeUnit.MILLISECONDS.sleep(2);
                  running.decrementAndGet();
                  return x;
                },
                AUTOTUNE)
            .options(Options.defaults().cpuBudget(2).tune(false));
    assertThat(dataset.count()).isEqualTo(100);
    assertThat(most).hasValueBetween(1, 2);
  }
}
