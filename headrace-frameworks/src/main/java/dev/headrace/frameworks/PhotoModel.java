package dev.headrace.frameworks;

import ai.djl.Model;
import ai.djl.engine.Engine;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.nn.Activation;
import ai.djl.nn.SequentialBlock;
import ai.djl.nn.convolutional.Conv2d;
import ai.djl.nn.core.Linear;
import ai.djl.nn.norm.BatchNorm;
import ai.djl.nn.pooling.Pool;
import ai.djl.training.DefaultTrainingConfig;
import ai.djl.training.EasyTrain;
import ai.djl.training.Trainer;
import ai.djl.training.dataset.Batch;
import ai.djl.training.dataset.Dataset;
import ai.djl.training.loss.Loss;
import ai.djl.training.optimizer.Optimizer;
import ai.djl.training.tracker.Tracker;
import ai.djl.translate.TranslateException;
import dev.headrace.bench.Spent;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.ExecutorService;
import org.jspecify.annotations.Nullable;

/** A small convolutional network for photographs, trained by DJL's own loop. */
final class PhotoModel {
  private PhotoModel() {}

  /**
   * What a training took, and what came of it.
   *
   * @param error the share of photographs not trained on that the network gets wrong
   */
  record Trained(Spent spent, double error) {}

  /**
   * Trains a new network, always from the same parameters.
   *
   * @param executor the threads that a loader of DJL's own makes batches on; null for none
   */
  static Trained train(
      Dataset training, Dataset validation, int epochs, @Nullable ExecutorService executor) {
    Engine.getInstance().setRandomSeed(1);
    DefaultTrainingConfig config =
        new DefaultTrainingConfig(Loss.softmaxCrossEntropyLoss())
            .optOptimizer(Optimizer.adam().optLearningRateTracker(Tracker.fixed(3e-3f)).build());
    if (executor != null) {
      config.optExecutorService(executor);
    }
    try (Model model = Model.newInstance("photos")) {
      model.setBlock(network());
      try (Trainer trainer = model.newTrainer(config)) {
        trainer.initialize(new Shape(1, 3, PhotoFiles.SIDE, PhotoFiles.SIDE));
        Spent spent = Spent.on(() -> fit(trainer, training, epochs));
        return new Trained(spent, error(trainer, validation));
      }
    }
  }

  private static void fit(Trainer trainer, Dataset training, int epochs) {
    try {
      EasyTrain.fit(trainer, epochs, training, null);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (TranslateException e) {
      throw new IllegalStateException(e);
    }
  }

  private static double error(Trainer trainer, Dataset validation) {
    long wrong = 0;
    long all = 0;
    try {
      for (Batch batch : validation.getData(trainer.getManager())) {
        NDList read = trainer.evaluate(batch.getData());
        NDArray labels = batch.getLabels().head();
        wrong += read.head().argMax(1).neq(labels).toType(DataType.INT64, false).sum().getLong();
        all += batch.getSize();
        batch.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (TranslateException e) {
      throw new IllegalStateException(e);
    }
    return (double) wrong / all;
  }

  private static SequentialBlock network() {
    return new SequentialBlock()
        .add(convolution(16))
        .add(BatchNorm.builder().build())
        .add(Activation::relu)
        .add(convolution(32))
        .add(BatchNorm.builder().build())
        .add(Activation::relu)
        .add(convolution(32))
        .add(BatchNorm.builder().build())
        .add(Activation::relu)
        .add(Pool.globalAvgPool2dBlock())
        .add(Linear.builder().setUnits(PhotoFiles.CLASSES).build());
  }

  private static Conv2d convolution(int filters) {
    return Conv2d.builder()
        .setKernelShape(new Shape(3, 3))
        .optStride(new Shape(2, 2))
        .setFilters(filters)
        .build();
  }
}
