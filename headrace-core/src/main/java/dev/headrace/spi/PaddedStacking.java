package dev.headrace.spi;

import dev.headrace.data.DType;
import dev.headrace.data.Padding;
import dev.headrace.data.Shape;
import dev.headrace.data.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;

/**
 * Stacks tensors of unequal shapes, each filled up to the longest or to a fixed shape.
 *
 * <p>Rows are written once, into their place in the batch; deferred ones are computed there unless
 * a dimension other than their first is filled.
 */
public final class PaddedStacking implements Assembler<Object, Object> {
  private static final long serialVersionUID = 1;

  private final transient Padding padding;
  private final boolean converts;
  private final long rows;

  private PaddedStacking(Padding padding, boolean converts, long rows) {
    this.padding = padding;
    this.converts = converts;
    this.rows = rows;
  }

  /** Pads structures, which stay what they are. */
  public static PaddedStacking ofStructures(Padding padding) {
    return new PaddedStacking(padding, false, Shape.UNKNOWN);
  }

  /** Pads scalars, arrays and tensors into one tensor. */
  static PaddedStacking ofTensors(Padding padding) {
    return new PaddedStacking(padding, true, Shape.UNKNOWN);
  }

  /** The same, where first dimensions that no shape fixes are filled up to {@code length}. */
  public PaddedStacking withRows(long length) {
    return new PaddedStacking(padding, converts, length);
  }

  @Override
  public String functionName() {
    return "pad(" + padding + ")";
  }

  @Override
  public Object identity() {
    return List.of(padding, converts, rows);
  }

  @Override
  public String word() {
    return "paddedBatch";
  }

  @Override
  public Object assemble(Chunk elements, BatchBudget budget) {
    if (converts) {
      Tensor[][] columns = {Stacking.tensorsOf(elements)};
      return pad(columns, List.of(""), budget)[0];
    }
    Columns columns = Columns.of(elements, word(), "use a collator of your own");
    return columns.build(pad(columns.rows(), columns.names(), budget));
  }

  private Tensor[] pad(Tensor[][] columns, List<String> names, BatchBudget budget) {
    checkNames(names);
    DType[] dtypes = new DType[columns.length];
    Shape[] rowShapes = new Shape[columns.length];
    Shape[] shapes = new Shape[columns.length];
    for (int leaf = 0; leaf < columns.length; leaf++) {
      dtypes[leaf] = columns[leaf][0].dtype();
      rowShapes[leaf] = paddedShape(columns[leaf], names.get(leaf));
      shapes[leaf] = rowShapes[leaf].prepend(columns[leaf].length);
    }
    BatchMemory memory = new BatchMemory(dtypes, shapes, budget);
    try {
      Tensor[] padded = new Tensor[columns.length];
      for (int leaf = 0; leaf < columns.length; leaf++) {
        Tensor value = padding.valueOf(names.get(leaf), dtypes[leaf]);
        if (dtypes[leaf] == DType.STRING) {
          padded[leaf] = padStrings(columns[leaf], rowShapes[leaf], value);
        } else {
          padRows(columns[leaf], rowShapes[leaf], value, memory, leaf);
          padded[leaf] = memory.tensor(leaf);
        }
      }
      return padded;
    } catch (Throwable e) {
      memory.giveBack();
      throw e;
    }
  }

  private void checkNames(List<String> names) {
    for (List<String> named :
        List.of(List.copyOf(padding.shapes().keySet()), List.copyOf(padding.values().keySet()))) {
      for (String name : named) {
        if (!name.isEmpty() && !names.contains(name)) {
          throw new IllegalArgumentException(
              "paddedBatch: expected padding for leaves among %s, but got '%s'"
                  .formatted(names, name));
        }
      }
    }
  }

  /** The shape that all rows of a leaf are filled up to. */
  private Shape paddedShape(Tensor[] rowsOfLeaf, String name) {
    Tensor first = rowsOfLeaf[0];
    int rank = first.shape().rank();
    Shape wanted = padding.shapeOf(name);
    if (wanted != null && wanted.rank() != rank) {
      throw new IllegalArgumentException(
          "paddedBatch: expected %stensors of rank %d as the padded shape %s says, but got %s"
              .formatted(in(name), wanted.rank(), wanted, first.describe()));
    }
    long[] dims = new long[rank];
    for (int d = 0; d < rank; d++) {
      dims[d] = wanted == null ? Shape.UNKNOWN : wanted.dim(d);
    }
    if (rank > 0 && dims[0] == Shape.UNKNOWN) {
      dims[0] = rows;
    }
    boolean[] isFixed = new boolean[rank];
    for (int d = 0; d < rank; d++) {
      isFixed[d] = dims[d] != Shape.UNKNOWN;
    }
    for (int i = 0; i < rowsOfLeaf.length; i++) {
      Tensor row = rowsOfLeaf[i];
      if (row.dtype() != first.dtype() || row.shape().rank() != rank) {
        throw new IllegalArgumentException(
            "paddedBatch: expected %sone type and rank, but element 0 is %s and element %d is %s"
                .formatted(in(name), first.describe(), i, row.describe()));
      }
      for (int d = 0; d < rank; d++) {
        long length = row.shape().dim(d);
        if (isFixed[d] && length > dims[d]) {
          throw new IllegalArgumentException(
              ("paddedBatch: expected %sat most %d along dimension %d, but element %d of the batch"
                      + " is %s%s; pad to a larger shape, cut elements, or drop them by filter")
                  .formatted(in(name), dims[d], d, i, row.dtype().tfName(), row.shape()));
        }
        dims[d] = Math.max(dims[d], length);
      }
    }
    return Shape.of(dims);
  }

