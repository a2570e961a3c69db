package dev.headrace.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Elementwise functions, arithmetic and reductions; expected values are TensorFlow's. */
class NumbersTest {
  private static Tensor int8(int... values) {
    return Tensor.of(values).convert(DType.INT8);
  }

  private static Tensor uint8(int... values) {
    return Tensor.of(values).convert(DType.UINT8);
  }

  // ---- functions and arithmetic

  @Test
  void functionsKeepTheType() {
    assertThat(Tensor.of(1.5f, -2f).square().toFloatArray()).containsExactly(2.25f, 4f);
    assertThat(int8(12, -3).square().toIntArray()).containsExactly(-112, 9);
    assertThat(uint8(16, 255).square().toIntArray()).containsExactly(0, 1);
    assertThat(Tensor.of(-1L, Long.MIN_VALUE).abs().toLongArray())
        .containsExactly(1, Long.MIN_VALUE);
    assertThat(int8(-128, -5).abs().toIntArray()).containsExactly(-128, 5);
    assertThat(uint8(200).abs().toIntArray()).containsExactly(200);
    assertThat(Tensor.of(3, -4).negate().toIntArray()).containsExactly(-3, 4);
    assertThat(Tensor.of(0f, 1f).negate().toFloatArray()).containsExactly(-0f, -1f);
    assertThat(Tensor.of(2f, 9f, -1f).sqrt().toFloatArray())
        .containsExactly(1.4142135f, 3f, Float.NaN);
    assertThat(Tensor.of(0f, 1f, -200f).exp().toFloatArray()).containsExactly(1f, 2.7182817f, 0f);
    assertThat(Tensor.of(1f, 10f, 0f).log().toFloatArray())
        .containsExactly(0f, 2.3025851f, Float.NEGATIVE_INFINITY);
  }

  @Test
  void halvesAreRoundedAfterEachStep() {
    Tensor halves = Tensor.of(1f, 2049f, 0.1f).convert(DType.FLOAT16);
    // 2049 is 2048 in float16, and so is 2048 + 1.
    assertThat(halves.add(1).toFloatArray()).containsExactly(2f, 2048f, 1.0996094f);
    assertThat(halves.square().toFloatArray())
        .containsExactly(1f, Float.POSITIVE_INFINITY, 0.009994507f);
    Tensor brains = Tensor.of(1f, 257f).convert(DType.BFLOAT16);
    assertThat(brains.add(1).toFloatArray()).containsExactly(2f, 256f);
  }

  @Test
  void integersWrapAround() {
    assertThat(uint8(250, 3).add(10).toIntArray()).containsExactly(4, 13);
    assertThat(uint8(3).subtract(5).toIntArray()).containsExactly(254);
    assertThat(int8(100).multiply(3).toIntArray()).containsExactly(44);
    assertThat(Tensor.of(Integer.MAX_VALUE).add(1).toIntArray()).containsExactly(Integer.MIN_VALUE);
    assertThat(Tensor.of(Long.MAX_VALUE).add(Tensor.scalar(1L)).toLongArray())
        .containsExactly(Long.MIN_VALUE);
  }

  @Test
  void quotientsOfIntegersAreFloats() {
    Tensor bytes = uint8(7, 1).divide(2);
    assertThat(bytes.dtype()).isEqualTo(DType.FLOAT32);
    assertThat(bytes.toFloatArray()).containsExactly(3.5f, 0.5f);
    Tensor ints = Tensor.of(7, -1).divide(Tensor.of(2, 3));
    assertThat(ints.dtype()).isEqualTo(DType.FLOAT64);
    assertThat(ints.toDoubleArray()).containsExactly(3.5, -1 / 3.0);
    assertThat(Tensor.of(1f, -1f, 0f).divide(0).toFloatArray())
        .containsExactly(Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, Float.NaN);
  }

  @Test
  void scalarsMeetEveryElement() {
    Tensor values = Tensor.of(1f, 2f, 3f);
    assertThat(values.subtract(Tensor.scalar(2f)).toFloatArray()).containsExactly(-1f, 0f, 1f);
    assertThat(Tensor.scalar(6f).divide(values).toFloatArray()).containsExactly(6f, 3f, 2f);
    Tensor scalar = Tensor.scalar(6).multiply(Tensor.scalar(7));
    assertThat(scalar.shape()).isEqualTo(Shape.scalar());
    assertThat(scalar.intValue()).isEqualTo(42);
    assertThat(values.add(values).multiply(values).toFloatArray()).containsExactly(2f, 8f, 18f);
  }

