package dev.headrace.op;

import dev.headrace.spi.Checkpointing;
import dev.headrace.spi.Chunk;
import dev.headrace.spi.Context;
import dev.headrace.spi.Cursor;
import dev.headrace.spi.Failure;
import dev.headrace.spi.Id;
import dev.headrace.spi.Op;
import dev.headrace.spi.Site;
import dev.headrace.spi.Sizer;
import dev.headrace.spi.State;
import dev.headrace.spi.Traits;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the elements of the first whole pass in memory and gives later passes from there.
 *
 * <p>A pass that is broken off fills nothing: the next one starts filling anew. Failures are not
 * kept; they are delivered in the pass that fills.
 */
public record CacheOp(Op input, Site site) implements Op {

  @Override
  public long cardinality() {
    return input.cardinality();
  }

  @Override
  public Traits traits() {
    return Traits.PLAIN.with(Checkpointing.REPLAY);
  }

  @Override
  public Cursor open(Context context) {
    return new CacheCursor(context, this, context.shared(() -> new Store(context)));
  }

  /** The elements of one pass. Owned by the pipeline, filled by one cursor at a time. */
  private static final class Store implements AutoCloseable {
    private final Context context;
    private final List<Chunk> blocks = new ArrayList<>();
    private long elements;
    private long bytes;
    private boolean complete;

    /** The pass that filled it, so that another process can make the same content again. */
    private long iteration;

    private @Nullable Id prefix;

    Store(Context context) {
      this.context = context;
    }

    synchronized void clear() {
      blocks.clear();
      context.heap().release(bytes);
      elements = 0;
      bytes = 0;
      complete = false;
    }

    /** Adds the good elements of a chunk; null, or why that cannot be. */
    synchronized @Nullable Exception add(Chunk chunk) {
      Chunk block = new Chunk();
      for (int i = 0; i < chunk.size(); i++) {
        if (!chunk.isFailure(i)) {
          block.append(chunk, i);
        }
      }
      if (block.isEmpty()) {
        return null;
      }
      long added = Sizer.bytesOf(block);
      if (!context.heap().tryReserve(added)) {
        return new IllegalStateException(
            ("cache: expected its elements to fit the memory budget, but %,d elements need more than"
                    + " %,d MB and the %s account holds %,d MB; raise options.heapBudget, or cache"
                    + " earlier, where elements are smaller")
                .formatted(
                    elements + block.size(),
                    (bytes + added) >> 20,
                    context.heap().name(),
                    context.heap().limitBytes() >> 20));
      }
      blocks.add(block);
      elements += block.size();
      bytes += added;
      return null;
    }

    @Override
    public void close() {
      clear();
    }
  }

  private static final class CacheCursor extends Cursor {
    private final CacheOp op;
    private final Store store;

    /** The input while this pass fills, null while it reads. */
    private @Nullable Cursor source;

    /** Elements pulled from the input (filling) or given from the store (reading). */
    private long position;

    private int block;
    private int inBlock;
    private boolean started;
    private boolean failed;

    /** Whether this pass fills the store again for a pass that had been reading from it. */
    private boolean silently;

    CacheCursor(Context context, CacheOp op, Store store) {
      super(context);
      this.op = op;
      this.store = store;
    }

    private void start() {
      started = true;
      if (!store.complete) {
        store.clear();
        store.iteration = context.iteration();
        store.prefix = context.prefix();
        source = context.open(op.input);
      }
    }

    @Override
    protected void produce(Chunk out, int max) {
      if (failed) {
        return;
      }
      if (!started) {
        start();
      }
      if (source == null) {
        read(out, max);
      } else {
        fillFrom(source, out, max);
      }
    }

    private void fillFrom(Cursor input, Chunk out, int max) {
      do {
        input.fill(out, max);
        if (out.isEmpty()) {
          store.complete = true;
          return;
        }
        position += out.size();
        Exception problem = store.add(out);
        if (problem != null) {
          out.clear();
          out.add(new Failure(context.path(), null, problem, true), context.prefix(), 0);
          failed = true;
          return;
        }
        if (silently) {
          dropFailures(out); // they were delivered by the pass that first filled the cache
        }
      } while (out.isEmpty());
    }

    private static void dropFailures(Chunk chunk) {
      int kept = 0;
      int size = chunk.size();
      for (int i = 0; i < size; i++) {
        if (!chunk.isFailure(i)) {
          chunk.move(i, kept++);
        }
      }
      chunk.truncate(kept);
    }

    private void read(Chunk out, int max) {
      if (block == store.blocks.size()) {
        return;
      }
      Chunk from = store.blocks.get(block);
      int size = Math.min(max, from.size() - inBlock);
      out.append(from, inBlock, size);
      inBlock += size;
      position += size;
      if (inBlock == from.size()) {
        block++;
        inBlock = 0;
      }
    }

    @Override
    protected State position() {
      boolean reading = (started ? source == null : store.complete) || silently;
      return State.ofPairs(
          "reading", reading,
          "position", silently ? store.elements : position,
          "filledBy", started || reading ? store.iteration : context.iteration(),
          "under", Id.path(started || reading ? store.prefix : context.prefix()));
    }

    @Override
    protected void moveTo(State state) {
      // The content is made again from the start: whoever reads the cache later needs all of it.
      boolean reading = state.flag("reading");
      long target = state.number("position");
      if (store.complete) {
        throw new State.InvalidState("checkpoint: expected a cache that was not filled yet");
      }
      started = true;
      silently = reading;
      store.clear();
      store.iteration = state.number("filledBy");
      store.prefix = Id.ofPath(state.numbers("under"));
      Cursor input = context.open(op.input, store.iteration, store.prefix);
      source = input;
      context.warn(
          "%s: making %,d cached elements again, because the checkpoint does not carry them"
              .formatted(context.path(), target));
      Chunk passed = scratch();
      while ((reading ? store.elements : position) < target) {
        long left = target - (reading ? store.elements : position);
        input.fill(passed, (int) Math.min(left, 1024));
        if (passed.isEmpty()) {
          break;
        }
        position += passed.size();
        Exception problem = store.add(passed);
        if (problem != null) {
          throw new IllegalStateException(problem.getMessage(), problem);
        }
      }
      passed.clear();
    }

    @Override
    public void close() {
      Cursor input = source;
      if (input != null) {
        input.close();
      }
    }
  }
}
