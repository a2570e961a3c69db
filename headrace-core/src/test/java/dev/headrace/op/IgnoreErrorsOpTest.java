package dev.headrace.op;

import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Checkpoint;
import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.PipelineException;
import dev.headrace.data.Seed;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.golden.LogRecords;
import dev.headrace.golden.Outcomes;
import dev.headrace.spi.Collator;
import dev.headrace.spi.ErrorBudget;
import dev.headrace.testing.NoLeftovers;
import dev.headrace.testing.PipelineContract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
@ExtendWith(NoLeftovers.class)
class IgnoreErrorsOpTest {
  @TempDir Path folder;

  private static long failsOnFives(long x) {
    if (x % 5 == 3) {
      throw new IllegalArgumentException("no \"" + x + "\"\nat all");
    }
    return x;
  }

  private static Dataset<Long> failing(long size, int parallelism) {
    return range(size).map(x -> failsOnFives(x), parallelism);
  }

  @Test
  void keepsTheContract() {
    PipelineContract.of(n -> failing(60, n).ignoreErrors()).check();
    PipelineContract.of(
            n ->
                failing(60, n)
                    .ignoreErrors(ErrorBudget.of(12), folder.resolve("letters"))
                    .prefetch(3)
                    .shuffle(7, Seed.of(1))
                    .batch(4, Collator.toList())
                    .repeat(2))
        .check();
    PipelineContract.of(
            n ->
                failing(40, n)
                    .ignoreErrors()
                    .map(x -> Tensor.full(Shape.of(800), (float) x), n)
                    .batch(4)
                    .prefetch(2))
        .check();
  }

  @Test
  void passesOverWhatFailed() {
    assertThat(failing(11, 2).ignoreErrors().toList())
        .containsExactly(0L, 1L, 2L, 4L, 5L, 6L, 7L, 9L, 10L);
    assertThat(failing(11, 2).ignoreErrors().batch(4, Collator.toList()).toList())
        .containsExactly(List.of(0L, 1L, 2L, 4L), List.of(5L, 6L, 7L, 9L), List.of(10L));
    assertThat(failing(11, 2).ignoreErrors().take(4).toList()).containsExactly(0L, 1L, 2L, 4L);
    assertThat(failing(11, 2).ignoreErrors().first()).contains(0L);
    assertThat(range(3, 4).map(x -> failsOnFives(x)).ignoreErrors().toList()).isEmpty();
    assertThat(range(0).ignoreErrors().toList()).isEmpty();
  }

  @Test
  void knowsItsCardinality() {
    assertThat(range(5).ignoreErrors().cardinality()).isEqualTo(Dataset.UNKNOWN);
    assertThat(range(5).repeat().ignoreErrors().cardinality()).isEqualTo(Dataset.INFINITE);
    assertThat(range(0).ignoreErrors().cardinality()).isZero();
  }

  @Test
  void saysOnceThatItPassesOverSomething() {
    try (LogRecords log = LogRecords.of("headrace.engine")) {
      assertThat(failing(60, 1).ignoreErrors().count()).isEqualTo(48);
      assertThat(log.messages())
          .singleElement()
          .asString()
          .startsWith("ignoreErrors (IgnoreErrorsOpTest.java:")
          .contains("passing over elements that fail; the first: map")
          .contains("on 3: java.lang.IllegalArgumentException: no \"3\"");
    }
  }

  @Test
  void tooManyEndThePipeline() {
    Dataset<Long> dataset = failing(100, 4).ignoreErrors(ErrorBudget.of(4)).prefetch(8);
    List<PipelineException> errors = Outcomes.errors(dataset);
    assertThat(errors)
        .singleElement()
        .satisfies(e -> assertThat(e.isTerminal()).isTrue())
        .satisfies(e -> assertThat(e.element()).isEqualTo("23"))
        .asString()
        .contains("ignoreErrors: expected at most 4 failures, but got 5 among 24 elements")
        .contains("the last ones: map")
        .contains("on 13: java.lang.IllegalArgumentException: no \"13\"")
        .contains("on 18: ")
        .contains("on 23: ")
        .doesNotContain("on 8: ");
    assertThat(Outcomes.of(dataset)).hasSize(20).endsWith("int64[] [22]", "error");
    assertThat(Outcomes.errors(failing(100, 4).ignoreErrors(ErrorBudget.of(1))))
        .singleElement()
        .asString()
        .contains("ignoreErrors: expected at most 1 failure, but got 2 among 9 elements");
    assertThat(Outcomes.of(failing(25, 1).ignoreErrors(ErrorBudget.of(5)))).endsWith("end");
    assertThat(Outcomes.of(failing(25, 1).ignoreErrors(ErrorBudget.of(0)))).hasSize(4);
  }

