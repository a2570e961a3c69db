package dev.headrace.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DeferredTensorTest {
  /** Yields 0, 1, 2, … and counts how often it was asked to. */
  private record Counting(Shape shape, AtomicInteger evaluations, List<MemorySegment> places)
      implements Expression {
    static Counting of(long elements) {
      return new Counting(Shape.of(elements), new AtomicInteger(), new CopyOnWriteArrayList<>());
    }

    @Override
    public DType dtype() {
      return DType.INT32;
    }

    @Override
    public List<Tensor> sources() {
      return List.of();
    }

    @Override
    public void evaluateInto(MemorySegment destination) {
      evaluations.incrementAndGet();
      places.add(destination);
      for (int i = 0; i < shape.elements(); i++) {
        destination.set(ValueLayout.JAVA_INT_UNALIGNED, i * 4L, i);
      }
    }

    @Override
    public String describe() {
      return "count";
    }
  }

  @Test
  void isComputedOnceByHoweverManyReaders() {
    Counting counting = Counting.of(1000);
    Tensor tensor = Tensor.deferred(counting);
    assertThat(tensor.isDeferred()).isTrue();
    assertThat(counting.evaluations).hasValue(0);
    IntStream.range(0, 1000).parallel().forEach(i -> assertThat(tensor.intAt(i)).isEqualTo(i));
    assertThat(counting.evaluations).hasValue(1);
    assertThat(tensor.isDeferred()).isFalse();
    assertThat(tensor.expression()).isNull();
  }

  @Test
  void isPlacedWithoutAnIntermediate() {
    Counting counting = Counting.of(2);
    Tensor tensor = Tensor.deferred(counting);
    int[] slab = new int[4];
    MemorySegment destination = MemorySegment.ofArray(slab);
    tensor.copyInto(destination, 4);
    assertThat(slab).containsExactly(0, 0, 1, 0);
    assertThat(counting.places).singleElement().isEqualTo(destination.asSlice(4, 8));
    assertThat(tensor.isDeferred()).isTrue();
  }

  @Test
  void stringsAreNotConverted() {
    Tensor strings = Tensor.ofStrings("1");
    assertThatThrownBy(() -> strings.convert(DType.INT32)).hasMessageContaining("string to int32");
    assertThatThrownBy(() -> strings.scale(2)).hasMessageContaining("string[1]");
  }

  @Test
  void aReshapedTensorStaysDeferred() {
    Counting counting = Counting.of(4);
    Tensor reshaped = Tensor.deferred(counting).reshape(Shape.of(2, 2));
    assertThat(reshaped.isDeferred()).isTrue();
    assertThat(reshaped.slice(1).toIntArray()).containsExactly(2, 3);
    assertThat(counting.evaluations).hasValue(1);
  }

  @Test
  void describesItselfLastStepFirst() {
    Tensor image = Tensor.zeros(DType.UINT8, Shape.of(224, 224, 3));
    Tensor scaled = image.convert(DType.FLOAT32).scale(1 / 255.0);
    assertThat(scaled)
        .hasToString("float[224, 224, 3] = scale(0.00392) ← convert(float) ← uint8[224, 224, 3]");
  }

  @Test
  void stepsAreFusedUpToTheTensorTheyStartFrom() {
    Tensor image = Tensor.zeros(DType.UINT8, Shape.of(4));
    Tensor middle = image.convert(DType.FLOAT32);
    Tensor scaled = middle.scale(0.5);
    ElementwiseChain chain = ElementwiseChain.endingIn((ElementwiseExpression) scaled.expression());
    assertThat(chain.root()).isSameAs(image);
    assertThat(chain.steps()).hasSize(2);
    assertThat(scaled.toFloatArray()).containsOnly(0);
    assertThat(middle.isDeferred()).as("no intermediate tensor").isTrue();
  }

  @Test
  void scalesPixelsAsFloatsDo() {
    byte[] pixels = new byte[10_000];
    for (int i = 0; i < pixels.length; i++) {
      pixels[i] = (byte) (i * 7);
    }
    float[] scaled = Tensor.wrap(Shape.of(100, 100), pixels).scale(1 / 255.0).toFloatArray();
    for (int i = 0; i < pixels.length; i++) {
      assertThat(scaled[i]).isEqualTo((pixels[i] & 0xFF) * (float) (1 / 255.0));
    }
  }

  @Test
  void lookedUpAndComputedBytesAgree() {
    byte[] few = new byte[256];
    byte[] many = new byte[256 * 8];
    for (int i = 0; i < many.length; i++) {
      few[i & 255] = (byte) i;
      many[i] = (byte) i;
    }
    for (DType from : List.of(DType.UINT8, DType.INT8)) {
      Tensor computed = Tensor.wrap(from, Shape.of(256), MemorySegment.ofArray(few));
      Tensor lookedUp = Tensor.wrap(from, Shape.of(256 * 8), MemorySegment.ofArray(many));
      for (DType to : DType.values()) {
        if (to.isFixedSize() && to != from) {
          assertThat(lookedUp.convert(to).slice(256, 512).contentEquals(computed.convert(to)))
              .as("%s to %s", from, to)
              .isTrue();
        }
      }
    }
  }

  @Test
  void convertsAsCasting() {
    assertThat(Tensor.of(1.9f, -1.9f).convert(DType.INT32).toIntArray()).containsExactly(1, -1);
    assertThat(Tensor.of(300f, -5f, Float.NaN).convert(DType.UINT8).toIntArray())
        .containsExactly(255, 0, 0);
    assertThat(Tensor.of(300, -1).convert(DType.UINT8).toIntArray()).containsExactly(44, 255);
    assertThat(Tensor.of(0.0, 0.5).convert(DType.BOOL).toBooleanArray())
        .containsExactly(false, true);
    assertThat(Tensor.of(0x1.8p63).convert(DType.UINT64).longAt(0)).isEqualTo(0xC000000000000000L);
    // One above the midpoint of two floats: rounding through double would lose the one.
    long value = (1L << 60) + (1L << 36) + 1;
    assertThat(Tensor.of(value).convert(DType.FLOAT32).floatAt(0)).isEqualTo((float) value);
    assertThat(Tensor.of(0x1.01p0f, 0x1.03p0f).convert(DType.BFLOAT16).toFloatArray())
        .as("ties go to even")
        .containsExactly(0x1.00p0f, 0x1.04p0f);
  }

  @Test
  void convertingToTheSameTypeIsNothing() {
    Tensor tensor = Tensor.of(1, 2);
    assertThat(tensor.convert(DType.INT32)).isSameAs(tensor);
  }
}
