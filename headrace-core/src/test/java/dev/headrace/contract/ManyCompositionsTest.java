package dev.headrace.contract;

import dev.headrace.testing.NoLeftovers;
import dev.headrace.testing.PipelineContract;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The contract on 4,000 more random compositions, at a few positions each; {@link
 * RandomCompositionsTest} looks at every position of 1,000.
 */
@Tag("long")
@ExtendWith(NoLeftovers.class)
class ManyCompositionsTest {
  private static final int BLOCK = 200;
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

  static IntStream ordered() {
    return IntStream.range(0, 18).map(block -> 20_000 + block * BLOCK);
  }

  static IntStream unordered() {
    return IntStream.range(0, 2).map(block -> 30_000 + block * BLOCK);
  }

  @ParameterizedTest(name = "ordered, from seed {0}")
  @MethodSource("ordered")
  void orderedPipelinesKeepTheContract(int first) {
    for (long seed = first; seed < first + BLOCK; seed++) {
      Recipe recipe = Recipe.ordered(seed);
      PipelineContract.of(recipe::dataset).named(recipe.toString()).sampled(POSITIONS).check();
    }
  }

  @ParameterizedTest(name = "unordered, from seed {0}")
  @MethodSource("unordered")
  void unorderedPipelinesKeepTheContract(int first) {
    for (long seed = first; seed < first + BLOCK; seed++) {
      Recipe recipe = Recipe.unordered(seed);
      PipelineContract.of(recipe::dataset)
          .named(recipe.toString())
          .sampled(POSITIONS)
          .unordered()
          .comparing(Recipe::numbersOf)
          .check();
    }
  }
}
