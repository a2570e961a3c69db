package dev.headrace.data;

/**
 * A random permutation of the numbers from 0 to {@code size - 1} that is computed, not stored: any
 * number is mapped on its own, in constant memory. The same as TensorFlow's {@code
 * RandomIndexShuffle} with eight rounds.
 *
 * <p><b>Threading:</b> immutable.
 */
public final class IndexShuffle {
  /*
   * A block cipher permutes the numbers of its block size; numbers that fall outside the range are
   * encrypted again until they fall inside ("cycle walking": Black, Rogaway: "Ciphers with
   * arbitrary finite domains", 2002). The cipher is Simon (Beaulieu et al., eprint 2013/404) with
   * few rounds and words of any width, which shuffles well and hides nothing.
   *
   * TensorFlow takes a block of ceil(log2(largest)) bits, one too few where the largest number is a
   * power of four (65,536 and up): there it gives one number twice and leaves one out. Here the
   * block is large enough, so the order differs from TensorFlow's for such sizes.
   */
  private static final int ROUNDS = 8;
  private static final int SMALLEST_BLOCK = 16;
  private static final long SCHEDULE_CONSTANT = 0xFFFFFFFCL;
  private static final long SCHEDULE_SEQUENCE = 0x7369F885192C0EF5L;

  private final long size;
  private final int word;
  private final long mask;
  private final long[] keys = new long[ROUNDS];

  /** The permutation of {@code size} numbers for three 32-bit keys. */
  public IndexShuffle(long size, int key0, int key1, int key2) {
    if (size < 0) {
      throw new IllegalArgumentException(
          "IndexShuffle: expected a size of at least 0, but got " + size);
    }
    this.size = size;
    int bits = Long.SIZE - Long.numberOfLeadingZeros(Math.max(1, size - 1));
    this.word = Math.max(bits + (bits & 1), SMALLEST_BLOCK) / 2;
    this.mask = (1L << word) - 1;
    keys[0] = key0 & mask & 0xFFFFFFFFL;
    keys[1] = key1 & mask & 0xFFFFFFFFL;
    keys[2] = key2 & mask & 0xFFFFFFFFL;
    long sequence = SCHEDULE_SEQUENCE & mask;
    for (int i = 3; i < ROUNDS; i++) {
      long last = keys[i - 1];
      keys[i] =
          (SCHEDULE_CONSTANT & mask)
              ^ (sequence & 1)
              ^ keys[i - 3]
              ^ rotatedLeft(last, word - 3)
              ^ rotatedLeft(last, word - 4);
      sequence >>>= 1;
    }
  }

  /** The number in place {@code index}. */
  public long at(long index) {
    if (index < 0 || index >= size) {
      throw new IndexOutOfBoundsException(
          "IndexShuffle: expected an index from 0 to %d, but got %d".formatted(size - 1, index));
    }
    if (size == 1) {
      return 0;
    }
    long number = index;
    do {
      number = encrypted(number);
    } while (Long.compareUnsigned(number, size) >= 0);
    return number;
  }

  private long encrypted(long number) {
    long left = number >>> word & mask;
    long right = number & mask;
    for (int i = 0; i < ROUNDS; i += 2) {
      left ^= mixed(right) ^ keys[i];
      right ^= mixed(left) ^ keys[i + 1];
    }
    return left << word | right;
  }

  private long mixed(long half) {
    return rotatedLeft(half, 1) & rotatedLeft(half, 8) ^ rotatedLeft(half, 2);
  }

  private long rotatedLeft(long half, int by) {
    return (half << by | half >>> word - by) & mask;
  }
}
