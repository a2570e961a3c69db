package dev.headrace.op;

import dev.headrace.data.HeapLayout;
import dev.headrace.data.Plural;
import dev.headrace.spi.Checkpointing;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Duty;
import dev.headrace.spi.Failure;
import dev.headrace.spi.Holding;
import dev.headrace.spi.Id;
import dev.headrace.spi.Op;
import dev.headrace.spi.Passing;
import dev.headrace.spi.Recurring;
import dev.headrace.spi.Site;
import dev.headrace.spi.Spill;
import dev.headrace.spi.State;
import dev.headrace.spi.Traits;
import dev.headrace.spi.Weigher;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the elements of the first whole pass in memory and gives later passes from there.
 *
 * <p>What does not fit the heap account goes to a temporary file, if that is allowed and elements
 * can be written; else the pipeline ends with the size needed.
 *
 * <p>A pass that is broken off leaves nothing behind: the next one fills the cache again, with the
 * same elements. Failures are not kept; they are delivered in the pass that fills.
 */
public record CacheOp(Op input, Site site) implements Op {

  @Override
  public long cardinality() {
    return input.cardinality();
  }

  @Override
  public Traits traits() {
    return Traits.PLAIN
        .asKeepingPlace()
        .with(Checkpointing.REPLAY)
        .asNeverFailing()
        .with(Recurring.HOLDS)
        .with(Passing.ALL)
        .with(Duty.KEEPS);
  }

  @Override
  public Cursor open(Context context) {
    return new CacheCursor(context, this, context.shared(Store::new));
  }

  /**
   * A run of cached elements, in memory or on disk.
   *
   * @param chunk null where they are on disk
   */
  private record Block(@Nullable Chunk chunk, long address, int size) {
    static final long BYTES = HeapLayout.object(HeapLayout.REFERENCE + 12) + HeapLayout.REFERENCE;
  }

  /** The elements of one pass, with the memory and the disk they take. */
  private static final class Content {
    /*
     * What does not fit into memory is gathered to blocks, so that it is written and read in pieces
     * of a sensible size. A block is gathered in the part of the budget that is left free for such
     * things, and is smaller where that is small.
     */
    private static final int BLOCK = 1024;
    private static final long MOST_BLOCK_BYTES = 256 << 10;
    private static final int BLOCK_SHARE = 64;

    final Holding holding;
    final Spill spill;

    /** How many elements there will be; negative where that is not known. */
    final long expected;

    private final long mostBlockBytes;
    private final List<Block> blocks = new ArrayList<>();
    private long elements;

    /** The block that is being filled, what it takes, and whether it is for the disk. */
    private Chunk open = new Chunk();

    private long openBytes;
    private boolean isForDisk;

    Content(Context context, long expected) {
      this.expected = expected;
      this.holding = new Holding(context.heap());
      this.spill = context.spill();
      this.mostBlockBytes = Math.min(MOST_BLOCK_BYTES, context.heap().limitBytes() / BLOCK_SHARE);
    }

    /** How many blocks there are, the one that is being filled included. */
    int blocks() {
      return blocks.size() + (open.isEmpty() ? 0 : 1);
    }

    /** The elements of a block; {@code scratch} if they are on disk. */
    Chunk block(int index, Chunk scratch) {
      if (index == blocks.size()) {
        return open;
      }
      Block block = blocks.get(index);
      Chunk inMemory = block.chunk;
      if (inMemory != null) {
        return inMemory;
      }
      spill.read(block.address, block.size, scratch);
      return scratch;
    }

    /** Adds the good elements of a chunk; null, or why that cannot be. */
    @Nullable Exception add(Chunk chunk) {
      for (int i = 0; i < chunk.size(); i++) {
        if (!chunk.isFailure(i) && !hold(chunk, i)) {
          return tooLarge(Weigher.bytesOf(chunk.item(i)));
        }
      }
      return null;
    }

