package dev.headrace.torch;

import static dev.headrace.Dataset.AUTOTUNE;
import static org.bytedeco.pytorch.global.torch.DeviceType.CUDA;

import dev.headrace.Dataset;
import dev.headrace.data.DType;
import dev.headrace.data.Place;
import dev.headrace.data.Seed;
import dev.headrace.data.Tensor;
import dev.headrace.device.Device;
import dev.headrace.image.testing.SyntheticDigits;
import java.util.List;
import org.bytedeco.javacpp.LongPointer;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.Adam;
import org.bytedeco.pytorch.AdamOptions;
import org.bytedeco.pytorch.AutoGradMode;
import org.bytedeco.pytorch.Conv2dImpl;
import org.bytedeco.pytorch.LinearImpl;
import org.bytedeco.pytorch.LongOptional;
import org.bytedeco.pytorch.Module;
import org.bytedeco.pytorch.global.torch;

/** Trains a small convolutional network on drawn digits, with PyTorch on the CPU or on a GPU. */
public final class TrainDigits {
  private static final int EPOCHS = 3;

  record Digit(Tensor image, Tensor label) {}

  private TrainDigits() {}

  /**
   * Prints the loss of each epoch, then the accuracy on drawings that were not trained on.
   *
   * @param args {@code gpu} to train on the first GPU
   */
  public static void main(String[] args) {
    try (Device device = List.of(args).contains("gpu") ? Device.gpu(0) : Device.host()) {
      System.out.printf("accuracy %.3f%n", train(device));
    }
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
  static double train(Device device) {
    torch.manual_seed(1);
    Dataset<Digit> train =
        digits(0, 4_000).cache().shuffle(4_000, Seed.of(42)).batch(64).prefetchToDevice(device);
    try (Network network = new Network(device);
        Adam optimizer = new Adam(network.parameters(), new AdamOptions(2e-3));
        TorchBatches<Digit> batches = TorchBatches.open(train)) {
      for (int epoch = 0; epoch < EPOCHS; epoch++) {
        double loss = 0;
        for (TorchBatch batch : batches) {
          loss = step(network, optimizer, batch);
        }
        System.out.printf("epoch %d: loss %.3f%n", epoch, loss);
      }
      return accuracy(network, device);
    }
  }

  private static double step(Network network, Adam optimizer, TorchBatch batch) {
    try (PointerScope _ = new PointerScope()) { // frees what the step computes
      optimizer.zero_grad();
      org.bytedeco.pytorch.Tensor loss =
          torch.cross_entropy_loss(network.forward(batch.tensor("image")), batch.tensor("label"));
      loss.backward();
      optimizer.step();
      return loss.item_double();
    }
  }

  private static double accuracy(Network network, Device device) {
    Dataset<Digit> unseen = digits(100_000, 101_000).batch(100).prefetchToDevice(device);
    long right = 0;
    long all = 0;
    try (AutoGradMode _ = new AutoGradMode(false);
        TorchBatches<Digit> batches = TorchBatches.open(unseen)) {
      for (TorchBatch batch : batches) {
        try (PointerScope _ = new PointerScope()) {
          org.bytedeco.pytorch.Tensor read =
              network.forward(batch.tensor("image")).argmax(new LongOptional(1), false);
          right += read.eq(batch.tensor("label")).sum().item_long();
          all += batch.tensor("label").numel();
        }
      }
    }
    return (double) right / all;
  }

  private static final class Network extends Module {
    private final Conv2dImpl first =
        register_module("first", new Conv2dImpl(1, 8, new LongPointer(3, 3)));
    private final Conv2dImpl second =
        register_module("second", new Conv2dImpl(8, 16, new LongPointer(3, 3)));
    private final LinearImpl last =
        register_module("last", new LinearImpl(16 * 5 * 5, SyntheticDigits.CLASSES));

    /** With its parameters where the batches are. */
    Network(Device device) {
      Place place = device.place();
      if (place != null) {
        to(new org.bytedeco.pytorch.Device(CUDA, (byte) place.number()), false);
      }
    }

    org.bytedeco.pytorch.Tensor forward(org.bytedeco.pytorch.Tensor images) {
      org.bytedeco.pytorch.Tensor x = torch.max_pool2d(torch.relu(first.forward(images)), 2, 2);
      x = torch.max_pool2d(torch.relu(second.forward(x)), 2, 2);
      return last.forward(x.flatten(1, 3));
    }
  }
}
