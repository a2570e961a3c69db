package dev.headrace.contract;

import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Checkpoint;
import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.data.Seed;
import dev.headrace.op.RangeOp;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.ErrorBudget;
import dev.headrace.spi.Op;
import dev.headrace.spi.PlanDepth;
import dev.headrace.spi.Scanned;
import dev.headrace.spi.Site;
import dev.headrace.spi.Traits;
import dev.headrace.testing.NoLeftovers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Plans of many operators, up to the most that there may be. */
@Timeout(120)
@ExtendWith(NoLeftovers.class)
class DeepPlansTest {
  private static final int SMALLEST_STACK_BYTES = 512 * 1024;

  /** Verbs that hand on the numbers they get, one operator each. */
  private static final Map<String, UnaryOperator<Dataset<Long>>> VERBS =
      Map.ofEntries(
          Map.entry("map", d -> d.map(x -> x)),
          Map.entry("pureMap", d -> d.map(Dataset.pure(x -> x))),
          Map.entry("randomMap", d -> d.randomMap((x, random) -> x, Seed.of(1))),
          Map.entry("filter", d -> d.filter(x -> true)),
          Map.entry("takeWhile", d -> d.takeWhile(x -> true)),
          Map.entry("take", d -> d.take(100)),
          Map.entry("skip", d -> d.skip(1)),
          Map.entry("shard", d -> d.shard(1, 0)),
          Map.entry("repeat", d -> d.repeat(1)),
          Map.entry("shuffle", d -> d.shuffle(2, Seed.of(1))),
          Map.entry("scan", d -> d.scan(0L, (sum, x) -> new Scanned<>(sum + x, x))),
          Map.entry("cache", d -> d.cache()),
          Map.entry("zip", d -> d.zip(range(1000), (a, b) -> a)),
          Map.entry("unique", d -> d.unique()),
          Map.entry("flatMap", d -> d.flatMap(x -> Dataset.of(x))),
          Map.entry("interleave", d -> d.interleave(x -> Dataset.of(x), 2, 1)),
          Map.entry("ignoreErrors", d -> d.ignoreErrors(ErrorBudget.unlimited())),
          Map.entry("concatenate", d -> d.concatenate(range(1)).named("kept apart")),
          Map.entry("prefetch", d -> d.prefetch(1)));

  @SuppressWarnings("unused") // by name
  private static final List<String> NAMES = VERBS.keySet().stream().sorted().toList();

  private static Dataset<Long> chain(Dataset<Long> from, String verb, int operators) {
    Dataset<Long> all = from;
    for (int i = 0; i < operators; i++) {
      all = VERBS.get(verb).apply(all);
    }
    return all;
  }

  @Test
  void onePlanTooDeepIsRefusedAtTheLineThatMakesItSo() {
    Dataset<Long> most = chain(range(3), "map", PlanDepth.MOST - 1);
    assertThat(PlanDepth.of(most.op())).isEqualTo(PlanDepth.MOST);
    assertThatThrownBy(() -> most.filter(x -> true))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageMatching(
            "filter \\(DeepPlansTest\\.java:\\d+\\): expected at most 256 operators one after the"
                + " other, but this is number 257; do several steps in one function, or join many"
                + " datasets in one concatenate\\(…\\)");
    assertThatThrownBy(() -> range(3).zip(most)).hasMessageContaining("this is number 257");
    assertThatThrownBy(() -> chain(range(3), "map", 900)).hasMessageContaining("at most 256");
    assertThatThrownBy(() -> chain(range(3), "filter", 600)).hasMessageContaining("at most 256");
  }

  @Test
  void theGuideNamesTheMaximum() throws IOException {
    assertThat(Files.readString(Path.of("../docs/guides/epochs-and-batches.md")))
        .contains("At most %d operators may follow each other".formatted(PlanDepth.MOST));
  }

  @Test
  void depthIsTheLongestWayHoweverOftenOperatorsAreShared() {
    Dataset<Long> shared = range(3);
    for (int i = 0; i < 100; i++) {
      shared = shared.zip(shared, (a, b) -> a); // 2^100 ways
    }
    assertThat(PlanDepth.of(shared.op())).isEqualTo(101);
  }

