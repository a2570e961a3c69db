package dev.headrace.op;

import dev.headrace.data.Philox;
import java.util.Arrays;
import java.util.function.Supplier;

/** Works out, by drawing again, which elements a shuffle's buffer held at a position. */
final class BufferReplay {
  private static final long UNKNOWN = -1;

  private BufferReplay() {}

  /**
   * The numbers of the buffered elements by slot; −1 for free slots.
   *
   * @param generator makes the generator, at its first draw
   * @param given how many elements were emitted, one draw each
   * @param good how many elements had been put in the buffer
   */
  static long[] liveBySlot(Supplier<Philox> generator, int capacity, long given, long good) {
    double forgetting = capacity * (Math.log(capacity) + 7);
    for (long draws = (long) forgetting + 1; ; draws *= 2) {
      long from = Math.max(0, given - draws);
      Philox philox = generator.get();
      philox.skip(from);
      long[] slots = replay(philox, capacity, from, given, good);
      if (slots.length > 0) {
        return slots; // one time in a thousand something older is still there: look further back
      }
    }
  }

  /**
   * Replays the draws from {@code from} on; an empty array where too little of the past is known.
   */
  private static long[] replay(Philox philox, int capacity, long from, long given, long good) {
    long[] slots = new long[(int) Math.min(capacity, Math.max(good, 1))];
    Arrays.fill(slots, UNKNOWN);
    long entered = from;
    if (from == 0) {
      entered = Math.min(good, capacity - 1L);
      for (int i = 0; i < entered; i++) {
        slots[i] = i;
      }
    } else {
      entered = Math.min(good, from + capacity - 1);
    }
    int givenSlot = (int) (from % capacity);
    int enterSlot = (int) (entered % capacity);
    for (long t = from; t < given; t++) {
      if (entered < good) {
        slots[enterSlot] = entered++;
        enterSlot = enterSlot + 1 == capacity ? 0 : enterSlot + 1;
      }
      int window = (int) (entered - t);
      int slot = givenSlot + Integer.remainderUnsigned(philox.nextInt(), window);
      if (slot >= capacity || slot < 0) {
        slot -= capacity;
      }
      slots[slot] = slots[givenSlot];
      givenSlot = givenSlot + 1 == capacity ? 0 : givenSlot + 1;
    }
    if (given == 0) { // nothing drawn yet: all that entered is there
      for (; entered < good; entered++) {
        slots[(int) (entered % capacity)] = entered;
      }
    }
    return onlyLive(slots, capacity, given, good);
  }

  private static long[] onlyLive(long[] slots, int capacity, long given, long good) {
    long[] live = new long[slots.length];
    Arrays.fill(live, UNKNOWN);
    int slot = (int) (given % capacity);
    for (long number = given; number < good; number++) {
      if (slots[slot] == UNKNOWN) {
        return new long[0];
      }
      live[slot] = slots[slot];
      slot = slot + 1 == capacity ? 0 : slot + 1;
    }
    return live;
  }

  /** The slots that hold something, in the order of what they hold. */
  static long[] sortedByNumber(long[] live) {
    long least = Long.MAX_VALUE;
    int count = 0;
    for (long number : live) {
      if (number != UNKNOWN) {
        least = Math.min(least, number);
        count++;
      }
    }
    long[] packed = new long[count];
    int at = 0;
    for (int slot = 0; slot < live.length; slot++) {
      if (live[slot] != UNKNOWN) {
        packed[at++] = (live[slot] - least) << 31 | slot;
      }
    }
    Arrays.sort(packed);
    for (int i = 0; i < count; i++) {
      packed[i] &= (1L << 31) - 1;
    }
    return packed;
  }
}
