package dev.headrace.op;

import dev.headrace.data.DType;
import dev.headrace.data.HeapLayout;
import dev.headrace.data.Plural;
import dev.headrace.data.Shape;
import dev.headrace.data.Structure;
import dev.headrace.data.Tensor;
import dev.headrace.spi.Checkpointing;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Failure;
import dev.headrace.spi.Holding;
import dev.headrace.spi.Id;
import dev.headrace.spi.Op;
import dev.headrace.spi.Packed;
import dev.headrace.spi.Packing;
import dev.headrace.spi.Passing;
import dev.headrace.spi.Reader;
import dev.headrace.spi.Site;
import dev.headrace.spi.State;
import dev.headrace.spi.Traits;
import dev.headrace.spi.UnaryCursor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Packs sequences of different lengths into rows of one length.
 *
 * <p>A sequence is a tensor of rank 1, a {@code long[]} or {@code int[]}, or a structure of tensors
 * of rank 1 and one length, which are packed alike. Empty sequences take no place. Rows are given
 * when they are full; where a sequence fits into none of {@code bins} open rows, the one opened
 * first is given and makes room; the rest is given at the end, in the order of opening.
 *
 * @param bins how many rows may be open at once; {@link Packing#CONCAT_SPLIT} has one
 */
public record PackOp(Op input, int length, Packing packing, int bins, long padding, Site site)
    implements Op {

  public PackOp {
    Objects.requireNonNull(packing, "pack: expected a way of packing, but got null");
    if (length < 1) {
      throw new IllegalArgumentException(
          "pack: expected a row length of at least 1, but got " + length);
    }
    if (bins < 1) {
      throw new IllegalArgumentException(
          "pack: expected at least 1 row to be open at once, but got " + bins);
    }
  }

  @Override
  public long cardinality() {
    long sequences = input.cardinality();
    return sequences == 0 || sequences == INFINITE ? sequences : UNKNOWN;
  }

  @Override
  public Traits traits() {
    return Traits.PLAIN.asKeepingPlace().with(Checkpointing.REPLAY).with(Passing.GROUPED);
  }

  @Override
  public Cursor open(Context context) {
    return packing == Packing.CONCAT_SPLIT
        ? new SplitCursor(context, this)
        : new FitCursor(context, this);
  }

  /**
   * A sequence that waits for its row.
   *
   * @param number its place among the elements read
   * @param before the input's position before it
   * @param bytes what it was charged for; a deferred tensor may be computed later
   */
  private record Held(
      long number, State before, Id id, Kind kind, Tensor[] leaves, int length, long bytes) {
    /** What it takes itself, with its id, its position and its piece of a row. */
    private static final long OWN_BYTES = 128;

    static long bytesOf(Tensor[] leaves) {
      long bytes = OWN_BYTES + HeapLayout.references(leaves.length);
      for (Tensor leaf : leaves) {
        bytes += leaf.heapBytes();
      }
      return bytes;
    }
  }

  /** A part of a sequence in a row. */
  private record Piece(Held held, int from, int to) {}

  /** What all sequences have in common: how they are taken apart, and the types of the parts. */
  private static final class Kind {
    private final @Nullable Structure<Object> structure;
    private final DType[] types;
    private final String text;

    private Kind(@Nullable Structure<Object> structure, Tensor[] leaves, String name) {
      this.structure = structure;
      this.types = new DType[leaves.length];
      for (int i = 0; i < leaves.length; i++) {
        types[i] = leaves[i].dtype();
      }
      this.text = name + Arrays.toString(types);
    }

    Object build(Tensor[] leaves) {
      if (structure != null) {
        return structure.build(leaves);
      }
      return types[0] == DType.INT64 ? leaves[0].toLongArray() : leaves[0].toIntArray();
    }

    boolean fits(Object item) {
      return structure == null
          ? item.getClass() == (types[0] == DType.INT64 ? long[].class : int[].class)
          : structure.matches(item);
    }

    /** The structure of an item, or null for an array. */
    static @Nullable Structure<Object> structureOf(Object item) {
      if (item instanceof long[] || item instanceof int[]) {
        return null;
      }
      return Structure.find(item)
          .orElseThrow(
              () ->
                  new IllegalArgumentException(
                      "pack: expected a sequence (a Tensor of rank 1, long[], int[], or a structure"
                          + " of tensors of rank 1), but got "
                          + item.getClass().getName()));
    }

    static Tensor[] leavesOf(@Nullable Structure<Object> structure, Object item) {
      return switch (item) {
        case long[] values -> new Tensor[] {Tensor.wrap(Shape.of(values.length), values)};
        case int[] values -> new Tensor[] {Tensor.wrap(Shape.of(values.length), values)};
        default -> Objects.requireNonNull(structure).leaves(item);
      };
    }

    static Kind of(@Nullable Structure<Object> structure, Object item, Tensor[] leaves) {
      return new Kind(
          structure,
          leaves,
          structure == null ? item.getClass().getSimpleName() : structure.toString());
    }
  }

  /** Reading, checking and laying out, which all ways of packing share. */
  private abstract static class PackCursor extends UnaryCursor {
    final PackOp op;
    final Reader reader;

    /** How many elements were read since the position that this cursor began at. */
    long read;

    boolean ended;
    private boolean broken;
    private @Nullable Kind kind;

    /** What the kind must be, by its text, where that was settled before a checkpoint. */
    private @Nullable String kindText;

    private final Holding holding;

    PackCursor(Context context, PackOp op) {
      super(context, context.open(op.input));
      this.op = op;
      this.reader = new Reader(source);
      this.holding = new Holding(context.heap());
    }

    /** Gives the next row if there is one without reading on. */
    abstract boolean giveRow(Chunk out);

    /** Takes in a sequence that is not empty. */
    abstract void take(Held held, Chunk out);

    @Override
    protected final void produce(Chunk out, int max) {
      while (out.isOpen(max) && !broken) {
        if (giveRow(out)) {
          continue;
        }
        // Each sequence completes at most one row, so this many are needed at least.
        if (ended || (!out.isEmpty() && !reader.isReady())) {
          return;
        }
        if (!reader.advance(max - out.size())) {
          ended = true;
          continue;
        }
        read++;
        if (reader.isFailure()) {
          reader.giveTo(out);
          continue;
        }
        Held held;
        try {
          held = sequence();
        } catch (Throwable e) {
          reader.give(context.failure(reader.id(), e), out);
          continue;
        }
        if (held.length > 0 && reserve(held, out)) {
          take(held, out);
        }
      }
    }

    /** The current element as a sequence. */
    final Held sequence() {
      Object item = reader.item();
      Kind known = kind;
      boolean isKnown = known != null && known.fits(item);
      Structure<Object> structure =
          isKnown ? Objects.requireNonNull(known).structure : Kind.structureOf(item);
      Tensor[] leaves = Kind.leavesOf(structure, item);
      long length = lengthOf(structure, leaves);
      if (length > op.length && op.packing != Packing.CONCAT_SPLIT) {
        throw new IllegalArgumentException(
            ("pack: expected a sequence of at most %d, the length of a row, but got one of %d;"
                    + " shorten it, or use Packing.CONCAT_SPLIT")
                .formatted(op.length, length));
      }
      if (known == null || !isKnown || !sameTypes(known, leaves)) {
        known = settle(Kind.of(structure, item, leaves));
      }
      return new Held(
          read - 1,
          reader.before(),
          reader.id(),
          known,
          leaves,
          Math.toIntExact(length),
          Held.bytesOf(leaves));
    }

    private static boolean sameTypes(Kind kind, Tensor[] leaves) {
      for (int i = 0; i < leaves.length; i++) {
        if (leaves[i].dtype() != kind.types[i]) {
          return false;
        }
      }
      return true;
    }

    private Kind settle(Kind found) {
      if (kindText != null && !kindText.equals(found.text)) {
        throw new IllegalArgumentException(
            "pack: expected all sequences to be like the first, %s, but got %s"
                .formatted(kindText, found.text));
      }
      kindText = found.text;
      kind = found;
      return found;
    }

    private static long lengthOf(@Nullable Structure<Object> structure, Tensor[] leaves) {
      for (int i = 0; i < leaves.length; i++) {
        String name = structure == null ? "" : structure.leafName(i);
        Tensor leaf = leaves[i];
        if (leaf.shape().rank() != 1 || !leaf.dtype().isFixedSize()) {
          throw new IllegalArgumentException(
              "pack: expected tensors of numbers and rank 1, but got %s%s"
                  .formatted(name.isEmpty() ? "" : name + ": ", leaf.describe()));
        }
        if (leaf.elements() != leaves[0].elements()) {
          throw new IllegalArgumentException(
              "pack: expected sequences of one length within an element, but got %d for %s and %d"
                      .formatted(
                          leaves[0].elements(),
                          Objects.requireNonNull(structure).leafName(0),
                          leaf.elements())
                  + " for "
                  + name);
        }
      }
      return leaves[0].elements();
    }

    private boolean reserve(Held held, Chunk out) {
      if (holding.take(held.bytes())) {
        return true;
      }
      broken = true;
      reader.give(
          new Failure(
              context.path(),
              null,
              new IllegalStateException(
                  ("pack: expected its open rows to fit the memory budget, but they need more than"
                          + " %,d bytes and %s; use fewer bins, or raise %s")
                      .formatted(
                          holding.bytes() + held.bytes(), holding.isFull(), holding.option())),
              true),
          out);
      return false;
    }

    /** Takes in a sequence again after a checkpoint, where it was admitted before. */
    final void reserveAgain(Held held) {
      holding.takeAnyway(held.bytes());
    }

    final void release(Held held) {
      holding.letGo(held.bytes());
    }

    /** Appends the row of these pieces, under the id given. */
    final void give(List<Piece> pieces, Id id, Chunk out) {
      Object row;
      try {
        row = row(pieces);
      } catch (Throwable e) { // a deferred tensor or a record's constructor may fail
        row = context.failure(id, e);
      }
      out.add(row, id.parent(), id.ordinal());
    }

    private Packed<Object> row(List<Piece> pieces) {
      Kind its = pieces.getFirst().held.kind;
      Tensor[] leaves = new Tensor[its.types.length];
      for (int leaf = 0; leaf < leaves.length; leaf++) {
        leaves[leaf] = layOut(pieces, leaf, its.types[leaf]);
      }
      int[] segments = new int[op.length];
      int[] positions = new int[op.length];
      int at = 0;
      int segment = 0;
      for (Piece piece : pieces) {
        segment++;
        for (int i = 0; i < piece.to - piece.from; i++) {
          segments[at] = segment;
          positions[at++] = i;
        }
      }
      Shape shape = Shape.of(op.length);
      return new Packed<>(
          its.build(leaves), Tensor.wrap(shape, segments), Tensor.wrap(shape, positions));
    }

    private Tensor layOut(List<Piece> pieces, int leaf, DType type) {
      long bytes = (long) op.length * type.byteSize();
      MemorySegment row =
          MemorySegment.ofArray(new long[Math.toIntExact((bytes + 7) / 8)]).asSlice(0, bytes);
      int at = 0;
      for (Piece piece : pieces) {
        Tensor tokens = piece.held.leaves[leaf];
        boolean whole = piece.from == 0 && piece.to == piece.held.length;
        (whole ? tokens : tokens.slice(piece.from, piece.to))
            .copyInto(row, (long) at * type.byteSize());
        at += piece.to - piece.from;
      }
      if (op.padding != 0) {
        pad(row, at, type);
      }
      return Tensor.wrap(type, Shape.of(op.length), row);
    }

    private void pad(MemorySegment row, int from, DType type) {
      for (long i = from; i < op.length; i++) {
        switch (type) {
          case FLOAT32 -> row.setAtIndex(ValueLayout.JAVA_FLOAT, i, op.padding);
          case FLOAT64 -> row.setAtIndex(ValueLayout.JAVA_DOUBLE, i, op.padding);
          case INT64, UINT64 -> row.setAtIndex(ValueLayout.JAVA_LONG, i, op.padding);
          case INT32, UINT32 -> row.setAtIndex(ValueLayout.JAVA_INT, i, (int) checkedPadding(type));
          case INT16, UINT16 ->
              row.setAtIndex(ValueLayout.JAVA_SHORT, i, (short) checkedPadding(type));
          case INT8, UINT8 -> row.set(ValueLayout.JAVA_BYTE, i, (byte) checkedPadding(type));
          default ->
              throw new IllegalArgumentException(
                  "pack: expected a padding of 0 for tensors of %s, but got %d"
                      .formatted(type, op.padding));
        }
      }
    }

    private long checkedPadding(DType type) {
      int bits = 8 * type.byteSize();
      long least = type.isUnsigned() ? 0 : -1L << (bits - 1);
      long most = (1L << (type.isUnsigned() ? bits : bits - 1)) - 1;
      if (op.padding < least || op.padding > most) {
        throw new IllegalArgumentException(
            "pack: expected a padding of %d to %d for tensors of %s, but got %d"
                .formatted(least, most, type, op.padding));
      }
      return op.padding;
    }

    @Override
    public final boolean isReady() {
      return ended || broken || reader.isReady();
    }

    /** The position with nothing held, or before the oldest sequence held. */
    final State position(@Nullable Held oldest, Object... more) {
      List<Object> pairs = new ArrayList<>();
      String text = kindText;
      if (text != null) {
        pairs.addAll(List.of("kind", text));
      }
      pairs.addAll(List.of("input", oldest == null ? reader.after() : oldest.before));
      if (oldest != null) {
        pairs.addAll(List.of("read", read - oldest.number));
        pairs.addAll(List.of(more));
      }
      return State.ofPairs(pairs.toArray());
    }

    @Override
    protected final void moveTo(State state) {
      reader.restore(state.state("input"));
      kindText = state.has("kind") ? state.text("kind") : null;
      if (!state.has("read")) {
        return;
      }
      long count = state.number("read");
      if (count < 1) {
        throw new State.InvalidState(
            "checkpoint: expected to read 1 or more sequences again, but got " + count);
      }
      readAgain(state, count);
    }

    /** Takes in those of the next {@code count} elements that were held. */
    abstract void readAgain(State state, long count);

    /** The next of {@code left} elements that are read again. */
    final void advanceAgain(long left) {
      if (!reader.advance((int) Math.min(left, 1024))) {
        throw changed("it has ended");
      }
      read++;
    }

    final Held sequenceAgain() {
      try {
        return sequence();
      } catch (RuntimeException e) {
        throw changed(String.valueOf(e.getMessage()));
      }
    }

    final IllegalStateException changed(String how) {
      return new IllegalStateException(
          "%s: expected to read the sequences of open rows again, but %s; the input changed since the"
                  .formatted(context.path(), how)
              + " checkpoint");
    }

    @Override
    public final void close() {
      holding.close();
      reader.close();
    }
  }

  /** Whole sequences, in several open rows. */
  private static final class FitCursor extends PackCursor {
    /** A row that is being filled. */
    private static final class Bin {
      final List<Held> sequences = new ArrayList<>();
      int used;

      void add(Held held) {
        sequences.add(held);
        used += held.length;
      }
    }

    /** The open rows, in the order of opening; so the first sequence of the first is the oldest. */
    private final List<Bin> open = new ArrayList<>();

    FitCursor(Context context, PackOp op) {
      super(context, op);
    }

    @Override
    boolean giveRow(Chunk out) {
      if (!ended || open.isEmpty()) {
        return false;
      }
      give(open.removeFirst(), out);
      return true;
    }

    @Override
    void take(Held held, Chunk out) {
      Bin bin = held.length == op.length ? null : roomFor(held.length);
      if (bin == null) {
        bin = new Bin();
        if (held.length < op.length) { // else it needs no room with others
          if (open.size() == op.bins) {
            give(open.removeFirst(), out);
          }
          open.add(bin);
        }
      }
      bin.add(held);
      if (bin.used == op.length) {
        open.remove(bin);
        give(bin, out);
      }
    }

    private @Nullable Bin roomFor(int length) {
      Bin best = null;
      for (Bin bin : open) {
        boolean fits = bin.used + length <= op.length;
        if (fits && op.packing == Packing.FIRST_FIT) {
          return bin;
        }
        if (fits && (best == null || bin.used > best.used)) {
          best = bin;
        }
      }
      return best;
    }

    private void give(Bin bin, Chunk out) {
      List<Piece> pieces = new ArrayList<>();
      for (Held held : bin.sequences) {
        pieces.add(new Piece(held, 0, held.length));
        release(held);
      }
      give(pieces, bin.sequences.getFirst().id, out);
    }

    @Override
    protected State position() {
      if (open.isEmpty()) {
        return position(null);
      }
      Held oldest = open.getFirst().sequences.getFirst();
      List<State> bins = new ArrayList<>();
      for (Bin bin : open) {
        long[] offsets = new long[bin.sequences.size()];
        for (int i = 0; i < offsets.length; i++) {
          offsets[i] = bin.sequences.get(i).number - oldest.number;
        }
        bins.add(State.of("held", offsets));
      }
      return position(oldest, "bins", bins);
    }

    @Override
    void readAgain(State state, long count) {
      Map<Long, Bin> places = new HashMap<>();
      for (State saved : state.states("bins")) {
        Bin bin = new Bin();
        open.add(bin);
        for (long offset : saved.numbers("held")) {
          if (offset < 0 || offset >= count || places.put(offset, bin) != null) {
            throw new State.InvalidState(
                "checkpoint: expected each sequence of open rows once, from 0 to %d, but got %d"
                    .formatted(count - 1, offset));
          }
        }
      }
      for (long offset = 0; offset < count; offset++) {
        advanceAgain(count - offset);
        Bin bin = places.remove(offset);
        if (bin != null) {
          if (reader.isFailure()) {
            throw changed("one of them fails");
          }
          Held held = sequenceAgain();
          bin.add(held);
          reserveAgain(held);
        }
      }
      boolean fits = open.size() <= op.bins;
      for (Bin bin : open) {
        fits &= bin.used > 0 && bin.used < op.length;
      }
      if (!fits) {
        throw changed("they do not fit into the rows they were in");
      }
    }
  }

  /** One sequence after the other, cut where a row is full. */
  private static final class SplitCursor extends PackCursor {
    private final ArrayDeque<Held> waiting = new ArrayDeque<>();

    /** How much of the first sequence that waits was given. */
    private int from;

    /** How much waits in all. */
    private long tokens;

    SplitCursor(Context context, PackOp op) {
      super(context, op);
    }

    @Override
    boolean giveRow(Chunk out) {
      if (tokens < op.length && !(ended && tokens > 0)) {
        return false;
      }
      // A long sequence begins several rows; where in it a row begins keeps their ids apart.
      Id id = new Id(waiting.getFirst().id, from);
      List<Piece> pieces = new ArrayList<>();
      int room = op.length;
      while (room > 0 && !waiting.isEmpty()) {
        Held first = waiting.getFirst();
        int to = Math.min(first.length, from + room);
        pieces.add(new Piece(first, from, to));
        room -= to - from;
        tokens -= to - from;
        from = to;
        if (to == first.length) {
          waiting.removeFirst();
          from = 0;
          release(first);
        }
      }
      give(pieces, id, out);
      return true;
    }

    @Override
    void take(Held held, Chunk out) {
      waiting.addLast(held);
      tokens += held.length;
    }

    @Override
    protected State position() {
      return waiting.isEmpty() ? position(null) : position(waiting.getFirst(), "from", (long) from);
    }

    @Override
    void readAgain(State state, long count) {
      for (long offset = 0; offset < count; offset++) {
        if (!waiting.isEmpty() && tokens - waiting.getFirst().length >= op.length) {
          throw new State.InvalidState(
              "checkpoint: expected less than a row to wait, but got %d %s"
                  .formatted(count, Plural.word(count, "sequence")));
        }
        advanceAgain(count - offset);
        if (reader.isFailure()) {
          continue; // it was delivered
        }
        Held held;
        try {
          held = sequence();
        } catch (RuntimeException e) {
          continue; // so was its failure
        }
        if (held.length > 0) {
          waiting.addLast(held);
          tokens += held.length;
          reserveAgain(held);
        }
      }
      long given = state.number("from");
      if (waiting.isEmpty() || given < 0 || given >= waiting.getFirst().length) {
        throw new State.InvalidState(
            "checkpoint: expected to go on within a sequence, but got place " + given);
      }
      from = (int) given;
      tokens -= given;
    }
  }
}
