package dev.headrace.data;

import java.util.random.RandomGenerator;

/**
 * The random numbers that user code gets for one element: fixed by seed, place in the plan and
 * element, and so the same for any parallelism.
 *
 * <p><b>Threading:</b> confined to one thread at a time.
 */
public final class RandomStream implements RandomGenerator {
  private final Philox philox;

  /** The stream of these two keys. */
  public RandomStream(long key1, long key2) {
    this.philox = new Philox(key1, key2);
  }

  /** The stream of element {@code element} at the operator {@code place} of a plan. */
  public static RandomStream of(Seed seed, long place, long element) {
    return new RandomStream(mix(mix(mix(seed.first()) + seed.second()) + place), element);
  }

  @Override
  public int nextInt() {
    return philox.nextInt();
  }

  @Override
  public long nextLong() {
    long low = philox.nextInt() & 0xFFFFFFFFL;
    return low | (long) philox.nextInt() << 32;
  }

  // Stafford's variant 13 of the MurmurHash3 finaliser, as in SplitMix64.
  private static long mix(long value) {
    long z = value + 0x9E3779B97F4A7C15L;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }
}
