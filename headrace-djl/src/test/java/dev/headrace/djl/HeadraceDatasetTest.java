package dev.headrace.djl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.djl.Model;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.nn.SequentialBlock;
import ai.djl.nn.core.Linear;
import ai.djl.training.DefaultTrainingConfig;
import ai.djl.training.EasyTrain;
import ai.djl.training.Trainer;
import ai.djl.training.dataset.Batch;
import ai.djl.training.listener.TrainingListener;
import ai.djl.training.loss.Loss;
import dev.headrace.Dataset;
import dev.headrace.PipelineException;
import dev.headrace.data.DType;
import dev.headrace.data.Tensor;
import dev.headrace.testing.NoLeftovers;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@Tag("adapters")
@Timeout(120)
@ExtendWith(NoLeftovers.class)
class HeadraceDatasetTest {
  private static final int WIDTH = 2_000;

  record Row(Tensor values, Tensor number) {}

  /** Batches of four rows that are large enough to lie in the pipeline's slabs. */
  private static Dataset<Row> rows(long count) {
    return Dataset.range(count)
        .map(
            n ->
                new Row(
                    Tensor.full(dev.headrace.data.Shape.of(WIDTH), (float) n), Tensor.scalar(n)))
        .batch(4);
  }

  private static NDArray values(Batch batch) {
    return batch.getData().head();
  }

  private static float first(NDArray array) {
    return array.toType(DataType.FLOAT32, false).flatten().getFloat(0);
  }

  @Test
  void eachIterationIsTheNextEpochOfOnePipeline() {
    AtomicInteger calls = new AtomicInteger();
    Dataset<Row> cached =
        Dataset.range(8)
            .map(
                n -> {
                  calls.incrementAndGet();
                  return new Row(Tensor.scalar((float) n), Tensor.scalar(n));
                })
            .cache()
            .batch(4);
    try (NDManager manager = NDManager.newBaseManager();
        HeadraceDataset<Row> dataset = HeadraceDataset.of(cached, "values", "number")) {
      for (int epoch = 0; epoch < 3; epoch++) {
        List<Long> progress = new ArrayList<>();
        for (Batch batch : dataset.getData(manager)) {
          assertThat(batch.getSize()).isEqualTo(4);
          assertThat(batch.getProgressTotal()).isEqualTo(2);
          assertThat(values(batch).toFloatArray()[1])
              .isEqualTo((float) (batch.getProgress() * 4 + 1));
          assertThat(batch.getLabels().head().toLongArray()).hasSize(4);
          progress.add(batch.getProgress());
          batch.close();
        }
        assertThat(progress).containsExactly(0L, 1L);
        assertThat(dataset.pipeline().epoch()).isEqualTo(epoch);
      }
    }
    assertThat(calls).hasValue(8);
  }

  @Test
  void arraysOutliveTheirBatchUnlessBorrowed() {
    List<NDArray> rows = new ArrayList<>();
    try (NDManager manager = NDManager.newBaseManager();
        HeadraceDataset<Row> dataset = HeadraceDataset.of(rows(80), "values", "number")) {
      for (Batch batch : dataset.getData(manager)) {
        NDArray view = values(batch).get(1);
        view.attach(manager);
        rows.add(view);
        batch.close();
      }
      for (int i = 0; i < rows.size(); i++) {
        assertThat(first(rows.get(i))).isEqualTo(4 * i + 1);
      }
    }
    assertThat(rows).hasSize(20);
  }

