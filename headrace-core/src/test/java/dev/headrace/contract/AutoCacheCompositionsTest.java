package dev.headrace.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.Checkpoint;
import dev.headrace.Dataset;
import dev.headrace.Options;
import dev.headrace.Pipeline;
import dev.headrace.PipelineException;
import dev.headrace.op.AutoCacheOp;
import dev.headrace.op.PrefetchOp;
import dev.headrace.profile.OpStats;
import dev.headrace.spi.Op;
import dev.headrace.spi.OpShape;
import dev.headrace.spi.Site;
import dev.headrace.testing.ElementText;
import dev.headrace.testing.NoLeftovers;
import dev.headrace.testing.PipelineContract;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random pipelines in which every place may keep its elements, against the same ones without: the
 * same elements and errors in every epoch, and positions of the one are positions of the other.
 */
@ExtendWith(NoLeftovers.class)
class AutoCacheCompositionsTest {
  private static final int EPOCHS = 4;
  private static final int BLOCK = 50;

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

  /** The plan with something after each operator. */
  private static Dataset<Object> withEach(Dataset<Object> dataset, UnaryOperator<Op> add) {
    return Dataset.<Object>of(withEach(dataset.op(), add)).options(Options.defaults().asWritten());
  }

  private static Op withEach(Op op, UnaryOperator<Op> add) {
    List<Op> inputs = op.inputs().stream().map(input -> withEach(input, add)).toList();
    return add.apply(inputs.isEmpty() ? op : OpShape.of(op.getClass()).withInputs(op, inputs));
  }

  private static Dataset<Object> kept(Recipe recipe, int parallelism) {
    return withEach(
        recipe.dataset(parallelism),
        op -> new AutoCacheOp(op, Op.INFINITE, false, true, Site.UNKNOWN));
  }

  /**
   * With something that does nothing, but for which tensors wait to be computed as they do there.
   */
  private static Dataset<Object> plain(Recipe recipe, int parallelism) {
    return withEach(recipe.dataset(parallelism), op -> new PrefetchOp(op, 0, Site.UNKNOWN));
  }

  @ParameterizedTest(name = "from seed {0}")
  @ValueSource(ints = {0, 50, 100})
  void elementsErrorsAndPositionsAreThoseWithout(int first) {
    for (long seed = first; seed < first + BLOCK; seed++) {
      Recipe recipe = Recipe.ordered(seed);
      List<String> positions = new ArrayList<>();
      List<String> positionsWithout = new ArrayList<>();
      List<String> events = run(kept(recipe, 2), positions);
      assertThat(events).as("%s", recipe).isEqualTo(run(plain(recipe, 2), positionsWithout));
      SplittableRandom random = new SplittableRandom(seed);
      for (int i = 0; i < 6 && !positions.isEmpty(); i++) {
        int at = random.nextInt(positions.size());
        assertThat(resumed(plain(recipe, 3), positions.get(at)))
            .as("%s, kept until event %d, then not", recipe, at)
            .isEqualTo(events.subList(at + 1, events.size()));
        assertThat(resumed(kept(recipe, 1), positionsWithout.get(at)))
            .as("%s, not kept until event %d, then kept", recipe, at)
            .isEqualTo(events.subList(at + 1, events.size()));
      }
    }
  }

  @ParameterizedTest(name = "from seed {0}")
  @ValueSource(ints = {300})
  void theContractIsKept(int first) {
    for (long seed = first; seed < first + BLOCK; seed++) {
      Recipe recipe = Recipe.ordered(seed);
      PipelineContract.of(n -> kept(recipe, n))
          .named("kept " + recipe)
          .epochs(3)
          .sampled(40)
          .check();
    }
  }

  @ParameterizedTest(name = "from seed {0}")
  @ValueSource(ints = {1000})
  void whereOrderIsNotKeptTheContractIs(int first) {
    for (long seed = first; seed < first + BLOCK; seed++) {
      Recipe recipe = Recipe.unordered(seed);
      PipelineContract.of(n -> kept(recipe, n))
          .named("kept " + recipe)
          .unordered()
          .comparing(Recipe::numbersOf)
          .sampled(20)
          .check();
    }
  }

  @Test
  void manyOfThemReallyAreKept() {
    int keeping = 0;
    for (long seed = 0; seed < 100; seed++) {
      try (Pipeline<Object> pipeline = kept(Recipe.ordered(seed), 2).open()) {
        for (int epoch = 0; epoch < EPOCHS; epoch++) {
          events(pipeline.iterator());
        }
        keeping += isAnyGivenFromMemory(pipeline.stats().operators()) ? 1 : 0;
      }
    }
    assertThat(keeping).isGreaterThan(30);
  }

  /**
   * Whether an operator gave more elements than it got, which only those kept in memory explain.
   */
  private static boolean isAnyGivenFromMemory(List<OpStats> operators) {
    for (int i = 0; i + 1 < operators.size(); i++) {
      if (operators.get(i).word().equals("cacheIfItHelps")
          && operators.get(i).elements() > operators.get(i + 1).elements()) {
        return true;
      }
    }
    return false;
  }

  /** Everything that a consumer meets in some epochs, and the position after each event. */
  private static List<String> run(Dataset<Object> dataset, List<String> positions) {
    List<String> events = new ArrayList<>();
    try (Pipeline<Object> pipeline = dataset.open()) {
      for (int epoch = 0; epoch < EPOCHS; epoch++) {
        Iterator<Object> iterator = pipeline.iterator();
        while (iterator.hasNext()) {
          events.add(event(iterator));
          positions.add(pipeline.checkpoint().toString());
        }
        events.add("end");
        positions.add(pipeline.checkpoint().toString());
      }
    }
    return events;
  }

  private static List<String> resumed(Dataset<Object> dataset, String position) {
    List<String> events = new ArrayList<>();
    try (Pipeline<Object> pipeline = dataset.open(Checkpoint.parse(position))) {
      for (Iterator<Object> epoch = pipeline.iterator();
          pipeline.epoch() < EPOCHS;
          epoch = pipeline.iterator()) {
        events.addAll(events(epoch));
      }
    }
    return events;
  }

  private static List<String> events(Iterator<Object> epoch) {
    List<String> events = new ArrayList<>();
    while (epoch.hasNext()) {
      events.add(event(epoch));
    }
    events.add("end");
    return events;
  }

  private static String event(Iterator<Object> epoch) {
    try {
      return ElementText.of(epoch.next());
    } catch (PipelineException e) {
      return "error at " + e.element() + ": " + e.getCause();
    }
  }
}
