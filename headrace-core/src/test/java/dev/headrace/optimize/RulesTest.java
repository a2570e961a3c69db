package dev.headrace.optimize;

import static dev.headrace.Dataset.AUTOTUNE;
import static dev.headrace.Dataset.elementwise;
import static dev.headrace.Dataset.pure;
import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.PipelineException;
import dev.headrace.data.Seed;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.example.Example;
import dev.headrace.example.Feature;
import dev.headrace.spi.Collator;
import dev.headrace.spi.Fn;
import dev.headrace.spi.Op;
import dev.headrace.spi.OpShape;
import dev.headrace.spi.Order;
import dev.headrace.spi.Parallelism;
import dev.headrace.spi.Scanned;
import dev.headrace.text.Json;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Where each rule changes a plan, and where it must not. */
class RulesTest {

  /**
   * The plan that one rule makes of another, last operator first; {@code ?} marks threads that are
   * given only if they help.
   */
  private static String by(Rule rule, Dataset<?> dataset, Goals goals) {
    return text(Optimizer.optimise(dataset.op(), goals, List.of(rule)).plan());
  }

  private static String by(Rule rule, Dataset<?> dataset) {
    return by(rule, dataset, Goals.USUAL);
  }

  private static String text(Op op) {
    OpShape shape = OpShape.of(op.getClass());
    int threads =
        op.parallelism() == Parallelism.SEQUENTIAL ? shape.number(op, "buffer") : op.parallelism();
    String inputs = op.inputs().stream().map(RulesTest::text).collect(Collectors.joining(" and "));
    return op.word()
        + (threads == Parallelism.IF_IT_HELPS ? "?" : threads == AUTOTUNE ? "*" : "")
        + (inputs.isEmpty() ? "" : " ← " + inputs);
  }

  @Nested
  class NoOps {
    private final Rule rule = new RemoveNoOps();

    @Test
    void goWhereTheyDoNothing() {
      assertThat(by(rule, range(9).take(-1).skip(0).shard(1, 0).batch(2)))
          .isEqualTo("batch ← range");
      assertThat(by(rule, range(9).prefetch(0).batch(2))).isEqualTo("batch ← range");
    }

    @Test
    void stayWhereTheyDoSomething() {
      String all = by(rule, range(9).take(3).skip(1).shard(2, 0).repeat(1).batch(2));
      assertThat(all).isEqualTo("batch ← repeat ← shard ← skip ← take ← range");
    }

    @Test
    void aPrefetchAtTheEndThatAsksForNoBufferStays() {
      assertThat(by(rule, range(9).prefetch(0))).isEqualTo("prefetch ← range");
    }

    @Test
    void aPrefetchWithoutBufferStaysWhereItChangesWhenTensorsAreComputed() {
      assertThat(by(rule, range(9).map(x -> x).prefetch(0).batch(2)))
          .isEqualTo("batch ← prefetch ← map ← range");
    }

    @Test
    void twoBuffersBecomeOne() {
      Op one =
          Optimizer.optimise(range(9).prefetch(2).prefetch(3).op(), Goals.USUAL, List.of(rule))
              .plan();
      assertThat(text(one)).isEqualTo("prefetch ← range");
      assertThat(OpShape.of(one.getClass()).number(one, "buffer")).isEqualTo(5);
      assertThat(by(rule, range(9).prefetch(2).prefetch(AUTOTUNE))).isEqualTo("prefetch* ← range");
    }
  }

  @Nested
  class Threads {
    private final Rule rule = new Parallelise();

    @Test
    void areGivenToPureFunctions() {
      assertThat(by(rule, range(9).map(pure(x -> x + 1)))).isEqualTo("map? ← range");
      assertThat(
              by(
                  rule,
                  Dataset.tfRecords(Path.of("a"))
                      .map(Example.parser(Feature.int64("label")))
                      .map(features -> 1)))
          .isEqualTo("map ← map? ← tfRecords");
      assertThat(by(rule, Dataset.fromList(List.of("{}")).filter(Json.notBlank())))
          .isEqualTo("filter? ← fromList");
    }