  @Test
  void eachPassHasItsBudget() {
    Dataset<Long> dataset = failing(20, 1).ignoreErrors(ErrorBudget.of(4));
    assertThat(Outcomes.ofEpochs(dataset, 3)).allSatisfy(epoch -> assertThat(epoch).hasSize(17));
    assertThat(Outcomes.of(dataset.repeat(3))).hasSize(49);
    assertThat(Outcomes.of(failing(20, 1).repeat(3).ignoreErrors(ErrorBudget.of(4))))
        .endsWith("error");
  }

  @Test
  void aShareIsOfTheElementsSoFar() {
    assertThat(Outcomes.of(failing(1000, 1).ignoreErrors(ErrorBudget.share(0.25)))).endsWith("end");
    assertThat(Outcomes.errors(failing(1000, 1).ignoreErrors(ErrorBudget.share(0.1))))
        .singleElement()
        .asString()
        .contains("expected at most 10 failures or 10.0 %, but got 11 among 54 elements");
    assertThat(Outcomes.errors(failing(1000, 1).ignoreErrors(ErrorBudget.share(0.1, 0))))
        .singleElement()
        .satisfies(e -> assertThat(e.element()).isEqualTo("3"));
  }

  @Test
  void whatCannotBePassedIsThrown() {
    List<PipelineException> errors =
        Outcomes.errors(Dataset.listFiles(folder + "/none-*").ignoreErrors());
    assertThat(errors).singleElement().satisfies(e -> assertThat(e.isTerminal()).isTrue());
  }

  @Test
  void failuresAfterItAreThrown() {
    assertThat(Outcomes.of(failing(5, 1).ignoreErrors().map(x -> Outcomes.refusing(1, x))))
        .containsExactly("int64[] [0]", "error", "int64[] [2]", "int64[] [4]", "end");
  }

  @Test
  void anIgnoredFailureKeepsItsPlaceBesideOthers() {
    Dataset<Long> numbers = failing(6, 1).ignoreErrors();
    assertThat(numbers.zip(range(10), (x, y) -> 10 * x + y).toList())
        .containsExactly(0L, 11L, 22L, 44L, 55L);
    assertThat(range(10).zip(numbers, (x, y) -> 10 * x + y).toList())
        .containsExactly(0L, 11L, 22L, 44L, 55L);
    assertThat(Outcomes.of(numbers.zip(failing(6, 1), (x, y) -> 10 * x + y)))
        .contains("error")
        .hasSize(7);
    assertThat(numbers.skip(3).toList()).containsExactly(4L, 5L);
  }

  @Test
  void countsArePartOfTheCheckpoint() {
    Dataset<Long> dataset = failing(100, 2).ignoreErrors(ErrorBudget.of(4)).prefetch(4);
    try (Pipeline<Long> pipeline = dataset.open()) {
      Iterator<Long> elements = pipeline.iterator();
      for (int i = 0; i < 14; i++) {
        elements.next();
      }
      Checkpoint checkpoint = Checkpoint.parse(pipeline.checkpoint().toString());
      try (Pipeline<Long> resumed = dataset.open(checkpoint)) {
        assertThat(Outcomes.of(resumed.iterator())).hasSize(6).endsWith("int64[] [22]", "error");
      }
    }
  }

  @Test
  void deadLettersAreWhatTheConsumerHasPassed() throws IOException {
    Path letters = folder.resolve("new").resolve("letters.jsonl");
    Dataset<Long> dataset =
        failing(100, 2).ignoreErrors(ErrorBudget.unlimited(), letters).prefetch(50);
    try (Pipeline<Long> pipeline = dataset.open()) {
      Iterator<Long> elements = pipeline.iterator();
      while (elements.next() != 2) {
        assertThat(letters).doesNotExist();
      }
      assertThat(letters).doesNotExist();
      assertThat(elements.next()).isEqualTo(4);
      assertThat(Files.readAllLines(letters)).hasSize(1);
      while (elements.next() != 96) {
        assertThat(letters).exists();
      }
      assertThat(Files.readAllLines(letters)).hasSize(19);
      assertThat(elements.next()).isEqualTo(97);
      assertThat(elements.hasNext()).isTrue();
      assertThat(elements.next()).isEqualTo(99);
      assertThat(elements.hasNext()).isFalse();
    }
    List<String> lines = Files.readAllLines(letters);
    assertThat(lines).hasSize(20);
    assertThat(lines.get(1))
        .startsWith("{\"epoch\": 0, \"element\": \"8\", \"path\": \"map (IgnoreErrorsOpTest.java:")
        .contains(
            "← range\", \"cause\": \"java.lang.IllegalArgumentException: no \\\"8\\\"\\nat all\"")
        .contains(", \"stack\": \"java.lang.IllegalArgumentException: no")
        .contains("\\n\\tat dev.headrace.op.IgnoreErrorsOpTest.failsOnFives")
        .endsWith("\"}");
  }

