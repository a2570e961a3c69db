package dev.headrace.frameworks;

import ai.djl.ndarray.NDManager;
import ai.djl.training.dataset.Batch;
import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.bench.Spent;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import dev.headrace.djl.HeadraceDataset;
import dev.headrace.torch.TorchTensors;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;
import org.tensorflow.ndarray.buffer.DataBuffers;
import org.tensorflow.types.TFloat32;

/** Measures the ways of a batch into one framework; prints a line of figures for each. */
public final class Transfers {
  static final List<String> FRAMEWORKS = List.of("arrays", "torch", "djl", "tensorflow");

  private static final Shape IMAGE = Shape.of(224, 224, 3);
  private static final int BATCH = 32;
  private static final double BYTES = 4.0 * BATCH * IMAGE.elements();
  private static final long LEAST_NS = 150_000_000;
  private static final int WARM_ROUNDS = 8;

  private final int rounds;

  private Transfers(int rounds) {
    this.rounds = rounds;
  }

  /** Arguments: the framework, and how many figures each line is to have. */
  public static void main(String[] args) {
    Transfers transfers = new Transfers(Integer.parseInt(args[1]));
    switch (args[0]) {
      case "arrays" -> transfers.arrays();
      case "torch" -> transfers.torch();
      case "djl" -> transfers.djl();
      case "tensorflow" -> transfers.tensorflow();
      default ->
          throw new IllegalArgumentException(
              "transfers: expected one of " + FRAMEWORKS + ", but got " + args[0]);
    }
  }

  /** Batches in the pipeline's own memory, as every training has them. */
  private static Dataset<Tensor> batches() {
    return Dataset.range(Long.MAX_VALUE).map(n -> Tensor.full(IMAGE, (float) n)).batch(BATCH);
  }

  private void arrays() {
    try (Pipeline<Tensor> pipeline = batches().open()) {
      Tensor batch = pipeline.iterator().next();
      float[] values = new float[(int) batch.elements()];
      print("arrays, toFloatArray (copy)", true, () -> batch.toFloatArray());
      print(
          "arrays, copyInto one array (copy)",
          true,
          () -> batch.copyInto(MemorySegment.ofArray(values), 0));
      print("arrays, segment (no copy)", false, () -> batch.segment());
    }
  }

  private void torch() {
    try (Pipeline<Tensor> pipeline = batches().open()) {
      Tensor batch = pipeline.iterator().next();
      print("PyTorch, toTorch (no copy)", false, () -> TorchTensors.toTorch(batch).close());
      print("PyTorch, copyToTorch (copy)", true, () -> TorchTensors.copyToTorch(batch).close());
      try (org.bytedeco.pytorch.Tensor there = TorchTensors.toTorch(batch)) {
        print("PyTorch, toHeadrace (copy)", true, () -> TorchTensors.toHeadrace(there));
      }
    }
  }

  private void djl() {
    DjlEngine.configure();
    // One batch again and again: held by the pipeline, so that only DJL's part is measured.
    try (Pipeline<Tensor> pipeline = batches().open();
        NDManager manager = NDManager.newBaseManager()) {
      Tensor batch = pipeline.iterator().next();
      Dataset<Long> same = Dataset.range(Long.MAX_VALUE);
      try (HeadraceDataset<Long> copied =
              HeadraceDataset.of(same, _ -> List.of(batch), _ -> List.of());
          HeadraceDataset<Long> borrowed = copied.borrowing()) {
        Iterator<Batch> views = borrowed.getData(manager).iterator();
        print("DJL, borrowing (no copy)", false, () -> views.next().close());
        Iterator<Batch> copies = copied.getData(manager).iterator();
        print("DJL, as it is (copy)", true, () -> copies.next().close());
      }
    }
  }

  private void tensorflow() {
    try (Pipeline<Tensor> pipeline = batches().open()) {
      Tensor batch = pipeline.iterator().next();
      org.tensorflow.ndarray.Shape shape = org.tensorflow.ndarray.Shape.of(batch.shape().toArray());
      float[] values = new float[(int) batch.elements()];
      print(
          "TensorFlow, through an array (2 copies)",
          true,
          () -> {
            batch.copyInto(MemorySegment.ofArray(values), 0);
            TFloat32.tensorOf(shape, DataBuffers.of(values, true, false)).close();
          });
      batch.borrow(
          memory -> {
            FloatBuffer buffer =
                memory.asByteBuffer().order(ByteOrder.nativeOrder()).asFloatBuffer();
            print(
                "TensorFlow, from a buffer (copy)",
                true,
                () -> TFloat32.tensorOf(shape, DataBuffers.of(buffer)).close());
          });
    }
  }

  private void print(String row, boolean copies, Runnable transfer) {
    for (int warm = 0; warm < WARM_ROUNDS; warm++) {
      once(transfer);
    }
    StringJoiner figures = new StringJoiner(" ");
    for (int round = 0; round < rounds; round++) {
      double ns = once(transfer);
      figures.add(String.format(Locale.ROOT, "%.4f", copies ? BYTES / ns : ns / 1e3));
    }
    System.out.println(row + "\t" + (copies ? "GB/CPU s" : "CPU µs/batch") + "\t" + figures);
  }

  /** The CPU time of one transfer, of all threads: other programs on the machine do not count. */
  private static double once(Runnable transfer) {
    long[] count = new long[1];
    Spent spent =
        Spent.on(
            () -> {
              long until = System.nanoTime() + LEAST_NS;
              do {
                transfer.run();
                count[0]++;
              } while (System.nanoTime() < until);
            });
    return spent.each(count[0]).cpuNs();
  }
}
