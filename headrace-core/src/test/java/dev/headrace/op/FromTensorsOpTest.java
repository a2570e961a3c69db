package dev.headrace.op;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Dataset;
import dev.headrace.data.Tensor;
import dev.headrace.spi.Access;
import dev.headrace.testing.NoLeftovers;
import dev.headrace.testing.PipelineContract;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@Timeout(60)
@ExtendWith(NoLeftovers.class)
class FromTensorsOpTest {
  private record Pair(Tensor first, Tensor second) {}

  @Test
  void keepsTheContract() {
    PipelineContract.of(n -> Dataset.fromTensors(Tensor.of(1, 2, 3)).repeat(5)).check();
  }

  @Test
  void givesOneElement() throws Exception {
    Pair pair = new Pair(Tensor.of(1, 2), Tensor.scalar("x"));
    Dataset<Pair> dataset = Dataset.fromTensors(pair);
    assertThat(dataset.toList()).containsExactly(pair);
    assertThat(dataset.cardinality()).isEqualTo(1);
    try (Access access = dataset.op().access()) {
      assertThat(access.size()).isEqualTo(1);
      assertThat(access.at(0)).isSameAs(pair);
      assertThatThrownBy(() -> access.at(1)).isInstanceOf(IndexOutOfBoundsException.class);
    }
    assertThat(dataset.explain())
        .startsWith("fromTensors(Pair(first: int32[2], second: string[]) #");
    assertThat(Dataset.fromTensors(Map.of("a", Tensor.scalar(1))).count()).isEqualTo(1);
    assertThat(Dataset.fromTensors(List.of(Tensor.scalar(1))).count()).isEqualTo(1);
  }

  @Test
  void refusesWhatIsNoStructure() {
    assertThatThrownBy(() -> Dataset.fromTensors(3))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "fromTensors: expected a Tensor, or a record, Map<String, …> or List of them, but got"
                + " java.lang.Integer; use Dataset.of(…) for elements of other types");
    assertThatThrownBy(() -> Dataset.fromTensors(null))
        .hasMessage("fromTensors: expected a structure of tensors, but got null");
  }
}