    @Test
    void areGivenToAllWhereAllAreAssumedToBePure() {
      Dataset<?> all =
          range(9).map(x -> x + 1).filter(x -> x > 3).randomMap((x, r) -> x, Seed.of(1));
      assertThat(by(rule, all)).isEqualTo("randomMap ← filter ← map ← range");
      assertThat(by(rule, all, Goals.USUAL.assumingPure()))
          .isEqualTo("randomMap? ← filter? ← map? ← range");
    }

    @Test
    void areLeftAsTheyWereGiven() {
      assertThat(by(rule, range(9).map(pure(x -> x), 3).map(pure(x -> x), AUTOTUNE)))
          .isEqualTo("map* ← map ← range");
    }

    @Test
    void areNotGivenWhereTheOrderOfCallsMatters() {
      Goals goals = Goals.USUAL.assumingPure();
      assertThat(by(rule, range(9).scan(0L, (s, x) -> new Scanned<>(s + x, s)), goals))
          .isEqualTo("scan ← range");
      assertThat(by(rule, range(9).interleave(Dataset::range, 2, 1), goals))
          .isEqualTo("interleave ← range");
    }

    @Test
    void areNotGivenWhereNothingMayBeReadAhead() {
      assertThat(by(rule, range(9).map(pure(x -> x)).map(x -> x).synchronous()))
          .isEqualTo("map ← map ← range");
      assertThat(by(rule, range(9).map(x -> x).synchronous().map(pure(x -> x))))
          .isEqualTo("map ← map ← range");
    }

    @Test
    void areNotGivenToAFilterOfWhichSoManyAreTaken() {
      assertThat(by(rule, range(9).filter(x -> x > 3).take(2), Goals.USUAL.assumingPure()))
          .isEqualTo("take ← filter ← range");
    }
  }

  @Nested
  class Fusing {
    private final Rule rule = new FuseMaps();

    @Test
    void makesMapsOneThatNobodyGaveThreads() {
      Dataset<?> maps =
          range(9)
              .map(pure(x -> x + 1))
              .map(pure(x -> x * 2))
              .named("twice")
              .map(pure(x -> "<" + x + ">"));
      Optimised optimised =
          Optimizer.optimise(maps.op(), Goals.USUAL, List.of(new Parallelise(), rule));
      assertThat(text(optimised.plan())).isEqualTo("map? ← range");
      assertThat(optimised.plan().title())
          .matches("map \\(RulesTest.java:\\d+\\) \\+ map 'twice' \\(.*\\) \\+ map \\(.*\\)");
      assertThat(maps.toList()).first().isEqualTo("<2>");
    }

    /** One that waits deserves other threads than one that computes. */
    @Test
    void leavesEachItsOwnThreadsThatWasGivenAutotune() {
      assertThat(by(rule, range(9).map(x -> x, AUTOTUNE).map(x -> x, AUTOTUNE)))
          .isEqualTo("map* ← map* ← range");
    }

    @Test
    void leavesOthersAlone() {
      assertThat(by(rule, range(9).map(x -> x).map(x -> x))).isEqualTo("map ← map ← range");
      assertThat(by(rule, range(9).map(x -> x, 2).map(x -> x, 2))).isEqualTo("map ← map ← range");
      assertThat(by(rule, range(9).map(x -> x).map(x -> x, AUTOTUNE)))
          .isEqualTo("map* ← map ← range");
    }

    @Test
    void namesTheMapThatFailed() {
      Dataset<Long> maps =
          range(3)
              .map(pure(x -> refuse(x, 1)))
              .named("first")
              .map(pure(x -> refuse(x, 2)))
              .named("second");
      assertThat(maps.explain()).contains("fuse-maps: map 'second'");
      assertThat(failures(maps))
          .satisfiesExactly(
              first ->
                  assertThat(first)
                      .matches("map 'first' \\(RulesTest.java:\\d+\\) ← range: element 1 .*no 1"),
              second ->
                  assertThat(second)
                      .matches(
                          "map 'second' \\(RulesTest.java:\\d+\\) ← map ← range: element 2 .*no"
                              + " 2"));
    }

    private static List<String> failures(Dataset<?> dataset) {
      List<String> failures = new ArrayList<>();
      try (Pipeline<?> pipeline = dataset.open()) {
        for (Iterator<?> elements = pipeline.iterator(); elements.hasNext(); ) {
          try {
            elements.next();
          } catch (PipelineException e) {
            failures.add(e.getMessage());
          }
        }
      }
      return failures;
    }

