package dev.headrace.data;

import static org.assertj.core.api.Assertions.assertThat;

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
  }

  @Test
  void messagesSayItSo() {
    assertThat(Dataset.range(1).batch(4, Collator.stack(), true).lint())
        .flatExtracting(finding -> finding.evidence())
        .contains("1 element in batches of 4");
  }
}
