package dev.headrace.torch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headrace.Dataset;
import dev.headrace.PipelineException;
import dev.headrace.data.DType;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.testing.NoLeftovers;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("adapters")
@Timeout(120)
@ExtendWith(NoLeftovers.class)
class TorchTensorsTest {
  private static final int WIDTH = 2_000;

  record Row(Tensor values, Tensor number) {}

  /** Batches of four rows that are large enough to lie in the pipeline's slabs. */
  private static Dataset<Row> rows(long count) {
    return Dataset.range(count)
        .map(n -> new Row(Tensor.full(Shape.of(WIDTH), (float) n), Tensor.scalar(n)))
        .batch(4);
  }

  private static long address(org.bytedeco.pytorch.Tensor tensor) {
    return tensor.data_ptr().address();
  }

  private static double first(org.bytedeco.pytorch.Tensor tensor) {
    return TorchTensors.toHeadrace(tensor).doubleAt(0);
  }

  @AfterEach
  void pytorchHasLetGoOfEverything() {
    assertThat(TorchTensors.borrowedCount()).isZero();
  }

  @ParameterizedTest
  @EnumSource(value = DType.class, mode = EnumSource.Mode.EXCLUDE, names = "STRING")
  void everyTypeComesBackAsItWas(DType dtype) {
    Tensor numbers = Tensor.of(0L, 1L, 2L, 100L, 1L, 0L).convert(dtype);
    for (Tensor tensor :
        List.of(numbers, numbers.compute(), numbers.compute().reshape(Shape.of(2, 3)))) {
      try (org.bytedeco.pytorch.Tensor there = TorchTensors.toTorch(tensor)) {
        assertThat(there.scalar_type().intern()).isEqualTo(TorchTensors.scalarType(dtype));
        assertThat(TorchTensors.dtype(there.scalar_type())).isEqualTo(dtype);
        assertThat(TorchTensors.toHeadrace(there).contentEquals(tensor.compute())).isTrue();
      }
    }
  }

  @Test
  void shapesOfAllRanksComeBackAsTheyWere() {
    for (Shape shape :
        List.of(
            Shape.scalar(), Shape.of(0), Shape.of(3, 0, 2), Shape.of(1), Shape.of(2, 3, 4, 5))) {
      Tensor tensor = Tensor.uniform(shape, 3);
      try (org.bytedeco.pytorch.Tensor there = TorchTensors.toTorch(tensor)) {
        assertThat(TorchTensors.toHeadrace(there).contentEquals(tensor)).isTrue();
      }
    }
    try (org.bytedeco.pytorch.Tensor there = TorchTensors.toTorch(Tensor.scalar(7L))) {
      assertThat(there.item_long()).isEqualTo(7);
    }
  }

  @Test
  void stridesOfPytorchAreFollowed() {
    try (org.bytedeco.pytorch.Tensor there =
            TorchTensors.toTorch(Tensor.of(Shape.of(2, 2), new int[] {1, 2, 3, 4}));
        org.bytedeco.pytorch.Tensor turned = there.t()) {
      assertThat(TorchTensors.toHeadrace(turned).toIntArray()).containsExactly(1, 3, 2, 4);
    }
  }

  @Test
  void stringsAreRefused() {
    assertThatThrownBy(() -> TorchTensors.toTorch(Tensor.ofStrings("a", "b")))
        .hasMessage(
            "toTorch: expected numbers or booleans, but got string; map strings to numbers first");
    assertThatThrownBy(() -> TorchTensors.dtype(ScalarType.ComplexFloat))
        .hasMessageContaining("expected real numbers or booleans, but got ComplexFloat");
  }

  @Test
  void nativeMemoryIsReadInPlaceAndLivesAsLongAsPytorchNeedsIt() {
    MemorySegment memory = Arena.ofAuto().allocate(64, 64);
    Tensor tensor = Tensor.wrap(DType.FLOAT32, Shape.of(16), memory);
    try (org.bytedeco.pytorch.Tensor there = TorchTensors.toTorch(tensor)) {
      assertThat(address(there)).isEqualTo(memory.address());
      memory.set(ValueLayout.JAVA_FLOAT, 0, 5);
      assertThat(first(there)).isEqualTo(5);
      assertThat(TorchTensors.borrowedCount()).isEqualTo(1);
    }
  }