  @Test
  void clippedValuesLieWithin() {
    assertThat(Tensor.of(-1f, 1f, 5f, Float.NaN).clip(0, 3).toFloatArray())
        .containsExactly(0f, 1f, 3f, Float.NaN);
    assertThat(Tensor.of(-7, 7, 70).clip(-5, 50).toIntArray()).containsExactly(-5, 7, 50);
    assertThat(Tensor.of(1f).clip(3, 2).toFloatArray()).as("the lower one wins").containsOnly(3f);
    Tensor large = Tensor.of(-1L, 5L).convert(DType.UINT64).clip(0, 9);
    assertThat(large.toLongArray()).as("unsigned").containsExactly(9, 5);
  }

  @Test
  void manyElementsAreComputedAsFew() {
    Random random = new Random(3);
    float[] some = new float[5_000];
    float[] others = new float[5_000];
    for (int i = 0; i < some.length; i++) {
      some[i] = random.nextFloat();
      others[i] = random.nextFloat() - 0.5f;
    }
    Tensor left = Tensor.wrap(Shape.of(50, 100), some);
    Tensor right = Tensor.wrap(Shape.of(50, 100), others);
    float[] result = left.subtract(right).square().add(0.25).divide(right).toFloatArray();
    for (int i = 0; i < some.length; i++) {
      float difference = some[i] - others[i];
      assertThat(result[i]).isEqualTo((difference * difference + 0.25f) / others[i]);
    }
  }

  @Test
  void bytesThatAreLookedUpAreComputedToo() {
    byte[] many = new byte[256 * 8];
    for (int i = 0; i < many.length; i++) {
      many[i] = (byte) i;
    }
    for (DType dtype : List.of(DType.UINT8, DType.INT8)) {
      Tensor all = Tensor.wrap(dtype, Shape.of(many.length), MemorySegment.ofArray(many));
      List<UnaryOperator<Tensor>> steps =
          List.of(Tensor::square, t -> t.divide(3), t -> t.add(7), t -> t.clip(3, 100));
      for (UnaryOperator<Tensor> step : steps) {
        Tensor few = step.apply(all.slice(256, 512));
        assertThat(step.apply(all).slice(256, 512).contentEquals(few)).as(few.describe()).isTrue();
      }
    }
  }

  @Test
  void arithmeticOnImagesIsPartOfThePass() {
    byte[] pixels = new byte[40 * 50 * 3];
    new Random(1).nextBytes(pixels);
    Tensor image = Tensor.wrap(Shape.of(40, 50, 3), pixels);
    List<UnaryOperator<Tensor>> steps =
        List.of(
            t -> t.resize(20, 30),
            t -> t.divide(127.5),
            t -> t.subtract(1),
            t -> t.convert(DType.FLOAT16),
            t -> t.multiply(0.3),
            t -> t.add(0.1),
            Tensor::toNchw);
    Tensor single = image;
    Tensor fused = image;
    for (UnaryOperator<Tensor> step : steps) {
      Tensor made = step.apply(single);
      single = Tensor.wrap(made.dtype(), made.shape(), made.segment());
      fused = step.apply(fused);
    }
    assertThat(fused.contentEquals(single)).isTrue();
    assertThat(image.divide(2).crop(0, 0, 2, 2).contentEquals(image.crop(0, 0, 2, 2).divide(2)))
        .isTrue();
  }

  // ---- reductions

  @Test
  void everythingIsReducedToAScalar() {
    Tensor values = Tensor.of(Shape.of(2, 2), new float[] {1f, -2f, 3.5f, 4f});
    assertThat(values.sum().shape()).isEqualTo(Shape.scalar());
    assertThat(values.sum().floatValue()).isEqualTo(6.5f);
    assertThat(values.mean().floatValue()).isEqualTo(1.625f);
    assertThat(values.min().floatValue()).isEqualTo(-2f);
    assertThat(values.max().floatValue()).isEqualTo(4f);
    assertThat(values.square().sum().floatValue()).isEqualTo(1 + 4 + 12.25f + 16);
    assertThat(Tensor.scalar(3f).sum().floatValue()).isEqualTo(3f);
  }

