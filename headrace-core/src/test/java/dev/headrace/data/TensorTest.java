package dev.headrace.data;

import static dev.headrace.data.DType.BFLOAT16;
import static dev.headrace.data.DType.BOOL;
import static dev.headrace.data.DType.FLOAT16;
import static dev.headrace.data.DType.FLOAT32;
import static dev.headrace.data.DType.FLOAT64;
import static dev.headrace.data.DType.INT16;
import static dev.headrace.data.DType.INT32;
import static dev.headrace.data.DType.INT64;
import static dev.headrace.data.DType.INT8;
import static dev.headrace.data.DType.UINT16;
import static dev.headrace.data.DType.UINT32;
import static dev.headrace.data.DType.UINT64;
import static dev.headrace.data.DType.UINT8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TensorTest {
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "STRING")
  void everyTypeRoundTripsThroughMemoryOfAnyAlignment(DType dtype) {
    try (Arena arena = Arena.ofConfined()) {
      Tensor source = Tensor.of(0, 1, 1).convert(dtype);
      MemorySegment odd = arena.allocate(64).asSlice(1, source.byteSize());
      source.copyInto(odd, 0);
      Tensor tensor = Tensor.wrap(dtype, Shape.of(3), odd);
      assertThat(tensor.contentEquals(source)).isTrue();
      assertThat(tensor.convert(INT32).toIntArray()).containsExactly(0, 1, 1);
      assertThat(tensor.byteSize()).isEqualTo(3L * dtype.byteSize());
    }
  }

  @Test
  void unsignedTypesReadUnsigned() {
    Tensor minusOne = Tensor.of(new long[] {-1});
    assertThat(minusOne.convert(UINT8).longAt(0)).isEqualTo(255);
    assertThat(minusOne.convert(UINT16).intAt(0)).isEqualTo(65_535);
    assertThat(minusOne.convert(UINT32).longAt(0)).isEqualTo(4_294_967_295L);
    Tensor largest = minusOne.convert(UINT64);
    assertThat(largest.longAt(0)).isEqualTo(-1);
    assertThat(largest.convert(FLOAT64).doubleAt(0)).isEqualTo(0x1p64);
    assertThat(largest.slice(0, 1)).hasToString("uint64[1] [18446744073709551615]");
  }

  @Test
  void scalarsOfEveryJavaType() {
    assertThat(Tensor.scalar(7L).longValue()).isEqualTo(7);
    assertThat(Tensor.scalar(7).intValue()).isEqualTo(7);
    assertThat(Tensor.scalar(0.1f).floatValue()).isEqualTo(0.1f);
    assertThat(Tensor.scalar(0.1).doubleValue()).isEqualTo(0.1);
    assertThat(Tensor.scalar(true).booleanValue()).isTrue();
    assertThat(Tensor.scalar("käse").stringValue()).isEqualTo("käse");
    assertThat(Tensor.scalar(new byte[] {1, 2}).bytesValue()).containsExactly(1, 2);
    assertThat(Tensor.scalar(7L).contentEquals(Tensor.wrap(Shape.scalar(), new long[] {7})))
        .isTrue();
  }

  @Test
  void arraysOfEveryJavaType() {
    assertThat(Tensor.of(1L, 2L).toLongArray()).containsExactly(1, 2);
    assertThat(Tensor.of(1, 2).toIntArray()).containsExactly(1, 2);
    assertThat(Tensor.of(1f, 2f).toFloatArray()).containsExactly(1, 2);
    assertThat(Tensor.of(1.0, 2.0).toDoubleArray()).containsExactly(1, 2);
    assertThat(Tensor.of(true, false).toBooleanArray()).containsExactly(true, false);
    assertThat(Tensor.ofBytes((byte) 200).toIntArray()).containsExactly(200);
    assertThat(Tensor.ofStrings("a", "bc").toStrings()).containsExactly("a", "bc");
    assertThat(Tensor.wrap(Shape.of(1), new short[] {-3}).dtype()).isEqualTo(INT16);
    assertThat(Tensor.of(Shape.of(2, 1), new byte[] {1, 2}).dtype()).isEqualTo(UINT8);
  }

  @Test
  void oneNumberIsAScalarAndAnArrayAVector() {
    assertThat(List.of(Tensor.of(1), Tensor.of(1L), Tensor.of(1f), Tensor.of(1d), Tensor.of(true)))
        .allMatch(tensor -> tensor.shape().equals(Shape.scalar()));
    assertThat(Tensor.of(7).intValue()).isEqualTo(7);
    assertThat(Tensor.of(new int[] {7}).shape()).isEqualTo(Shape.of(1));
    assertThat(Tensor.of(7, 8).shape()).isEqualTo(Shape.of(2));
    assertThat(Tensor.of(new long[0]).shape()).isEqualTo(Shape.of(0));
  }

  @Test
  void valuesWidenWhereNothingIsLost() {
    assertThat(Tensor.ofBytes((byte) 200).toFloatArray()).containsExactly(200f);
    assertThat(Tensor.of(1L << 52).doubleAt(0)).isEqualTo(0x1p52);
    assertThat(Tensor.of(0.5f).convert(FLOAT16).floatAt(0)).isEqualTo(0.5f);
    assertThat(Tensor.of(0.5f).doubleAt(0)).isEqualTo(0.5);
  }

  @Test
  void valuesNeverLoseSilently() {
    assertThatThrownBy(() -> Tensor.of(1L << 40).intAt(0)).hasMessageContaining("1099511627776");
    assertThatThrownBy(() -> Tensor.of(Long.MAX_VALUE).doubleAt(0))
        .hasMessageContaining("9223372036854775807");
    assertThatThrownBy(() -> Tensor.of(16_777_217).floatAt(0)).hasMessageContaining("16777217");
    assertThatThrownBy(() -> Tensor.of(0.5).floatAt(0))
        .hasMessageContaining("double[]")
        .hasMessageContaining("convert(FLOAT32)");
    assertThatThrownBy(() -> Tensor.of(0.5).longAt(0))
        .hasMessage("longAt: expected an integer type, but got double[]; use convert(INT64)");
    assertThatThrownBy(() -> Tensor.of(1).stringAt(0)).hasMessageContaining("int32[]");
    assertThatThrownBy(() -> Tensor.ofStrings("a").toByteArray()).hasMessageContaining("bytesAt");
    assertThatThrownBy(() -> Tensor.of(1, 2).intValue()).hasMessageContaining("int32[2]");
    assertThatThrownBy(() -> Tensor.of(1, 2).intAt(2))
        .isInstanceOf(IndexOutOfBoundsException.class)
        .hasMessage("int32[2]: expected an index of 0 to 1, but got 2");
  }

  @Test
  void copiesWhatItIsGivenUnlessItWraps() {
    long[] values = {1, 2};
    Tensor copied = Tensor.of(values);
    Tensor wrapped = Tensor.wrap(Shape.of(2), values);
    values[0] = 9;
    assertThat(copied.longAt(0)).isEqualTo(1);
    assertThat(wrapped.longAt(0)).isEqualTo(9);
  }

  @Test
  void handsOutNothingWritable() {
    Tensor tensor = Tensor.of(1L);
    assertThat(tensor.segment().isReadOnly()).isTrue();
    Tensor strings = Tensor.ofStrings("a");
    strings.bytesAt(0)[0] = 'z';
    assertThat(strings.segmentAt(0).isReadOnly()).isTrue();
    assertThat(strings.stringAt(0)).isEqualTo("a");
  }

  @Test
  void slicesAreViews() {
    int[] values = {0, 1, 2, 3, 4, 5};
    Tensor tensor = Tensor.wrap(Shape.of(3, 2), values);
    Tensor row = tensor.slice(1);
    Tensor rows = tensor.slice(1, 3);
    values[2] = 20;
    assertThat(row.shape()).isEqualTo(Shape.of(2));
    assertThat(row.toIntArray()).containsExactly(20, 3);
    assertThat(rows.shape()).isEqualTo(Shape.of(2, 2));
    assertThat(rows.slice(1).slice(0).intValue()).isEqualTo(4);
    assertThat(tensor.slice(3, 3).elements()).isZero();
  }

  @Test
  void stringsSliceAndReshape() {
    Tensor strings = Tensor.ofStrings("a", "bc", "d", "e").reshape(Shape.of(2, 2));
    assertThat(strings.slice(1).toStrings()).containsExactly("d", "e");
    assertThat(strings.slice(0, 1).shape()).isEqualTo(Shape.of(1, 2));
    assertThat(strings.byteSize()).isEqualTo(5);
    assertThat(strings.contentEquals(Tensor.ofStrings("a", "bc", "d", "e"))).isFalse();
  }

  @Test
  void stringsStack() {
    Tensor rows = Tensor.ofStrings("a", "bc");
    Tensor stacked = Tensor.stackStrings(List.of(rows, rows));
    assertThat(stacked.shape()).isEqualTo(Shape.of(2, 2));
    assertThat(stacked.slice(1).toStrings()).containsExactly("a", "bc");
    assertThatThrownBy(() -> Tensor.stackStrings(List.of(rows, Tensor.scalar("a"))))
        .hasMessageContaining("string[2]")
        .hasMessageContaining("string[]");
    assertThatThrownBy(() -> Tensor.stackStrings(List.of(Tensor.of(1))))
        .hasMessageContaining("int32[]");
  }

  @Test
  void slicesStayInside() {
    Tensor tensor = Tensor.of(1, 2);
    assertThatThrownBy(() -> tensor.slice(2)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> tensor.slice(1, 0)).hasMessageContaining("1 to 0");
    assertThatThrownBy(() -> Tensor.scalar(1).slice(0)).hasMessageContaining("int32[]");
    assertThatThrownBy(() -> tensor.reshape(Shape.of(3))).hasMessageContaining("[3]");
    assertThatThrownBy(() -> Tensor.wrap(INT64, Shape.of(2), MemorySegment.ofArray(new byte[3])))
        .hasMessage("Tensor.wrap: expected 16 bytes for int64[2], but got 3");
  }

  @Test
  void filledTensors() {
    assertThat(Tensor.full(Shape.of(2), 3f).toFloatArray()).containsExactly(3, 3);
    assertThat(Tensor.full(Shape.of(2), 3L).toLongArray()).containsExactly(3, 3);
    assertThat(Tensor.full(Shape.of(2), 3).dtype()).isEqualTo(INT32);
    assertThat(Tensor.full(Shape.of(2), 3.0).dtype()).isEqualTo(FLOAT64);
    assertThat(Tensor.zeros(BOOL, Shape.of(2)).toBooleanArray()).containsExactly(false, false);
    assertThat(Tensor.zeros(DType.STRING, Shape.of(1)).toStrings()).containsExactly("");
  }

  @Test
  void uniformIsInRangeAndFixedBySeed() {
    Tensor tensor = Tensor.uniform(Shape.of(100, 100), 7);
    double sum = 0;
    for (float value : tensor.toFloatArray()) {
      assertThat(value).isGreaterThanOrEqualTo(0f).isLessThan(1f);
      sum += value;
    }
    assertThat(sum / 10_000).isBetween(0.48, 0.52);
    assertThat(tensor.contentEquals(Tensor.uniform(Shape.of(100, 100), Seed.of(7)))).isTrue();
    assertThat(tensor.contentEquals(Tensor.uniform(Shape.of(100, 100), 8))).isFalse();
  }

  @Test
  void copiesIntoPlace() {
    MemorySegment destination = MemorySegment.ofArray(new byte[20]);
    Tensor.of(1, 2).copyInto(destination, 4);
    Tensor.scalar(3).copyInto(destination, 12);
    assertThat(destination.toArray(ValueLayout.JAVA_INT_UNALIGNED)).containsExactly(0, 1, 2, 3, 0);
    assertThatThrownBy(() -> Tensor.of(1, 2).copyInto(destination, 16))
        .hasMessageContaining("8 bytes at offset 16");
    for (Tensor tensor : List.of(Tensor.of(1, 2), Tensor.scalar(3), Tensor.of(1, 2).scale(2))) {
      assertThatThrownBy(() -> tensor.copyInto(destination.asReadOnly(), 0))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("copyInto: expected memory to write to, but the destination is");
    }
  }

  @Test
  void readsShort() {
    assertThat(Tensor.of(0L, 1L, 2L)).hasToString("int64[3] [0, 1, 2]");
    assertThat(Tensor.scalar(2.5f)).hasToString("float[] 2.5");
    assertThat(Tensor.ofStrings("a")).hasToString("string[1] [\"a\"]");
    assertThat(Tensor.zeros(UINT8, Shape.of(9)))
        .hasToString("uint8[9] [0, 0, 0, 0, 0, 0, 0, 0, …]");
  }

  @Test
  void contentNotIdentityIsComparedByContentEquals() {
    Tensor one = Tensor.of(1f, Float.NaN);
    Tensor same = Tensor.of(1f, Float.NaN);
    assertThat(one).isNotEqualTo(same);
    assertThat(one.contentEquals(same)).isTrue();
    assertThat(one.contentEquals(Tensor.of(1.0, Double.NaN))).isFalse();
    assertThat(Tensor.ofStrings("a").contentEquals(Tensor.ofStrings("a"))).isTrue();
  }

  @Test
  void bytesMayBeAnything() {
    byte[] bytes = "\u0000\u00ff".getBytes(StandardCharsets.ISO_8859_1);
    assertThat(Tensor.scalar(bytes).bytesValue()).isEqualTo(bytes);
  }

  @Test
  void allSmallTypesAreCovered() {
    List<DType> types = List.of(INT8, FLOAT16, BFLOAT16, FLOAT32);
    for (DType type : types) {
      assertThat(Tensor.of(-2, 100).convert(type).toDoubleArray()).containsExactly(-2, 100);
    }
  }
}
