package dev.headrace;

import static dev.headrace.Dataset.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.golden.Outcomes;
import dev.headrace.testing.NoLeftovers;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@Timeout(60)
@ExtendWith(NoLeftovers.class)
class ReduceTest {

  @Test
  void givesTheLastState() {
    assertThat(range(5).<Long>reduce(0L, (sum, x) -> sum + x)).isEqualTo(10);
    assertThat(range(0).reduce("none", (text, x) -> text + x)).isEqualTo("none");
    assertThat(range(3).map(x -> x, 2).reduce("", (text, x) -> text + x)).isEqualTo("012");
  }

  @Test
  void endsAtTheFirstElementThatFailed() {
    assertThatThrownBy(
            () -> range(5).map(x -> Outcomes.refusing(3, x)).reduce(0L, (sum, x) -> sum + x))
        .isInstanceOf(PipelineException.class)
        .hasMessageContaining("element 3 of epoch 0 failed")
        .hasMessageContaining("refuses 3");
  }

  @Test
  void endsAtTheFirstCallThatFails() {
    assertThatThrownBy(
            () ->
                range(5)
                    .map(x -> x, 2)
                    .reduce(
                        0L,
                        (sum, x) -> {
                          throw new IOException("no disk");
                        }))
        .isInstanceOf(PipelineException.class)
        .hasMessageStartingWith("reduce of epoch 0 failed")
        .hasRootCauseMessage("no disk");
  }

  @Test
  void refusesNull() {
    assertThatThrownBy(() -> range(3).reduce(0L, null))
        .hasMessage("reduce: expected a function, but got null");
    assertThatThrownBy(() -> range(3).reduce(null, (sum, x) -> sum))
        .hasMessage("reduce: expected an initial state, but got null");
  }
}
