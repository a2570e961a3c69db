package dev.headrace.op;

import dev.headrace.data.DType;
import dev.headrace.data.Expression;
import dev.headrace.data.Shape;
import dev.headrace.data.SlabPool;
import dev.headrace.data.Structure;
import dev.headrace.data.Tensor;
import dev.headrace.spi.BatchBudget;
import dev.headrace.spi.BatchMemory;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.Failure;
import dev.headrace.spi.Hurry;
import dev.headrace.spi.Weighed;
import dev.headrace.spi.Weigher;
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
 * <p>Every element gets a seat as it is pulled: a row of the batch it will most likely be in. The
 * thread that computes the element writes to that row. If no element of a batch failed, its rows
 * are where they belong and nothing is copied; a failure moves those behind it up by one, and the
 * few batches that were under way are copied together.
 *
 * <p><b>Threading:</b> seats are given by the thread that pulls, filled by any, and taken by the
 * thread that assembles. Lock order: this, then a tray. <b>Ownership:</b> owns the memory of
 * batches until they are assembled.
 */
final class Placing {
  /** A batch that takes more than this share of the memory there is gets no memory in advance. */
  private static final int LARGEST_SHARE = 2;

  private final Context context;
  private final int size;
  private final int rows;
  private final boolean tensorsOnly;
  private final String path;

  /** Batches that have a seat which was not taken yet, oldest first; guarded by this. */
  private final ArrayDeque<Tray> trays = new ArrayDeque<>();

  /** How many elements found a seat, and how many of those failed; guarded by this. */
  private long seated;

  private long failed;
  private boolean closed;
  private volatile boolean remarked;

  /**
   * Begins with the next element.
   *
   * @param size of a batch
   * @param elements how many there are in all; negative if that is not known
   * @param tensorsOnly whether elements that are no tensors are left to the batch, which refuses
   *     them
   * @param row of the batch in which the next element will be
   * @param path of the operator that left tensors deferred
   */
  Placing(Context context, int size, long elements, boolean tensorsOnly, int row, String path) {
    this.context = context;
    this.size = size;
    this.rows = elements < 0 ? size : (int) Math.max(1, Math.min(size, elements));
    this.tensorsOnly = tensorsOnly;
    this.seated = row;
    this.path = path;
  }

  /** A place for one element; the element itself until it was written there. */
  static final class Seat implements Weighed {
    private final Tray tray;
    private final int row;

    /** Null once it was written. */
    private @Nullable Object element;

    /** Its strings, which have no place in the memory, once the rest was written. */
    private Tensor @Nullable [] strings;

    private Seat(Tray tray, int row, Object element) {
      this.tray = tray;
      this.row = row;
      this.element = element;
    }

    private boolean isPlaced() {
      return element == null;
    }

    @Override
    public long heapBytes() {
      Object waiting = element;
      return 64 + (waiting == null ? 0 : Weigher.bytesOf(waiting));
    }
  }

  // ---- giving seats -----------------------------------------------------------------------------

  /** Gives seats to the elements of a chunk. */
  synchronized void seat(Chunk chunk) {
    for (int i = 0; i < chunk.size(); i++) {
      if (!chunk.isFailure(i)) {
        chunk.replace(i, seat(chunk.item(i)));
      }
    }
  }