  private static String in(String name) {
    return name.isEmpty() ? "" : "in '" + name + "' ";
  }

  private static void padRows(
      Tensor[] rowsOfLeaf, Shape padded, Tensor value, BatchMemory memory, int leaf) {
    byte[] pattern = value.toByteArray();
    MemorySegment room = memory.room(leaf);
    long rowBytes = padded.elements() * pattern.length;
    for (int i = 0; i < rowsOfLeaf.length; i++) {
      Tensor row = rowsOfLeaf[i];
      MemorySegment place = room.asSlice(i * rowBytes, rowBytes);
      if (Runs.isPrefix(row.shape(), padded)) {
        row.copyInto(place, 0);
        fill(place.asSlice(row.byteSize()), pattern, memory.isZeroed());
      } else {
        fill(place, pattern, memory.isZeroed());
        MemorySegment from = row.segment();
        Runs.forEach(
            row.shape(),
            padded,
            (source, target, length) ->
                MemorySegment.copy(
                    from,
                    source * pattern.length,
                    place,
                    target * pattern.length,
                    length * pattern.length));
      }
    }
  }

  private static void fill(MemorySegment place, byte[] pattern, boolean isZeroed) {
    boolean isZero = Arrays.equals(pattern, new byte[pattern.length]);
    if (isZero && isZeroed || place.byteSize() == 0) {
      return;
    }
    if (isZero) {
      place.fill((byte) 0);
      return;
    }
    MemorySegment.copy(MemorySegment.ofArray(pattern), 0, place, 0, pattern.length);
    for (long done = pattern.length; done < place.byteSize(); done *= 2) {
      MemorySegment.copy(place, 0, place, done, Math.min(done, place.byteSize() - done));
    }
  }

  private static Tensor padStrings(Tensor[] rowsOfLeaf, Shape padded, Tensor value) {
    int rowLength = Math.toIntExact(padded.elements());
    byte[][] strings = new byte[Math.multiplyExact(rowLength, rowsOfLeaf.length)][];
    Arrays.fill(strings, value.bytesValue());
    for (int i = 0; i < rowsOfLeaf.length; i++) {
      Tensor row = rowsOfLeaf[i];
      int start = i * rowLength;
      Runs.forEach(
          row.shape(),
          padded,
          (source, target, length) -> {
            for (int at = 0; at < length; at++) {
              strings[start + (int) target + at] = row.bytesAt(source + at);
            }
          });
    }
    return Tensor.wrapStrings(padded.prepend(rowsOfLeaf.length), strings);
  }

  /** A tensor inside a larger one: the runs of elements that lie behind each other in both. */
  private static final class Runs {
    private Runs() {}

    interface Run {
      void copy(long source, long target, long length);
    }

    /** The dimensions from which on both are of one length. */
    private static int equalFrom(Shape inner, Shape outer) {
      int from = inner.rank();
      while (from > 0 && inner.dim(from - 1) == outer.dim(from - 1)) {
        from--;
      }
      return from;
    }

    /** Whether the inner one is the beginning of the outer one. */
    static boolean isPrefix(Shape inner, Shape outer) {
      return equalFrom(inner, outer) <= 1;
    }

    static void forEach(Shape inner, Shape outer, Run run) {
      if (inner.elements() == 0) {
        return;
      }
      int last = Math.max(equalFrom(inner, outer) - 1, 0);
      long length = 1;
      long stride = 1;
      for (int d = last; d < inner.rank(); d++) {
        length *= inner.dim(d);
        stride *= outer.dim(d);
      }
      long runs = inner.elements() / length;
      long[] at = new long[last];
      for (long i = 0; i < runs; i++) {
        long target = 0;
        for (int d = 0; d < last; d++) {
          target = target * outer.dim(d) + at[d];
        }
        run.copy(i * length, target * stride, length);
        for (int d = last - 1; d >= 0 && ++at[d] == inner.dim(d); d--) {
          at[d] = 0;
        }
      }
    }
  }
}
