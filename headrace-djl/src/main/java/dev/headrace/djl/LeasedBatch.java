package dev.headrace.djl;

import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.training.dataset.Batch;
import ai.djl.translate.Batchifier;
import dev.headrace.data.Lease;
import java.util.List;

/**
 * A batch of DJL whose arrays may be over the pipeline's memory, which is given back at {@link
 * #close()}, after the arrays.
 */
final class LeasedBatch extends Batch {
  private final List<Lease.Retention> retentions;
  private boolean closed;

  LeasedBatch(
      NDManager manager,
      NDList data,
      NDList labels,
      long progress,
      long progressTotal,
      List<Lease.Retention> retentions) {
    super(
        manager,
        data,
        labels,
        Math.toIntExact(data.head().getShape().get(0)),
        Batchifier.STACK,
        Batchifier.STACK,
        progress,
        progressTotal);
    this.retentions = retentions;
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      super.close();
    } finally {
      retentions.forEach(Lease.Retention::close);
    }
  }
}
