package dev.headrace.op;

import dev.headrace.data.DType;
import dev.headrace.data.Plural;
import dev.headrace.data.Shape;
import dev.headrace.data.Structure;
import dev.headrace.data.Tensor;
import dev.headrace.spi.BatchBudget;
import dev.headrace.spi.BatchMemory;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Columns;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Failure;
import dev.headrace.spi.Holding;
import dev.headrace.spi.Id;
import dev.headrace.spi.Op;
import dev.headrace.spi.Passing;
import dev.headrace.spi.Reader;
import dev.headrace.spi.Site;
import dev.headrace.spi.State;
import dev.headrace.spi.Traits;
import dev.headrace.spi.UnaryCursor;
import dev.headrace.spi.Weigher;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes batches of other sizes out of batches, with one copy of each row.
 *
 * <p>A failed batch costs that batch: it is delivered before the one its rows would have been part
 * of.
 *
 * @param sizes of the batches, taken in turn
 */
public record RebatchOp(Op input, List<Integer> sizes, boolean dropRemainder, Site site)
    implements Op {

  public RebatchOp {
    sizes = List.copyOf(sizes);
    if (sizes.isEmpty() || sizes.stream().anyMatch(size -> size < 1)) {
      throw new IllegalArgumentException("rebatch: expected sizes of at least 1, but got " + sizes);
    }
  }

  @Override
  public long cardinality() {
    return UNKNOWN;
  }

  @Override
  public Traits traits() {
    return Traits.PLAIN.asKeepingPlace().with(Passing.GROUPED);
  }

  @Override
  public Cursor open(Context context) {
    return new RebatchCursor(context, this);
  }

  /** Some rows of an input batch. */
  private record Piece(Batch batch, long from, long to) {}

  /** An input batch, taken apart, and what it weighs. */
  private record Batch(
      Object element,
      Structure<Object> structure,
      List<Tensor> leaves,
      Id id,
      State before,
      long bytes) {
    long rows() {
      return leaves.getFirst().shape().dim(0);
    }
  }

  private static final class RebatchCursor extends UnaryCursor {
    private final RebatchOp op;
    private final Reader reader;
    private int turn;

    /** The batch whose rows are being given, and the first row that was not. */
    private @Nullable Batch current;

    private long row;
    private final List<Piece> gathered = new ArrayList<>();
    private long gatheredRows;

    /** A batch and the failures delivered before it, as in batch. */
    private final OpenGroup group = new OpenGroup();

    /** What the input batches weigh that rows are taken from. */
    private final Holding holding;

    private final BatchBudget budget;
    private boolean broken;

    RebatchCursor(Context context, RebatchOp op) {
      super(context, context.open(op.input));
      this.op = op;
      this.reader = new Reader(source);
      this.holding = new Holding(context.heap());
      this.budget = new BatchBudget(context.slabs(), holding, context.path());
    }

    @Override
    protected void produce(Chunk out, int max) {
      while (out.isOpen(max) && !broken) {
        if (!group.hasBegun()) {
          group.begin(beforeNext());
        }
        long missing = op.sizes.get(turn) - gatheredRows;
        Batch batch = current;
        if (missing == 0) {
          giveBatch(out);
        } else if (batch != null) {
          long to = Math.min(batch.rows(), row + missing);
          gathered.add(new Piece(batch, row, to));
          gatheredRows += to - row;
          row = to;
          if (row == batch.rows()) {
            current = null;
          }
        } else if (!out.isEmpty() && !reader.isReady()) {
          return;
        } else if (!reader.advance(1)) {
          if (gatheredRows > 0 && !op.dropRemainder) {
            giveBatch(out);
          }
          endGroup();
          return;
        } else {
          openBatch(out);
        }
      }
    }

    /** The position before the rows that were not gathered yet. */
    private State beforeNext() {
      Batch batch = current;
      return State.ofPairs(
          "turn",
          (long) turn,
          "row",
          batch == null ? 0L : row,
          "input",
          batch == null ? reader.after() : batch.before);
    }

    private void openBatch(Chunk out) {
      if (reader.isFailure()) {
        reader.giveTo(out);
        group.gave(1);
        return;
      }
      try {
        Batch batch = batchOf(reader.item());
        if (batch.rows() == 0) {
          return;
        }
        if (!holding.takeOrPass(batch.bytes)) {
          out.add(tooLarge(), context.prefix(), 0);
          broken = true;
          return;
        }
        current = batch;
        row = 0;
      } catch (Throwable e) {
        reader.give(context.failure(reader.id(), e), out);
        group.gave(1);
      }
    }

    private Batch batchOf(Object element) {
      Structure<Object> structure =
          Columns.structureOf(
              element, "rebatch", "use unbatch(items -> items) and batch for lists");
      List<Tensor> leaves = List.of(structure.leaves(element));
      for (int leaf = 0; leaf < leaves.size(); leaf++) {
        Shape shape = leaves.get(leaf).shape();
        if (shape.rank() == 0 || shape.dim(0) != leaves.getFirst().shape().dim(0)) {
          throw new IllegalArgumentException(
              "rebatch: expected tensors with the same number of rows, but got '%s' of %s beside %s"
                  .formatted(
                      structure.leafName(leaf),
                      leaves.get(leaf).describe(),
                      leaves.getFirst().describe()));
        }
      }
      return new Batch(
          element, structure, leaves, reader.id(), reader.before(), Weigher.bytesOf(element));
    }

    private Failure tooLarge() {
      return new Failure(
          context.path(),
          null,
          new IllegalStateException(
              ("rebatch: expected a batch of %s to fit the memory budget, but after %s"
                      + " of %s %s; make batches smaller, or raise %s")
                  .formatted(
                      Plural.of(op.sizes.get(turn), "row"),
                      Plural.of(gatheredRows, "row"),
                      Plural.of(holding.bytes(), "byte"),
                      holding.isFull(),
                      holding.option())),
          true);
    }

    private void giveBatch(Chunk out) {
      Piece first = gathered.getFirst();
      Id id = new Id(first.batch.id, first.from); // as unbatch and batch would have it
      Object batch;
      try {
        batch = isWhole() ? first.batch.element : concatenated();
      } catch (Throwable e) {
        batch = context.failure(id, e);
      }
      out.add(batch, id.parent(), id.ordinal());
      turn = turn + 1 == op.sizes.size() ? 0 : turn + 1;
      endGroup();
    }

    private boolean isWhole() {
      Piece first = gathered.getFirst();
      return gathered.size() == 1 && first.from == 0 && first.to == first.batch.rows();
    }

    private void endGroup() {
      gathered.clear();
      Batch batch = current; // it goes on in the next one
      holding.letGo(holding.bytes() - (batch == null ? 0 : batch.bytes));
      gatheredRows = 0;
      group.end();
    }

    private Object concatenated() {
      Batch first = gathered.getFirst().batch;
      int count = first.leaves.size();
      DType[] dtypes = new DType[count];
      Shape[] shapes = new Shape[count];
      for (int leaf = 0; leaf < count; leaf++) {
        dtypes[leaf] = first.leaves.get(leaf).dtype();
        shapes[leaf] = first.leaves.get(leaf).shape().dropFirst().prepend(gatheredRows);
        checkAlike(leaf);
      }
      BatchMemory memory = new BatchMemory(dtypes, shapes, budget);
      Tensor[] leaves = new Tensor[count];
      try {
        for (int leaf = 0; leaf < count; leaf++) {
          leaves[leaf] = concatenated(leaf, memory);
        }
        return first.structure.build(leaves);
      } catch (Throwable e) {
        memory.giveBack();
        throw e;
      }
    }

    private void checkAlike(int leaf) {
      Batch first = gathered.getFirst().batch;
      Tensor expected = first.leaves.get(leaf);
      for (Piece piece : gathered) {
        Batch other = piece.batch;
        boolean isAlike =
            other == first
                || (other.structure.matches(first.element)
                    && other.leaves.get(leaf).dtype() == expected.dtype()
                    && other
                        .leaves
                        .get(leaf)
                        .shape()
                        .dropFirst()
                        .equals(expected.shape().dropFirst()));
        if (!isAlike) {
          throw new IllegalArgumentException(
              "rebatch: expected batches whose rows are alike, but got %s and %s"
                  .formatted(describe(first), describe(other)));
        }
      }
    }

    private static String describe(Batch batch) {
      List<String> leaves = new ArrayList<>();
      batch.leaves.forEach(leaf -> leaves.add(leaf.describe()));
      return batch.structure + " of " + leaves;
    }

    private Tensor concatenated(int leaf, BatchMemory memory) {
      List<Tensor> parts = new ArrayList<>();
      for (Piece piece : gathered) {
        Tensor whole = piece.batch.leaves.get(leaf);
        boolean isAll = piece.from == 0 && piece.to == piece.batch.rows();
        parts.add(isAll ? whole : whole.slice(piece.from, piece.to));
      }
      if (parts.getFirst().dtype() == DType.STRING) {
        return Tensor.concatStrings(parts);
      }
      MemorySegment room = memory.room(leaf);
      long at = 0;
      for (Tensor part : parts) {
        part.copyInto(room, at);
        at += part.byteSize();
      }
      return memory.tensor(leaf);
    }

    @Override
    public boolean isReady() {
      Batch batch = current;
      return (batch != null && batch.rows() - row >= op.sizes.get(turn)) || reader.isReady();
    }

    @Override
    protected State position() {
      return group.hasBegun() ? group.position() : beforeNext();
    }

    @Override
    protected void moveTo(State state) {
      long savedTurn = state.number("turn");
      long savedRow = state.number("row");
      if (savedTurn < 0 || savedTurn >= op.sizes.size() || savedRow < 0) {
        throw new State.InvalidState(
            "checkpoint: expected a size of 0 to %d and a row of 0 or more, but got %d and %d"
                .formatted(op.sizes.size() - 1, savedTurn, savedRow));
      }
      turn = (int) savedTurn;
      reader.restore(state.state("input"));
      if (savedRow == 0) {
        return;
      }
      if (reader.advance(1)) {
        openBatch(new Chunk());
      }
      group.end();
      Batch batch = current;
      if (batch == null || savedRow >= batch.rows()) {
        throw new State.InvalidState(
            ("checkpoint: expected a batch of more than %d %s, but got %s; the input changed"
                    + " since the checkpoint")
                .formatted(
                    savedRow,
                    Plural.word(savedRow, "row"),
                    batch == null
                        ? "none"
                        : batch.rows() + " " + Plural.word(batch.rows(), "row")));
      }
      row = savedRow;
    }

    @Override
    public void close() {
      holding.close();
      reader.close();
    }
  }
}
