package dev.headrace;

import dev.headrace.data.Structure;
import dev.headrace.data.Tensor;
import dev.headrace.op.BatchOp;
import dev.headrace.op.BucketBySequenceLengthOp;
import dev.headrace.op.RebatchOp;
import dev.headrace.spi.Op;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * How many elements the batches of a plan have: the leading dimension that all their tensors share.
 */
final class BatchSizes {
  private final boolean areBatches;
  private @Nullable Structure<Object> structure;

  BatchSizes(Op op) {
    areBatches = givesBatches(op);
  }

  /** Whether elements are batches, or made of one batch each. */
  private static boolean givesBatches(Op op) {
    Op at = op;
    while (!(at instanceof BatchOp
        || at instanceof RebatchOp
        || at instanceof BucketBySequenceLengthOp)) {
      boolean passesOn = at.traits().oneToOne() || at.traits().keepsElements();
      if (!passesOn || at.inputs().size() != 1) {
        return false;
      }
      at = at.inputs().getFirst();
    }
    return true;
  }

  /** How many elements a batch has; {@link Dataset#UNKNOWN} where it does not tell. */
  long of(Object batch) {
    if (!areBatches) {
      return Dataset.UNKNOWN;
    }
    Structure<Object> known = structure;
    if (known == null || !known.matches(batch)) {
      known = Structure.find(batch).orElse(null);
      structure = known;
    }
    if (known == null) {
      return batch instanceof Collection<?> items ? items.size() : Dataset.UNKNOWN;
    }
    long size = Dataset.UNKNOWN;
    for (Tensor leaf : known.leaves(batch)) {
      long rows = leaf.shape().rank() == 0 ? Dataset.UNKNOWN : leaf.shape().dim(0);
      if (rows < 0 || (size >= 0 && size != rows)) {
        return Dataset.UNKNOWN;
      }
      size = rows;
    }
    return size;
  }
}
