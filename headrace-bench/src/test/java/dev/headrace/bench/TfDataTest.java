package dev.headrace.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("peers")
class TfDataTest {
  @Test
  void measuresInEveryMode() throws PeerUnavailable {
    try (TfData tfData = TfData.start(null)) {
      for (TfData.Mode mode : TfData.Mode.values()) {
        Spent spent = tfData.measure(List.of("map", "batch:128", "prefetch"), mode, 1024);
        assertThat(spent.cpuNs()).isPositive();
        assertThat(spent.wallNs()).isPositive();
        assertThat(tfData.name(mode)).startsWith("tf.data 2.");
      }
    }
  }
}