  @Test
  void borrowedMemoryIsNotUsedAgainBeforeTheBatchIsClosed() {
    try (NDManager manager = NDManager.newBaseManager();
        HeadraceDataset<Row> dataset =
            HeadraceDataset.of(rows(80), "values", "number").borrowing()) {
      List<Batch> open = new ArrayList<>();
      for (Batch batch : dataset.getData(manager)) {
        open.add(batch);
      }
      assertThat(open).hasSize(20);
      for (int i = 0; i < open.size(); i++) {
        NDArray values = values(open.get(i));
        assertThat(first(values)).isEqualTo(4 * i);
        assertThat(open.get(i).getLabels().head().getLong(0)).isEqualTo(4L * i);
        open.get(i).close();
        open.get(i).close();
        assertThatThrownBy(() -> values.getFloat(0)).isInstanceOf(IllegalStateException.class);
      }
      for (Batch batch : dataset.getData(manager)) {
        assertThat(first(values(batch))).isEqualTo((float) (4 * batch.getProgress()));
        batch.close();
      }
    }
  }

  @Test
  void everyTypeIsKept() {
    Map<DType, DataType> types =
        Map.of(
            DType.BOOL, DataType.BOOLEAN,
            DType.INT8, DataType.INT8,
            DType.INT32, DataType.INT32,
            DType.INT64, DataType.INT64,
            DType.UINT8, DataType.UINT8,
            DType.FLOAT16, DataType.FLOAT16,
            DType.FLOAT32, DataType.FLOAT32,
            DType.FLOAT64, DataType.FLOAT64);
    try (NDManager manager = NDManager.newBaseManager()) {
      types.forEach(
          (dtype, type) -> {
            Dataset<Tensor> batches =
                Dataset.range(4).map(n -> Tensor.scalar(n).convert(dtype)).batch(4);
            try (HeadraceDataset<Tensor> dataset =
                HeadraceDataset.of(batches, List.of(""), List.of())) {
              Batch batch = dataset.getData(manager).iterator().next();
              assertThat(values(batch).getDataType()).isEqualTo(type);
              assertThat(values(batch).getShape()).isEqualTo(new Shape(4));
              NDArray numbers = values(batch).toType(DataType.INT64, false);
              assertThat(numbers.toLongArray())
                  .containsExactly(0, 1, dtype == DType.BOOL ? 1 : 2, dtype == DType.BOOL ? 1 : 3);
              assertThat(batch.getLabels()).isEmpty();
              batch.close();
            }
          });
    }
  }

  @Test
  void emptyTensorsAreArraysToo() {
    Dataset<Tensor> empty = Dataset.range(4).map(n -> Tensor.of(new float[0])).batch(4);
    try (NDManager manager = NDManager.newBaseManager();
        HeadraceDataset<Tensor> dataset = HeadraceDataset.of(empty, List.of(""), List.of())) {
      Batch batch = dataset.getData(manager).iterator().next();
      assertThat(values(batch).getShape()).isEqualTo(new Shape(4, 0));
      batch.close();
    }
  }

  @Test
  void tensorsAreFoundByFunctionsAndInMaps() {
    Dataset<Map<String, Tensor>> maps =
        Dataset.range(4)
            .map(n -> Map.of("x", Tensor.scalar(n), "y", Tensor.scalar(2 * n)))
            .batch(4);
    try (NDManager manager = NDManager.newBaseManager();
        HeadraceDataset<Map<String, Tensor>> named =
            HeadraceDataset.of(maps, List.of("y", "x"), List.of("x"));
        HeadraceDataset<Map<String, Tensor>> found =
            HeadraceDataset.of(
                maps,
                map -> List.of(map.get("y").convert(DType.FLOAT32)),
                map -> List.of(map.get("x")));
        HeadraceDataset<Map<String, Tensor>> wrong = HeadraceDataset.of(maps, "z", "x")) {
      Batch batch = named.getData(manager).iterator().next();
      assertThat(batch.getData().get(0).toLongArray()).containsExactly(0, 2, 4, 6);
      assertThat(batch.getData().get(1).toLongArray()).containsExactly(0, 1, 2, 3);
      Batch converted = found.getData(manager).iterator().next();
      assertThat(values(converted).toFloatArray()).containsExactly(0, 2, 4, 6);
      Iterator<Batch> failing = wrong.getData(manager).iterator();
      assertThatThrownBy(failing::next)
          .hasMessage(
              "HeadraceDataset: expected one of [x, y], but got \"z\"; name tensors of the batch");
    }
  }