    private static long refuse(long x, long refused) {
      if (x == refused) {
        throw new IllegalArgumentException("no " + x);
      }
      return x;
    }
  }

  @Nested
  class Limits {
    private final Rule rule = new LimitEarly();

    @Test
    void shardsPassWhatTreatsElementsAlone() {
      assertThat(
              by(
                  rule,
                  range(9).map(pure(x -> x), AUTOTUNE).map(pure(x -> x)).prefetch(2).shard(3, 1)))
          .isEqualTo("prefetch ← map ← map* ← shard ← range");
      Dataset<Long> any =
          range(9).map(x -> x, AUTOTUNE).randomMap((x, r) -> x, Seed.of(1)).prefetch(2).shard(3, 1);
      assertThat(by(rule, any, Goals.USUAL.assumingPure()))
          .isEqualTo("prefetch ← randomMap ← map* ← shard ← range");
      assertThat(by(rule, any)).isEqualTo("prefetch ← shard ← randomMap ← map* ← range");
    }

    @Test
    void pureFunctionsAreNotCalledForOtherShards() {
      AtomicInteger calls = new AtomicInteger();
      Fn<Long, Long> counting =
          x -> {
            calls.incrementAndGet();
            return x;
          };
      Dataset<Long> shard = range(100).map(pure(counting::apply), 4).shard(10, 3);
      assertThat(shard.toList()).hasSize(10).startsWith(3L, 13L);
      assertThat(calls).hasValue(10);
      assertThat(range(100).map(counting).shard(10, 3).options(o -> o.assumePure()).toList())
          .hasSize(10);
      assertThat(calls).hasValue(20);
    }

    @Test
    void othersAreCalledAsOftenAsWithoutTheRule() {
      List<Function<Fn<Long, Long>, Dataset<?>>> plans =
          List.of(
              f -> range(20).map(f).shard(2, 1),
              f -> range(20).map(f, 3).shard(2, 1),
              f -> range(20).map(f).prefetch(2).shard(2, 1),
              f -> range(20).map(f).enumerate().shard(2, 1),
              f -> range(20).map(f).skip(4).shard(3, 1).shard(2, 1),
              f -> range(20).randomMap((x, r) -> f.apply(x), Seed.of(1)).shard(2, 1),
              f -> range(20).randomMap((x, r) -> f.apply(x), Seed.of(1), 3).shard(2, 1),
              f -> range(20).map(f).zip(range(20)).shard(2, 1),
              f -> range(20).zip(range(20), (x, y) -> f.apply(x)).shard(2, 1),
              f -> range(20).map(f).globalShuffle(Seed.of(1)).shard(2, 1),
              f -> range(20).map(f).batch(2, Collator.toList()).shard(2, 1),
              f -> range(20).map(f).filter(x -> true).shard(2, 1),
              f -> range(4).flatMap(x -> range(5).map(f)).shard(2, 1),
              f -> range(20).map(f).map(pure(x -> x)).shard(2, 1),
              f -> range(20).map(f).skip(7),
              f -> range(20).map(f).filter(x -> x > 3).skip(7));
      for (int i = 0; i < plans.size(); i++) {
        for (boolean asWritten : new boolean[] {true, false}) {
          AtomicInteger calls = new AtomicInteger();
          Fn<Long, Long> counting =
              x -> {
                calls.incrementAndGet();
                return x;
              };
          Dataset<?> plan = plans.get(i).apply(counting);
          plan.options(o -> asWritten ? o.asWritten() : o).toList();
          assertThat(calls).as("plan %d as written: %s", i, asWritten).hasValue(20);
        }
      }
    }

    @Test
    void whatAFunctionCountsIsWhatItWouldBeWithoutShards() {
      AtomicLong counter = new AtomicLong();
      assertThat(range(10).map(x -> counter.getAndIncrement()).shard(2, 1).toList())
          .containsExactly(1L, 3L, 5L, 7L, 9L);
    }

