package dev.headrace.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.Dataset;
import dev.headrace.Options;
import dev.headrace.Pipeline;
import dev.headrace.PipelineException;
import dev.headrace.PipelineInterruptedException;
import dev.headrace.spi.Op;
import dev.headrace.testing.NoLeftovers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A consumer that is interrupted goes on exactly where it was, over random compositions of all
 * operators. Their source gives each element once, so nothing can be read again.
 */
@Timeout(120)
@ExtendWith(NoLeftovers.class)
class InterruptedCompositionsTest {
  private static final int COMPOSITIONS = 60;

  /** Held, because loggers that nobody holds forget their level. */
  private static final Logger QUIET = Logger.getLogger("headrace");

  @BeforeAll
  static void doNotLogEveryIgnoredError() {
    QUIET.setLevel(Level.SEVERE);
  }

  @AfterAll
  static void logAgain() {
    QUIET.setLevel(null);
  }

  @AfterEach
  void clear() {
    boolean _ = Thread.interrupted();
  }

  /** Gives the elements of a list, and now and then interrupts the thread that asks for one. */
  private static final class Restless implements Iterator<Object> {
    private final Iterator<Object> elements;
    private final SplittableRandom random;
    private final int oneIn;

    Restless(List<Object> elements, long seed, int oneIn) {
      this.elements = elements.iterator();
      this.random = new SplittableRandom(seed);
      this.oneIn = oneIn;
    }

    private void interruptNowAndThen() {
      if (random.nextInt(oneIn) == 0) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public boolean hasNext() {
      interruptNowAndThen();
      return elements.hasNext();
    }

    @Override
    public Object next() {
      interruptNowAndThen();
      return elements.next();
    }
  }

  private static Dataset<Object> restless(Dataset<Object> source, long seed, int oneIn) {
    List<Object> elements = source.toList();
    return Dataset.generator(() -> new Restless(elements, seed, oneIn));
  }

  /** What a pipeline gives in two epochs, failures as their text. */
  private record Outcome(List<String> elements, int stops) {
    static Outcome of(Dataset<Object> dataset) {
      List<String> got = new ArrayList<>();
      int stops = 0;
      try (Pipeline<Object> pipeline = dataset.open()) {
        for (int epoch = 0; epoch < 2; epoch++) {
          Iterator<Object> elements = null;
          for (boolean more = true; more; ) {
            try {
              elements = elements == null ? pipeline.iterator() : elements;
              more = elements.hasNext();
              if (more) {
                got.add(Recipe.numbersOf(elements.next()).toString());
              }
            } catch (PipelineInterruptedException e) {
              stops++;
              assertThat(Thread.interrupted()).isTrue();
            } catch (PipelineException e) {
              got.add(e.getMessage());
              boolean _ = Thread.interrupted();
              if (e.isTerminal()) {
                return new Outcome(got, stops);
              }
            }
            if (got.size() > 10_000) {
              throw new AssertionError("without end: " + got.subList(0, 100));
            }
          }
          got.add("end");
        }
      } finally {
        boolean _ = Thread.interrupted(); // one that came too late to stop anything
      }
      return new Outcome(got, stops);
    }
  }

  private static Dataset<Object> once(Recipe recipe, int parallelism) {
    return recipe.dataset(parallelism, source -> restless(source, 0, Integer.MAX_VALUE));
  }

  @Test
  void interruptsInTheMiddleOfAnyOperatorCostNothing() {
    int stops = 0;
    for (long seed = 0; seed < COMPOSITIONS; seed++) {
      long its = seed;
      Recipe recipe = Recipe.ordered(seed);
      Outcome expected = Outcome.of(once(recipe, 1));
      for (Options options : List.of(Options.defaults(), Options.defaults().debug())) {
        Dataset<Object> dataset =
            recipe.dataset(1, source -> restless(source, its, 3)).options(options);
        Outcome outcome = Outcome.of(dataset);
        assertThat(outcome.elements).as(recipe + " " + its).isEqualTo(expected.elements);
        stops += outcome.stops;
      }
    }
    assertThat(stops).isGreaterThan(COMPOSITIONS);
  }

  /** A pipeline and what it gives when nothing disturbs it. */
  private record Case(String name, Dataset<Object> dataset, List<String> expected) {}

  @Test
  void interruptsOfConsumersThatWaitCostNothingOnAnyKindOfThread() throws Exception {
    List<Case> cases = new ArrayList<>();
    for (long seed = COMPOSITIONS; seed < COMPOSITIONS + 15; seed++) {
      Recipe recipe = Recipe.ordered(seed);
      Dataset<Object> dataset =
          recipe.dataset(2, source -> once(source).map(InterruptedCompositionsTest::slow, 2));
      cases.add(new Case(recipe.toString(), dataset, Outcome.of(dataset).elements));
    }
    for (boolean isVirtual : List.of(false, true)) {
      FutureTask<Void> consuming =
          new FutureTask<>(
              () -> {
                for (Case one : cases) {
                  assertThat(Outcome.of(one.dataset).elements).as(one.name).isEqualTo(one.expected);
                }
              },
              null);
      interruptWhileIt(
          isVirtual ? Thread.ofVirtual().start(consuming) : Thread.ofPlatform().start(consuming));
      consuming.get();
    }
  }

  private static void interruptWhileIt(Thread lives) throws InterruptedException {
    SplittableRandom random = new SplittableRandom(7);
    while (!lives.join(Duration.ofNanos(random.nextInt(300_000)))) {
      lives.interrupt();
    }
  }

  private static Dataset<Object> once(Dataset<Object> source) {
    List<Object> elements = source.toList();
    return Dataset.generator(elements::iterator);
  }

  private static Object slow(Object x) {
    LockSupport.parkNanos(10_000);
    return x;
  }

  @Test
  void everyOperatorKeepsItsPlace() {
    for (long seed = 0; seed < 400; seed++) {
      check(Recipe.ordered(seed).dataset(2).op());
    }
  }

  private static void check(Op op) {
    assertThat(op.inputs().isEmpty() || op.traits().keepsPlace()).as(op.word()).isTrue();
    op.inputs().forEach(InterruptedCompositionsTest::check);
  }
}
