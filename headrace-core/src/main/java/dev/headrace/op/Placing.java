package dev.headrace.op;

import dev.headrace.data.DType;
import dev.headrace.data.Expression;
import dev.headrace.data.Shape;
import dev.headrace.data.SlabPool;
import dev.headrace.data.Structure;
import dev.headrace.data.Tensor;
import dev.headrace.spi.BatchMemory;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Failure;
import dev.headrace.spi.Hurry;
import dev.headrace.spi.State;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Computes deferred tensors straight into the batches they will be part of, before those are
 * assembled and by as many threads as there are.
 *
 * <p>An usher gives every element a seat: a row of the batch it will most likely be in. Whoever
 * computes the element writes to that row. If no element of a batch failed, its rows are where they
 * belong and nothing is copied; a failure moves those behind it up by one, and the few batches that
 * were under way are copied together.
 *
 * <p><b>Threading:</b> seats are given by the thread that pulls, filled by any, and taken by the
 * thread that assembles. <b>Ownership:</b> owns the memory of batches until they are assembled.
 */
final class Placing {
  private final Context context;
  private final int size;
  private final String path;

  /** Batches that have a seat which was not taken yet, oldest first; guarded by this. */
  private final ArrayDeque<Tray> trays = new ArrayDeque<>();

  /** How many elements found a seat, and how many of those failed; guarded by this. */
  private long seated;

  private long failed;
  private volatile boolean remarked;

  /**
   * Begins with the next element.
   *
   * @param size of a batch
   * @param row of the batch in which the next element will be
   * @param path of the operator that left tensors deferred
   */
  Placing(Context context, int size, int row, String path) {
    this.context = context;
    this.size = size;
    this.seated = row;
    this.path = path;
  }

  /** A place for one element; the element itself until it was written there. */
  static final class Seat {
    private final Tray tray;
    private final int row;
    private final Object element;
    private Tensor @Nullable [] strings;
    private boolean placed;

    private Seat(Tray tray, int row, Object element) {
      this.tray = tray;
      this.row = row;
      this.element = element;
    }
  }

  // ---- giving seats -----------------------------------------------------------------------------

  /** Gives seats to the elements of a cursor. */
  Cursor ushered(Cursor source) {
    return new Usher(context, source, this);
  }

  /** Gives seats to the elements of a chunk. */
  synchronized void seat(Chunk chunk) {
    for (int i = 0; i < chunk.size(); i++) {
      if (!chunk.isFailure(i)) {
        chunk.replace(i, seat(chunk.item(i)));
      }
    }
  }

  private Seat seat(Object element) {
    long place = seated++ - failed;
    Tray tray = trays.peekLast();
    if (tray == null || tray.number != place / size || tray.nextRow != place % size) {
      tray = new Tray(place / size);
      trays.addLast(tray);
    }
    int row = (int) (place % size);
    tray.nextRow = row + 1;
    return new Seat(tray, row, element);
  }

  // ---- filling them -----------------------------------------------------------------------------

  /** Computes the elements of a chunk; what a worker does. */
  int work(Chunk chunk, boolean mayStop) {
    long deadline = Hurry.deadline();
    for (int i = 0; i < chunk.size(); i++) {
      if (mayStop && i > 0 && Hurry.isOver(deadline)) {
        return i;
      }
      place(chunk, i, false);
    }
    return chunk.size();
  }

  /** Computes what nobody has yet, for instance because there was no memory for a batch so late. */
  void finish(Chunk chunk) {
    for (int i = 0; i < chunk.size(); i++) {
      place(chunk, i, true);
    }
  }

  private void place(Chunk chunk, int index, boolean mustBe) {
    if (chunk.isFailure(index) || !(chunk.item(index) instanceof Seat seat) || seat.placed) {
      return;
    }
    try {
      seat.tray.place(seat, mustBe);
    } catch (Throwable e) {
      Failure failure = context.failure(chunk.id(index), e);
      chunk.replace(index, new Failure(path, failure.id(), failure.cause(), failure.terminal()));
      synchronized (this) {
        failed++;
      }
    }
  }

  private synchronized boolean isOldest(Tray tray) {
    return trays.peekFirst() == tray;
  }

