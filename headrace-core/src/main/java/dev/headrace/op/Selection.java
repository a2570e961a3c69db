package dev.headrace.op;

import dev.headrace.data.Philox;
import dev.headrace.data.Seed;

/**
 * Draws which of several inputs is next, as {@code tf.data.Dataset.sample_from_datasets} does: two
 * numbers of the seed's stream for each choice, which seed a draw of TensorFlow's {@code
 * stateless_multinomial} over the logarithms of the weights.
 *
 * <p><b>Threading:</b> confined to one thread at a time.
 */
final class Selection {
  /* TensorFlow scrambles the seeds of its stateless operators under this key. */
  private static final long SCRAMBLING_KEY = 0x02461e29_3ec8f720L;
  private static final double UNIT = 0x1.0p-52;

  private final Philox seeds;
  private double[] cumulated = {};

  Selection(Seed seed) {
    this.seeds = new Philox(seed);
  }

  /** Changes the weights for later draws. */
  void weights(double[] weights) {
    // TensorFlow goes by way of 32-bit logarithms; its rounding decides some of the choices.
    float[] logits = new float[weights.length];
    float most = Float.NEGATIVE_INFINITY;
    for (int i = 0; i < weights.length; i++) {
      logits[i] = (float) Math.log((float) weights[i]);
      most = Math.max(most, logits[i]);
    }
    double total = 0;
    double[] sums = new double[weights.length];
    for (int i = 0; i < weights.length; i++) {
      total += Math.exp((double) logits[i] - most); // 0 for a weight of 0
      sums[i] = total;
    }
    cumulated = sums;
  }

  /** The next choice. */
  int next() {
    long seed = seeds.nextInt() & 0xFFFFFFFFL;
    long seed2 = seeds.nextInt() & 0xFFFFFFFFL;
    Philox scrambled = new Philox(SCRAMBLING_KEY, seed2);
    scrambled.skip(4 * seed);
    long key = joined(scrambled.nextInt(), scrambled.nextInt());
    long counter = joined(scrambled.nextInt(), scrambled.nextInt());
    Philox draws = new Philox(key, counter);
    long high = draws.nextInt() & 0xFFFFFL;
    long low = draws.nextInt() & 0xFFFFFFFFL;
    double found = (high << 32 | low) * UNIT * cumulated[cumulated.length - 1];
    int choice = 0;
    while (choice < cumulated.length - 1 && cumulated[choice] <= found) {
      choice++;
    }
    return choice;
  }

  /** Passes over choices. */
  void skip(long choices) {
    seeds.skip(2 * choices);
  }

  private static long joined(int low, int high) {
    return (low & 0xFFFFFFFFL) | (long) high << 32;
  }
}
