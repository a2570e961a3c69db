package dev.headrace.op;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.data.Philox;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class BufferReplayTest {

  /** What the buffer holds after all draws from the first, without any shortcut. */
  private static long[] bySimulation(Philox philox, int capacity, long given, long good) {
    long[] slots = new long[(int) Math.min(capacity, good)];
    Arrays.fill(slots, -1);
    long entered = 0;
    for (long t = 0; t < given; t++) {
      while (entered < good && entered - t < capacity) {
        slots[(int) (entered % capacity)] = entered++;
      }
      int drawn = Integer.remainderUnsigned(philox.nextInt(), (int) (entered - t));
      slots[(int) ((t + drawn) % capacity)] = slots[(int) (t % capacity)];
    }
    long[] live = new long[slots.length];
    Arrays.fill(live, -1);
    for (long number = given; number < good; number++) {
      live[(int) (number % capacity)] =
          number < entered ? slots[(int) (number % capacity)] : number;
    }
    return live;
  }

  @Test
  void lookingBackOnlyAsFarAsNeededFindsTheSameBuffer() {
    for (int seed = 0; seed < 4000; seed++) {
      int capacity = 2 + seed % 9;
      long given = 200 + seed % 50;
      long good = given + capacity - 1;
      int of = seed;
      assertThat(BufferReplay.liveBySlot(() -> new Philox(of, 7), capacity, given, good))
          .as("seed %d", seed)
          .isEqualTo(bySimulation(new Philox(of, 7), capacity, given, good));
    }
  }
}
