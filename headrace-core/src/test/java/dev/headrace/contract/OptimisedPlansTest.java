package dev.headrace.contract;

import static dev.headrace.Dataset.AUTOTUNE;
import static dev.headrace.Dataset.pure;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.PipelineException;
import dev.headrace.Tuning;
import dev.headrace.data.DType;
import dev.headrace.data.Expression;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.optimize.Goals;
import dev.headrace.optimize.Optimizer;
import dev.headrace.spi.Op;
import dev.headrace.testing.NoLeftovers;
import dev.headrace.testing.PipelineContract;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A plan gives the same, rewritten or not: elements, order, errors with their paths and elements,
 * and positions, whichever of them a checkpoint was taken from and whichever is resumed.
 */
@ExtendWith(NoLeftovers.class)
class OptimisedPlansTest {
  private static final int BLOCK = 25;
  private static final int POSITIONS = 5;

  /** Held, because loggers that nobody holds forget their level. */
  private static final Logger QUIET = Logger.getLogger("headrace");

  @BeforeAll
  static void doNotLogEveryRefilledCache() {
    QUIET.setLevel(Level.SEVERE);
  }

  @AfterAll
  static void logAgain() {
    QUIET.setLevel(null);
  }

  @ParameterizedTest(name = "from seed {0}")
  @ValueSource(ints = {0, 100, 200, 300})
  void plansThatRulesAreAboutGiveTheSame(int first) {
    for (long seed = first; seed < first + BLOCK; seed++) {
      RewritableRecipe recipe = new RewritableRecipe(seed);
      check(recipe.dataset(), recipe.toString(), seed % 2 == 0);
    }
  }

  @ParameterizedTest(name = "from seed {0}")
  @ValueSource(ints = {40_000, 41_000})
  void allKindsOfPlansGiveTheSame(int first) {
    for (long seed = first; seed < first + BLOCK; seed++) {
      Recipe recipe = Recipe.ordered(seed);
      check(recipe.dataset(seed % 4 < 2 ? AUTOTUNE : 2), recipe.toString(), seed % 2 == 0);
    }
  }

  /**
   * Checks one plan.
   *
   * @param fromWritten whether checkpoints are taken from the plan as it was written, and resumed
   *     by all; otherwise from the rewritten one
   */
  private static <T> void check(Dataset<T> dataset, String name, boolean fromWritten) {
    Dataset<T> asWritten = dataset.options(o -> o.asWritten());
    Dataset<T> rewritten = engaged(dataset, Goals.USUAL);
    Dataset<T> pure = engaged(dataset.options(o -> o.assumePure()), Goals.USUAL.assumingPure());
    List<String> expected = events(asWritten);
    for (Dataset<T> way : List.of(rewritten, pure)) {
      assertThat(events(way)).as("%s%n%s", name, way.explain()).isEqualTo(expected);
    }
    // What the contract takes for other parallelisms are other ways to run the same; it takes its
    // checkpoints with two.
    Dataset<T> noted = fromWritten ? asWritten : rewritten;
    Dataset<T> other = fromWritten ? rewritten : asWritten;
    PipelineContract.of(n -> n == 2 ? noted : n == 1 ? other : pure)
        .named(name)
        .sampled(POSITIONS)
        .check();
  }

  /** With the threads that operators would get if that helped, from the start. */
  private static <T> Dataset<T> engaged(Dataset<T> dataset, Goals goals) {
    StringBuilder text = new StringBuilder("headrace tuning 1\nplan " + dataset.fingerprint());
    describe(Optimizer.optimise(dataset.op(), goals).plan(), "0", text);
    Tuning tuning = Tuning.parse(text.toString());
    return dataset.options(o -> o.frozen(tuning));
  }

  private static void describe(Op op, String place, StringBuilder into) {
    into.append("\n%s %s threads=yes workers=2 kind=platform buffer=0".formatted(place, op.word()));
    for (int i = 0; i < op.inputs().size(); i++) {
      describe(op.inputs().get(i), place + "." + i, into);
    }
  }

  /** Everything that two epochs deliver. */
  private static List<String> events(Dataset<?> dataset) {
    List<String> events = new ArrayList<>();
    try (Pipeline<?> pipeline = dataset.open()) {
      for (int epoch = 0; epoch < 2; epoch++) {
        for (Iterator<?> elements = pipeline.iterator(); elements.hasNext(); ) {
          try {
            events.add(Recipe.numbersOf(elements.next()).toString());
          } catch (PipelineException e) {
            events.add(e.getMessage());
          }
        }
        events.add("end");
      }
    }
    return events;
  }

  /** Without this, they could agree because nobody was given threads. */
  @Test
  void threadsThatWouldBeGivenAreGiven() {
    Set<String> callers = ConcurrentHashMap.newKeySet();
    Dataset<Long> dataset =
        Dataset.range(100)
            .map(
                pure(
                    x -> {
                      callers.add(Thread.currentThread().getName());
                      return x;
                    }));
    dataset.toList();
    assertThat(callers).containsOnly(Thread.currentThread().getName());
    engaged(dataset, Goals.USUAL).toList();
    assertThat(callers).hasSizeGreaterThan(1);
  }

  @Test
  void tensorsThatAPureFunctionLeftDeferredAreComputedByThem() {
    Set<String> callers = ConcurrentHashMap.newKeySet();
    Dataset<Tensor> batches =
        Dataset.range(100).map(pure(x -> Tensor.deferred(new Noting(callers)))).batch(4);
    batches.forEach(batch -> {});
    assertThat(callers).containsOnly(Thread.currentThread().getName());
    callers.clear();
    Goals goals = Goals.USUAL.without(Set.of("prefetch-last"));
    engaged(batches.options(o -> o.withoutRules("prefetch-last")), goals).forEach(batch -> {});
    assertThat(callers).anyMatch(name -> name.contains(" batch@"));
  }

  /** Notes who computes it. */
  private record Noting(Set<String> callers) implements Expression {
    @Override
    public DType dtype() {
      return DType.INT64;
    }

    @Override
    public Shape shape() {
      return Shape.of(1);
    }

    @Override
    public List<Tensor> sources() {
      return List.of();
    }

    @Override
    public void evaluateInto(MemorySegment destination) {
      callers.add(Thread.currentThread().getName());
      destination.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, 1);
    }

    @Override
    public String describe() {
      return "noting";
    }
  }

  /** Nor because nothing was rewritten. */
  @Test
  void everyRuleIsSeen() {
    Map<String, Integer> seen = new TreeMap<>();
    for (int first : new int[] {0, 100, 200, 300}) {
      for (long seed = first; seed < first + BLOCK; seed++) {
        Op plan = new RewritableRecipe(seed).dataset().op();
        for (Goals goals : List.of(Goals.USUAL, Goals.USUAL.assumingPure())) {
          Optimizer.optimise(plan, goals)
              .rewrites()
              .forEach(rewrite -> seen.merge(rewrite.rule(), 1, Integer::sum));
        }
      }
    }
    assertThat(seen.keySet()).containsAll(Optimizer.rules().keySet());
    assertThat(seen.values()).allSatisfy(times -> assertThat(times).isGreaterThan(5));
  }
}
