package dev.headrace.djl;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.training.dataset.Batch;
import ai.djl.util.Progress;
import dev.headrace.Dataset;
import dev.headrace.Pipeline;
import dev.headrace.data.Lease;
import dev.headrace.data.Tensor;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A dataset of batches as DJL's trainers take it.
 *
 * <pre>{@code
 * try (HeadraceDataset<Labelled> train = HeadraceDataset.of(batches, "image", "label")) {
 *   EasyTrain.fit(trainer, 5, train, null);
 *   System.out.println(train.pipeline().stats());
 * }
 * }</pre>
 *
 * <p>It opens the dataset once, when the first epoch is asked for; every iteration of what {@link
 * #getData} gives is the pipeline's next epoch, so that caches, seeds and read-ahead live as long
 * as the training. An element that failed is thrown to the trainer as a {@link
 * dev.headrace.PipelineException}, with the operator's path.
 *
 * <p><b>Threading:</b> one consumer thread, as the pipeline itself; the trainer's executor is not
 * needed, since the pipeline has threads of its own.
 *
 * <p><b>Ownership:</b> owns the pipeline. A {@link Batch} is the trainer's, which closes it. Its
 * arrays own their memory, unless {@link #borrowing()}.
 */
public final class HeadraceDataset<T> implements ai.djl.training.dataset.Dataset, AutoCloseable {
  private final Dataset<T> dataset;
  private final Function<? super T, List<Tensor>> data;
  private final Function<? super T, List<Tensor>> labels;
  private final boolean borrows;
  private final NdArrays arrays = new NdArrays();
  private @Nullable Pipeline<T> pipeline;
  private long lastCount;
  private boolean closed;

  private HeadraceDataset(
      Dataset<T> dataset,
      Function<? super T, List<Tensor>> data,
      Function<? super T, List<Tensor>> labels,
      boolean borrows) {
    this.dataset = dataset;
    this.data = data;
    this.labels = labels;
    this.borrows = borrows;
  }

  /**
   * Batches whose data and labels are the tensors of these names: components of a record or keys of
   * a map.
   */
  public static <T> HeadraceDataset<T> of(Dataset<T> batches, String data, String label) {
    return of(batches, List.of(data), List.of(label));
  }

  /** Batches of several tensors, in this order; there may be no labels. */
  public static <T> HeadraceDataset<T> of(
      Dataset<T> batches, List<String> data, List<String> labels) {
    return of(batches, Columns.named(data), Columns.named(labels));
  }

  /**
   * Batches whose data and labels are found by functions.
   *
   * @param data one tensor or more, each with the batch's rows as its first dimension
   */
  public static <T> HeadraceDataset<T> of(
      Dataset<T> batches,
      Function<? super T, List<Tensor>> data,
      Function<? super T, List<Tensor>> labels) {
    return new HeadraceDataset<>(batches, data, labels, false);
  }

  /**
   * The same, with arrays over the pipeline's own memory, which is not copied: the PyTorch engine
   * reads batches where they were assembled. Neither the arrays nor views of them may be used when
   * their {@link Batch} is closed, nor written to; {@code duplicate()} what is needed longer.
   * {@code EasyTrain} and loops like it need nothing longer.
   */
  public HeadraceDataset<T> borrowing() {
    return new HeadraceDataset<>(dataset, data, labels, true);
  }

  /**
   * The pipeline, opened if it is not yet: for its statistics and checkpoints. It must not be
   * iterated beside this.
   */
  public Pipeline<T> pipeline() {
    if (closed) {
      throw new IllegalStateException("HeadraceDataset: expected it to be open, but it was closed");
    }
    Pipeline<T> open = pipeline;
    if (open == null) {
      open = dataset.open();
      pipeline = open;
    }
    return open;
  }

  /** The batches of an epoch; each time its iterator is asked for, the next epoch. */
  @Override
  public Iterable<Batch> getData(NDManager manager) {
    return () -> new Batches(manager, pipeline().iterator());
  }

  /** Nothing is to be prepared: the pipeline is opened with the first epoch. */
  @Override
  public void prepare(@Nullable Progress progress) {}

  /** Ends the pipeline's threads and frees its memory, but for batches that were not closed. */
  @Override
  public void close() {
    closed = true;
    Pipeline<T> open = pipeline;
    if (open != null) {
      open.close();
    }
  }

  /** What a trainer shows as the number of batches; 0 where it is not known. */
  private long expectedCount() {
    long known = dataset.cardinality();
    return known >= 0 ? known : lastCount;
  }

  private Batch batch(T element, NDManager parent, long number) {
    NDManager manager = parent.newSubManager();
    List<Lease.Retention> retentions = new ArrayList<>();
    try {
      NDList inputs = arrays(data.apply(element), manager, retentions);
      if (inputs.isEmpty() || inputs.head().getShape().dimension() == 0) {
        throw new IllegalArgumentException(
            "HeadraceDataset: expected a tensor with the batch's rows, but got %s; call batch()"
                .formatted(inputs.isEmpty() ? "none" : "a scalar"));
      }
      NDList targets = arrays(labels.apply(element), manager, retentions);
      return new LeasedBatch(manager, inputs, targets, number, expectedCount(), retentions);
    } catch (RuntimeException | Error e) {
      manager.close();
      retentions.forEach(Lease.Retention::close);
      throw e;
    }
  }

  private NDList arrays(List<Tensor> tensors, NDManager manager, List<Lease.Retention> retentions) {
    NDList list = new NDList(tensors.size());
    for (Tensor tensor : tensors) {
      NDArray array =
          borrows ? arrays.borrow(tensor, manager, retentions::add) : arrays.copy(tensor, manager);
      list.add(array);
    }
    return list;
  }

  /** One epoch. */
  private final class Batches implements Iterator<Batch> {
    private final NDManager manager;
    private final Iterator<T> elements;
    private long count;

    Batches(NDManager manager, Iterator<T> elements) {
      this.manager = manager;
      this.elements = elements;
    }

    @Override
    public boolean hasNext() {
      boolean hasNext = elements.hasNext();
      if (!hasNext) {
        lastCount = count;
      }
      return hasNext;
    }

    @Override
    public Batch next() {
      return batch(elements.next(), manager, count++);
    }
  }
}