    private Exception tooLarge(long refusedBytes) {
      double each = (double) (holding.bytes() + spill.bytes() + refusedBytes) / (elements + 1);
      long needed = Math.round(each * Math.max(expected, elements + 1));
      return new IllegalStateException(
          ("cache: expected its elements to fit the memory budget, but after %s of about"
                  + " %s %s; %s %,d MB: raise %s, or cache earlier, where elements are"
                  + " smaller%s")
              .formatted(
                  Plural.of(elements, "element"),
                  Plural.of(Math.round(each), "byte"),
                  holding.isFull(),
                  expected < 0 ? "they need more than" : "all of them need about",
                  needed >> 20,
                  holding.option(),
                  spill.whyNotOnDisk()));
    }

    /** Adds an element; false where it fits neither the memory nor the disk. */
    private boolean hold(Chunk chunk, int index) {
      boolean isLong = chunk.inLongs() || chunk.item(index) instanceof Long;
      // Longs among other elements are boxed in their chunk; they need no block of their own.
      boolean isOfOtherLane = open.inLongs() ? !isLong : chunk.inLongs();
      if (!open.isEmpty()
          && (open.size() >= BLOCK
              || isOfOtherLane
              || (isForDisk && openBytes >= mostBlockBytes))) {
        if (!closeBlock()) {
          return false;
        }
      }
      boolean goesToLongs = isLong && (open.isEmpty() || open.inLongs());
      long bytes = goesToLongs ? 0 : Weigher.bytesOf(chunk.item(index));
      long lanes = open.laneBytes();
      open.append(chunk, index);
      if (!charge(bytes + open.laneBytes() - lanes)) {
        open.truncate(open.size() - 1);
        if (!holdOnDisk(chunk, index, bytes)) {
          return false;
        }
      }
      elements++;
      return true;
    }

    private boolean charge(long bytes) {
      boolean fits = isForDisk ? holding.take(bytes) : spill.keepsInMemory(holding, bytes);
      openBytes += fits ? bytes : 0;
      return fits;
    }

    /** Begins a block for the disk with an element that does not fit into memory. */
    private boolean holdOnDisk(Chunk chunk, int index, long bytes) {
      if (!open.isEmpty() && !closeBlock()) {
        return false;
      }
      open = new Chunk();
      open.append(chunk, index);
      isForDisk = true;
      // Where there is no memory to gather a block in, it goes to disk as it is.
      return charge(bytes + open.laneBytes()) || closeBlock();
    }

    /** Ends the block that is being filled; false where it must go to disk and cannot. */
    private boolean closeBlock() {
      long address = Spill.REFUSED;
      if (isForDisk) {
        address = spill.write(open);
        if (address != Spill.REFUSED) {
          holding.letGo(openBytes);
        } else if (openBytes == 0) {
          return false;
        }
      }
      boolean isInMemory = address == Spill.REFUSED;
      blocks.add(new Block(isInMemory ? open : null, address, open.size()));
      holding.takeAnyway(Block.BYTES);
      open = new Chunk();
      openBytes = 0;
      isForDisk = false;
      return true;
    }

    void drop() {
      blocks.clear();
      open = new Chunk();
      spill.close();
      holding.close();
      elements = 0;
    }
  }

  /**
   * What the passes over a cache share.
   *
   * <p><b>Threading:</b> guarded by itself. <b>Ownership:</b> the pipeline's.
   */
  private static final class Store implements AutoCloseable {
    /*
     * The pass that first filled the cache. All later ones fill it as that one, so that the content
     * is the same whether or not a pass came to its end, and another process can make it again.
     */
    private boolean begun;
    private long iteration;
    private @Nullable Id prefix;

    /** Of the passes that have filled it as that one, the one that came furthest. */
    private Filling furthest = new Filling(State.START, false);

    private @Nullable Content content;

    /** Whether a pass before this pipeline's life has given all of it, and so its failures. */
    private boolean given;

