package dev.headrace.contract;

import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Checkpoint;
import dev.headrace.Dataset;
import dev.headrace.Options;
import dev.headrace.Pipeline;
import dev.headrace.PipelineException;
import dev.headrace.PipelineInterruptedException;
import dev.headrace.data.Seed;
import dev.headrace.data.Tensor;
import dev.headrace.profile.OpStats;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.ForwardingCursor;
import dev.headrace.spi.Op;
import dev.headrace.spi.OpCounters;
import dev.headrace.spi.Site;
import dev.headrace.testing.ElementText;
import dev.headrace.testing.NoLeftovers;
import dev.headrace.testing.PipelineContract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What does not fit into memory goes to disk and comes back: the same elements, in order. */
@Timeout(120)
@ExtendWith(NoLeftovers.class)
class SpillingTest {
  private static final Seed SEED = Seed.of(7);
  private static final long SMALL = 64 << 10;
  private static final long LARGE = 64 << 20;

  @TempDir Path folder;

  /** Not a structure: it has texts, and lists that can be changed. */
  private record Row(long number, String text, List<Long> numbers) {}

  private static Row row(long number) {
    if (number % 17 == 5) {
      throw new IllegalArgumentException("refuses " + number);
    }
    return new Row(
        number,
        ("row " + number + " ").repeat((int) (20 + number % 50)),
        new ArrayList<>(List.of(number, 2 * number)));
  }

  private enum Holder {
    SHUFFLE(rows -> rows.shuffle(150, SEED)),
    SHUFFLE_OF_ALL(rows -> rows.shuffle(10_000, SEED)),
    CACHE(rows -> rows.cache()),
    CACHE_AND_SHUFFLE(rows -> rows.cache().shuffle(90, SEED)),
    UNIQUE(rows -> rows.unique()),
    UNIQUE_BY_KEY(rows -> rows.unique(row -> row.text() + row.text())),
    GROUPS(rows -> rows.groupByWindow(row -> row.number() % 5, (key, window) -> window, 30)),
    GROUPS_OF_GROUPS(
        rows ->
            rows.groupByWindow(
                row -> row.number() % 3,
                (key, window) -> window.shuffle(40, SEED).concatenate(window),
                50)),
    REPEATED(rows -> rows.repeat(2).shuffle(200, SEED));

    final UnaryOperator<Dataset<Row>> holds;

    Holder(UnaryOperator<Dataset<Row>> holds) {
      this.holds = holds;
    }

    Dataset<Row> of(int parallelism, Options options) {
      return holds
          .apply(
              range(300)
                  .map(SpillingTest::row, parallelism)
                  .concatenate(range(40).map(SpillingTest::row)))
          .options(options);
    }
  }

  private Options small() {
    return Options.defaults().heapBudget(SMALL).spillTo(folder);
  }

  private static long onDisk(Pipeline<?> pipeline) {
    return pipeline.stats().operators().stream()
        .map(OpStats::spill)
        .filter(Objects::nonNull)
        .mapToLong(OpCounters.Spill::peakBytes)
        .sum();
  }

  private static <T> List<String> run(Pipeline<T> pipeline, int epochs) {
    List<String> events = new ArrayList<>();
    for (int epoch = 0; epoch < epochs; epoch++) {
      for (Iterator<T> all = pipeline.iterator(); all.hasNext(); ) {
        events.add(next(all));
      }
      events.add("end");
    }
    return events;
  }

  private static <T> String next(Iterator<T> all) {
    try {
      return ElementText.of(all.next());
    } catch (PipelineException e) {
      if (e.isTerminal()) {
        throw e;
      }
      return e.element() + ": " + e.getCause();
    }
  }

  private static <T> List<String> run(Dataset<T> dataset, int epochs) {
    try (Pipeline<T> pipeline = dataset.open()) {
      return run(pipeline, epochs);
    }
  }

