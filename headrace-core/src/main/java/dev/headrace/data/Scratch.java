package dev.headrace.data;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Memory for what lies between two steps of a computation: native, of one thread, and used again
 * and again.
 *
 * <p>It is taken like stack frames: what was taken last is given back first, with
 * try-with-resources.
 *
 * <p><b>Threading:</b> of the thread that takes it. <b>Ownership:</b> a frame's memory is valid
 * until the frame is closed; the memory behind it lives as long as the thread.
 */
public final class Scratch implements AutoCloseable {
  /** What one thread keeps at most; more than that is taken and given back each time. */
  private static final long MOST_KEPT_BYTES = 64L << 20;

  private static final int ALIGNMENT = 64;
  private static final ThreadLocal<Stack> STACKS = ThreadLocal.withInitial(Stack::new);

  private final Stack stack;
  private final long before;
  private final MemorySegment memory;
  private final @Nullable Arena own;

  private Scratch(Stack stack, long before, MemorySegment memory, @Nullable Arena own) {
    this.stack = stack;
    this.before = before;
    this.memory = memory;
    this.own = own;
  }

  /** Takes {@code bytes} of memory, aligned to 64 bytes and not zeroed. */
  public static Scratch take(long bytes) {
    Stack stack = STACKS.get();
    long before = stack.top;
    MemorySegment room = stack.room(bytes);
    if (room != null) {
      return new Scratch(stack, before, room, null);
    }
    Arena arena = Arena.ofConfined();
    try {
      return new Scratch(stack, before, arena.allocate(Math.max(1, bytes), ALIGNMENT), arena);
    } catch (Throwable e) {
      arena.close();
      throw e;
    }
  }

  /** The memory, at least as large as asked for. */
  public MemorySegment memory() {
    return memory;
  }

  @Override
  public void close() {
    stack.top = before;
    if (own != null) {
      own.close();
    }
  }

  private static final class Stack {
    private MemorySegment kept = MemorySegment.NULL;
    private long top;

    /** Room on the stack, or null where it does not fit. */
    @Nullable MemorySegment room(long bytes) {
      long from = top;
      long end = from + (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
      if (end > kept.byteSize()) {
        if (from != 0 || end > MOST_KEPT_BYTES) {
          return null; // what was taken before must stay where it is
        }
        long size = Math.min(MOST_KEPT_BYTES, Math.max(1 << 20, Long.highestOneBit(end) * 2));
        kept = Arena.ofAuto().allocate(size, ALIGNMENT);
      }
      top = end;
      return kept.asSlice(from, bytes);
    }
  }
}
