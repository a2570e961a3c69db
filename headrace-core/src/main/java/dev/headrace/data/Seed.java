package dev.headrace.data;

import java.security.SecureRandom;

/**
 * The two numbers that fix every random choice of an operator, as tf.data has them.
 *
 * @param first tf.data's graph seed
 * @param second tf.data's operator seed
 */
public record Seed(long first, long second) {
  /** What TensorFlow uses as graph seed when only an operator's seed is given. */
  private static final long DEFAULT_GRAPH_SEED = 87_654_321;

  private static final long LARGEST = Integer.MAX_VALUE;

  /** The seed that {@code shuffle(…, seed=s)} means in Python when no global seed is set. */
  public static Seed of(long seed) {
    return of(DEFAULT_GRAPH_SEED, seed);
  }

  /**
   * The seed that {@code seed=second} means in Python after {@code tf.random.set_seed(first)}:
   * TensorFlow takes both modulo 2³¹ − 1, and two zeros for something else.
   */
  public static Seed of(long first, long second) {
    long graph = Math.floorMod(first, LARGEST);
    long own = Math.floorMod(second, LARGEST);
    return graph == 0 && own == 0 ? new Seed(0, LARGEST) : new Seed(graph, own);
  }

  /** A seed that differs from call to call. */
  public static Seed random() {
    SecureRandom random = new SecureRandom();
    return new Seed(random.nextLong(), random.nextLong());
  }
}
