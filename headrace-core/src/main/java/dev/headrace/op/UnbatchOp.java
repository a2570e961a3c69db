package dev.headrace.op;

import dev.headrace.data.Plural;
import dev.headrace.data.Structure;
import dev.headrace.data.Tensor;
import dev.headrace.spi.Cancelled;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Columns;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Fn;
import dev.headrace.spi.Id;
import dev.headrace.spi.Op;
import dev.headrace.spi.Passing;
import dev.headrace.spi.Reader;
import dev.headrace.spi.Site;
import dev.headrace.spi.State;
import dev.headrace.spi.Traits;
import dev.headrace.spi.UnaryCursor;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Takes batches apart: each row of the first dimension becomes an element.
 *
 * <p>Rows are copied, so that one that is held for long does not keep its whole batch.
 *
 * @param items gives the elements of a batch; null for structures, whose tensors are cut leaf by
 *     leaf
 */
public record UnbatchOp(Op input, @Nullable Fn<Object, List<Object>> items, Site site)
    implements Op {

  @Override
  public long cardinality() {
    return input.cardinality() == INFINITE ? INFINITE : UNKNOWN;
  }

  @Override
  public Traits traits() {
    return Traits.PLAIN.asKeepingPlace().with(Passing.EXPANDED);
  }

  @Override
  public Cursor open(Context context) {
    return new UnbatchCursor(context, this);
  }

  /** A batch that is being taken apart. */
  private interface Rows {
    long count();

    Object at(long row);
  }

  private record ItemRows(List<Object> items) implements Rows {
    @Override
    public long count() {
      return items.size();
    }

    @Override
    public Object at(long row) {
      return Objects.requireNonNull(
          items.get((int) row), "unbatch: expected items, but one of the list is null");
    }
  }

  private static final class TensorRows implements Rows {
    private final Structure<Object> structure;
    private final Tensor[] leaves;

    TensorRows(Object batch) {
      structure =
          Columns.structureOf(
              batch, "unbatch", "use unbatch(batch -> …) to say what its items are");
      leaves = structure.leaves(batch);
      for (int leaf = 0; leaf < leaves.length; leaf++) {
        boolean isScalar = leaves[leaf].shape().rank() == 0;
        if (isScalar || leaves[leaf].shape().dim(0) != leaves[0].shape().dim(0)) {
          throw new IllegalArgumentException(
              "unbatch: expected all tensors to have the same number of rows, but %s is %s%s"
                  .formatted(
                      structure.leafName(leaf).isEmpty()
                          ? "the element"
                          : "'" + structure.leafName(leaf) + "'",
                      leaves[leaf].describe(),
                      isScalar
                          ? ""
                          : " and '%s' is %s"
                              .formatted(structure.leafName(0), leaves[0].describe())));
        }
      }
    }

    @Override
    public long count() {
      return leaves[0].shape().dim(0);
    }

    @Override
    public Object at(long row) {
      Tensor[] cut = new Tensor[leaves.length];
      for (int leaf = 0; leaf < cut.length; leaf++) {
        cut[leaf] = leaves[leaf].copyOfRow(row);
      }
      return structure.build(cut);
    }
  }

  private static final class UnbatchCursor extends UnaryCursor {
    private final UnbatchOp op;
    private final Reader reader;
    private @Nullable Rows rows;
    private @Nullable Id batchId;
    private long next;

    UnbatchCursor(Context context, UnbatchOp op) {
      // One batch gives at least one row, or none: nothing is known of how many are needed.
      super(context, context.open(op.input));
      this.op = op;
      this.reader = new Reader(source);
    }

    @Override
    protected void produce(Chunk out, int max) {
      while (out.isOpen(max)) {
        Rows current = rows;
        if (current != null && next < current.count()) {
          giveRow(current, out);
        } else {
          rows = null;
          if (!out.isEmpty() && !reader.isReady()) {
            return;
          }
          if (!reader.advance(1)) {
            return;
          }
          openBatch(out);
        }
      }
    }

    private void giveRow(Rows current, Chunk out) {
      Object element;
      try {
        element = current.at(next);
      } catch (Throwable e) {
        element = context.failure(new Id(batchId, next), e);
      }
      out.add(element, batchId, next++);
    }

    /** Begins the batch that was read, or appends what is wrong with it. */
    private void openBatch(Chunk out) {
      next = 0;
      batchId = reader.id();
      if (reader.isFailure()) {
        reader.giveTo(out);
        return;
      }
      try {
        rows = context.call(() -> rowsOf(reader.item()));
      } catch (Throwable e) {
        reader.give(context.failure(batchId, e), out);
      }
    }

    private Rows rowsOf(Object batch) throws Exception {
      if (op.items == null) {
        return new TensorRows(batch);
      }
      return new ItemRows(
          Objects.requireNonNull(
              op.items.apply(batch),
              "unbatch: expected the function to return a list, but it returned null"));
    }

    @Override
    public void skip(long count) {
      Chunk failures = new Chunk();
      long left = count;
      while (left > 0) {
        Rows current = rows;
        if (current != null && next < current.count()) {
          long passed = Math.min(left, current.count() - next);
          next += passed;
          left -= passed;
        } else {
          rows = null;
          try {
            if (!reader.advance(1)) {
              return;
            }
          } catch (Cancelled e) {
            if (!e.isPlaceKept()) {
              throw e;
            }
            owe(left);
            return;
          }
          failures.clear();
          openBatch(failures);
          left -= failures.size();
        }
      }
    }

    @Override
    public boolean isReady() {
      Rows current = rows;
      return (current != null && next < current.count()) || reader.isReady();
    }

    @Override
    protected State position() {
      Rows current = rows;
      boolean isInside = current != null && next < current.count();
      return State.of(
          "row", isInside ? next : 0, "input", isInside ? reader.before() : reader.after());
    }

    @Override
    protected void moveTo(State state) {
      long row = state.number("row");
      reader.restore(state.state("input"));
      if (row == 0) {
        return;
      }
      Rows current = null;
      if (reader.advance(1)) {
        openBatch(new Chunk());
        current = rows;
      }
      if (row < 0 || current == null || row >= current.count()) {
        throw new State.InvalidState(
            "checkpoint: expected a batch of more than %d %s, but got %s; the input changed since"
                    .formatted(
                        row,
                        Plural.word(row, "row"),
                        current == null
                            ? "none"
                            : current.count() + " " + Plural.word(current.count(), "row"))
                + " the checkpoint");
      }
      next = row;
    }

    @Override
    public void close() {
      reader.close();
    }
  }
}