  @Test
  void integersAreSummedInTheirTypeAndMeansTruncated() {
    assertThat(uint8(200, 100).sum().intValue()).isEqualTo(44);
    assertThat(uint8(200, 101).mean().intValue()).isEqualTo(150);
    assertThat(Tensor.of(1, 2, 4).mean().intValue()).isEqualTo(2);
    assertThat(Tensor.of(-1, -2, -4).mean().intValue()).isEqualTo(-2);
    assertThat(Tensor.of(Long.MAX_VALUE, 1L).sum().longValue()).isEqualTo(Long.MIN_VALUE);
    assertThat(int8(-128, 127).min().intValue()).isEqualTo(-128);
    Tensor large = Tensor.of(-1L, 1L).convert(DType.UINT64);
    assertThat(large.max().longValue()).as("unsigned").isEqualTo(-1);
    assertThat(large.min().longValue()).isEqualTo(1);
  }

  @Test
  void floatsAreSummedInDoublePrecision() {
    float[] values = new float[1 << 20];
    Arrays.fill(values, 0.1f);
    Tensor many = Tensor.wrap(Shape.of(values.length), values);
    assertThat(many.sum().floatValue()).isEqualTo((float) (values.length * (double) 0.1f));
    assertThat(many.mean().floatValue()).isEqualTo(0.1f);
    assertThat(many.convert(DType.FLOAT16).mean().floatValue())
        .isEqualTo(Float.float16ToFloat(Float.floatToFloat16(0.1f)));
  }

  @Test
  void notANumberSpreads() {
    Tensor values = Tensor.of(1f, Float.NaN, 3f);
    assertThat(values.min().floatValue()).isNaN();
    assertThat(values.max().floatValue()).isNaN();
    assertThat(values.sum().floatValue()).isNaN();
  }

  @Test
  void theReductionOfNothingIsNeutral() {
    Tensor nothing = Tensor.zeros(DType.FLOAT32, Shape.of(0, 3));
    assertThat(nothing.sum().floatValue()).isZero();
    assertThat(nothing.mean().floatValue()).isNaN();
    assertThat(nothing.min(0).toFloatArray()).hasSize(3).containsOnly(Float.POSITIVE_INFINITY);
    assertThat(nothing.max().floatValue()).isEqualTo(Float.NEGATIVE_INFINITY);
    assertThat(nothing.sum(1).shape()).isEqualTo(Shape.of(0));
    assertThat(nothing.sum(1).toFloatArray()).isEmpty();
    assertThat(Tensor.zeros(DType.INT8, Shape.of(0)).min().intValue()).isEqualTo(127);
    assertThat(Tensor.zeros(DType.INT8, Shape.of(0)).max().intValue()).isEqualTo(-128);
    assertThat(Tensor.zeros(DType.INT8, Shape.of(0)).mean().intValue()).isZero();
  }

  @Test
  void axesAreReducedByNumber() {
    Tensor values = Tensor.of(Shape.of(2, 3), new int[] {1, 2, 3, 4, 5, 6});
    assertThat(values.sum(0).toIntArray()).containsExactly(5, 7, 9);
    assertThat(values.sum(1).toIntArray()).containsExactly(6, 15);
    assertThat(values.sum(-1).toIntArray()).containsExactly(6, 15);
    assertThat(values.max(-2).toIntArray()).containsExactly(4, 5, 6);
    assertThat(values.mean(1, 0).intValue()).isEqualTo(3);
    assertThat(values.sum(new int[0]).toIntArray()).containsExactly(1, 2, 3, 4, 5, 6);
  }

  @ParameterizedTest
  @EnumSource(
      value = DType.class,
      names = {"UINT8", "INT16", "INT64", "FLOAT16", "FLOAT32", "FLOAT64"})
  void anyAxesGiveWhatAPlainLoopGives(DType dtype) {
    long[] dims = {3, 40, 5, 7};
    Random random = new Random(5);
    double[] values = new double[3 * 40 * 5 * 7];
    Arrays.setAll(values, i -> random.nextInt(100));
    Tensor tensor = Tensor.of(Shape.of(dims), values).convert(dtype);
    for (int mask = 0; mask < 16; mask++) {
      int[] axes = new int[Integer.bitCount(mask)];
      for (int axis = 0, at = 0; axis < 4; axis++) {
        if ((mask >> axis & 1) == 1) {
          axes[at++] = axis;
        }
      }
      double[] sums = new double[(int) tensor.max(axes).elements()];
      double[] most = new double[sums.length];
      for (int i = 0; i < values.length; i++) {
        int result = result(i, dims, mask);
        sums[result] += values[i];
        most[result] = Math.max(most[result], values[i]);
      }
      Function<double[], double[]> typed =
          expected ->
              Tensor.wrap(Shape.of(expected.length), expected)
                  .convert(DType.INT64)
                  .convert(dtype)
                  .convert(DType.FLOAT64)
                  .toDoubleArray();
      assertThat(tensor.max(axes).convert(DType.FLOAT64).toDoubleArray()).isEqualTo(most);
      assertThat(tensor.sum(axes).convert(DType.FLOAT64).toDoubleArray())
          .as(tensor.sum(axes).describe())
          .isEqualTo(typed.apply(sums));
    }
  }

