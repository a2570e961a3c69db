package dev.headrace.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Dataset;
import dev.headrace.spi.Collator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class PluralTest {
  @Test
  void oneIsNotSeveral() {
    assertThat(Plural.of(1, "element")).isEqualTo("1 element");
    assertThat(Plural.of(0, "element")).isEqualTo("0 elements");
    assertThat(Plural.of(12_345, "element")).isEqualTo("12,345 elements");
    assertThat(Plural.of(2, "batch")).isEqualTo("2 batches");
    assertThat(Plural.word(1, "byte")).isEqualTo("byte");
    assertThat(Plural.word(2, "box")).isEqualTo("boxes");
    assertThat(Plural.word(1, "leaf")).isEqualTo("leaf");
    assertThat(Plural.word(2, "leaf")).isEqualTo("leaves");
  }

  @Test
  void messagesSayItSo() {
    assertThat(Dataset.range(1).batch(4, Collator.stack(), true).lint())
        .flatExtracting(finding -> finding.evidence())
        .contains("1 element in batches of 4");
    assertThatThrownBy(() -> Dataset.range(4).shard(1, 1))
        .hasMessage("shard: expected an index from 0 to 0 for 1 shard, but got 1");
    assertThatThrownBy(() -> Dataset.range(4).padToCardinality(1))
        .hasMessage("padToCardinality: expected a dataset of at most 1 element, but got one of 4");
    assertThatThrownBy(() -> Tensor.wrapStrings(Shape.of(), new byte[2][]))
        .hasMessage("Tensor.wrapStrings: expected 1 string for [], but got 2");
    assertThatThrownBy(() -> Structure.of(Tensor.of(1L)).build(new Tensor[2]))
        .hasMessageEndingWith(": expected 1 leaf, but got 2");
  }
}