  @Test
  void elementsThatWereNotBatchedAndStringsAreRefused() {
    try (NDManager manager = NDManager.newBaseManager();
        HeadraceDataset<Tensor> scalars =
            HeadraceDataset.of(
                Dataset.range(4).map(n -> Tensor.scalar(n)), List.of(""), List.of());
        HeadraceDataset<Tensor> strings =
            HeadraceDataset.of(
                Dataset.range(4).map(n -> Tensor.scalar("a")).batch(2), List.of(""), List.of())) {
      Iterator<Batch> first = scalars.getData(manager).iterator();
      assertThatThrownBy(first::next)
          .hasMessage(
              "HeadraceDataset: expected a tensor with the batch's rows, but got a scalar; call"
                  + " batch()");
      Iterator<Batch> second = strings.getData(manager).iterator();
      assertThatThrownBy(second::next)
          .hasMessage(
              "HeadraceDataset: expected numbers or booleans, but got strings; map them to numbers"
                  + " first");
    }
  }

  @Test
  void aTrainerIsToldWhichOperatorFailed() {
    Dataset<Row> failing =
        Dataset.range(8)
            .map(
                n -> {
                  if (n == 6) {
                    throw new IllegalArgumentException("refuses 6");
                  }
                  return new Row(Tensor.full(dev.headrace.data.Shape.of(3), n), Tensor.scalar(n));
                })
            .map(row -> new Row(row.values().convert(DType.FLOAT32), row.number()))
            .batch(4);
    DefaultTrainingConfig config =
        new DefaultTrainingConfig(Loss.softmaxCrossEntropyLoss())
            .addTrainingListeners(TrainingListener.Defaults.basic());
    try (HeadraceDataset<Row> dataset = HeadraceDataset.of(failing, "values", "number");
        Model model = Model.newInstance("linear")) {
      model.setBlock(new SequentialBlock().add(Linear.builder().setUnits(8).build()));
      try (Trainer trainer = model.newTrainer(config)) {
        trainer.initialize(new Shape(1, 3));
        assertThatThrownBy(() -> EasyTrain.fit(trainer, 2, dataset, null))
            .isInstanceOfSatisfying(
                PipelineException.class,
                e -> {
                  assertThat(e.path()).contains("map").contains("HeadraceDatasetTest.java");
                  assertThat(e.element()).isEqualTo("6");
                })
            .hasMessageContaining("refuses 6");
      }
    }
  }

  @Test
  void aTrainerMayAskForMoreEpochsThanBatchesAreCounted() {
    Dataset<Row> filtered =
        Dataset.range(10)
            .filter(n -> n % 2 == 0)
            .map(
                n ->
                    new Row(
                        Tensor.full(dev.headrace.data.Shape.of(3), (float) n), Tensor.scalar(0L)))
            .batch(2);
    try (NDManager manager = NDManager.newBaseManager();
        HeadraceDataset<Row> dataset = HeadraceDataset.of(filtered, "values", "number")) {
      List<Long> totals = new ArrayList<>();
      for (int epoch = 0; epoch < 2; epoch++) {
        for (Batch batch : dataset.getData(manager)) {
          totals.add(batch.getProgressTotal());
          batch.close();
        }
      }
      assertThat(totals).as("known after the first epoch").containsExactly(0L, 0L, 0L, 3L, 3L, 3L);
    }
  }

  @Test
  void aClosedDatasetSaysSo() {
    try (NDManager manager = NDManager.newBaseManager()) {
      HeadraceDataset<Row> dataset = HeadraceDataset.of(rows(8), "values", "number");
      Iterable<Batch> data = dataset.getData(manager);
      assertThat(data.iterator().hasNext()).isTrue();
      dataset.close();
      assertThatThrownBy(data::iterator)
          .hasMessage("HeadraceDataset: expected it to be open, but it was closed");
    }
  }
}
