package dev.headrace.contract;

import dev.headrace.testing.NoLeftovers;
import dev.headrace.testing.PipelineContract;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The contract on 1,000 random compositions of all operators, in blocks of 50. */
@ExtendWith(NoLeftovers.class)
class RandomCompositionsTest {
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

  @ParameterizedTest(name = "ordered, from seed {0}")
  @ValueSource(ints = {0, 50, 100, 150, 200, 250, 300, 350, 400, 450, 500, 550, 600, 650, 700, 750})
  void orderedPipelinesKeepTheContract(int first) {
    for (long seed = first; seed < first + BLOCK; seed++) {
      Recipe recipe = Recipe.ordered(seed);
      PipelineContract.of(recipe::dataset).named(recipe.toString()).check();
    }
  }

  @ParameterizedTest(name = "unordered, from seed {0}")
  @ValueSource(ints = {1000, 1050, 1100, 1150})
  void unorderedPipelinesKeepTheContract(int first) {
    for (long seed = first; seed < first + BLOCK; seed++) {
      Recipe recipe = Recipe.unordered(seed);
      PipelineContract.of(recipe::dataset)
          .named(recipe.toString())
          .unordered()
          .comparing(Recipe::numbersOf)
          .check();
    }
  }
}