    synchronized void begin(long itsIteration, @Nullable Id itsPrefix, State itsStart) {
      if (!begun) {
        begun = true;
        iteration = itsIteration;
        prefix = itsPrefix;
        furthest = new Filling(itsStart, false);
      }
    }

    /** Takes note of how far a pass has come. */
    synchronized void hasCome(Filling pass, long read) {
      pass.read = read;
      if (!furthest.isLive || read > furthest.read) {
        furthest = pass;
      }
    }

    synchronized @Nullable Content content() {
      return content;
    }

    synchronized void wasGiven() {
      given = true;
    }

    synchronized boolean isGiven() {
      return given;
    }

    /** Takes over a whole pass; false where another was faster. */
    synchronized boolean publish(Content whole) {
      if (content != null) {
        return false;
      }
      content = whole;
      return true;
    }

    /** Where filling begins, which also tells the order that was met. */
    synchronized State start() {
      return furthest.start;
    }

    synchronized boolean hasBegun() {
      return begun;
    }

    synchronized long iteration() {
      return iteration;
    }

    synchronized @Nullable Id prefix() {
      return prefix;
    }

    @Override
    public synchronized void close() {
      if (content != null) {
        content.drop();
        content = null;
      }
    }
  }

  /** A pass that fills a cache: where it began, and how many elements it has read since. */
  private static final class Filling {
    final State start;

    /** Whether it goes on noting the order it meets, instead of being told by a checkpoint. */
    final boolean isLive;

    long read;

    Filling(State start, boolean isLive) {
      this.start = start;
      this.isLive = isLive;
    }
  }

  private static final class CacheCursor extends Cursor {
    private final CacheOp op;
    private final Store store;

    /** Set while this pass fills. */
    private @Nullable Cursor source;

    private @Nullable Content filling;
    private Filling pass = new Filling(State.START, false);

    /** Set while this pass reads. */
    private @Nullable Content reading;

    /** Elements pulled from the input (filling) or given from the store (reading). */
    private long position;

    private int block;
    private int inBlock;

    /** The block that is being read, and where it was put if it was on disk. */
    private Chunk loaded = new Chunk();

    private final Chunk fromDisk = new Chunk();
    private final Holding read;
    private boolean broken;

    /** Whether this pass has filled a content to its end. */
    private boolean filledAll;

    /** Whether a terminal failure was met, after which what follows is not all there is. */
    private boolean incomplete;

    /** Whether this pass fills the store again in place of one that had been reading from it. */
    private boolean silently;

    CacheCursor(Context context, CacheOp op, Store store) {
      super(context);
      this.op = op;
      this.store = store;
      this.read = new Holding(context.heap());
    }

    private void begin() {
      reading = store.content();
      if (reading == null) {
        silently = store.isGiven();
        startFilling();
      }
    }

    private Cursor startFilling() {
      Cursor input;
      if (store.hasBegun()) {
        input = context.open(op.input, store.iteration(), store.prefix());
        input.restore(store.start());
      } else {
        input = context.open(op.input);
        store.begin(context.iteration(), context.prefix(), State.START);
      }
      pass = new Filling(input.save(), true);
      store.hasCome(pass, 0);
      source = input;
      filling = new Content(context, op.cardinality());
      return input;
    }

    @Override
    protected void produce(Chunk out, int max) {
      if (broken) {
        return;
      }
      if (source == null && reading == null) {
        begin();
      }
      if (reading != null) {
        read(reading, out, max);
      } else if (source != null && filling != null) {
        fillFrom(source, filling, out, max);
      }
      Id filledUnder = store.prefix();
      if (!Objects.equals(filledUnder, context.prefix())) {
        int depth = Id.path(filledUnder).length;
        out.reparent(parent -> moved(parent, depth)); // ids of this repetition, not of the first
      }
    }

    private @Nullable Id moved(@Nullable Id parent, int depth) {
      long[] path = Id.path(parent);
      Id id = context.prefix();
      for (int i = depth; i < path.length; i++) {
        id = new Id(id, path[i]);
      }
      return id;
    }

