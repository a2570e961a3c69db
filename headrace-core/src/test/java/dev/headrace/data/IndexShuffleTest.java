package dev.headrace.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IndexShuffleTest {

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 10, 255, 256, 257, 65_535, 65_536, 65_537, 262_144, 262_145})
  void isAPermutation(int size) {
    IndexShuffle shuffle = new IndexShuffle(size, 7, 8, -9);
    boolean[] seen = new boolean[size];
    for (int i = 0; i < size; i++) {
      int number = Math.toIntExact(shuffle.at(i));
      assertThat(seen[number]).isFalse();
      seen[number] = true;
    }
  }

  /** Recorded from TensorFlow 2.21: RandomIndexShuffle of 0, 1, 5 and 999 with eight rounds. */
  @Test
  void isTensorFlows() {
    check(1000L, 297L, 422L, 262L, 208L);
    check(65536L, 40948L, 50634L, 38660L, 54989L);
    check(70000L, 32205L, 48437L, 67218L, 4706L);
    check(1000000L, 487862L, 60131L, 821783L, 594337L);
    check(8589934593L, 7264232797L, 8263818834L, 5816947952L, 2436534031L);
    check(1099511627782L, 260165597911L, 235685956404L, 815233506827L, 74389222171L);
    check(
        4611686018427387904L,
        2387415188689253425L,
        2961015524367358932L,
        831817433144797794L,
        906507317810362661L);
  }

  private static void check(long size, long... expected) {
    IndexShuffle shuffle = new IndexShuffle(size, 7, 8, Integer.MIN_VALUE + 9);
    assertThat(new long[] {shuffle.at(0), shuffle.at(1), shuffle.at(5), shuffle.at(999)})
        .as("size %d", size)
        .isEqualTo(expected);
  }

  @Test
  void worksUpToTheLargestSize() {
    IndexShuffle shuffle = new IndexShuffle(Long.MAX_VALUE, 1, 2, 3);
    assertThat(shuffle.at(Long.MAX_VALUE - 1)).isNotNegative().isNotEqualTo(shuffle.at(0));
    assertThat(new IndexShuffle(0, 1, 2, 3)).isNotNull();
  }

  @Test
  void refusesWhatIsOutside() {
    assertThatThrownBy(() -> new IndexShuffle(5, 1, 2, 3).at(5))
        .hasMessage("IndexShuffle: expected an index from 0 to 4, but got 5");
    assertThatThrownBy(() -> new IndexShuffle(5, 1, 2, 3).at(-1))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> new IndexShuffle(-1, 1, 2, 3))
        .hasMessage("IndexShuffle: expected a size of at least 0, but got -1");
  }
}