  @ParameterizedTest
  @FieldSource("NAMES")
  void theDeepestPlanRunsAndResumesOnASmallStack(String verb) throws InterruptedException {
    Dataset<Long> deep = chain(range(600), verb, verb.equals("prefetch") ? 40 : PlanDepth.MOST - 1);
    AtomicReference<@Nullable Throwable> failed = new AtomicReference<>();
    Runnable run =
        () -> {
          try {
            runAndResume(deep);
          } catch (Throwable e) {
            failed.set(e);
          }
        };
    Thread small = new Thread(null, run, "small stack", SMALLEST_STACK_BYTES);
    small.start();
    small.join();
    assertThat(failed.get()).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"map", "filter", "repeat", "zip"})
  void theDeepestPlanRunsOnAVirtualThreadAndOnAWorker(String verb) throws InterruptedException {
    AtomicReference<@Nullable Throwable> failed = new AtomicReference<>();
    Dataset<Long> deep = chain(range(600), verb, PlanDepth.MOST - 2);
    Thread.ofVirtual()
        .start(
            () -> {
              try {
                runAndResume(deep);
                runAndResume(deep.prefetch(1)); // a worker of the engine goes down
              } catch (Throwable e) {
                failed.set(e);
              }
            })
        .join();
    assertThat(failed.get()).isNull();
  }

  private static void runAndResume(Dataset<Long> plan) {
    assertThat(plan.explain()).isNotEmpty();
    List<Long> rest = new ArrayList<>();
    String text;
    try (Pipeline<Long> pipeline = plan.open()) {
      Iterator<Long> elements = pipeline.iterator();
      elements.next();
      text = pipeline.checkpoint().toString();
      for (int i = 0; i < 3; i++) {
        rest.add(elements.next());
      }
    }
    try (Pipeline<Long> pipeline = plan.open(Checkpoint.parse(text))) {
      Iterator<Long> elements = pipeline.iterator();
      for (Long expected : rest) {
        assertThat(elements.next()).isEqualTo(expected);
      }
    }
  }

  @Test
  void datasetsThatAreAppendedInALoopAreOneOperator() {
    Dataset<Long> appended = range(1);
    Dataset<Long> prepended = range(999, 1000);
    for (int i = 1; i < 1000; i++) {
      appended = appended.concatenate(range(i, i + 1));
      prepended = range(999 - i, 1000 - i).concatenate(prepended);
    }
    assertThat(PlanDepth.of(appended.op())).isEqualTo(2);
    assertThat(PlanDepth.of(prepended.op())).isEqualTo(2);
    List<Long> all = LongStream.range(0, 1000).boxed().toList();
    assertThat(prepended.toList()).isEqualTo(all);
    try (Pipeline<Long> pipeline = appended.open()) {
      Iterator<Long> elements = pipeline.iterator();
      for (int i = 0; i < 500; i++) {
        assertThat(elements.next()).isEqualTo(i);
      }
      Checkpoint middle = Checkpoint.parse(pipeline.checkpoint().toString());
      try (Pipeline<Long> resumed = appended.open(middle)) {
        List<Long> rest = new ArrayList<>();
        resumed.iterator().forEachRemaining(rest::add);
        assertThat(rest).isEqualTo(all.subList(500, 1000));
      }
    }
  }

  /** How often something was asked; the same text for any number, as part of a plan. */
  private static final class Count {
    final AtomicInteger times = new AtomicInteger();

    @Override
    public String toString() {
      return "counted";
    }
  }

  /** Numbers; counts what is asked of it, and stops at too much. */
  private record AskedOp(Count asked, int most, Site site) implements Op {
    private void ask() {
      if (asked.times.incrementAndGet() > most) {
        throw new AssertionError("asked more than " + most + " times");
      }
    }

    @Override
    public long cardinality() {
      ask();
      return 1000;
    }

    @Override
    public Traits traits() {
      ask();
      return Traits.PLAIN.asNeverFailing();
    }

    @Override
    public Cursor open(Context context) {
      ask();
      return new RangeOp(0, 1000, 1, site).open(context);
    }
  }

  @ParameterizedTest
  @FieldSource("NAMES")
  void openingAChainAsksItsSourceAFewTimesForEachOperator(String verb) {
    int operators = 40;
    Count asked = new Count();
    Op source = new AskedOp(asked, 40 * operators, Site.UNKNOWN);
    for (boolean isPure : new boolean[] {false, true}) {
      Dataset<Long> plan =
          chain(Dataset.of(source), verb, verb.equals("prefetch") ? 20 : operators)
              .options(o -> isPure ? o.assumePure().epochs(3) : o);
      asked.times.set(0);
      runAndResume(plan);
      assertThat(plan.cardinality()).isNotZero();
      assertThat(asked.times).hasPositiveValue();
    }
  }
}