  private synchronized void remark(Structure<Object> structure, Tensor[] leaves) {
    for (int leaf = 0; leaf < leaves.length && !remarked; leaf++) {
      Expression expression = leaves[leaf].expression();
      if (expression != null) {
        remarked = true;
        String name = structure.leafName(leaf);
        context.remark(
            "computed in place%s: %s"
                .formatted(name.isEmpty() ? "" : ", '" + name + "'", expression.describe()));
      }
    }
  }

  // ---- taking them ------------------------------------------------------------------------------

  /**
   * The batch of these elements, if all lie where they belong; otherwise null, and the elements are
   * back in the chunk, to be copied together.
   */
  @Nullable Object take(Chunk gathered) {
    Tray tray = common(gathered);
    if (tray != null) {
      return tray.batch(gathered);
    }
    for (int i = 0; i < gathered.size(); i++) {
      if (gathered.item(i) instanceof Seat seat) {
        gathered.replace(i, seat.tray.element(seat));
      }
    }
    return null;
  }

  /** The batch in which all elements sit in order, or null. */
  private static @Nullable Tray common(Chunk gathered) {
    Tray tray = null;
    for (int i = 0; i < gathered.size(); i++) {
      if (!(gathered.item(i) instanceof Seat seat) || !seat.placed || seat.row != i) {
        return null;
      }
      if (tray != null && tray != seat.tray) {
        return null;
      }
      tray = seat.tray;
    }
    return tray;
  }

  /** Gives back the memory of batches before the one whose last element is in {@code last}. */
  synchronized void giveBackBefore(@Nullable Object last) {
    Tray upTo = last instanceof Seat seat ? seat.tray : null;
    while (upTo != null && !trays.isEmpty() && trays.peekFirst() != upTo) {
      trays.removeFirst().close();
    }
    if (upTo != null && upTo.isTaken()) {
      trays.removeFirst();
    }
  }

  /** Gives back everything that was not handed on. */
  synchronized void close() {
    while (!trays.isEmpty()) {
      trays.removeFirst().close();
    }
  }

  /** The memory of one batch and what lies in it. */
  private final class Tray {
    /** Which batch, if nothing fails. */
    final long number;

    /** Guarded by the usher's lock. */
    int nextRow;

    // Guarded by this tray.
    private @Nullable Structure<Object> structure;
    private DType[] dtypes = {};
    private Shape[] shapes = {};
    private @Nullable BatchMemory memory;
    private int writers;
    private boolean taken;
    private boolean closed;

    Tray(long number) {
      this.number = number;
    }

    void place(Seat seat, boolean mustBe) {
      Optional<Structure<Object>> found = Structure.find(seat.element);
      if (found.isEmpty()) {
        return; // the batch will say so
      }
      Structure<Object> ofElement = found.get();
      Tensor[] leaves = ofElement.leaves(seat.element);
      if (!remarked) {
        remark(ofElement, leaves);
      }
      boolean isFirst = mustBe || isOldest(this); // asked here: never while holding the tray's lock
      BatchMemory room = enter(ofElement, leaves, isFirst);
      if (room == null) {
        if (mustBe) { // not like the others, which the batch will say; it must be computed though
          for (Tensor leaf : leaves) {
            leaf.compute();
          }
        }
        return;
      }
      try {
        Tensor[] strings = null;
        for (int leaf = 0; leaf < leaves.length; leaf++) {
          if (leaves[leaf].dtype() == DType.STRING) {
            strings = strings == null ? new Tensor[leaves.length] : strings;
            strings[leaf] = leaves[leaf];
          } else {
            MemorySegment rows = room.room(leaf);
            leaves[leaf].copyInto(rows, seat.row * (rows.byteSize() / size));
          }
        }
        seat.strings = strings;
        seat.placed = true;
      } finally {
        exit();
      }
    }

    /** The memory to write to, or null if the element does not fit or there is none. */
    private synchronized @Nullable BatchMemory enter(
        Structure<Object> ofElement, Tensor[] leaves, boolean beyondBudget) {
      if (closed || taken) {
        return null;
      }
      if (memory == null) {
        lay(ofElement, leaves, beyondBudget);
      }
      if (memory == null || !fits(ofElement, leaves)) {
        return null;
      }
      writers++;
      return memory;
    }

