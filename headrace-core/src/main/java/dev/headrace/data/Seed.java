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

  /** The seed that {@code shuffle(…, seed=s)} means in Python when no global seed is set. */
  public static Seed of(long seed) {
    return new Seed(DEFAULT_GRAPH_SEED, seed);
  }

  /** The seed of a global seed and an operator's own. */
  public static Seed of(long first, long second) {
    return new Seed(first, second);
  }

  /** A seed that differs from call to call. */
  public static Seed random() {
    SecureRandom random = new SecureRandom();
    return new Seed(random.nextLong(), random.nextLong());
  }
}
