package dev.headrace.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** What a checkpoint carries of seeds that were drawn and of passes that ran. */
class DrawsTest {
  private static Draws again(Draws draws) {
    Draws again = Draws.random();
    again.restore(draws.toNumbers());
    return again;
  }

  @Test
  void seedsComeAgainAtTheirPlaces() {
    Draws draws = Draws.random();
    Draws before = draws.before(5);
    assertThat(draws.earlier(3)).isNull();
    assertThat(again(draws).at(3)).isNotEqualTo(Draws.random().at(3));
    assertThat(draws.at(3)).isNotEqualTo(draws.at(4)).isNotEqualTo(before.at(3));
    draws.tell(7, draws.at(8));
    Draws again = again(draws);
    assertThat(again.at(3)).isEqualTo(draws.at(3)).isEqualTo(again.earlier(3));
    assertThat(again.at(7)).isEqualTo(draws.at(8));
    assertThat(again.before(5).at(3)).isEqualTo(before.at(3));
  }

  @Test
  void passesThatRanAreKnownInTheNextLifeAndAfterIt() {
    Draws draws = Draws.random();
    draws.notePass(1, 0, true);
    draws.before(1).notePass(1, 2, true);
    assertThat(draws.ranBefore(1, 0)).isEmpty();
    Draws again = again(again(draws));
    assertThat(again.ranBefore(1, 0)).contains(true);
    assertThat(again.ranBefore(1, 1)).isEmpty();
    assertThat(again.ranBefore(2, 0)).isEmpty();
    assertThat(again.before(1).ranBefore(1, 2)).contains(true);
    again.notePass(1, 1, false);
    assertThat(again(again).ranBefore(1, 0)).contains(true);
    assertThat(again(again).ranBefore(1, 1)).contains(false);
  }

  @Test
  void manyPassesTakeLittleRoom() {
    Draws draws = Draws.random();
    for (long pass = 0; pass < 10_000; pass++) {
      draws.notePass(1, pass, true);
      draws.notePass(2, 9_999 - pass, true);
      draws.notePass(3, 2 * pass, true);
    }
    assertThat(draws.toNumbers()).hasSizeLessThan(1_000);
    Draws again = again(draws);
    assertThat(again.ranBefore(1, 0)).contains(true);
    assertThat(again.ranBefore(2, 5_000)).contains(true);
    assertThat(again.ranBefore(2, 10_000)).isEmpty();
    assertThat(again.ranBefore(3, 19_998)).contains(true);
    assertThat(again.ranBefore(3, 19_997)).isEmpty();
  }

  @Test
  void numbersThatCannotBeAreRefused() {
    for (long[] numbers :
        new long[][] {{1}, {-1}, {Long.MAX_VALUE, 1, 2}, {2, 1, 2}, {0, 1}, {0, 1, 2}}) {
      assertThat(Draws.arePossible(numbers)).isFalse();
      assertThatThrownBy(() -> Draws.random().restore(numbers))
          .isInstanceOf(State.InvalidState.class)
          .hasMessageContaining("expected seeds and passes");
    }
  }
}