    private void lay(Structure<Object> ofElement, Tensor[] leaves, boolean beyondBudget) {
      dtypes = new DType[leaves.length];
      shapes = new Shape[leaves.length];
      Shape[] batched = new Shape[leaves.length];
      for (int leaf = 0; leaf < leaves.length; leaf++) {
        dtypes[leaf] = leaves[leaf].dtype();
        shapes[leaf] = leaves[leaf].shape();
        batched[leaf] = dtypes[leaf] == DType.STRING ? Shape.of(0) : shapes[leaf].prepend(size);
      }
      structure = ofElement;
      SlabPool slabs = context.slabs();
      memory =
          slabs == null || beyondBudget
              ? new BatchMemory(dtypes, batched, slabs, context.path())
              : BatchMemory.tryTake(dtypes, batched, slabs, context.path());
      for (int leaf = 0; memory != null && leaf < leaves.length; leaf++) {
        if (dtypes[leaf] != DType.STRING) {
          MemorySegment _ = memory.room(leaf); // made by one thread
        }
      }
    }

    private boolean fits(Structure<Object> ofElement, Tensor[] leaves) {
      if (!ofElement.equals(structure)) {
        return false;
      }
      for (int leaf = 0; leaf < leaves.length; leaf++) {
        if (leaves[leaf].dtype() != dtypes[leaf] || !leaves[leaf].shape().equals(shapes[leaf])) {
          return false;
        }
      }
      return true;
    }

    private synchronized void exit() {
      writers--;
      if (closed && writers == 0) {
        giveBack();
      }
    }

    synchronized Object batch(Chunk gathered) {
      BatchMemory room = required(memory);
      taken = true;
      int rows = gathered.size();
      Tensor[] leaves = new Tensor[dtypes.length];
      try {
        for (int leaf = 0; leaf < leaves.length; leaf++) {
          leaves[leaf] =
              dtypes[leaf] == DType.STRING
                  ? Tensor.stackStrings(strings(gathered, leaf))
                  : room.firstRows(leaf, rows);
        }
        return required(structure).build(leaves);
      } catch (Throwable e) { // a record's constructor may refuse
        room.giveBack();
        throw e;
      }
    }

    private static List<Tensor> strings(Chunk gathered, int leaf) {
      List<Tensor> rows = new ArrayList<>(gathered.size());
      for (int i = 0; i < gathered.size(); i++) {
        rows.add(required(((Seat) gathered.item(i)).strings)[leaf]);
      }
      return rows;
    }

    /** The element of a seat, as views of the memory it was written to. */
    synchronized Object element(Seat seat) {
      if (!seat.placed) {
        return seat.element;
      }
      BatchMemory room = required(memory);
      Tensor[] leaves = new Tensor[dtypes.length];
      for (int leaf = 0; leaf < leaves.length; leaf++) {
        leaves[leaf] =
            dtypes[leaf] == DType.STRING
                ? required(seat.strings)[leaf]
                : room.tensor(leaf).slice(seat.row);
      }
      return required(structure).build(leaves);
    }

    synchronized boolean isTaken() {
      return taken;
    }

    synchronized void close() {
      closed = true;
      if (writers == 0) {
        giveBack();
      }
    }

    private void giveBack() {
      if (memory != null && !taken) {
        memory.giveBack();
        memory = null;
      }
    }
  }

  private static <V> V required(@Nullable V value) {
    if (value == null) {
      throw new IllegalStateException("batch: expected a row that was written");
    }
    return value;
  }

  /** Hands elements on with a seat each. */
  private static final class Usher extends Cursor {
    private final Cursor source;
    private final Placing placing;

    Usher(Context context, Cursor source, Placing placing) {
      super(context);
      this.source = source;
      this.placing = placing;
    }

    @Override
    protected void produce(Chunk out, int max) {
      source.fill(out, max);
      placing.seat(out);
    }

    @Override
    public boolean isReady() {
      return source.isReady();
    }

    @Override
    protected State position() {
      return source.save();
    }

    @Override
    protected void moveTo(State state) {
      source.restore(state);
    }

    @Override
    public void close() {
      source.close();
    }
  }
}
