package dev.headrace.op;

import dev.headrace.data.Buckets;
import dev.headrace.data.Plural;
import dev.headrace.spi.BatchBudget;
import dev.headrace.spi.Checkpointing;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Columns;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Fn;
import dev.headrace.spi.Holding;
import dev.headrace.spi.Id;
import dev.headrace.spi.Op;
import dev.headrace.spi.PaddedStacking;
import dev.headrace.spi.Passing;
import dev.headrace.spi.Site;
import dev.headrace.spi.Traits;
import dev.headrace.spi.Weigher;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Batches elements of similar length, so that little is padded. */
public record BucketBySequenceLengthOp(
    Op input, Fn<Object, Number> length, Buckets buckets, Site site) implements Op {

  public BucketBySequenceLengthOp {
    Objects.requireNonNull(length, "bucketBySequenceLength: expected a function, but got null");
    Objects.requireNonNull(buckets, "bucketBySequenceLength: expected buckets, but got null");
  }

  @Override
  public long cardinality() {
    return input.cardinality() == INFINITE ? INFINITE : UNKNOWN;
  }

  @Override
  public Traits traits() {
    return Traits.PLAIN.asKeepingPlace().with(Checkpointing.REPLAY).with(Passing.GROUPED);
  }

  @Override
  public Cursor open(Context context) {
    return new BucketCursor(context, this);
  }

  private static final class BucketCursor extends GroupingCursor {
    private final BucketBySequenceLengthOp op;
    private final PaddedStacking stacking;

    BucketCursor(Context context, BucketBySequenceLengthOp op) {
      super(context, op.input, op.word());
      this.op = op;
      this.stacking = PaddedStacking.ofStructures(op.buckets.padding());
    }

    @Override
    Object keyOf(Object element) throws Exception {
      long length =
          Objects.requireNonNull(
                  op.length.apply(element),
                  "bucketBySequenceLength: expected a length, but got null")
              .longValue();
      int bucket = op.buckets.bucketOf(length);
      if (op.buckets.padsToBoundary() && bucket == op.buckets.boundaries().size()) {
        throw new IllegalArgumentException(
            ("bucketBySequenceLength: expected a length below the last boundary of %s, since all is"
                    + " padded to boundaries, but got %d; add a boundary, or drop long elements by"
                    + " filter")
                .formatted(op.buckets.boundaries(), length));
      }
      return bucket;
    }

    @Override
    long sizeOf(Object bucket) {
      return op.buckets.batchSizes().get((Integer) bucket);
    }

    @Override
    @Nullable Cursor reduce(Object bucket, List<Object> elements, Id id, boolean full, Chunk out) {
      if (full || !op.buckets.dropsRemainder()) {
        try (Holding holding = new Holding(context.heap())) {
          Chunk gathered = gathered(elements, holding);
          BatchBudget budget = new BatchBudget(context.slabs(), holding, context.path());
          out.add(batch((Integer) bucket, gathered, budget), id.parent(), id.ordinal());
        }
      }
      return null;
    }

    /** The elements of a batch; what lay on disk is in memory for as long as it is made. */
    private Chunk gathered(List<Object> elements, Holding holding) {
      Chunk gathered = new Chunk();
      for (int i = 0; i < elements.size(); i++) {
        Object element = elements.get(i);
        if (elements instanceof ItemsOnDisk && !holding.takeOrPass(Weigher.bytesOf(element))) {
          throw new IllegalStateException(
              ("%s: expected a batch that fits the memory budget, but %,d of its %s %s"
                      + " %s and %s; make batches smaller, or raise %s")
                  .formatted(
                      op.word(),
                      i,
                      Plural.of(elements.size(), "element"),
                      i == 1 ? "takes" : "take",
                      Plural.of(holding.bytes(), "byte"),
                      holding.isFull(),
                      holding.option()));
        }
        gathered.add(element, null, i);
      }
      return gathered;
    }

    private Object batch(int bucket, Chunk gathered, BatchBudget budget) {
      Buckets buckets = op.buckets;
      if (!buckets.pads()) {
        return Columns.of(gathered, op.word(), "map elements to tensors first").stacked(budget);
      }
      PaddedStacking padded =
          buckets.padsToBoundary()
              ? stacking.withRows(buckets.boundaries().get(bucket) - 1L)
              : stacking;
      return padded.assemble(gathered, budget);
    }
  }
}