  /*
   * An element's row is right while no element before it fails that is still under way. Once one
   * did, those that follow are seated one row too far down. They go on in the same tray, and on
   * the heap where that is full, so that failures cost no second tray; the first element of the
   * next batch begins a tray that is right.
   */
  private Seat seat(Object element) {
    long place = seated++ - failed;
    long number = place / size;
    int row = (int) (place % size);
    Tray tray = trays.peekLast();
    boolean goesOn = tray != null && tray.number >= number && (tray.onHeap || tray.nextRow < rows);
    if (tray == null || !goesOn) {
      boolean isSecond = tray != null && tray.number >= number;
      tray = new Tray(number, closed, isSecond || row >= rows);
      tray.nextRow = row;
      trays.addLast(tray);
    }
    return new Seat(tray, tray.nextRow++, element);
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

  /**
   * Computes what is not computed yet, for instance because there was no memory for a batch so
   * late.
   */
  void finish(Chunk chunk) {
    for (int i = 0; i < chunk.size(); i++) {
      place(chunk, i, true);
    }
  }

  private void place(Chunk chunk, int index, boolean mustBe) {
    if (chunk.isFailure(index) || !(chunk.item(index) instanceof Seat seat) || seat.isPlaced()) {
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

  private void remark(Structure<Object> structure, Tensor[] leaves) {
    for (int leaf = 0; leaf < leaves.length && !remarked; leaf++) {
      Expression expression = leaves[leaf].expression();
      if (expression != null) {
        remarked = true;
        try {
          String name = structure.leafName(leaf);
          context.remark(
              "computed in place%s: %s"
                  .formatted(name.isEmpty() ? "" : ", '" + name + "'", expression.describe()));
        } catch (RuntimeException e) {
          context.remark("computed in place: an expression that cannot be described, " + e);
        }
      }
    }
  }

  /** Computes leaves that other leaves are computed from, so that it happens once. */
  private static void computeShared(Tensor[] leaves) {
    for (Tensor leaf : leaves) {
      Expression expression = leaf.expression();
      if (expression == null) {
        continue;
      }
      for (Tensor other : leaves) {
        Expression user = other == leaf ? null : other.expression();
        if (user != null && reads(user, leaf)) {
          Tensor _ = leaf.compute();
          break;
        }
      }
    }
  }

  private static boolean reads(Expression expression, Tensor tensor) {
    for (Tensor source : expression.sources()) {
      Expression before = source.expression();
      if (source == tensor || (before != null && reads(before, tensor))) {
        return true;
      }
    }
    return false;
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
      if (!(gathered.item(i) instanceof Seat seat) || !seat.isPlaced() || seat.row != i) {
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
    closed = true;
    while (!trays.isEmpty()) {
      trays.removeFirst().close();
    }
  }

  /** The memory of one batch and what lies in it. */
  private final class Tray {
    /** Which batch, if nothing fails. */
    final long number;

    /** Whether its elements have no place in a batch, and are computed into memory of their own. */
    final boolean onHeap;

    /** Guarded by the lock of those who give seats. */
    int nextRow;

    // Guarded by this tray.
    private @Nullable Structure<Object> structure;
    private DType[] dtypes = {};
    private Shape[] shapes = {};
    private @Nullable BatchMemory memory;
    private long chargedBytes;
    private int writers;
    private boolean taken;
    private boolean closed;

    Tray(long number, boolean closed, boolean onHeap) {
      this.number = number;
      this.onHeap = onHeap;
      this.closed = closed;
    }

    void place(Seat seat, boolean mustBe) {
      Object element = required(seat.element);
      Optional<Structure<Object>> found =
          tensorsOnly && !(element instanceof Tensor) ? Optional.empty() : Structure.find(element);
      if (found.isEmpty()) {
        return; // the batch will say so
      }
      Structure<Object> ofElement = found.get();
      Tensor[] leaves = ofElement.leaves(element);
      if (!remarked) {
        remark(ofElement, leaves);
      }
      boolean beyondBudget = isOldest(this); // asked before this tray's lock is taken
      BatchMemory room = onHeap ? null : enter(ofElement, leaves, beyondBudget);
      if (room == null) {
        if (mustBe
            || onHeap) { // there is no room, or it is not like the others, which the batch will say
          for (Tensor leaf : leaves) {
            Tensor _ = leaf.compute();
          }
        }
        return;
      }
      try {
        computeShared(leaves);
        Tensor[] strings = null;
        for (int leaf = 0; leaf < leaves.length; leaf++) {
          if (leaves[leaf].dtype() == DType.STRING) {
            strings = strings == null ? new Tensor[leaves.length] : strings;
            strings[leaf] = leaves[leaf];
          } else {
            MemorySegment all = room.room(leaf);
            leaves[leaf].copyInto(all, seat.row * (all.byteSize() / rows));
          }
        }
        seat.strings = strings;
        seat.element = null;
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
      DType[] types = new DType[leaves.length];
      Shape[] each = new Shape[leaves.length];
      Shape[] batched = new Shape[leaves.length];
      for (int leaf = 0; leaf < leaves.length; leaf++) {
        types[leaf] = leaves[leaf].dtype();
        each[leaf] = leaves[leaf].shape();
        batched[leaf] = types[leaf] == DType.STRING ? Shape.of(0) : each[leaf].prepend(rows);
      }
      SlabPool slabs = context.slabs();
      long limit = slabs == null ? context.heap().limitBytes() : slabs.limitBytes();
      long bytes = BatchMemory.bytes(types, batched);
      if (bytes > limit / LARGEST_SHARE) {
        return; // perhaps a size that means "all there are"
      }
      BatchMemory made = null;
      try {
        made =
            slabs == null || beyondBudget
                ? new BatchMemory(types, batched, new BatchBudget(slabs, null, context.path()))
                : BatchMemory.tryTake(types, batched, slabs, context.path());
        if (made != null && made.isOwn() && !charge(bytes, beyondBudget)) {
          return; // later, once it is the oldest
        }
        for (int leaf = 0; made != null && leaf < leaves.length; leaf++) {
          if (types[leaf] != DType.STRING) {
            MemorySegment _ = made.room(leaf); // made here, by one thread
          }
        }
      } catch (OutOfMemoryError e) { // not the element's fault: it does without
        if (made != null) {
          made.giveBack();
        }
        letGo();
        return;
      }
      structure = ofElement;
      dtypes = types;
      shapes = each;
      memory = made;
    }

    /** Charges memory on the heap, which flows through here; says whether there was room. */
    private boolean charge(long bytes, boolean beyondBudget) {
      if (!context.heap().tryBuffer(bytes)) {
        if (!beyondBudget) {
          return false;
        }
        context.heap().buffer(bytes);
      }
      chargedBytes = bytes;
      return true;
    }

    private void letGo() {
      context.heap().unbuffer(chargedBytes);
      chargedBytes = 0;
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
      if (closed && writers == 0 && memory != null) {
        memory.free();
        memory = null;
      }
    }

    synchronized Object batch(Chunk gathered) {
      BatchMemory room = required(memory);
      taken = true;
      letGo();
      int count = gathered.size();
      Tensor[] leaves = new Tensor[dtypes.length];
      try {
        for (int leaf = 0; leaf < leaves.length; leaf++) {
          leaves[leaf] =
              dtypes[leaf] == DType.STRING
                  ? Tensor.stackStrings(strings(gathered, leaf))
                  : room.firstRows(leaf, count);
        }
        return required(structure).build(leaves);
      } catch (Throwable e) { // a record's constructor may refuse
        room.giveBack();
        throw e;
      }
    }

    private static List<Tensor> strings(Chunk gathered, int leaf) {
      List<Tensor> column = new ArrayList<>(gathered.size());
      for (int i = 0; i < gathered.size(); i++) {
        column.add(required(((Seat) gathered.item(i)).strings)[leaf]);
      }
      return column;
    }

    /** The element of a seat, as views of the memory it was written to. */
    synchronized Object element(Seat seat) {
      if (seat.element != null) {
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
      if (memory == null || taken) {
        return;
      }
      letGo();
      if (writers > 0) {
        memory.leave(); // somebody does not heed the end, and must not write into another's batch
      } else {
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
}
