package dev.headrace.data;

/**
 * TensorFlow's random stream: the counter-based generator Philox4x32-10, with TensorFlow's use of
 * the seeds, so that a shuffle seeded alike gives the same order here and there.
 *
 * <p>The key is the two halves of the first seed; the 128-bit counter starts at (0, 0, low half,
 * high half of the second seed) and counts up; each block gives four numbers, used in order.
 *
 * <p><b>Threading:</b> confined to one thread at a time.
 */
public final class Philox {
  /* Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC 2011. */
  private static final long MULTIPLIER_A = 0xD2511F53L;
  private static final long MULTIPLIER_B = 0xCD9E8D57L;
  private static final int WEYL_A = 0x9E3779B9;
  private static final int WEYL_B = 0xBB67AE85;
  private static final int ROUNDS = 10;

  private final long seed;
  private final long seed2;
  private long position;
  private int draw0;
  private int draw1;
  private int draw2;
  private int draw3;

  /** The stream of these two seeds, at its start. */
  public Philox(long seed, long seed2) {
    this.seed = seed;
    this.seed2 = seed2;
  }

  /** The stream of {@code seed}, at its start. */
  public Philox(Seed seed) {
    this(seed.first(), seed.second());
  }

  /** The next 32 random bits. */
  public int nextInt() {
    int lane = (int) position & 3;
    if (lane == 0) {
      computeBlock(position >>> 2);
    }
    position++;
    return switch (lane) {
      case 0 -> draw0;
      case 1 -> draw1;
      case 2 -> draw2;
      default -> draw3;
    };
  }

  /** Passes over {@code draws} numbers, in constant time. */
  public void skip(long draws) {
    if (draws < 0 || position + draws < 0) {
      throw new IllegalArgumentException(
          "Philox.skip: expected 0 to 2^63-1 draws in all, but got " + draws + " at " + position);
    }
    position += draws;
    if ((position & 3) != 0) {
      computeBlock(position >>> 2);
    }
  }

  /** How many numbers were drawn or skipped. */
  public long position() {
    return position;
  }

  // The upper counter half never carries: 2^63 draws use 2^61 blocks of the lower half.
  private void computeBlock(long block) {
    int c0 = (int) block;
    int c1 = (int) (block >>> 32);
    int c2 = (int) seed2;
    int c3 = (int) (seed2 >>> 32);
    int key0 = (int) seed;
    int key1 = (int) (seed >>> 32);
    for (int round = 0; round < ROUNDS; round++) {
      long product0 = MULTIPLIER_A * (c0 & 0xFFFFFFFFL);
      long product1 = MULTIPLIER_B * (c2 & 0xFFFFFFFFL);
      c0 = (int) (product1 >>> 32) ^ c1 ^ key0;
      c1 = (int) product1;
      c2 = (int) (product0 >>> 32) ^ c3 ^ key1;
      c3 = (int) product0;
      key0 += WEYL_A;
      key1 += WEYL_B;
    }
    draw0 = c0;
    draw1 = c1;
    draw2 = c2;
    draw3 = c3;
  }
}
