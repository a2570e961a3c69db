package dev.headrace.op;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Dataset;
import dev.headrace.spi.Access;
import dev.headrace.testing.NoLeftovers;
import dev.headrace.testing.PipelineContract;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@Timeout(60)
@ExtendWith(NoLeftovers.class)
class FromListOpTest {

  @Test
  void keepsTheContract() {
    PipelineContract.of(n -> Dataset.of("a", "b", "c", "d", "e").map(x -> x + x, n)).check();
    PipelineContract.of(n -> Dataset.fromList(List.of(3L, 1L, 2L)).repeat(2)).check();
    PipelineContract.of(n -> Dataset.fromList(List.of())).check();
  }

  @Test
  void givesTheElementsAsTheyAre() {
    List<String> list = List.of("x");
    Object one = new Object();
    assertThat(Dataset.of(1, 2, 3).toList()).containsExactly(1, 2, 3);
    assertThat(Dataset.of(one).toList()).containsExactly(one);
    assertThat(Dataset.of(list).toList()).containsExactly(list);
    assertThat(Dataset.fromList(list).toList()).isEqualTo(list);
    assertThat(Dataset.fromList(List.of(5L, 6L)).filter(x -> x > 5).toList()).containsExactly(6L);
    assertThat(Dataset.of(new String[] {"a"}, new String[] {"b"}).toList()).hasSize(2);
  }

  @Test
  void anOperatorAloneIsAPlan() {
    assertThat(Dataset.of(Dataset.range(3).op()).toList()).isEqualTo(List.of(0L, 1L, 2L));
  }

  @Test
  void knowsItsCardinality() {
    assertThat(Dataset.of(1, 2, 3).cardinality()).isEqualTo(3);
    assertThat(Dataset.fromList(List.of()).cardinality()).isZero();
  }

  @Test
  void laterChangesOfTheListDoNotShow() {
    List<Integer> list = new ArrayList<>(List.of(1, 2));
    Dataset<Integer> dataset = Dataset.fromList(list);
    list.add(3);
    assertThat(dataset.toList()).containsExactly(1, 2);
  }

  @Test
  void givesElementsByIndex() throws Exception {
    try (Access access = Dataset.of("a", "b").op().access()) {
      assertThat(access.size()).isEqualTo(2);
      assertThat(access.at(1)).isEqualTo("b");
      assertThatThrownBy(() -> access.at(2)).isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  @Test
  void identityFollowsTheContent() {
    String same = Dataset.of(1L, 2L).fingerprint();
    assertThat(Dataset.fromList(List.of(1L, 2L)).fingerprint()).isEqualTo(same);
    assertThat(Dataset.of(1L, 3L).fingerprint()).isNotEqualTo(same);
    assertThat(Dataset.of(1L).explain()).startsWith("fromList(1 element #");
    assertThat(Dataset.of(new Object(), new Object()).fingerprint())
        .isEqualTo(Dataset.of(new Object(), new Object()).fingerprint());
  }

  @Test
  void refusesNull() {
    assertThatThrownBy(() -> Dataset.fromList(Arrays.asList("a", null)))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("fromList: expected elements, but number 1 is null; leave it out");
    assertThatThrownBy(() -> Dataset.fromList(null))
        .hasMessage("fromList: expected a list, but got null");
  }
}
