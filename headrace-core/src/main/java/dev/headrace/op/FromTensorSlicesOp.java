package dev.headrace.op;

import dev.headrace.data.Plural;
import dev.headrace.data.Shape;
import dev.headrace.data.Spec;
import dev.headrace.data.Structure;
import dev.headrace.data.Tensor;
import dev.headrace.spi.Access;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Op;
import dev.headrace.spi.Site;
import dev.headrace.spi.State;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a structure of tensors: element {@code i} has the same structure, with row {@code i}
 * of each tensor as a view that is not copied.
 */
public record FromTensorSlicesOp(Content tensors, Site site) implements Op {

  /** Refuses what is no structure, scalars, and tensors of different lengths. */
  public static FromTensorSlicesOp of(Object tensors, Site site) {
    Objects.requireNonNull(
        tensors, "fromTensorSlices: expected a structure of tensors, but got null");
    Structure<Object> structure =
        Structure.find(tensors)
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "fromTensorSlices: expected a Tensor, or a record, Map<String, …> or List"
                            + " of them, but got "
                            + tensors.getClass().getTypeName()
                            + "; use Dataset.fromList(…) for elements of other types"));
    checkRows(structure, structure.leaves(tensors));
    return new FromTensorSlicesOp(Content.of(Spec.of(tensors).toString(), tensors), site);
  }

  private static void checkRows(Structure<Object> structure, Tensor[] leaves) {
    for (int i = 0; i < leaves.length; i++) {
      Shape shape = leaves[i].shape();
      if (shape.rank() == 0) {
        throw new IllegalArgumentException(
            "fromTensorSlices%s: expected a tensor with rows, but got the scalar %s; use fromTensors for one element"
                .formatted(name(structure, i), leaves[i].describe()));
      }
      if (leaves[i].lease() != null) {
        throw new IllegalArgumentException(
            "fromTensorSlices%s: expected a tensor with memory of its own, but got part of a batch that will be given back; keep() the batch, or use ownedBatches"
                .formatted(name(structure, i)));
      }
      if (shape.dim(0) != leaves[0].shape().dim(0)) {
        throw new IllegalArgumentException(
            "fromTensorSlices%s: expected %d %s, as %s has, but got %s; all tensors must have the same first dimension"
                .formatted(
                    name(structure, i),
                    leaves[0].shape().dim(0),
                    Plural.word(leaves[0].shape().dim(0), "row"),
                    structure.leafName(0),
                    leaves[i].describe()));
      }
    }
  }

  private static String name(Structure<Object> structure, int leaf) {
    String name = structure.leafName(leaf);
    return name.isEmpty() ? "" : "." + name;
  }

  @Override
  public long cardinality() {
    return rows().size();
  }

  @Override
  public Access access() {
    return rows();
  }

  @Override
  public Cursor open(Context context) {
    return new SlicesCursor(context, rows());
  }

  private Rows rows() {
    Object whole = tensors.elements().getFirst();
    Structure<Object> structure = Structure.of(whole);
    return new Rows(structure, structure.leaves(whole));
  }

  /** The elements by their index. */
  private record Rows(Structure<Object> structure, Tensor[] leaves) implements Access {
    @Override
    public long size() {
      return leaves[0].shape().dim(0);
    }

    @Override
    public Object at(long index) {
      Tensor[] row = new Tensor[leaves.length];
      for (int i = 0; i < row.length; i++) {
        row[i] = leaves[i].slice(index);
      }
      return structure.build(row);
    }
  }

  private static final class SlicesCursor extends Cursor {
    private final Rows rows;
    private long position;

    SlicesCursor(Context context, Rows rows) {
      super(context);
      this.rows = rows;
    }

    @Override
    protected void produce(Chunk out, int max) {
      int size = (int) Math.min(max, rows.size() - position);
      if (size <= 0) {
        return;
      }
      @Nullable Object[] items = out.itemRun(context.prefix(), position, size);
      for (int i = 0; i < size; i++) {
        items[i] = rows.at(position + i);
      }
      position += size;
    }

    @Override
    public void skip(long count) {
      position += Math.min(count, rows.size() - position);
    }

    @Override
    protected State position() {
      return State.of("position", position);
    }

    @Override
    protected void moveTo(State state) {
      long to = state.number("position");
      if (to < 0 || to > rows.size()) {
        throw new State.InvalidState(
            "checkpoint: expected a position from 0 to %d for fromTensorSlices, but got %d"
                .formatted(rows.size(), to));
      }
      position = to;
    }

    @Override
    public void close() {}
  }
}