    @Test
    void shardsStayBehindWhatDependsOnOtherElements() {
      assertThat(by(rule, range(9).enumerate().shard(3, 1))).isEqualTo("shard ← enumerate ← range");
      assertThat(by(rule, range(9).filter(x -> x > 1).shard(3, 1)))
          .isEqualTo("shard ← filter ← range");
      assertThat(by(rule, range(9).map(x -> x, 2, Order.UNORDERED).shard(3, 1)))
          .isEqualTo("shard ← map ← range");
    }

    @Test
    void takesAndSkipsPassOnlyWhatNeverFails() {
      assertThat(by(rule, range(9).prefetch(2).take(3).skip(1)))
          .isEqualTo("prefetch ← skip ← take ← range");
      assertThat(by(rule, range(9).map(x -> x).take(3).skip(1)))
          .isEqualTo("skip ← take ← map ← range");
    }
  }

  @Nested
  class Filters {
    private final Rule rule = new FilterFirst();

    @Test
    void areAskedFirstWhereThatIsDeclared() {
      assertThat(by(rule, range(9).map(x -> x).map(x -> x).filter(x -> true).beforeMaps(2)))
          .isEqualTo("map ← map ← filter ← range");
      assertThat(by(rule, range(9).map(x -> x, 2).prefetch(1).filter(x -> true, 2).beforeMaps(1)))
          .isEqualTo("prefetch ← map ← filter ← range");
    }

    @Test
    void whatTheyDropIsNotMapped() {
      AtomicInteger calls = new AtomicInteger();
      Dataset<Long> some =
          range(20)
              .map(
                  x -> {
                    calls.incrementAndGet();
                    return x + 10;
                  })
              .filter(x -> x % 10 == 0)
              .beforeMaps(1);
      assertThat(some.toList()).containsExactly(10L, 20L);
      assertThat(calls).hasValue(2);
      assertThat(some.options(o -> o.asWritten()).toList()).containsExactly(10L, 20L);
      assertThat(calls).hasValue(22);
    }

    @Test
    void stayWhereTheyWereWritten() {
      assertThat(by(rule, range(9).map(x -> x).filter(x -> true)))
          .isEqualTo("filter ← map ← range");
      assertThat(by(rule, range(9).map(x -> x).filter(x -> true).beforeMaps(2)))
          .isEqualTo("filter ← map ← range");
      assertThat(by(rule, range(9).map(x -> x).synchronous().filter(x -> true).beforeMaps(1)))
          .isEqualTo("filter ← map ← range");
      assertThat(by(rule, range(9).map(x -> x, 2, Order.UNORDERED).filter(x -> true).beforeMaps(1)))
          .isEqualTo("filter ← map ← range");
    }

    @Test
    void doNotComeBetweenMapsThatBuildOnEachOther() {
      assertThat(by(rule, range(9).map(x -> x).map(x -> x).filter(x -> true).beforeMaps(1)))
          .isEqualTo("filter ← map ← map ← range");
    }

    @Test
    void onlyFiltersAreDeclared() {
      assertThatThrownBy(() -> range(9).map(x -> x).beforeMaps(1))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("beforeMaps: expected to follow filter, but follows map");
      assertThatThrownBy(() -> range(9).filter(x -> true).beforeMaps(0))
          .hasMessage("beforeMaps: expected at least 1 map, but got 0");
    }
  }

  @Nested
  class Vectors {
    private final Rule rule = new Vectorise();

    private static Dataset<Tensor> slices() {
      return Dataset.fromTensorSlices(Tensor.full(Shape.of(6, 2), 3L));
    }

    @Test
    void areWhatElementwiseFunctionsAreCalledFor() {
      AtomicInteger calls = new AtomicInteger();
      Dataset<Tensor> batches =
          slices()
              .map(
                  elementwise(
                      x -> {
                        calls.incrementAndGet();
                        return x.scale(2);
                      }))
              .batch(4);
      assertThat(by(rule, batches)).isEqualTo("map ← batch ← fromTensorSlices");
      List<Tensor> once = batches.toList();
      assertThat(calls).hasValue(2);
      List<Tensor> each = batches.options(o -> o.asWritten()).toList();
      assertThat(calls).hasValue(8);
      assertThat(once).hasSize(2);
      for (int i = 0; i < 2; i++) {
        assertThat(once.get(i).toDoubleArray()).isEqualTo(each.get(i).toDoubleArray());
        assertThat(once.get(i).shape()).isEqualTo(each.get(i).shape());
      }
    }

