package dev.headrace.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DTypeTest {
  @ParameterizedTest
  @EnumSource
  void tensorFlowNamesGoBothWays(DType dtype) {
    assertThat(DType.ofTfName(dtype.tfName())).isEqualTo(dtype);
  }

  @Test
  void numpyNamesAreKnownToo() {
    assertThat(DType.ofTfName("float32")).isEqualTo(DType.FLOAT32);
    assertThat(DType.ofTfName("float16")).isEqualTo(DType.FLOAT16);
  }

  @Test
  void anUnknownNameIsReportedWithTheKnownOnes() {
    assertThatThrownBy(() -> DType.ofTfName("complex64"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("int64")
        .hasMessageContaining("\"complex64\"");
  }

  @Test
  void kinds() {
    assertThat(DType.BOOL.isInteger()).isFalse();
    assertThat(DType.UINT8.isInteger()).isTrue();
    assertThat(DType.UINT8.isUnsigned()).isTrue();
    assertThat(DType.BFLOAT16.isFloating()).isTrue();
    assertThat(DType.STRING.isFixedSize()).isFalse();
  }
}
