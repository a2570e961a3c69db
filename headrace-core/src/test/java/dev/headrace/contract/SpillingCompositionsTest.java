package dev.headrace.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.Checkpoint;
import dev.headrace.Dataset;
import dev.headrace.Options;
import dev.headrace.Pipeline;
import dev.headrace.PipelineException;
import dev.headrace.data.Seed;
import dev.headrace.testing.ElementText;
import dev.headrace.testing.NoLeftovers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BiFunction;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Random compositions in so little memory that they go to disk give what they give in memory. */
@Timeout(300)
@ExtendWith(NoLeftovers.class)
class SpillingCompositionsTest {
  private static final int PIPELINES = 40;
  private static final long TINY = 64 << 10;

  /** Held, because loggers that nobody holds forget their level. */
  private static final Logger QUIET = Logger.getLogger("headrace");

  @TempDir static Path folder;

  @BeforeAll
  static void doNotLogEveryFile() {
    QUIET.setLevel(Level.SEVERE);
  }

  @AfterAll
  static void logAgain() {
    QUIET.setLevel(null);
  }

  /** An element that is heavy beside its place in memory. */
  private record Row(long number, String text, float[] values) {}

  /** Operators that hold elements, among others, in a random order. */
  private static final class Composition {
    private final List<String> names = new ArrayList<>();
    private final List<BiFunction<Dataset<Row>, Integer, Dataset<Row>>> steps = new ArrayList<>();
    private final int elements;

    Composition(long seed) {
      SplittableRandom random = new SplittableRandom(seed);
      elements = random.nextInt(40, 120);
      int count = random.nextInt(1, 5);
      for (int i = 0; i < count; i++) {
        add(random);
      }
    }

    private void add(SplittableRandom random) {
      int size = random.nextInt(1, 90);
      long number = random.nextLong(2, 7);
      switch (random.nextInt(12)) {
        case 0, 1, 2 -> step("shuffle " + size, (in, n) -> in.shuffle(size, Seed.of(number)));
        case 3, 4 -> step("cache", (in, n) -> in.cache());
        case 5 -> step("unique", (in, n) -> in.unique());
        case 6 ->
            step("unique " + number, (in, n) -> in.unique(row -> row.text + row.number / number));
        case 7 ->
            step(
                "groups " + number + " of " + size,
                (in, n) ->
                    in.groupByWindow(row -> row.number % number, (key, window) -> window, size));
        case 8 -> step("repeat", (in, n) -> in.repeat(2));
        case 9 ->
            step("map", (in, n) -> in.map(row -> row(row.number + 1, row.values.length, 11), n));
        case 10 -> step("skip " + number, (in, n) -> in.skip(number).prefetch(2));
        default ->
            step(
                "flatMap",
                (in, n) ->
                    in.interleave(
                        row -> Dataset.range(2).map(x -> row(row.number + x, 200, 100)), 3, 2, n));
      }
    }

    private void step(String name, BiFunction<Dataset<Row>, Integer, Dataset<Row>> step) {
      names.add(name);
      steps.add(step);
    }

    Dataset<Object> dataset(int parallelism) {
      Dataset<Row> dataset =
          Dataset.range(elements).map(x -> row(x, (int) (300 + x % 700), 13), parallelism);
      for (var step : steps) {
        dataset = step.apply(dataset, parallelism);
      }
      return dataset.map(row -> (Object) (row.number + row.text + row.values.length));
    }

    private static Row row(long number, int length, long refused) {
      if (number % refused == refused - 1) {
        throw new IllegalArgumentException("refuses " + number);
      }
      return new Row(number, ("text " + number % 20).repeat(30), new float[length]);
    }

    @Override
    public String toString() {
      return elements + " elements, " + names;
    }
  }

  @Test
  void goingToDiskChangesNothing() {
    int onDisk = 0;
    int tooSmall = 0;
    Options tiny = Options.defaults().heapBudget(TINY).spillTo(folder);
    for (long seed = 5_000; seed < 5_000 + PIPELINES; seed++) {
      Composition recipe = new Composition(seed);
      List<String> expected = run(recipe.dataset(1), null, new boolean[1]);
      boolean[] wrote = new boolean[1];
      List<String> actual = run(recipe.dataset(2).options(tiny), null, wrote);
      if (isTooSmall(actual)) {
        tooSmall++; // for what it keeps in memory of elements on disk, or for a batch
        continue;
      }
      assertThat(actual).as(recipe.toString()).isEqualTo(expected);
      if (wrote[0]) {
        onDisk++;
        tooSmall += resumesInTheMiddle(recipe, tiny, expected) ? 0 : 1;
      }
    }
    assertThat(onDisk).isGreaterThan(PIPELINES / 2);
    assertThat(tooSmall).isLessThan(PIPELINES / 10);
    assertThat(folder).isEmptyDirectory();
  }

  /** False where there is too little memory: interleave opens its input several times then. */
  private static boolean resumesInTheMiddle(
      Composition recipe, Options tiny, List<String> expected) {
    int half = expected.indexOf("end") / 2;
    Checkpoint checkpoint;
    try (Pipeline<Object> pipeline = recipe.dataset(2).options(tiny).open()) {
      Iterator<Object> all = pipeline.iterator();
      for (int i = 0; i < half && all.hasNext(); i++) {
        next(all);
      }
      checkpoint = pipeline.checkpoint();
    }
    List<String> rest = run(recipe.dataset(1).options(tiny), checkpoint, new boolean[1]);
    if (isTooSmall(rest)) {
      return false;
    }
    assertThat(rest)
        .as("%s resumed after %d", recipe, half)
        .isEqualTo(expected.subList(half, expected.size()));
    return true;
  }

  private static boolean isTooSmall(List<String> events) {
    return !events.isEmpty() && events.getLast().contains("memory budget");
  }

  private static List<String> run(
      Dataset<Object> dataset, @Nullable Checkpoint from, boolean[] wrote) {
    List<String> events = new ArrayList<>();
    try (Pipeline<Object> pipeline = from == null ? dataset.open() : dataset.open(from)) {
      for (int epoch = 0; epoch < 2; epoch++) {
        for (Iterator<Object> all = pipeline.iterator(); all.hasNext(); ) {
          events.add(next(all));
        }
        events.add("end");
      }
      wrote[0] = pipeline.stats().operators().stream().anyMatch(op -> op.spill() != null);
    } catch (PipelineException e) {
      events.add(String.valueOf(e.getMessage()));
    }
    return events;
  }

  private static String next(Iterator<Object> all) {
    try {
      return ElementText.of(all.next());
    } catch (PipelineException e) {
      if (e.isTerminal()) {
        throw e;
      }
      return "error at " + e.element() + ": " + e.getCause();
    }
  }
}
