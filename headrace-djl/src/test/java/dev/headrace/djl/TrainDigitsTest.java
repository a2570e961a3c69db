package dev.headrace.djl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.testing.NoLeftovers;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("adapters")
@Timeout(300)
@ExtendWith(NoLeftovers.class)
class TrainDigitsTest {

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void readsNineteenOfTwentyUnseenDigits(boolean borrowing) throws Exception {
    assertThat(TrainDigits.train(borrowing)).isGreaterThanOrEqualTo(0.95);
  }
}
