package dev.headrace.torch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headrace.device.Device;
import dev.headrace.testing.NoLeftovers;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@Tag("adapters")
@Timeout(300)
@ExtendWith(NoLeftovers.class)
class TrainDigitsTest {

  @Test
  void readsNineteenOfTwentyUnseenDigits() {
    try (Device host = Device.host()) {
      assertThat(TrainDigits.train(host)).isGreaterThanOrEqualTo(0.95);
    }
    assertThat(TorchTensors.borrowedCount()).isZero();
  }
}