  @Test
  void memoryThatMustNotBeWrittenIsCopied() {
    MemorySegment memory = Arena.ofAuto().allocate(64, 64);
    Tensor readOnly = Tensor.wrap(DType.FLOAT32, Shape.of(16), memory.asReadOnly());
    try (org.bytedeco.pytorch.Tensor there = TorchTensors.toTorch(readOnly)) {
      assertThat(address(there)).isNotEqualTo(memory.address());
    }
    Tensor odd = Tensor.wrap(DType.FLOAT32, Shape.of(2), memory.asSlice(1, 8));
    try (org.bytedeco.pytorch.Tensor there = TorchTensors.toTorch(odd)) {
      assertThat(address(there)).isNotEqualTo(memory.address() + 1);
    }
  }

  @Test
  void batchesAreReadInPlaceAndTheirMemoryIsUsedAgain() {
    List<Long> addresses = new ArrayList<>();
    try (TorchBatches<Row> batches = TorchBatches.open(rows(200))) {
      for (int epoch = 0; epoch < 2; epoch++) {
        long expected = 0;
        for (TorchBatch batch : batches) {
          assertThat(batch.names()).containsExactly("values", "number");
          assertThat(first(batch.tensor("values"))).isEqualTo((double) expected);
          assertThat(first(batch.tensor(1))).isEqualTo((double) expected);
          assertThat(TorchTensors.borrowedCount()).isEqualTo(2);
          addresses.add(address(batch.tensor("values")));
          expected += 4;
        }
        assertThat(expected).isEqualTo(200);
      }
    }
    assertThat(addresses).hasSize(100);
    assertThat(addresses.stream().distinct().count()).isLessThan(20);
  }

  @Test
  void whatPytorchStillRefersToIsNotOverwritten() {
    List<org.bytedeco.pytorch.Tensor> views = new ArrayList<>();
    try (TorchBatches<Row> batches = TorchBatches.open(rows(80))) {
      for (TorchBatch batch : batches) {
        views.add(batch.tensor("values").narrow(0, 1, 1)); // row 1 of the batch
      }
    }
    assertThat(TorchTensors.borrowedCount()).isEqualTo(20);
    for (int i = 0; i < views.size(); i++) {
      assertThat(first(views.get(i))).isEqualTo(4 * i + 1);
      views.get(i).close();
    }
  }

  @Test
  void aBatchStaysReadableWhenThePipelineHasMovedOn() {
    try (TorchBatches<Row> batches = TorchBatches.open(rows(12))) {
      var elements = batches.pipeline().iterator();
      try (TorchBatch held = TorchBatch.of(elements.next())) {
        Row second = elements.next();
        assertThat(second.values().floatAt(0)).isEqualTo(4);
        assertThat(first(held.tensor("values"))).isZero();
      }
    }
  }

  @Test
  void structuresOfAnyKindHaveNames() {
    try (TorchBatch batch = TorchBatch.of(Map.of("x", Tensor.of(1f), "y", Tensor.of(2L)))) {
      assertThat(batch.names()).containsExactly("x", "y");
      assertThat(batch.tensors()).hasSize(2);
      assertThatThrownBy(() -> batch.tensor("z"))
          .hasMessage("batch: expected one of [x, y], but got \"z\"");
    }
    try (TorchBatch batch = TorchBatch.of(Tensor.of(3L))) {
      assertThat(batch.tensor("").item_long()).isEqualTo(3);
    }
  }

  @Test
  void errorsNameTheOperatorAndTheRestFollows() {
    Dataset<Row> dataset =
        rows(12)
            .map(
                row -> {
                  if (row.number().longAt(0) == 4) {
                    throw new IllegalArgumentException("refuses 4");
                  }
                  return row;
                });
    try (TorchBatches<Row> batches = TorchBatches.open(dataset)) {
      var iterator = batches.iterator();
      assertThat(first(iterator.next().tensor("number"))).isZero();
      assertThatThrownBy(iterator::next)
          .isInstanceOfSatisfying(
              PipelineException.class, e -> assertThat(e.path()).startsWith("map"))
          .hasMessageContaining("refuses 4");
      assertThat(first(iterator.next().tensor("number"))).isEqualTo(8);
    }
  }

  @Test
  void copiesMayBeWritten() {
    Tensor tensor = Tensor.of(1f, 2f);
    try (org.bytedeco.pytorch.Tensor copy = TorchTensors.copyToTorch(tensor)) {
      copy.zero_();
      assertThat(torch.equal(copy, copy)).isTrue();
      assertThat(tensor.floatAt(1)).isEqualTo(2);
    }
  }
}
