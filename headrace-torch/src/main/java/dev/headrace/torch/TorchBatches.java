package dev.headrace.torch;

import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * An opened dataset whose elements come as tensors of PyTorch. Each {@link #iterator()} is the next
 * epoch.
 *
 * <pre>{@code
 * try (TorchBatches<Labelled> batches = TorchBatches.open(train)) {
 *   for (int epoch = 0; epoch < 5; epoch++) {
 *     for (TorchBatch batch : batches) {
 *       try (PointerScope _ = new PointerScope()) {
 *         step(batch.tensor("image"), batch.tensor("label"));
 *       }
 *     }
 *   }
 * }
 * }</pre>
 *
 * <p><b>Threading:</b> one consumer thread, as the pipeline itself.
 *
 * <p><b>Ownership:</b> owns the pipeline. A batch is closed when the next one is asked for; its
 * memory is used again when PyTorch, too, refers to it no longer. Close what a step computes, best
 * by a scope as above: what waits for the garbage collector keeps its batch's memory until then.
 */
public final class TorchBatches<T> implements Iterable<TorchBatch>, AutoCloseable {
  private final Pipeline<T> pipeline;
  private @Nullable TorchBatch current;

  private TorchBatches(Pipeline<T> pipeline) {
    this.pipeline = pipeline;
  }

  /** Opens a dataset of batches: tensors, or records, maps or lists of tensors. */
  public static <T> TorchBatches<T> open(Dataset<T> dataset) {
    return new TorchBatches<>(dataset.open());
  }

  /** The rest of an opened pipeline, one that was resumed from a checkpoint, say; owns it. */
  public static <T> TorchBatches<T> over(Pipeline<T> pipeline) {
    return new TorchBatches<>(pipeline);
  }

  /** The pipeline, for its statistics and checkpoints; it must not be iterated beside this. */
  public Pipeline<T> pipeline() {
    return pipeline;
  }

  /**
   * Starts the next epoch. {@code next()} throws what the pipeline's does: a {@link
   * dev.headrace.PipelineException} for an element that failed, with the operator's path.
   */
  @Override
  public Iterator<TorchBatch> iterator() {
    closeCurrent();
    Iterator<T> elements = pipeline.iterator();
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return elements.hasNext();
      }

      @Override
      public TorchBatch next() {
        closeCurrent();
        TorchBatch batch = TorchBatch.of(elements.next());
        current = batch;
        return batch;
      }
    };
  }

  private void closeCurrent() {
    TorchBatch batch = current;
    current = null;
    if (batch != null) {
      batch.close();
    }
  }

  @Override
  public void close() {
    try {
      closeCurrent();
    } finally {
      pipeline.close();
    }
  }
}
