package dev.headrace.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ShapeTest {
  @Test
  void readsAsAList() {
    assertThat(Shape.of(2, 3)).hasToString("[2, 3]");
    assertThat(Shape.scalar()).hasToString("[]");
    assertThat(Shape.of(Shape.UNKNOWN, 3)).hasToString("[?, 3]");
  }

  @Test
  void countsElements() {
    assertThat(Shape.of(2, 3).elements()).isEqualTo(6);
    assertThat(Shape.scalar().elements()).isEqualTo(1);
    assertThat(Shape.of(Long.MAX_VALUE, 0, Long.MAX_VALUE).elements()).isZero();
    assertThatThrownBy(() -> Shape.of(-1, 3).elements()).hasMessageContaining("[?, 3]");
  }

  @Test
  void refusesMoreElementsThanALongCounts() {
    assertThatThrownBy(() -> Shape.of(1L << 40, 1L << 40))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1099511627776");
  }

  @Test
  void refusesNegativeDimensions() {
    assertThatThrownBy(() -> Shape.of(2, -2)).hasMessageContaining("but got [2, -2]");
  }

  @Test
  void gainsAndLosesTheFirstDimension() {
    assertThat(Shape.of(2, 3).prepend(4)).isEqualTo(Shape.of(4, 2, 3));
    assertThat(Shape.of(2, 3).dropFirst()).isEqualTo(Shape.of(3));
    assertThat(Shape.of(2).dropFirst()).isEqualTo(Shape.scalar());
    assertThatThrownBy(() -> Shape.scalar().dropFirst()).hasMessageContaining("scalar");
  }

  @Test
  void unknownDimensionsAcceptAny() {
    assertThat(Shape.of(-1, 3).accepts(Shape.of(7, 3))).isTrue();
    assertThat(Shape.of(-1, 3).accepts(Shape.of(7, 4))).isFalse();
    assertThat(Shape.of(-1).accepts(Shape.scalar())).isFalse();
  }

  @Test
  void keepsItsOwnDimensions() {
    long[] dims = {2, 3};
    Shape shape = Shape.of(dims);
    dims[0] = 9;
    shape.toArray()[1] = 9;
    assertThat(shape).isEqualTo(Shape.of(2, 3)).hasSameHashCodeAs(Shape.of(2, 3));
  }
}
