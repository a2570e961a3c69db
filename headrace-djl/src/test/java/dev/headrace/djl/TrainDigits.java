package dev.headrace.djl;

import static dev.headrace.Dataset.AUTOTUNE;

import ai.djl.Model;
import ai.djl.engine.Engine;
import ai.djl.ndarray.types.Shape;
import ai.djl.nn.Activation;
import ai.djl.nn.Blocks;
import ai.djl.nn.SequentialBlock;
import ai.djl.nn.convolutional.Conv2d;
import ai.djl.nn.core.Linear;
import ai.djl.nn.pooling.Pool;
import ai.djl.training.DefaultTrainingConfig;
import ai.djl.training.EasyTrain;
import ai.djl.training.Trainer;
import ai.djl.training.TrainingResult;
import ai.djl.training.evaluator.Accuracy;
import ai.djl.training.listener.EvaluatorTrainingListener;
import ai.djl.training.loss.Loss;
import ai.djl.training.optimizer.Optimizer;
import ai.djl.training.tracker.Tracker;
import ai.djl.translate.TranslateException;
import dev.headrace.Dataset;
import dev.headrace.data.DType;
import dev.headrace.data.Seed;
import dev.headrace.data.Tensor;
import dev.headrace.image.testing.SyntheticDigits;
import java.io.IOException;

/** Trains a small convolutional network on drawn digits, with DJL on the CPU. */
public final class TrainDigits {
  private static final int EPOCHS = 3;

  record Digit(Tensor image, Tensor label) {}

  private TrainDigits() {}

  /** Prints the accuracy on drawings that were not trained on. */
  public static void main(String[] args) throws IOException, TranslateException {
    System.out.printf("accuracy %.3f%n", train(false));
  }

  static Dataset<Digit> digits(long from, long to) {
    return Dataset.range(from, to)
        .map(
            n ->
                new Digit(
                    SyntheticDigits.drawing(n).toNchw().convertImageDtype(DType.FLOAT32),
                    Tensor.scalar((long) SyntheticDigits.label(n))),
            AUTOTUNE);
  }

  /** Trains, and gives the share of unseen drawings that the network then reads right. */
  static double train(boolean borrowing) throws IOException, TranslateException {
    Engine.getInstance().setRandomSeed(1);
    Dataset<Digit> batches =
        digits(0, 3_000)
            .cache()
            .shuffle(3_000, Seed.of(42))
            .batch(64)
            .prefetch(AUTOTUNE)
            .options(o -> o.epochs(EPOCHS));
    HeadraceDataset<Digit> train = HeadraceDataset.of(batches, "image", "label");
    DefaultTrainingConfig config =
        new DefaultTrainingConfig(Loss.softmaxCrossEntropyLoss())
            .optOptimizer(Optimizer.adam().optLearningRateTracker(Tracker.fixed(2e-3f)).build())
            .addEvaluator(new Accuracy())
            .addTrainingListeners(new EvaluatorTrainingListener());
    try (HeadraceDataset<Digit> training = borrowing ? train.borrowing() : train;
        HeadraceDataset<Digit> validation =
            HeadraceDataset.of(digits(100_000, 101_000).batch(100), "image", "label");
        Model model = Model.newInstance("digits")) {
      model.setBlock(network());
      try (Trainer trainer = model.newTrainer(config)) {
        trainer.initialize(new Shape(1, 1, SyntheticDigits.SIZE, SyntheticDigits.SIZE));
        EasyTrain.fit(trainer, EPOCHS, training, validation);
        TrainingResult result = trainer.getTrainingResult();
        return result.getValidateEvaluation("Accuracy");
      }
    }
  }

  private static SequentialBlock network() {
    Shape three = new Shape(3, 3);
    Shape two = new Shape(2, 2);
    return new SequentialBlock()
        .add(Conv2d.builder().setKernelShape(three).setFilters(8).build())
        .add(Activation::relu)
        .add(Pool.maxPool2dBlock(two, two))
        .add(Conv2d.builder().setKernelShape(three).setFilters(16).build())
        .add(Activation::relu)
        .add(Pool.maxPool2dBlock(two, two))
        .add(Blocks.batchFlattenBlock())
        .add(Linear.builder().setUnits(SyntheticDigits.CLASSES).build());
  }
}