    @Test
    void areNotMadeOfOthers() {
      assertThat(by(rule, slices().map(x -> x.scale(2)).batch(4)))
          .isEqualTo("batch ← map ← fromTensorSlices");
      assertThat(by(rule, slices().map(elementwise(x -> x)).batch(4, Collator.toList())))
          .isEqualTo("batch ← map ← fromTensorSlices");
      assertThat(by(rule, slices().map(elementwise(x -> x)).shuffle(2).batch(4)))
          .isEqualTo("batch ← shuffle ← map ← fromTensorSlices");
    }

    @Test
    void areNotMadeWhereItIsAllComputedInPlace() {
      assertThat(by(rule, slices().map(x -> x.scale(2)).map(elementwise(x -> x.scale(2))).batch(4)))
          .isEqualTo("batch ← map ← map ← fromTensorSlices");
    }
  }

  @Nested
  class ReadingAhead {

    private static String atTheEnd(Dataset<?> dataset) {
      return by(new PrefetchLast(), dataset);
    }

    private static String before(Dataset<?> dataset) {
      return by(new PrefetchBeforeWaiting(), dataset);
    }

    @Test
    void isAddedAtTheEndIfThereIsSomethingToDo() {
      assertThat(atTheEnd(range(9).map(x -> x))).isEqualTo("prefetch? ← map ← range");
      assertThat(atTheEnd(range(9).map(x -> x).repeat().take(9)))
          .isEqualTo("prefetch? ← take ← repeat ← map ← range");
      assertThat(atTheEnd(range(9).map(x -> x).concatenate(range(3))))
          .isEqualTo("prefetch? ← concatenate ← map ← range and range");
    }

    @Test
    void isNotAddedWhereItIsDoneAlready() {
      assertThat(atTheEnd(range(9).map(x -> x).prefetch(1))).isEqualTo("prefetch ← map ← range");
      assertThat(atTheEnd(range(9).map(x -> x, AUTOTUNE).take(2))).isEqualTo("take ← map* ← range");
    }

    @Test
    void isNotAddedWhereThereIsNothingToDo() {
      assertThat(atTheEnd(range(9).take(3))).isEqualTo("take ← range");
      assertThat(atTheEnd(Dataset.fromList(List.of(1, 2)).repeat())).isEqualTo("repeat ← fromList");
    }

    @Test
    void isNotAddedToWhatMustNotBeReadAhead() {
      Dataset<Long> synchronous = range(9).map(x -> x).synchronous();
      assertThat(atTheEnd(synchronous.batch(2))).isEqualTo("batch ← map ← range");
      assertThat(before(synchronous.batch(2).map(x -> x))).isEqualTo("map ← batch ← map ← range");
    }

    @Test
    void isAddedBeforeTheLastFunctionOfAThread() {
      assertThat(before(range(9).map(x -> x).batch(2).map(x -> x)))
          .isEqualTo("map ← prefetch? ← batch ← map ← range");
      assertThat(before(range(9).map(x -> x).map(x -> x).prefetch(1).batch(2).map(x -> x)))
          .isEqualTo("map ← prefetch? ← batch ← prefetch ← map ← prefetch? ← map ← range");
    }

    @Test
    void isNotAddedBeforeAFunctionThatNothingFeeds() {
      assertThat(before(range(9).map(x -> x))).isEqualTo("map ← range");
      assertThat(before(range(9).map(x -> x, AUTOTUNE).map(x -> x)))
          .isEqualTo("map ← map* ← range");
      assertThat(before(range(9).map(x -> x).map(x -> x, AUTOTUNE)))
          .isEqualTo("map* ← map ← range");
    }

    @Test
    void isNotAddedBeforeAFilterOfWhichSoManyAreTaken() {
      assertThat(before(range(9).batch(2).filter(x -> true).take(1)))
          .isEqualTo("take ← filter ← batch ← range");
      assertThat(before(range(9).batch(2).filter(x -> true)))
          .isEqualTo("filter ← prefetch? ← batch ← range");
    }
  }
}