  /** However a pipeline is left and resumed, the file has each failure once. */
  @Test
  void deadLettersAreThereOnceAfterResumption() throws IOException {
    Path letters = folder.resolve("letters");
    Dataset<Long> dataset =
        failing(40, 2).ignoreErrors(ErrorBudget.of(8), letters).shuffle(5, Seed.of(2)).prefetch(3);
    assertThat(dataset.count()).isEqualTo(32);
    List<String> expected = facts(letters);
    assertThat(new HashSet<>(expected)).hasSize(8);
    for (int position = 0; position <= 32; position++) {
      Files.delete(letters);
      Checkpoint checkpoint;
      try (Pipeline<Long> pipeline = dataset.open()) {
        Iterator<Long> elements = pipeline.iterator();
        for (int i = 0; i < position; i++) {
          elements.next();
        }
        checkpoint = Checkpoint.parse(pipeline.checkpoint().toString());
        for (int i = 0; i < 9 && elements.hasNext(); i++) {
          elements.next(); // passed after the checkpoint, and again after resumption
        }
      }
      if (position % 2 == 0 && Files.exists(letters)) {
        String text = Files.readString(letters);
        Files.writeString(letters, text.substring(0, text.length() - 5)); // killed while writing
      }
      try (Pipeline<Long> resumed = dataset.open(checkpoint)) {
        Outcomes.of(resumed.iterator());
        if (position == 32) {
          continue; // the next epoch
        }
      }
      assertThat(facts(letters))
          .as("position %d", position)
          .containsExactlyInAnyOrderElementsOf(expected);
    }
  }

  @Test
  void aFileOfOthersIsNeverCut() throws IOException {
    Path letters = folder.resolve("letters");
    Dataset<Long> dataset = failing(40, 1).ignoreErrors(ErrorBudget.unlimited(), letters);
    String fact = "{\"epoch\": 0, \"element\": \"";
    for (String others : List.of("x".repeat(5_000), "a\nb", "{\"epo", "{}", "line\n")) {
      Files.writeString(letters, others);
      dataset.count();
      List<String> lines = Files.readAllLines(letters);
      List<String> before = others.lines().toList();
      assertThat(lines.subList(0, before.size())).isEqualTo(before);
      assertThat(lines.subList(before.size(), lines.size()))
          .hasSize(8)
          .allMatch(line -> line.startsWith(fact) && line.endsWith("\"}"));
    }
    Files.writeString(letters, "theirs\n" + fact + "3\", \"pa"); // killed while writing
    dataset.count();
    assertThat(Files.readAllLines(letters)).hasSize(9).startsWith("theirs");
  }

  private static List<String> facts(Path letters) throws IOException {
    List<String> facts = new ArrayList<>();
    for (String line : Files.readAllLines(letters)) {
      facts.add(line.substring(0, line.indexOf(", \"stack\"")));
    }
    return facts;
  }

  @Test
  void lettersThatCannotBeWrittenEndThePipeline() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "not a folder");
    Dataset<Long> dataset =
        failing(10, 1).ignoreErrors(ErrorBudget.unlimited(), file.resolve("letters"));
    assertThat(Outcomes.errors(dataset))
        .singleElement()
        .satisfies(e -> assertThat(e.isTerminal()).isTrue())
        .asString()
        .contains("dead letters: expected to write " + file.resolve("letters"));
  }

  @Test
  void refusesBadArguments() {
    assertThatThrownBy(() -> ErrorBudget.of(-1))
        .hasMessage("error budget: expected a count of 0 or more, but got -1");
    assertThatThrownBy(() -> ErrorBudget.share(1.5))
        .hasMessage(
            "error budget: expected a share from 0 to 1, as 0.01 for one in a hundred, but got"
                + " 1.5");
    assertThatThrownBy(() -> ErrorBudget.share(Double.NaN)).hasMessageContaining("but got NaN");
    assertThatThrownBy(() -> range(5).ignoreErrors(null))
        .hasMessage("ignoreErrors: expected a budget, but got null");
    assertThatThrownBy(() -> range(5).ignoreErrors(ErrorBudget.of(1), null))
        .hasMessage("ignoreErrors: expected a file, but got null; leave it out to write none");
  }
}