  @AfterEach
  void nothingIsLeft() throws IOException {
    try (Stream<Path> left = Files.list(folder)) {
      assertThat(left).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource
  void theSameElementsAsInMemory(Holder holder) {
    List<String> expected = run(holder.of(1, Options.defaults().heapBudget(LARGE)), 3);
    try (Pipeline<Row> pipeline = holder.of(2, small()).open()) {
      assertThat(run(pipeline, 3)).isEqualTo(expected);
      assertThat(onDisk(pipeline)).isPositive();
      assertThat(pipeline.stats().memory().heapPeakBytes()).isLessThan(2 * SMALL);
    }
  }

  @ParameterizedTest
  @EnumSource
  void keepsTheContract(Holder holder) {
    IntFunction<Dataset<Row>> dataset = parallelism -> holder.of(parallelism, small());
    PipelineContract.of(dataset).sampled(5).check();
  }

  @ParameterizedTest
  @EnumSource
  void aCheckpointKnowsNothingOfTheDisk(Holder holder) {
    Dataset<Row> inMemory = holder.of(1, Options.defaults().heapBudget(LARGE));
    Dataset<Row> onDisk = holder.of(1, small());
    List<String> expected = run(inMemory, 2);
    for (int at = 1; at < expected.size(); at += 1 + expected.size() / 4) {
      Checkpoint ofMemory = checkpoint(inMemory, at);
      Checkpoint ofDisk = checkpoint(onDisk, at);
      List<String> rest = expected.subList(at, expected.size());
      assertThat(resume(onDisk, ofMemory, rest)).isEqualTo(rest);
      assertThat(resume(inMemory, ofDisk, rest)).isEqualTo(rest);
    }
  }

  private static Checkpoint checkpoint(Dataset<Row> dataset, int after) {
    try (Pipeline<Row> pipeline = dataset.open()) {
      int events = 0;
      while (true) {
        Iterator<Row> all = pipeline.iterator();
        while (events < after && all.hasNext()) {
          next(all);
          events++;
        }
        if (events == after) {
          return pipeline.checkpoint();
        }
        events++; // the end
        if (events == after) {
          return pipeline.checkpoint();
        }
      }
    }
  }

  private static List<String> resume(Dataset<Row> dataset, Checkpoint from, List<String> rest) {
    try (Pipeline<Row> pipeline = dataset.open(from)) {
      int epochs = (int) rest.stream().filter("end"::equals).count();
      return run(pipeline, epochs);
    }
  }

  @Test
  void whatFitsStaysInMemory() {
    Dataset<Row> dataset =
        Holder.SHUFFLE.of(1, Options.defaults().heapBudget(LARGE).spillTo(folder));
    try (Pipeline<Row> pipeline = dataset.open()) {
      run(pipeline, 1);
      assertThat(onDisk(pipeline)).isZero();
      assertThat(folder).isEmptyDirectory();
    }
  }

  @Test
  void onlyWhatIsBeyondTheBudgetIsOnDisk() {
    Dataset<byte[]> dataset =
        range(200).map(x -> new byte[10_000]).cache().options(small().heapBudget(1 << 20));
    try (Pipeline<byte[]> pipeline = dataset.open()) {
      run(pipeline, 1);
      assertThat(onDisk(pipeline)).isBetween(1_000_000L, 1_500_000L);
      assertThat(pipeline.stats().memory().heapPeakBytes()).isBetween(800_000L, 1_100_000L);
    }
  }

  @Test
  void largeElementsDoNotComeBackAllAtOnce() {
    Dataset<byte[]> dataset =
        range(64)
            .map(x -> new byte[100_000])
            .shuffle(64, SEED)
            .options(small().heapBudget(1 << 20));
    try (Pipeline<byte[]> pipeline = dataset.open()) {
      run(pipeline, 1);
      assertThat(onDisk(pipeline)).isGreaterThan(4_000_000L);
      assertThat(pipeline.stats().memory().heapPeakBytes()).isLessThan(1 << 20);
    }
  }

  @Test
  void tensorsAreTheSameInEveryBit() {
    Dataset<Tensor> dataset =
        range(200)
            .map(x -> Tensor.full(dev.headrace.data.Shape.of(200), (float) x))
            .shuffle(100, SEED);
    assertThat(run(dataset.options(small()), 1)).isEqualTo(run(dataset, 1));
  }

  @Test
  void groupsTellThatAWindowIsReadTooLate() {
    Dataset<Dataset<Row>> dataset =
        range(60)
            .map(x -> new Row(x, "x".repeat(5_000), List.of()))
            .groupByWindow(row -> 0, (key, window) -> Dataset.fromList(List.of(window)), 30)
            .options(small());
    try (Pipeline<Dataset<Row>> pipeline = dataset.open()) {
      Iterator<Dataset<Row>> all = pipeline.iterator();
      Dataset<Row> first = all.next();
      assertThat(first.toList()).hasSize(30);
      assertThat(all.next().toList()).hasSize(30);
      assertThatThrownBy(first::toList)
          .hasMessageContaining("groupByWindow: expected a window to be read before");
    }
  }

  @Test
  void elementsThatCannotBeWrittenFailWithTheSizeAndTheReason() {
    Dataset<UUID> dataset = range(100_000).map(x -> new UUID(x, x)).shuffle(50_000, SEED);
    assertThatThrownBy(() -> run(dataset.options(small()), 1))
        .isInstanceOf(PipelineException.class)
        .hasMessageContaining("shuffle: expected a buffer of 50,000 elements to fit the memory")
        .hasMessageContaining("the buffer needs about ")
        .hasMessageContaining(
            "it could not go to disk: elements of java.util.UUID cannot be written: encode:"
                + " expected a structure, a number, a text or bytes");
  }

  @Test
  void whereItIsOffItFailsWithTheSize() {
    Options off = small().spill(false);
    assertThatThrownBy(() -> run(Holder.CACHE.of(1, off), 1))
        .hasMessageContaining("cache: expected its elements to fit the memory budget")
        .hasMessageContaining(
            "it could not go to disk: spilling is off: leave out options.spill(false)");
  }

  @ParameterizedTest
  @EnumSource(names = {"SHUFFLE", "CACHE", "UNIQUE", "GROUPS"})
  void aDiskThatIsFullFailsWithTheSizeAndLeavesNothing(Holder holder) {
    assertThatThrownBy(() -> run(holder.of(2, small().spillBudget(2_000)), 1))
        .isInstanceOf(PipelineException.class)
        .hasMessageContaining("to fit the memory budget")
        .hasMessageContaining(
            "it could not go to disk: writing failed: the spill budget is used up")
        .hasMessageContaining("options.spillBudget");
  }

  @Test
  void aFolderThatCannotBeWrittenToIsNamed() throws IOException {
    Path file = Files.createFile(folder.resolve("file"));
    assertThatThrownBy(() -> run(Holder.SHUFFLE.of(1, small().spillTo(file)), 1))
        .hasMessageContaining("it could not go to disk: writing failed: " + file);
    Files.delete(file);
  }

  @ParameterizedTest
  @EnumSource
  void closingInTheMiddleLeavesNothing(Holder holder) {
    for (int after : new int[] {0, 1, 100, 250}) {
      Pipeline<Row> pipeline = holder.of(2, small()).open();
      Iterator<Row> all = pipeline.iterator();
      for (int i = 0; i < after && all.hasNext(); i++) {
        next(all);
      }
      pipeline.close();
      assertThat(folder).isEmptyDirectory();
      assertThat(pipeline.stats().memory().heapBytes()).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource
  void anInterruptedConsumerLosesNothing(Holder holder) {
    List<String> expected = run(holder.of(1, Options.defaults().heapBudget(LARGE)), 2);
    List<String> events = new ArrayList<>();
    try (Pipeline<Row> pipeline = holder.of(2, small()).open()) {
      for (int epoch = 0; epoch < 2; epoch++) {
        Iterator<Row> all = pipeline.iterator();
        for (int pull = 0; ; pull++) {
          try {
            if (pull % 37 == 0) {
              Thread.currentThread().interrupt();
            }
            if (!all.hasNext()) {
              break;
            }
            events.add(next(all));
          } catch (PipelineInterruptedException e) {
            assertThat(Thread.interrupted() || !Thread.currentThread().isInterrupted()).isTrue();
          }
        }
        boolean _ = Thread.interrupted();
        events.add("end");
      }
    }
    assertThat(events).isEqualTo(expected);
  }

  @Test
  void openingAPipelineRemovesWhatADeadProcessLeft() throws IOException {
    Path dead =
        Files.createDirectory(
            folder.resolve("headrace-spill-1-1-x"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    Files.createFile(dead.resolve("owner"));
    Files.createFile(dead.resolve("1.elements"));
    range(1).options(Options.defaults().spill(false)).open().close();
    assertThat(dead).exists();
    range(1).options(small()).open().close();
    assertThat(dead).doesNotExist();
  }

  @Test
  void whatCannotBeReadBackEndsThePipelineByName() throws IOException {
    try (Pipeline<Row> pipeline = Holder.SHUFFLE_OF_ALL.of(1, small()).open()) {
      Iterator<Row> all = pipeline.iterator();
      for (int i = 0; i < 60; i++) { // failures come before what is held
        String _ = next(all);
      }
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.filter(each -> each.toString().endsWith(".elements")).toList()) {
          Files.write(file, new byte[0]);
        }
      }
      assertThatThrownBy(
              () -> {
                while (all.hasNext()) {
                  String _ = next(all);
                }
              })
          .isInstanceOf(PipelineException.class)
          .hasMessageContaining("expected to read back what was written to a temporary file");
    }
  }

  @Test
  void theDiagnosisNamesIt() {
    try (Pipeline<Row> pipeline = Holder.SHUFFLE.of(1, small()).open()) {
      run(pipeline, 1);
      assertThat(pipeline.diagnose().toString())
          .containsPattern(
              "shuffle \\(SpillingTest.java:\\d+\\): .* kB of what it holds were on disk")
          .contains("because it does not fit the heap budget of 66 kB")
          .contains(
              "set options.heapBudget(…) higher, shuffle before elements grow, or take a smaller"
                  + " buffer");
      assertThat(pipeline.explain()).contains("of what it holds were on disk, in " + folder);
      assertThat(pipeline.stats().toString()).containsPattern("on disk, at most .* kB; .* written");
    }
  }

  private record Outer(long number, Object inner) {}

  private record Plain(String text) {}

  /** Its constructor makes something else of what it is given, each time. */
  private record Odd(String text) {
    Odd {
      text += "!";
    }
  }

  @Test
  void aRecordInsideAnElementThatWouldComeBackAsAnotherStaysInMemory() {
    Dataset<Outer> mixed =
        range(200)
            .map(i -> new Outer(i, i % 50 == 40 ? new Odd("odd") : new Plain("p".repeat(1000))))
            .shuffle(150, SEED);
    List<Outer> expected = mixed.toList();
    try (Pipeline<Outer> pipeline = mixed.options(small()).open()) {
      List<Outer> given = new ArrayList<>();
      pipeline.iterator().forEachRemaining(given::add);
      assertThat(given).isEqualTo(expected);
      assertThat(onDisk(pipeline)).isPositive();
    }
  }

  /** A source that cannot be closed. */
  private record StubbornOp(Op input, Site site) implements Op {
    @Override
    public long cardinality() {
      return input.cardinality();
    }

    @Override
    public Cursor open(Context context) {
      return new ForwardingCursor(context, context.open(input)) {
        @Override
        protected void produce(Chunk out, int max) {
          source.fill(out, max);
        }

        @Override
        public void close() {
          source.close();
          throw new IllegalStateException("stubborn");
        }
      };
    }
  }

  @Test
  void aWindowThatCannotBeClosedLeavesNothingOnDisk() throws IOException {
    Dataset<Row> groups =
        range(300)
            .map(i -> new Row(i, "x".repeat(1000), List.of()))
            .groupByWindow(
                row -> row.number() % 2,
                (key, window) -> Dataset.of(new StubbornOp(window.op(), Site.UNKNOWN)),
                100);
    Pipeline<Row> pipeline = groups.options(small()).open();
    assertThat(pipeline.iterator().next().number()).isZero();
    assertThat(onDisk(pipeline)).isPositive();
    try {
      pipeline.close();
    } catch (IllegalStateException e) {
      assertThat(e).hasMessageContaining("stubborn");
    }
    try (Stream<Path> files = Files.walk(folder)) {
      assertThat(files.filter(file -> file.toString().endsWith(".elements"))).isEmpty();
    }
  }
}
