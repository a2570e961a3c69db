package dev.headrace.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PhiloxTest {
  /** Orders recorded from TensorFlow 2.21: range(10).shuffle(buffer, seed, seed2). */
  @ParameterizedTest
  @CsvSource({
    "1, 1, 2, 0 1 2 3 4 5 6 7 8 9",
    "10, 1, 2, 2 6 1 3 9 5 0 8 7 4",
    "3, 42, 0, 0 2 3 4 5 6 1 8 9 7",
    "10, 42, 0, 2 0 9 3 8 1 7 4 5 6",
    "3, 0, 42, 1 0 3 2 4 7 5 8 9 6",
    "100, 0, 42, 9 4 7 0 2 5 3 8 6 1",
    "3, 87654321, 42, 0 3 4 2 1 5 8 6 7 9",
    "100, 87654321, 42, 5 9 6 4 7 1 2 8 3 0",
    "10, 87654321, 7, 2 8 6 5 9 1 0 3 7 4",
    "3, 1234, 5678, 0 2 1 5 6 3 7 8 9 4",
    "10, 1234, 5678, 1 5 2 7 6 9 4 8 0 3",
  })
  void givesTensorFlowsShuffleOrders(int buffer, long seed, long seed2, String order) {
    assertThat(reshuffled(new Philox(seed, seed2), 10, buffer)).isEqualTo(order);
  }

  @Test
  void givesTensorFlowsOrdersOfLaterEpochs() {
    Philox seeds = new Philox(1, 2);
    assertThat(reshuffled(seeds, 6, 6)).isEqualTo("4 5 2 0 1 3");
    assertThat(reshuffled(seeds, 6, 6)).isEqualTo("1 0 2 3 4 5");
    assertThat(reshuffled(seeds, 6, 6)).isEqualTo("4 1 3 0 5 2");
  }

  @Test
  void givesTensorFlowsOrderWithoutReshuffling() {
    assertThat(shuffled(new Philox(1, 2), 6, 6)).isEqualTo("5 1 4 0 3 2");
  }

  /** The known answer of the reference implementation for key and counter zero. */
  @Test
  void givesTheReferenceAnswer() {
    Philox philox = new Philox(0, 0);
    assertThat(List.of(philox.nextInt(), philox.nextInt(), philox.nextInt(), philox.nextInt()))
        .containsExactly(0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8);
  }

  @Test
  void skipsToAnyPosition() {
    Philox walking = new Philox(5, 6);
    for (int skipped = 0; skipped < 20; skipped++) {
      Philox jumping = new Philox(5, 6);
      jumping.skip(skipped);
      assertThat(jumping.position()).isEqualTo(skipped);
      int expected = walking.nextInt();
      assertThat(jumping.nextInt()).as("draw %d", skipped).isEqualTo(expected);
    }
    Philox far = new Philox(5, 6);
    far.skip(1L << 60);
    far.skip(3);
    assertThat(far.position()).isEqualTo((1L << 60) + 3);
    assertThatThrownBy(() -> far.skip(-1)).hasMessageContaining("-1");
    assertThatThrownBy(() -> far.skip(Long.MAX_VALUE)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void streamsDifferByEverySeedPart() {
    Seed seed = Seed.of(1);
    assertThat(RandomStream.of(seed, 3, 4).nextLong())
        .isEqualTo(RandomStream.of(seed, 3, 4).nextLong())
        .isNotEqualTo(RandomStream.of(Seed.of(2), 3, 4).nextLong())
        .isNotEqualTo(RandomStream.of(seed, 4, 4).nextLong())
        .isNotEqualTo(RandomStream.of(seed, 3, 5).nextLong());
    assertThat(RandomStream.of(seed, 3, 4).nextInt(10)).isBetween(0, 9);
  }

  @Test
  void aSingleSeedMeansWhatPythonMeans() {
    assertThat(Seed.of(42)).isEqualTo(Seed.of(87_654_321, 42));
    assertThat(Seed.random()).isNotEqualTo(Seed.random());
  }

  /** One epoch of a shuffle that draws its own seeds for each. */
  private static String reshuffled(Philox seeds, int elements, int buffer) {
    long seed = seeds.nextInt() & 0xFFFFFFFFL;
    long seed2 = seeds.nextInt() & 0xFFFFFFFFL;
    return shuffled(new Philox(seed, seed2), elements, buffer);
  }

  /** tf.data's ring: emit a random slot, move the oldest element there. */
  private static String shuffled(Philox philox, int elements, int buffer) {
    int[] ring = new int[buffer];
    int start = 0;
    int end = 0;
    List<String> order = new ArrayList<>();
    while (start < elements) {
      while (end < elements && end - start < buffer) {
        ring[end % buffer] = end;
        end++;
      }
      int pick = (start + Integer.remainderUnsigned(philox.nextInt(), end - start)) % buffer;
      order.add(Integer.toString(ring[pick]));
      ring[pick] = ring[start % buffer];
      start++;
    }
    return String.join(" ", order);
  }
}
