package dev.headrace.op;

import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Checkpoint;
import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.PipelineException;
import dev.headrace.data.Compression;
import dev.headrace.data.PartialFile;
import dev.headrace.data.Seed;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.golden.LogRecords;
import dev.headrace.golden.Outcomes;
import dev.headrace.spi.Collator;
import dev.headrace.spi.Fn;
import dev.headrace.spi.Weights;
import dev.headrace.testing.NoLeftovers;
import dev.headrace.testing.PipelineContract;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
@ExtendWith(NoLeftovers.class)
class CacheFileOpTest {
  private static final Seed SEED = Seed.of(42);
  private static final AtomicInteger CALLS = new AtomicInteger();

  private record Labelled(Tensor image, String label) {}

  @TempDir Path folder;

  private int files;

  private Path freshFile() {
    return folder.resolve("cache-" + files++);
  }

  private List<String> names() throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.map(path -> path.getFileName().toString()).sorted().toList();
    }
  }

  /** The same function in every pipeline, with the same captured values. */
  private static Dataset<Long> counted(long size) {
    return range(size)
        .map(
            x -> {
              CALLS.incrementAndGet();
              return 3 * x;
            });
  }

  private static int callsDuring(Runnable action) {
    int before = CALLS.get();
    action.run();
    return CALLS.get() - before;
  }

  @Test
  void keepsTheContractWithAFileThatIsNotThereWhenResumed() {
    PipelineContract.of(n -> range(30).map(x -> Outcomes.refusing(9, x), n).cache(freshFile()))
        .check();
    PipelineContract.of(
            n -> range(12).map(x -> "" + x, n).cache(freshFile()).shuffle(4, SEED).repeat(3))
        .check();
    PipelineContract.of(
            n ->
                range(12)
                    .shuffle(12, SEED)
                    .randomMap((x, random) -> random.nextInt(), SEED, n)
                    .cache(freshFile(), Compression.ZLIB))
        .epochs(3)
        .check();
  }

  @Test
  void keepsTheContractWithAFileThatIsThere() {
    Path one = freshFile();
    PipelineContract.of(
            n ->
                range(30)
                    .randomMap((x, random) -> random.nextInt(), SEED, n)
                    .cache(one)
                    .randomMap((x, random) -> x + random.nextInt(), SEED, n)
                    .repeat(2))
        .check();
  }

  @Test
  void aFileGivesTheIdsThatThePassGave() {
    Path file = freshFile();
    Dataset<Long> dataset =
        range(8)
            .interleave(x -> range(x), 2, 1)
            .shuffle(5, SEED)
            .cache(file)
            .randomMap((x, random) -> random.nextLong(), SEED)
            .repeat(2);
    List<String> first = Outcomes.of(dataset);
    assertThat(Outcomes.of(dataset)).isEqualTo(first);
    assertThat(new HashSet<>(first)).hasSize(2 * 28 + 1);
  }

  @Test
  void theFunctionIsCalledByTheFirstPassOfTheFirstPipelineOnly() {
    Dataset<Long> dataset = counted(50).cache(freshFile());
    assertThat(callsDuring(() -> assertThat(Outcomes.ofEpochs(dataset, 3)).hasSize(3)))
        .isEqualTo(50);
    assertThat(callsDuring(() -> assertThat(dataset.toList()).hasSize(50).endsWith(147L))).isZero();
    assertThat(dataset.cardinality()).isEqualTo(50);
    assertThat(dataset.explain()).contains("cacheFile(path=" + folder);
  }

  @Test
  void aPassThatIsBrokenOffLeavesNothing() throws IOException {
    Dataset<Long> dataset = counted(5000).cache(freshFile());
    try (Pipeline<Long> pipeline = dataset.open()) {
      pipeline.iterator().next();
      assertThat(names())
          .hasSize(2)
          .allMatch(PartialFile::isPartial)
          .contains(".cache-0.partial.lock");
    }
    assertThat(names()).isEmpty();
    assertThat(dataset.take(10).count()).isEqualTo(10);
    assertThat(names()).isEmpty();
    assertThat(dataset.count()).isEqualTo(5000);
    assertThat(names()).containsExactly("cache-0");
  }

  @Test
  void whatAKilledProcessLeftBehindIsNeverUsed() throws IOException {
    Dataset<Long> dataset = counted(50).cache(freshFile());
    String partial = ".cache-0.0123456789abcdef.partial";
    Files.writeString(folder.resolve(partial), "a part");
    Files.writeString(
        folder.resolve(".cache-0.partial.lock"), "headrace writer lock\n" + partial + "\n");
    assertThat(callsDuring(() -> assertThat(dataset.count()).isEqualTo(50))).isEqualTo(50);
    assertThat(callsDuring(() -> assertThat(dataset.count()).isEqualTo(50))).isZero();
    assertThat(names()).containsExactly("cache-0");
  }

  @Test
  void aFileOfAnotherPlanIsMadeAgainAndOneLineSaysWhy() {
    Path file = freshFile();
    range(10).map(x -> 2 * x).cache(file).count();
    try (LogRecords log = LogRecords.of("headrace.engine")) {
      Dataset<Long> another = range(11).map(x -> 2 * x).cache(file);
      assertThat(Outcomes.ofEpochs(another, 2).getLast()).hasSize(12);
      assertThat(log.messages())
          .hasSize(1)
          .first()
          .asString()
          .contains("making " + file + " again: it was made by another plan (")
          .contains("operator range(start=0, stop=10, step=1) is now")
          .contains("range(start=0, stop=11, step=1)");
    }
  }

  @Test
  void aFileOfAnotherFunctionIsMadeAgain() {
    Path file = freshFile();
    assertThat(times(2).cache(file).toList()).containsExactly(0L, 2L, 4L);
    assertThat(times(2).cache(file).toList()).containsExactly(0L, 2L, 4L);
    try (LogRecords log = LogRecords.of("headrace.engine")) {
      assertThat(times(3).cache(file).toList()).containsExactly(0L, 3L, 6L);
      assertThat(log.messages())
          .singleElement()
          .asString()
          .contains("it was made by another plan (function CacheFileOpTest.lambda$");
    }
  }

  private static Dataset<Long> times(long factor) {
    Fn<Long, Long> function = x -> factor * x;
    return range(3).map(function);
  }

  @Test
  void threadsAndPlacesDoNotMakeAnotherPlan() {
    Path file = freshFile();
    counted(20).prefetch(3).cache(file).count();
    assertThat(callsDuring(() -> assertThat(counted(20).cache(file).count()).isEqualTo(20)))
        .isZero();
  }

  @Test
  void aDamagedFileIsMadeAgain() throws IOException {
    Path file = freshFile();
    counted(20).cache(file).count();
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length - 30] ^= 1;
    Files.write(file, bytes);
    try (LogRecords log = LogRecords.of("headrace.engine")) {
      assertThat(counted(20).cache(file).toList()).hasSize(20);
      assertThat(log.messages())
          .singleElement()
          .asString()
          .contains("expected an undamaged element file, but got a footer with another sum");
    }
    assertThat(callsDuring(() -> counted(20).cache(file).count())).isZero();
  }

  @Test
  void aFileOfAnotherKindIsLeftAsItIs() throws IOException {
    Path file = freshFile();
    for (String text : List.of("id,label\n1,2\n", "x")) {
      Files.writeString(file, text);
      for (Dataset<Long> plan : List.of(range(3), range(3).map(new Draw(new Random(1))))) {
        assertThatThrownBy(() -> plan.cache(file).count())
            .hasStackTraceContaining("expected a file of a cache or none, but " + file)
            .hasStackTraceContaining("is a file of another kind, which is left as it is");
        assertThat(file).hasContent(text);
      }
    }
    Files.write(file, new byte[0]);
    assertThat(range(3).cache(file).count()).as("nothing is lost").isEqualTo(3);
  }

  @Test
  void damageInTheMiddleIsReported() throws IOException {
    Path file = freshFile();
    counted(20_000).cache(file).count();
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length / 2] ^= 1;
    Files.write(file, bytes);
    List<PipelineException> errors = Outcomes.errors(counted(20_000).cache(file));
    assertThat(errors)
        .singleElement()
        .satisfies(e -> assertThat(e.isTerminal()).isTrue())
        .asString()
        .contains(file + ": expected an undamaged element file, but got a block with another sum")
        .contains("delete the file to have it made again");
  }

  @Test
  void aFileIsMadeAgainWhenItsSourcesChanged() throws IOException {
    Path texts = Files.createDirectory(folder.resolve("texts"));
    Files.writeString(texts.resolve("a"), "one");
    Dataset<String> dataset =
        Dataset.listFiles(texts + "/*").map(path -> Files.readString(path)).cache(freshFile());
    assertThat(dataset.toList()).containsExactly("one");
    Files.writeString(texts.resolve("a"), "two");
    Files.setLastModifiedTime(texts.resolve("a"), FileTime.fromMillis(1_000_000));
    try (LogRecords log = LogRecords.of("headrace.engine")) {
      assertThat(dataset.toList()).containsExactly("two");
      assertThat(log.messages())
          .singleElement()
          .asString()
          .contains("the files or weights it was made from have changed");
    }
  }

  @Test
  void recordsAreReadWithoutLoadingAClassByItsName() {
    Dataset<Labelled> dataset =
        counted(40)
            .map(x -> new Labelled(Tensor.full(Shape.of(5), (float) x), "label " + x))
            .cache(freshFile());
    List<String> first =
        Outcomes.ofEpochs(dataset.map(x -> x.label + x.image.floatAt(3)), 2).getLast();
    assertThat(
            callsDuring(
                () -> {
                  assertThat(Outcomes.of(dataset.map(x -> x.label + x.image.floatAt(3))))
                      .isEqualTo(first);
                }))
        .isLessThanOrEqualTo(1);
  }

  @Test
  void structuresAreCachedLeafByLeaf() {
    Dataset<Map<String, Tensor>> dataset =
        range(20)
            .map(x -> Map.of("b", Tensor.full(Shape.of(700), (float) x), "a", Tensor.scalar(x)))
            .batch(6)
            .cache(freshFile(), Compression.ZLIB);
    assertThat(Outcomes.of(dataset)).isEqualTo(Outcomes.of(dataset)).hasSize(5);
  }

  @Test
  void failuresAreDeliveredButNotCached() {
    Dataset<Long> dataset = range(4).map(x -> Outcomes.refusing(1, x)).cache(freshFile());
    List<String> without = List.of("int64[] [0]", "int64[] [2]", "int64[] [3]", "end");
    assertThat(Outcomes.ofEpochs(dataset, 3))
        .containsExactly(
            List.of("int64[] [0]", "error", "int64[] [2]", "int64[] [3]", "end"), without, without);
    assertThat(Outcomes.of(dataset)).isEqualTo(without);
  }

  @Test
  void whatEndsWithATerminalFailureIsNotCached() throws IOException {
    Dataset<Path> dataset =
        Dataset.listFiles(folder + "/none-*").cache(folder.resolve("cache")).prefetch(10);
    assertThat(Outcomes.errors(dataset)).hasSize(1);
    assertThat(names()).isEmpty();
  }

  @Test
  void nothingIsCachedAsNothing() {
    Dataset<Long> dataset = range(0).cache(freshFile());
    assertThat(Outcomes.ofEpochs(dataset, 2)).containsExactly(List.of("end"), List.of("end"));
    assertThat(Outcomes.of(dataset)).containsExactly("end");
  }

  @Test
  void whileOneWritesAnotherRunsWithout() {
    Path file = freshFile();
    Dataset<Long> dataset = counted(3000).cache(file);
    try (LogRecords log = LogRecords.of("headrace.engine");
        Pipeline<Long> writing = dataset.open()) {
      Iterator<Long> elements = writing.iterator();
      elements.next();
      assertThat(callsDuring(() -> assertThat(dataset.toList()).hasSize(3000))).isEqualTo(3000);
      assertThat(log.messages())
          .singleElement()
          .asString()
          .contains("another pipeline is writing " + file + "; this pass runs without it");
      elements.forEachRemaining(x -> {});
    }
    assertThat(callsDuring(() -> assertThat(dataset.toList()).hasSize(3000))).isZero();
  }

  @Test
  void anElementThatCannotBeWrittenIsNamed() throws IOException {
    List<PipelineException> errors =
        Outcomes.errors(range(5).map(x -> x == 3 ? new Object() : x).cache(freshFile()));
    assertThat(errors)
        .singleElement()
        .satisfies(e -> assertThat(e.isTerminal()).isTrue())
        .asString()
        .contains("cache: expected elements that can be written, but element 3 cannot be")
        .contains("but got java.lang.Object; map it to one that can before, or use cache()");
    assertThat(names()).isEmpty();
  }

  @Test
  void aPlaceThatCannotBeWrittenIsNamed() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "not a folder");
    assertThat(Outcomes.errors(range(5).cache(file.resolve("cache"))))
        .singleElement()
        .asString()
        .contains("cache: expected to write " + file.resolve("cache"))
        .contains("free space or permit it, or keep the cache elsewhere");
  }

  @Test
  void refusesWhatNeverEnds() {
    assertThatThrownBy(() -> range(5).repeat().cache(freshFile()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "cache: expected a dataset that ends, but got one that does not; put repeat() after"
                + " cache");
    assertThatThrownBy(() -> range(5).repeat().snapshot(folder))
        .hasMessageStartingWith("snapshot: expected a dataset that ends");
    assertThatThrownBy(() -> range(5).cache((Path) null))
        .hasMessage("cache: expected a path, but got null");
  }

  /**
   * Wherever the file appears or disappears between checkpoint and resumption, the rest is given.
   */
  @Test
  void theRestIsGivenWithAndWithoutTheFile() throws IOException {
    Path file = freshFile();
    Path away = folder.resolve("away");
    Dataset<Long> dataset =
        range(30).shuffle(30).map(x -> Outcomes.refusing(9, x)).cache(file).prefetch(4);
    List<String> delivered = new ArrayList<>();
    List<String> checkpoints = new ArrayList<>();
    try (Pipeline<Long> pipeline = dataset.open()) {
      for (int epoch = 0; epoch < 3; epoch++) {
        Iterator<Long> elements = pipeline.iterator();
        checkpoints.add(pipeline.checkpoint().toString());
        while (elements.hasNext()) {
          delivered.add(next(elements));
          checkpoints.add(pipeline.checkpoint().toString());
        }
        delivered.add("end");
      }
    }
    assertThat(delivered).hasSize(31 + 30 + 30).containsOnlyOnce("error");
    for (boolean there : new boolean[] {true, false}) {
      for (int i = 0; i < checkpoints.size(); i++) {
        if (i == 0 && there) {
          continue; // nothing was asked for: it reads the file, which has no failures
        }
        Files.copy(file, away);
        if (!there) {
          Files.delete(file);
        }
        List<String> rest = new ArrayList<>();
        try (Pipeline<Long> pipeline = dataset.open(Checkpoint.parse(checkpoints.get(i)))) {
          while (rest.size() < delivered.size() - i) {
            Iterator<Long> elements = pipeline.iterator();
            while (elements.hasNext()) {
              rest.add(next(elements));
            }
            rest.add("end");
          }
        }
        assertThat(rest)
            .as("position %d, file there: %s\n%s", i, there, checkpoints.get(i))
            .isEqualTo(delivered.subList(i, delivered.size()));
        Files.move(away, file, StandardCopyOption.REPLACE_EXISTING);
      }
    }
  }

  private static String next(Iterator<Long> elements) {
    try {
      return Long.toString(elements.next());
    } catch (PipelineException e) {
      return "error";
    }
  }

  private static List<String> take(Iterator<?> elements, int count) {
    List<String> taken = new ArrayList<>();
    while (taken.size() < count && elements.hasNext()) {
      try {
        taken.add("" + elements.next());
      } catch (PipelineException e) {
        taken.add("error");
      }
    }
    return taken;
  }

  /** Plans whose elements or order differ from run to run, before a file cache. */
  private List<Dataset<Long>> drawing() {
    return List.of(
        range(200).shuffle(100),
        range(200).shuffle(100).map(x -> x, 4).options(o -> o.deterministic(false)),
        range(200).map(x -> Outcomes.refusing(9, x)).ignoreErrors().shuffle(100),
        range(200).shuffle(100).snapshot(folder.resolve("snapshots-" + files++)));
  }

  @Test
  void aFileThatWasThereAtOpenAndIsGoneOrReplacedWhenResumedIsMadeAgain() throws IOException {
    for (Dataset<Long> drawing : drawing()) {
      for (boolean isReplaced : new boolean[] {false, true}) {
        Path file = freshFile();
        Dataset<Long> dataset = drawing.cache(file).shuffle(45, SEED);
        dataset.count();
        List<String> delivered;
        String checkpoint;
        try (Pipeline<Long> pipeline = dataset.open()) {
          Iterator<Long> elements = pipeline.iterator();
          delivered = take(elements, 120);
          checkpoint = pipeline.checkpoint().toString();
          delivered.addAll(take(elements, 1000));
        }
        deleteAll(file);
        if (isReplaced) {
          drawing.cache(file).count(); // with another seed
        }
        try (Pipeline<Long> pipeline = dataset.open(Checkpoint.parse(checkpoint))) {
          assertThat(take(pipeline.iterator(), 1000))
              .as("%s, replaced: %s", drawing.explain(), isReplaced)
              .isEqualTo(delivered.subList(120, delivered.size()));
        }
      }
    }
  }

  @Test
  void aCheckpointTellsAllCachesBehindOneAnotherWhereTheirContentBegins() throws IOException {
    List<Supplier<Dataset<Long>>> plans =
        List.of(
            () -> range(40).shuffle(20).cache().cache(freshFile()).cache(freshFile()),
            () ->
                range(40)
                    .shuffle(20)
                    .cache(freshFile())
                    .map(x -> x, 3)
                    .cache(freshFile())
                    .shuffle(9)
                    .cache(freshFile()));
    for (Supplier<Dataset<Long>> plan : plans) {
      Dataset<Long> dataset = plan.get();
      List<String> delivered;
      String checkpoint;
      try (Pipeline<Long> pipeline = dataset.open()) {
        Iterator<Long> elements = pipeline.iterator();
        delivered = take(elements, 8);
        checkpoint = pipeline.checkpoint().toString();
        delivered.addAll(take(elements, 1000));
      }
      for (String name : names()) {
        Files.delete(folder.resolve(name));
      }
      try (Pipeline<Long> pipeline = dataset.open(Checkpoint.parse(checkpoint))) {
        assertThat(take(pipeline.iterator(), 1000))
            .as(dataset.explain())
            .isEqualTo(delivered.subList(8, 40));
      }
    }
  }

  @Test
  void aFileThatIsOpenedAfterThePositionAndGoneOrReplacedWhenResumedIsMadeAgain()
      throws IOException {
    for (boolean isThereBefore : new boolean[] {false, true}) {
      for (boolean isReplaced : new boolean[] {false, true}) {
        Path file = freshFile();
        Dataset<Long> drawing = range(1000, 1030).shuffle(20).cache(file);
        Dataset<Long> dataset = range(18).concatenate(drawing);
        if (isThereBefore) {
          drawing.count();
        }
        List<String> delivered;
        String checkpoint;
        try (Pipeline<Long> pipeline = dataset.open()) {
          Iterator<Long> elements = pipeline.iterator();
          delivered = take(elements, 27);
          checkpoint = pipeline.checkpoint().toString();
          delivered.addAll(take(elements, 1000));
        }
        Files.delete(file);
        if (isReplaced) {
          dataset.count(); // with another seed
        }
        try (Pipeline<Long> pipeline = dataset.open(Checkpoint.parse(checkpoint))) {
          assertThat(take(pipeline.iterator(), 1000))
              .as("there before: %s, replaced: %s", isThereBefore, isReplaced)
              .isEqualTo(delivered.subList(27, delivered.size()));
        }
      }
    }
  }

  @Test
  void failuresBeforeAFileThatIsOpenedAfterThePositionAreCountedAsTheyWere() throws IOException {
    for (boolean isThereBefore : new boolean[] {false, true}) {
      for (boolean isIgnored : new boolean[] {false, true}) {
        Path file = freshFile();
        Dataset<Long> failing = range(1000, 1030).map(x -> x % 7 == 3 ? fail(x) : x);
        Dataset<Long> cached = (isIgnored ? failing.ignoreErrors() : failing).cache(file);
        Dataset<Long> dataset = range(18).concatenate(cached).shuffle(40, Seed.of(1));
        if (isThereBefore) {
          try (Pipeline<Long> pipeline = cached.open()) {
            take(pipeline.iterator(), 1000);
          }
        }
        List<String> delivered;
        String checkpoint;
        try (Pipeline<Long> pipeline = dataset.open()) {
          Iterator<Long> elements = pipeline.iterator();
          delivered = take(elements, 20);
          checkpoint = pipeline.checkpoint().toString();
          delivered.addAll(take(elements, 1000));
        }
        // Where it was read it is gone now; where it was not there, it is now.
        if (isThereBefore) {
          Files.delete(file);
        }
        try (Pipeline<Long> pipeline = dataset.open(Checkpoint.parse(checkpoint))) {
          assertThat(take(pipeline.iterator(), 1000))
              .as("there before: %s, ignored: %s", isThereBefore, isIgnored)
              .isEqualTo(delivered.subList(20, delivered.size()));
        }
      }
    }
  }

  private static long fail(long number) {
    throw new IllegalStateException("cannot take " + number);
  }

  /** The file, and all snapshots. */
  private void deleteAll(Path file) throws IOException {
    Files.deleteIfExists(file);
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path path : all.filter(p -> p.toString().endsWith(".elements")).toList()) {
        Files.delete(path);
      }
    }
  }

  @Test
  void failuresThatWereDeliveredAreNotDeliveredAgainWhereTheFileIsGone() throws IOException {
    for (boolean isOrdered : new boolean[] {true, false}) {
      Path file = freshFile();
      Dataset<Long> dataset =
          range(4)
              .map(x -> Outcomes.refusing(1, x), 2)
              .cache(file)
              .concatenate(range(10, 13))
              .options(o -> o.deterministic(isOrdered));
      String checkpoint;
      try (Pipeline<Long> pipeline = dataset.open()) {
        Iterator<Long> elements = pipeline.iterator();
        assertThat(take(elements, 5)).contains("error", "10");
        checkpoint = pipeline.checkpoint().toString();
      }
      Files.delete(file);
      try (Pipeline<Long> pipeline = dataset.open(Checkpoint.parse(checkpoint))) {
        assertThat(take(pipeline.iterator(), 10)).containsExactly("11", "12");
        assertThat(take(pipeline.iterator(), 10))
            .containsExactlyInAnyOrder("0", "2", "3", "10", "11", "12");
      }
    }
  }

  @Test
  void whatIsResumedInTheFirstPassOverAnUnorderedMapGivesThatOrderLater() throws Exception {
    for (int at : new int[] {1, 60, 199, 200}) {
      Path file = freshFile();
      Dataset<Long> dataset =
          range(200)
              .map(
                  x -> {
                    Thread.sleep(x % 7 == 0 ? 2 : 0);
                    return x;
                  },
                  4)
              .cache(file)
              .options(o -> o.deterministic(false));
      List<String> delivered;
      String checkpoint;
      try (Pipeline<Long> pipeline = dataset.open()) {
        delivered = take(pipeline.iterator(), at);
        checkpoint = pipeline.checkpoint().toString();
      }
      Files.deleteIfExists(file);
      try (Pipeline<Long> pipeline = dataset.open(Checkpoint.parse(checkpoint))) {
        delivered.addAll(take(pipeline.iterator(), 1000));
        assertThat(new HashSet<>(delivered)).hasSize(200);
        assertThat(take(pipeline.iterator(), 1000)).isEqualTo(delivered);
        Files.deleteIfExists(file);
        assertThat(take(pipeline.iterator(), 1000)).isEqualTo(delivered);
      }
    }
  }

  @Test
  void elementsThatCannotBeMadeAgainAreNotPassedOffAsTheOldOnes() throws IOException {
    Path file = freshFile();
    Dataset<Integer> dataset = range(100).map(x -> CALLS.incrementAndGet()).cache(file);
    dataset.count();
    String checkpoint;
    try (Pipeline<Integer> pipeline = dataset.open()) {
      take(pipeline.iterator(), 40);
      checkpoint = pipeline.checkpoint().toString();
    }
    Files.delete(file);
    try (Pipeline<Integer> pipeline = dataset.open(Checkpoint.parse(checkpoint))) {
      Iterator<Integer> elements = pipeline.iterator();
      assertThat(take(elements, 60)).hasSize(60);
      assertThatThrownBy(elements::next)
          .isInstanceOf(PipelineException.class)
          .hasMessageContaining("expected to make the same elements again as before")
          .hasMessageContaining("begin it again without the checkpoint");
    }
  }

  @Test
  void aFileBehindAnotherFileIsUsedByLaterRuns() throws IOException {
    Path texts = Files.writeString(folder.resolve("texts"), "a\nb\nc\n");
    for (Dataset<String> inner :
        List.of(
            Dataset.textLines(texts).cache(freshFile()),
            Dataset.textLines(texts).snapshot(folder.resolve("snapshots")))) {
      Dataset<Integer> dataset =
          inner.shuffle(3).map(x -> CALLS.incrementAndGet()).cache(freshFile());
      dataset.count();
      try (LogRecords log = LogRecords.of("headrace.engine")) {
        for (int run = 0; run < 3; run++) {
          assertThat(callsDuring(() -> assertThat(dataset.count()).isEqualTo(3))).isZero();
        }
        assertThat(log.messages()).isEmpty();
      }
    }
  }

  @Test
  void changedFilesAreSeenThroughEveryOperator() throws IOException {
    Path texts = folder.resolve("texts");
    Path saved = folder.resolve("saved");
    Dataset.of("a", "b", "c").save(saved);
    Dataset<String> lines = Dataset.textLines(texts);
    List<Dataset<?>> plans =
        List.of(
            lines.cache(),
            lines.cache(freshFile()),
            lines.shuffle(2).repeat(2),
            lines.batch(2, Collator.toList()),
            lines.map(x -> x, 3).prefetch(2).skip(1),
            Dataset.load(saved),
            Dataset.load(saved).globalShuffle(SEED),
            range(2).map(x -> "" + x).concatenate(lines));
    for (Dataset<?> plan : plans) {
      Files.writeString(texts, "a\nb\nc\n");
      Dataset.of("a", "b", "c").save(saved);
      Dataset<?> dataset = plan.cache(freshFile());
      assertThat(dataset.map(x -> "" + x).toList().toString()).doesNotContain("changed");
      Files.writeString(texts, "a changed\nb changed\nc changed\n");
      Dataset.of("a changed", "b changed", "c changed").save(saved);
      assertThat(dataset.map(x -> "" + x).toList().toString())
          .as(dataset.explain())
          .contains("changed");
    }
  }

  private record Scale(long k) implements Fn<Long, Long> {
    @Override
    public Long apply(Long x) {
      return k * x;
    }
  }

  private record Draw(Random generator) implements Fn<Long, Long> {
    @Override
    public Long apply(Long x) {
      CALLS.incrementAndGet();
      return generator.nextLong();
    }
  }

  @Test
  void aRecordAsFunctionIsKnownByItsComponents() {
    Path file = freshFile();
    assertThat(range(4).map(new Scale(1)).cache(file).toList()).containsExactly(0L, 1L, 2L, 3L);
    assertThat(range(4).map(new Scale(10)).cache(file).toList()).containsExactly(0L, 10L, 20L, 30L);
    Path snapshots = folder.resolve("snapshots");
    assertThat(range(4).map(new Scale(1)).snapshot(snapshots).toList()).endsWith(3L);
    assertThat(range(4).map(new Scale(10)).snapshot(snapshots).toList()).endsWith(30L);
  }

  @Test
  void valuesCountAsTheyAreWhenTheFirstElementIsAskedFor() {
    Path file = freshFile();
    long[] factor = {1};
    int[] data = {1};
    Dataset<Long> dataset = Dataset.of(data).map(x -> x[0] * factor[0]).cache(file);
    try (Pipeline<Long> pipeline = dataset.open()) {
      factor[0] = 10;
      data[0] = 2;
      assertThat(pipeline.iterator().next()).isEqualTo(20);
      assertThat(pipeline.iterator().next()).as("epoch 1").isEqualTo(20);
    }
    assertThat(dataset.toList()).containsExactly(20L);
    factor[0] = 1;
    data[0] = 1;
    assertThat(dataset.toList()).containsExactly(1L);
  }

  @Test
  void whatIsDrawnWithOtherWeightsIsAnotherPlansOrNoPlans() {
    Path file = freshFile();
    Weights weights = Weights.of(1, 0);
    Dataset<Long> mixed =
        Dataset.sampleFrom(List.of(range(6), range(100, 106)), weights, SEED).cache(file);
    assertThat(mixed.toList()).isEqualTo(range(6).toList());
    weights.set(0, 1);
    assertThat(mixed.toList()).as("changed before").isEqualTo(range(100, 106).toList());
    try (Pipeline<Long> pipeline = mixed.options(o -> o.debug()).open()) {
      weights.set(1, 0);
      Files.delete(file);
      List<Long> given = new ArrayList<>();
      for (Long element : pipeline) {
        given.add(element);
        weights.set(0, 1);
      }
      assertThat(given).as("changed meanwhile").contains(0L, 100L);
      List<Long> again = new ArrayList<>();
      pipeline.forEach(again::add);
      assertThat(again).as("epoch 1").isEqualTo(given);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    weights.set(1, 0);
    assertThat(mixed.toList()).isEqualTo(range(6).toList());
  }

  @Test
  void theContentDoesNotDependOnWhatFollows() throws IOException {
    Path file = freshFile();
    Dataset<Integer> drawn = range(10).randomMap((x, random) -> random.nextInt(), SEED).cache(file);
    List<Integer> alone = drawn.toList();
    for (boolean isThere : new boolean[] {true, false}) {
      if (!isThere) {
        Files.delete(file);
      }
      assertThat(range(10).zip(drawn).map(pair -> pair.second()).toList()).isEqualTo(alone);
    }
  }

  @Test
  void aFunctionThatCannotBeToldFromOthersIsNamedAndNothingIsUsedAgain() throws IOException {
    for (boolean perPlan : new boolean[] {false, true}) {
      Path place = freshFile();
      try (LogRecords log = LogRecords.of("headrace.engine")) {
        for (int run = 0; run < 2; run++) {
          Dataset<Long> drawn = range(4).map(new Draw(new Random(run)));
          Dataset<Long> dataset = perPlan ? drawn.snapshot(place) : drawn.cache(place);
          int calls =
              callsDuring(
                  () -> {
                    List<List<String>> epochs = Outcomes.ofEpochs(dataset, 3);
                    assertThat(epochs.get(1)).isEqualTo(epochs.get(0)).isEqualTo(epochs.get(2));
                  });
          assertThat(calls).as("all of this run's, and only once").isEqualTo(4);
        }
        assertThat(log.messages())
            .singleElement()
            .asString()
            .contains(perPlan ? "snapshot (CacheFileOpTest.java:" : "cacheFile (CacheFileOpTest")
            .contains("but map (CacheFileOpTest.java:")
            .contains("): Draw.generator: java.util.Random has no content that is the same in")
            .contains("so nothing is used again")
            .contains(".named(\"…\", 1)");
      }
      try (Stream<Path> left = Files.walk(folder)) {
        assertThat(left.filter(Files::isRegularFile)).isEmpty();
      }
    }
  }

  @Test
  void aNameAndVersionStandForAFunction() {
    Path file = freshFile();
    assertThat(callsDuring(() -> drawnAs(1).cache(file).count())).isEqualTo(4);
    assertThat(callsDuring(() -> drawnAs(1).cache(file).count())).isZero();
    assertThat(callsDuring(() -> drawnAs(2).cache(file).count())).isEqualTo(4);
    assertThatThrownBy(() -> range(3).named(null, 1))
        .hasMessage("named: expected a name, but got null");
  }

  private static Dataset<Long> drawnAs(int version) {
    return range(4).map(new Draw(new Random())).named("draw", version);
  }

  @Test
  void skippingInAFileReadsNothing() {
    Dataset<Long> dataset = counted(1_000_000).cache(freshFile());
    dataset.count();
    try (Pipeline<Long> pipeline = dataset.open()) {
      Iterator<Long> elements = pipeline.iterator();
      for (int i = 0; i < 900_000; i++) {
        elements.next();
      }
      Checkpoint checkpoint = Checkpoint.parse(pipeline.checkpoint().toString());
      try (Pipeline<Long> resumed = dataset.open(checkpoint)) {
        assertThat(callsDuring(() -> assertThat(resumed.iterator().next()).isEqualTo(2_700_000)))
            .isZero();
      }
    }
  }

  @Test
  void snapshotsOfSeveralPlansLiveSideBySide() throws IOException {
    Dataset<Long> small = counted(5).snapshot(folder);
    Dataset<Long> large = counted(9).snapshot(folder);
    assertThat(callsDuring(small::count)).isEqualTo(5);
    assertThat(callsDuring(large::count)).isEqualTo(9);
    assertThat(callsDuring(small::count)).isZero();
    assertThat(callsDuring(large::count)).isZero();
    assertThat(names())
        .containsExactlyInAnyOrder(
            counted(5).fingerprint() + ".elements", counted(9).fingerprint() + ".elements");
    assertThat(small.explain()).startsWith("snapshot(path=");
  }

  @Test
  void hostilePositionsAreRefused() {
    Dataset<Long> dataset = range(10).cache(freshFile());
    dataset.count();
    try (Pipeline<Long> pipeline = dataset.open()) {
      pipeline.iterator().next();
      String text = pipeline.checkpoint().toString();
      String body = text.substring(0, text.lastIndexOf("\nsum "));
      assertThatThrownBy(() -> resume(dataset, body.replace("\"position\": ", "\"position\": -")))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("expected a position of 0 or more for cacheFile");
    }
  }

  private static void resume(Dataset<Long> dataset, String body) {
    CRC32C sum = new CRC32C();
    sum.update(body.getBytes(StandardCharsets.UTF_8));
    String line = String.format(Locale.ROOT, "\nsum %08x\n", sum.getValue());
    try (Pipeline<Long> pipeline = dataset.open(Checkpoint.parse(body + line))) {
      pipeline.iterator().next();
    }
  }
}