    private void fillFrom(Cursor input, Content into, Chunk out, int max) {
      do {
        input.fill(out, max);
        if (out.isEmpty()) {
          finishFilling(into);
          return;
        }
        position += out.size();
        store.hasCome(pass, position);
        incomplete |= out.hasTerminalFailure();
        Exception problem = into.add(out);
        if (problem != null) {
          out.clear();
          out.add(new Failure(context.path(), null, problem, true), context.prefix(), 0);
          broken = true;
          return;
        }
        if (silently) {
          out.dropPassingFailures(); // they were delivered by the pass that first filled the cache
        }
      } while (out.isEmpty());
    }

    private void finishFilling(Content into) {
      filledAll = true;
      if (!incomplete && store.publish(into)) {
        filling = null;
      }
    }

    private void read(Content from, Chunk out, int max) {
      if (block == from.blocks()) {
        return;
      }
      Chunk chunk = inBlock == 0 ? load(from) : loaded;
      int size = Math.min(max, chunk.size() - inBlock);
      out.append(chunk, inBlock, size);
      inBlock += size;
      position += size;
      if (inBlock == chunk.size()) {
        block++;
        inBlock = 0;
      }
    }

    private Chunk load(Content from) {
      loaded = from.block(block, fromDisk);
      read.letGo(read.bytes());
      if (loaded == fromDisk) {
        read.takeAnyway(fromDisk.laneBytes() + Weigher.bytesOf(fromDisk));
      }
      return loaded;
    }

    @Override
    protected State position() {
      boolean fromStore =
          silently
              || reading != null
              || (source == null && (store.content() != null || store.isGiven()));
      return State.ofPairs(
          "reading",
          fromStore,
          "position",
          silently && filling != null ? filling.elements : position,
          "filledBy",
          store.hasBegun() ? store.iteration() : context.iteration(),
          "under",
          Id.path(store.hasBegun() ? store.prefix() : context.prefix()),
          "whole",
          filledAll,
          "from",
          State.late(store::start));
    }

    @Override
    protected void moveTo(State state) {
      boolean fromStore = state.flag("reading");
      long target = state.number("position");
      Content whole = store.content();
      // Settled now: a position of this very pipeline tells the start by asking this very store.
      State from = state.state("from").settled();
      store.begin(state.number("filledBy"), Id.ofPath(state.numbers("under")), from);
      if (fromStore && whole != null) {
        reading = whole;
        skip(target);
        return;
      }
      // The content is made again from the start: later passes that read the cache need all of it.
      silently = fromStore;
      if (fromStore) { // the next pass may begin before this one has come to the end
        store.wasGiven();
      }
      Cursor input = startFilling();
      Content into = filling == null ? new Content(context, op.cardinality()) : filling;
      if (target > 0) {
        context.warn(
            "%s: making %s again, because a checkpoint does not carry %s"
                .formatted(
                    context.path(),
                    Plural.of(target, "cached element"),
                    target == 1 ? "it" : "them"));
      }
      // One that had come to its end does so again, even if it is not asked for elements.
      boolean toTheEnd = state.has("whole") && state.flag("whole");
      Chunk passed = new Chunk();
      while (toTheEnd || (silently ? into.elements : position) < target) {
        long left = toTheEnd ? 1024 : target - (silently ? into.elements : position);
        input.fill(passed, (int) Math.min(left, 1024));
        if (passed.isEmpty()) {
          finishFilling(into);
          break;
        }
        incomplete |= passed.hasTerminalFailure();
        position += passed.size();
        store.hasCome(pass, position);
        Exception problem = into.add(passed);
        if (problem != null) {
          throw new IllegalStateException(problem.getMessage(), problem);
        }
      }
      passed.letGo();
    }

    @Override
    public void close() {
      read.close(); // first: closing the input may fail
      Content unfinished = filling;
      if (unfinished != null) {
        unfinished.drop();
        filling = null;
      }
      Cursor input = source;
      if (input != null) {
        input.close();
      }
    }
  }
}