  private static int result(int element, long[] dims, int mask) {
    int result = 0;
    int rest = element;
    int stride = 1;
    for (int axis = dims.length - 1; axis >= 0; axis--) {
      int index = rest % (int) dims[axis];
      rest /= (int) dims[axis];
      if ((mask >> axis & 1) == 0) {
        result += index * stride;
        stride *= (int) dims[axis];
      }
    }
    return result;
  }

  // ---- what is said

  @Test
  void describesItself() {
    Tensor values = Tensor.zeros(DType.FLOAT32, Shape.of(2, 3));
    assertThat(values.square().sum().describe()).isEqualTo("sum ← square ← float[2, 3]");
    assertThat(values.mean(0).describe()).isEqualTo("mean(0) ← float[2, 3]");
    assertThat(values.add(0.5).clip(0, 1).describe())
        .isEqualTo("clip(0.0, 1.0) ← add(0.5) ← float[2, 3]");
    assertThat(values.subtract(values.mean()).describe())
        .isEqualTo("subtract ← (float[2, 3], mean ← float[2, 3])");
  }

  @Test
  void refusesWhatTensorFlowRefuses() {
    Tensor bytes = uint8(1, 2);
    assertThatThrownBy(() -> bytes.add(0.5))
        .hasMessage(
            "add: expected a number that uint8 holds, but got 0.5; convert(FLOAT32) before it");
    assertThatThrownBy(() -> bytes.multiply(256)).hasMessageContaining("but got 256.0");
    assertThatThrownBy(() -> Tensor.of(1L).add(0x1p63)).hasMessageContaining("int64 holds");
    assertThatThrownBy(() -> bytes.clip(-1, 5)).hasMessageContaining("clip: expected a number");
    assertThatThrownBy(bytes::sqrt)
        .hasMessage("sqrt: expected floats, but got uint8[2]; convert(FLOAT32) before it");
    assertThatThrownBy(bytes::negate).hasMessageContaining("signed integers, but got uint8[2]");
    assertThatThrownBy(() -> Tensor.of(true).sum())
        .hasMessage("sum: expected a tensor of numbers, but got bool[]");
    assertThatThrownBy(() -> Tensor.ofStrings("a").square()).hasMessageContaining("string[1]");
    assertThatThrownBy(() -> bytes.add(Tensor.of(1, 2)))
        .hasMessage(
            "add: expected tensors of one type and shape, or one of them a scalar, but got"
                + " uint8[2] and int32[2]");
    assertThatThrownBy(() -> bytes.add(uint8(1, 2, 3))).hasMessageContaining("uint8[3]");
    assertThatThrownBy(() -> bytes.sum(1))
        .hasMessage("sum: expected different axes of uint8[2], but got [1]");
    assertThatThrownBy(() -> bytes.max(0, -1)).hasMessageContaining("but got [0, 0]");
  }

  @Test
  void sumsAreAddedInTheOrderOfTheElements() {
    double[] row = new double[300];
    for (int i = 0; i < row.length; i++) {
      row[i] = Math.sin(i) * Math.pow(10, i % 17);
    }
    double expected = 0;
    double[] rows = new double[8 * row.length];
    for (int i = 0; i < row.length; i++) {
      expected += row[i];
    }
    for (int i = 0; i < rows.length; i++) {
      rows[i] = row[i % row.length];
    }
    Tensor sums = Tensor.of(Shape.of(8, row.length), rows).sum(1);
    assertThat(sums.toDoubleArray()).containsOnly(expected);
    double[] cancelling = {1e308, -1e308, 0, 0, 1e308, -1e308, 0, 0};
    assertThat(Tensor.of(Shape.of(8), cancelling).sum().doubleAt(0)).isZero();
  }
}
