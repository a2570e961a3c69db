package dev.headrace.data.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The kernels of a bilinear resize give the same bits. */
class LerpKernelTest {
  private static final LerpKernel PLAIN = LerpKernels.plain();
  private static final LerpKernel VECTOR = Objects.requireNonNull(LerpKernels.vector());

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 8, 9, 31, 64, 1500, 1503})
  void blendAlike(int length) {
    Random random = new Random(length);
    for (float weight : new float[] {0, 0.25f, 1 / 3f, 0.99999f, 1}) {
      byte[] top = bytes(random, length);
      byte[] bottom = bytes(random, length);
      assertThat(blend(VECTOR, top, bottom, weight)).isEqualTo(blend(PLAIN, top, bottom, weight));
    }
  }

  @Test
  void blendAsTheFormulaSays() {
    byte[] top = {0, (byte) 255, 100, (byte) 200};
    byte[] bottom = {(byte) 255, 0, 101, 100};
    assertThat(blend(PLAIN, top, bottom, 0.25f)).containsExactly(63.75f, 191.25f, 100.25f, 175f);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5})
  void spreadAlike(int channels) {
    Random random = new Random(channels);
    for (int[] size : new int[][] {{1, 1}, {1, 9}, {17, 5}, {500, 224}, {100, 333}}) {
      float[] row = new float[size[0] * channels + Rows.SLACK];
      for (int i = 0; i < row.length; i++) {
        row[i] = random.nextFloat() * 255;
      }
      Lerp columns = Lerp.of(Axis.of(Resize.BILINEAR, size[0], size[1]), channels);
      assertThat(spread(VECTOR, row, columns, channels))
          .isEqualTo(spread(PLAIN, row, columns, channels));
    }
  }

  private static float[] blend(LerpKernel kernel, byte[] top, byte[] bottom, float weight) {
    byte[] first = top.clone();
    byte[] second = bottom.clone();
    kernel.prepare(first, first.length);
    kernel.prepare(second, second.length);
    float[] into = new float[top.length];
    kernel.blend(first, second, weight, into, into.length);
    return into;
  }

  private static float[] spread(LerpKernel kernel, float[] row, Lerp columns, int channels) {
    int length = columns.low().length * channels;
    float[] into = new float[length + Rows.SLACK];
    kernel.spread(row, columns, channels, into);
    return Arrays.copyOf(into, length);
  }

  private static byte[] bytes(Random random, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }
}
