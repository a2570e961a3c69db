package dev.headrace.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Dataset;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

/** What the recordings of TensorFlow do not cover; they are compared in ParseGoldenTest. */
class RawTest {

  @Test
  void assemblesBatchesInPlace() {
    Tensor batch =
        Dataset.range(3)
            .map(
                i ->
                    Raw.decode(
                        Tensor.scalar(new byte[] {0, i.byteValue(), 0, 5}),
                        DType.INT16,
                        Shape.of(2, 1),
                        ByteOrder.BIG_ENDIAN))
            .batch(3)
            .first()
            .orElseThrow();
    assertThat(batch.shape()).isEqualTo(Shape.of(3, 2, 1));
    assertThat(batch.toLongArray()).containsExactly(0, 5, 1, 5, 2, 5);
  }

  @Test
  void readsSeveralStrings() {
    Tensor strings = Tensor.ofStrings("ab", "cd");
    assertThat(Raw.decode(strings, DType.UINT8).shape()).isEqualTo(Shape.of(2, 2));
    assertThat(Raw.decode(strings, DType.UINT8, Shape.of(1, 2)).shape())
        .isEqualTo(Shape.of(2, 1, 2));
    assertThat(Raw.decode(Tensor.ofStrings(new String[0]), DType.INT32, Shape.of(4)).shape())
        .isEqualTo(Shape.of(0, 4));
    assertThat(Raw.decode(Tensor.scalar(new byte[] {0, 2}), DType.BOOL).toBooleanArray())
        .containsExactly(false, true);
    assertThat(Raw.decode(strings, DType.UINT8).describe())
        .isEqualTo("decodeRaw(uint8) ← string[2]");
  }

  @Test
  void refusesSizesThatDoNotFit() {
    assertThatThrownBy(() -> Raw.decode(Tensor.scalar("abc"), DType.UINT8, Shape.of(2, 2)))
        .hasMessage("decodeRaw: expected 4 bytes for uint8[2, 2], but got 3");
    assertThatThrownBy(() -> Raw.decode(Tensor.scalar(1L), DType.UINT8))
        .hasMessageContaining("expected byte strings");
    assertThatThrownBy(() -> Raw.decodePadded(Tensor.scalar("abc"), DType.INT32, 6))
        .hasMessageContaining("expected a length that is a multiple of 4 bytes");
  }
}
